"""What all routes of one arena share: its store, who asks, bodies of requests, and answers as pages or JSON.

Templates escape, and by the policy of all pages nothing but the arena's own script runs.
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from functools import cache
from importlib.resources import files
from math import ceil
from pathlib import Path
from time import time
from typing import Any
from urllib.parse import parse_qs

import msgspec
from jinja2 import Environment
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from league.extensions.arena.access import utc
from league.extensions.arena.briefs import Briefs
from league.extensions.arena.database import RefusedError
from league.extensions.arena.folder import RESULTS, arena_config
from league.extensions.arena.records import ROSTER_FACT, SECRET_FACT, HandInState, Participant, Phase
from league.extensions.arena.store import ArenaStore
from league.extensions.arena.visits import ArenaReader, SignOn, Visitors
from league.page.inline import environment, static

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
STATE_WORDS: dict[HandInState, str] = {
    "waiting": "waits to be checked",
    "replaced": "was replaced before it was checked",
    "passed": "has passed",
    "failed": "has failed its check",
    "late": "came after the deadline, and is kept aside",
}
PHASE_WORDS: dict[Phase, str] = {
    "open": "Hand-ins are open",
    "closed": "Hand-ins are closed; the last checks run",
    "final": "The final is being played",
    "over": "The final is over",
}
ASSETS = {"arena.css": "text/css", "arena.js": "text/javascript"}
"""Static files of the arena, and their types."""
UPLOAD_SECONDS = 60.0
"""For the whole body of a request to arrive."""
MOST_FORM = 2_000_000
"""Bytes of a form."""
MOST_IN_FLIGHT = 256 << 20
"""Bytes of all bodies that are arriving at this moment."""


class ArenaSite:
    """One arena as its routes see it."""

    def __init__(self, folder: Path, sign_on: SignOn | None = None) -> None:
        self.folder = folder
        self.arena = ArenaStore.open(folder)
        self.config = arena_config(folder)
        self.briefs = Briefs(folder)
        self.visitors = Visitors(self.arena, sign_on)
        self._in_flight = 0

    @property
    def name(self) -> str:
        """The name of the arena."""
        return self.arena.fact("name")

    @property
    def ladder(self) -> Path:
        """The folder of the league that the ladder plays."""
        return self.folder / RESULTS / self.config.name

    def reader(self, person: Participant | None) -> ArenaReader:
        """What somebody, or nobody who is known, may see of the games."""
        return ArenaReader(person, self.arena.rules)

    def page(self, request: Request, template: str, person: Participant | None, **values: Any) -> Response:
        """A page from a template, for somebody or for nobody."""
        rules = self.arena.rules
        return _page(
            request,
            template,
            arena=self.name,
            person=person,
            spectators=rules.spectators,
            notice=rules.notice if person else "",
            now=self.arena.now(),
            secret_hash=self.arena.fact("secret_hash"),
            roster_hash=self.arena.fact(ROSTER_FACT),
            secret=self.arena.fact(SECRET_FACT),
            **values,
        )

    async def body(self, request: Request, most: int) -> bytes:
        """The whole body of a request: it arrives within its size and its time, or one clear line says why not."""
        parts, size = [], 0
        try:
            async with asyncio.timeout(UPLOAD_SECONDS):
                async for part in request.stream():
                    size += len(part)
                    self._in_flight += len(part)
                    if size > most:
                        raise HTTPException(
                            413, f"Expected at most {most >> 20 or 1} MB, found more. Nothing was handed in."
                        )
                    if self._in_flight > MOST_IN_FLIGHT:
                        headers = {"Retry-After": "10"}
                        raise HTTPException(503, "Many hand-ins arrive at this moment. Try again in 10 s.", headers)
                    parts.append(part)
        except TimeoutError:
            limit = f"Expected the whole file within {UPLOAD_SECONDS:.0f} s. Nothing was handed in; try again."
            raise HTTPException(408, limit) from None
        except ClientDisconnect:
            raise HTTPException(400, "The connection was closed before the whole file had arrived.") from None
        finally:
            self._in_flight -= size
        return b"".join(parts)

    async def form(self, request: Request) -> dict[str, str]:
        """The fields of a form."""
        body = await self.body(request, MOST_FORM)
        try:
            fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=20)
        except (UnicodeDecodeError, ValueError):
            raise HTTPException(400, "Expected a form of this page.") from None
        return {key: values[-1] for key, values in fields.items()}


def root_of(request: Request) -> str:
    """The path below which the arena is mounted."""
    return str(request.scope.get("root_path", "")).rstrip("/")


def wants_page(request: Request) -> bool:
    """Whether a person asks, with a browser, and not a program."""
    return "text/html" in request.headers.get("accept", "")


def json_answer(data: Any, status: int = 200) -> Response:
    """Data for a program."""
    return Response(msgspec.json.encode(data), status, media_type="application/json", headers=HEADERS)


async def explain(request: Request, problem: Exception) -> Response:
    """A mistake of whoever asks, or a limit, in one clear line."""
    after = getattr(problem, "retry_after", None)
    headers = {"Retry-After": str(ceil(after))} if after is not None else {}
    status = 429 if after is not None else 400 if isinstance(problem, RefusedError) else 503
    return _problem(request, str(problem), status, headers)


async def explain_http(request: Request, problem: Exception) -> Response:
    """A refusal of the web server, in one clear line."""
    assert isinstance(problem, HTTPException)
    text = "There is nothing here." if problem.detail == "Not Found" else problem.detail
    return _problem(request, text, problem.status_code, dict(problem.headers or {}))


async def explain_bug(request: Request, problem: Exception) -> Response:
    """A bug, without its traceback, which the log has."""
    return _problem(request, "The server has met a bug. Nothing was handed in; tell the lecturer.", 500, {})


def _problem(request: Request, text: str, status: int, headers: dict[str, str]) -> Response:
    """One clear line, as a page for people and as JSON for programs."""
    if wants_page(request):
        answer = _page(request, "message.html.j2", heading="That did not work", text=text)
        answer.status_code = status
    else:
        answer = json_answer({"problem": text}, status)
    answer.headers.update(headers)
    return answer


def _page(request: Request, template: str, **values: Any) -> Response:
    """A page from a template; what `values` leave out is as for nobody, and tells nothing about the arena."""
    unknown = dict.fromkeys(("notice", "secret_hash", "roster_hash", "secret"), "")
    nobody = {"arena": "Arena", "person": None, "spectators": False, "now": time(), **unknown}
    words = {"root": root_of(request), "words": STATE_WORDS, "phases": PHASE_WORDS}
    text = _templates().get_template(template).render({**nobody, **words, **values})
    return Response(text, media_type="text/html", headers=HEADERS)


@cache
def asset(name: str) -> bytes:
    """A static file of the arena, one of `ASSETS`."""
    text = files("league.extensions.arena").joinpath("static", name).read_text(encoding="utf-8")
    return (static("base.css") + text if name == "arena.css" else text).encode()


@cache
def _templates() -> Environment:
    templates = environment("league.extensions.arena")
    templates.filters["utc"] = utc
    templates.filters["moment"] = lambda seconds: _local(seconds).strftime("%Y-%m-%d %H:%M:%S")
    templates.filters["zoned"] = lambda seconds: _local(seconds).strftime("%Y-%m-%d %H:%M:%S %Z")
    return templates


def _local(seconds: float) -> datetime:
    """A moment as the server's clock shows it."""
    return datetime.fromtimestamp(seconds).astimezone()
