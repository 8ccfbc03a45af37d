"""A server of leagues in a thread of the test, and requests to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPMessage
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

from league.page.server import PageServer
from league.values.settings import Isolation


@contextmanager
def served(folder: Path, isolation: Isolation = Isolation.SANDBOX) -> Iterator[int]:
    """Serve a folder; yields the port."""
    server = PageServer(folder, isolation=isolation)
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server.port
    finally:
        server.stop()
        thread.join(30)
    assert not thread.is_alive()


def ask(
    port: int, path: str, method: str = "GET", host: str | None = None, **headers: str
) -> tuple[int, bytes, HTTPMessage]:
    """Status, content and headers of the answer."""
    connection = HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request(method, path, headers={"Host": host or f"localhost:{port}", **headers})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content, answer.headers


def wait_until(page: Any, expression: str, seconds: float = 30) -> None:
    """Wait until a JavaScript expression is true. Playwright's own wait needs eval, which our policy forbids."""
    deadline = monotonic() + seconds
    while not _is_true(page, expression):
        assert monotonic() < deadline, f"{expression} is still false after {seconds} seconds"
        page.wait_for_timeout(50)


def _is_true(page: Any, expression: str) -> bool:
    try:
        return bool(page.evaluate(expression))
    except Exception as problem:
        if "context was destroyed" in str(problem):  # the page is being loaded again
            return False
        raise
