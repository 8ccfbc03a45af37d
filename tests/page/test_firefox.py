"""One visit in Firefox, where it is installed: a league is read, sorted and played at without an error of a script."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from league.values.settings import Isolation
from tests.page.leagues import play
from tests.page.serving import served

pytestmark = pytest.mark.slow
SECONDS = 60
"""For the browser's start, and for each answer of it."""


class Firefox:
    """A page in Firefox, driven by WebDriver BiDi, which the browser speaks by itself."""

    def __init__(self, connection: Any) -> None:
        self._connection, self._numbers = connection, count(1)
        self.context = ""
        self.errors: list[str] = []

    async def ask(self, method: str, **params: Any) -> Any:
        number = next(self._numbers)
        await self._connection.write_message(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            answer = json.loads(await asyncio.wait_for(self._connection.read_message(), SECONDS))
            if answer.get("method") == "log.entryAdded" and answer["params"]["level"] in ("warn", "error"):
                self.errors.append(answer["params"]["text"])
            if answer.get("id") == number:
                assert answer["type"] == "success", answer
                return answer["result"]

    async def open(self, url: str) -> None:
        if not self.context:
            await self.ask("session.new", capabilities={})
            await self.ask("session.subscribe", events=["log.entryAdded"])
            self.context = (await self.ask("browsingContext.getTree"))["contexts"][0]["context"]
        await self.ask("browsingContext.navigate", context=self.context, url=url, wait="complete")

    async def close(self) -> None:
        self._connection.close()
        while await self._connection.read_message() is not None:
            pass

    async def run(self, script: str) -> Any:
        """The value of an expression; a promise is waited for."""
        asked = {"expression": script, "target": {"context": self.context}, "awaitPromise": True}
        answer = await self.ask("script.evaluate", **asked)
        assert answer["type"] == "success", answer
        return answer["result"].get("value")

    async def until(self, condition: str) -> None:
        """Wait until an expression is true."""
        for _ in range(SECONDS * 10):
            if await self.run(condition):
                return
            await asyncio.sleep(0.1)
        pytest.fail(f"{condition} is false after {SECONDS} seconds; errors: {self.errors}")


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Where Firefox listens."""
    path = shutil.which("firefox") or shutil.which("firefox-esr")
    if path is None:
        pytest.skip("firefox is not installed")
    profile = tmp_path / "profile"
    profile.mkdir()
    words = [path, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"]
    browser = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert browser.stderr is not None
    try:
        lines = iter(browser.stderr.readline, "")
        found = next(filter(None, (re.search(r"BiDi listening on (ws://127\.0\.0\.1:\d+)", line) for line in lines)))
        yield f"{found[1]}/session"
    finally:
        browser.terminate()
        browser.communicate(timeout=SECONDS)


def test_a_visit_in_firefox(address, tmp_path):
    websocket = pytest.importorskip("tornado.websocket")
    (tmp_path / "league").mkdir()
    folder = play(tmp_path / "league", games=30)

    async def visit(port: int) -> None:
        firefox = Firefox(await websocket.websocket_connect(address))
        await firefox.open(f"http://localhost:{port}/#raj-2p")
        assert await firefox.run("document.querySelector('#raj-2p h2').textContent") == "Raj, 2 players"
        await firefox.run("document.querySelector('#raj-2p th:not([aria-sort]) button').click()")
        assert await firefox.run("document.querySelectorAll('#raj-2p th[aria-sort]').length") == 1
        await firefox.open(f"http://localhost:{port}/bots/last.html")
        assert await firefox.run("document.querySelector('h1').textContent") == "last"
        await firefox.open(f"http://localhost:{port}/sit?bot=last")
        await firefox.run("document.querySelector('#begin').click()")
        await firefox.until("document.querySelectorAll('.felt button').length === 15")
        await firefox.run("document.querySelector('.felt button').click()")
        await firefox.until("document.querySelectorAll('.felt button').length === 14")
        await firefox.close()
        assert firefox.errors == []

    # in a thread of its own: other tests of a browser keep an event loop in this one
    with served(folder, Isolation.TRUSTED) as port, ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, visit(port)).result()
