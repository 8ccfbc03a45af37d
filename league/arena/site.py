"""What all routes of one arena share: its store, who asks, bodies, and answers as pages or JSON."""

from __future__ import annotations

from math import ceil
from pathlib import Path
from time import time
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from league.arena.bodies import Bodies
from league.arena.briefs import Briefs
from league.arena.database import RefusedError
from league.arena.folder import RESULTS, arena_config
from league.arena.pages import HEADERS, render
from league.arena.records import ROSTER_FACT, SECRET_FACT, Participant
from league.arena.store import ArenaStore
from league.arena.visits import SignOn, Visitors


class ArenaSite:
    """One arena as its routes see it."""

    def __init__(self, folder: Path, sign_on: SignOn | None = None) -> None:
        self.folder = folder
        self.arena = ArenaStore.open(folder)
        self.config = arena_config(folder)
        self.briefs = Briefs(folder)
        self.bodies = Bodies()
        self.visitors = Visitors(self.arena, sign_on)

    @property
    def name(self) -> str:
        """Of the arena."""
        return self.arena.fact("name")

    @property
    def ladder(self) -> Path:
        """The folder of the league that the ladder plays."""
        return self.folder / RESULTS / self.config.name

    def page(self, request: Request, template: str, person: Participant | None, **values: Any) -> Response:
        """A page from a template, for somebody or for nobody."""
        rules = self.arena.rules
        text = render(
            template,
            arena=self.name,
            root=root_of(request),
            person=person,
            spectators=rules.spectators,
            notice=rules.notice if person else "",
            now=self.arena.now(),
            secret_hash=self.arena.fact("secret_hash"),
            roster_hash=self.arena.fact(ROSTER_FACT),
            secret=self.arena.fact(SECRET_FACT),
            **values,
        )
        return Response(text, media_type="text/html", headers=HEADERS)


def root_of(request: Request) -> str:
    """The path below which the arena is mounted."""
    return str(request.scope.get("root_path", "")).rstrip("/")


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
    if "text/html" not in request.headers.get("accept", ""):
        answer = json_answer({"problem": text}, status)
    else:
        page = render(
            "message.html.j2",
            heading="That did not work",
            text=text,
            arena="Arena",
            root=root_of(request),
            person=None,
            spectators=False,
            notice="",
            now=time(),
            secret_hash="",
            roster_hash="",
            secret="",
        )
        answer = Response(page, status, media_type="text/html", headers=HEADERS)
    answer.headers.update(headers)
    return answer
