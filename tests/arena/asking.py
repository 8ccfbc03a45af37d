"""Asks a web application without a network: a request in, a status and a body out."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import msgspec


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


def ask(
    app,
    method: str,
    path: str,
    body: bytes = b"",
    *,
    host: str = "localhost",
    meanwhile: Callable[[], object] = lambda: None,
    **headers: str,
) -> Answer:
    """Send one request; headers are given with `_` for `-`. `meanwhile` is called when half of the body is there."""
    if body and not headers.keys() & {"content_type", "content-type"}:
        headers["content_type"] = "application/x-www-form-urlencoded"
    scope = scope_of(method, path, host, **headers)
    with ThreadPoolExecutor(1) as thread:  # the loop of a browser test may be running in this one
        return thread.submit(lambda: asyncio.run(_ask(app, scope, body, meanwhile))).result()


def scope_of(method: str, path: str, host: str = "localhost", **headers: str) -> dict[str, Any]:
    """A request as servers pass it to an application."""
    path, _, query = path.partition("?")
    raw = [(key.replace("_", "-").encode(), value.encode("latin-1")) for key, value in headers.items()]
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},  # it is not asked whether anybody still listens
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(b"host", host.encode()), *raw],
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
    }


async def _ask(app, scope, body: bytes, meanwhile: Callable[[], object]) -> Answer:
    sent: list[dict[str, Any]] = []
    half = len(body) // 2
    parts = [(body[half:], False), (body[:half], True)]

    async def receive():
        if not parts:
            return {"type": "http.disconnect"}
        if len(parts) == 1:
            meanwhile()
        part, more = parts.pop()
        return {"type": "http.request", "body": part, "more_body": more}

    async def send(message):
        sent.append(message)

    await app(scope, receive, send)
    start = next(message for message in sent if message["type"] == "http.response.start")
    content = b"".join(message.get("body", b"") for message in sent if message["type"] == "http.response.body")
    return Answer(start["status"], {key.decode(): value.decode() for key, value in start["headers"]}, content)
