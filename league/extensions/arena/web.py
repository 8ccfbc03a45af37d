"""The web application of an arena: hand-ins, author's and staff's pages, standings.

    app = make_app(folder, secure=False, hosts=("localhost",))

It takes and shows what people hand in, and never opens, imports or runs any of it. People come in by a personal code,
which is exchanged for a cookie; programs send the code with each request. Whoever has neither sees a welcome.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import Receive, Scope, Send

from league.errors import LeagueError
from league.extensions.arena.access import SESSION_DAYS
from league.extensions.arena.author_routes import AuthorRoutes
from league.extensions.arena.folder import shown_league
from league.extensions.arena.records import Participant
from league.extensions.arena.site import ASSETS, HEADERS, ArenaSite, asset, explain, explain_bug, explain_http, root_of
from league.extensions.arena.staff_routes import StaffRoutes
from league.extensions.arena.visits import COOKIE, SignOn, refuse_other_origins
from league.page.live import LeagueFolder
from league.page.privacy import PageReader
from league.page.server import LeagueRoutes
from league.results.schema import FILE as LEAGUE_FILE

NEWS_SECONDS = 1.0
KEEP_ALIVE_SECONDS = 15.0


class Bulletin:
    """News for any number of readers: read once a second while anybody listens, and sent when it has changed."""

    def __init__(self, read: Callable[[], str]) -> None:
        self._read = read
        self._news = ""
        self._woken = asyncio.Event()
        self._reader: asyncio.Task[None] | None = None
        self._listeners = 0

    async def listen(self, ends: Callable[[], bool]) -> AsyncIterator[bytes]:
        """Server-sent events until the reader leaves or the server ends."""
        self._listeners += 1
        if self._reader is None:
            self._reader = asyncio.create_task(self._watch(ends))
        try:
            last = ""
            while not ends():
                woken = self._woken  # before anything is sent: what changes meanwhile is not missed
                if self._news != last:
                    last = self._news
                    yield f"data: {last}\n\n".encode()
                elif last:
                    yield b": nothing new\n\n"
                await woken.wait()  # without a timer of its own: of 1,000 readers, each would cost
        finally:
            self._listeners -= 1

    async def _watch(self, ends: Callable[[], bool]) -> None:
        silent = 0.0
        while self._listeners and not ends():
            with suppress(LeagueError):  # the database is busy: it is read again
                news = await run_in_threadpool(self._read)
                if news != self._news or silent >= KEEP_ALIVE_SECONDS:
                    self._news, silent = news, 0.0
                    self._wake()
            await asyncio.sleep(NEWS_SECONDS)
            silent += NEWS_SECONDS
        self._wake()
        self._reader = None

    def _wake(self) -> None:
        before, self._woken = self._woken, asyncio.Event()
        before.set()


class ArenaRoutes:
    """The routes of one arena."""

    def __init__(self, folder: Path, *, secure: bool, ends: Callable[[], bool], sign_on: SignOn | None = None) -> None:
        self._site = ArenaSite(folder, sign_on)
        self._secure = secure
        self._ends = ends
        # What changes when a page has something new; it tells nothing about anybody.
        self._bulletin = Bulletin(self._site.arena.mark)
        self._leagues: dict[Path, Router] = {}

    def routes(self) -> list[BaseRoute]:
        """Everything, relative to where the arena is mounted."""
        post = ["POST"]
        return [
            Route("/", self._welcome),
            Route("/static/{name}", self._static),
            Route("/enter", self._enter_page),
            Route("/enter", self._enter, methods=post),
            Route("/leave", self._leave, methods=post),
            *AuthorRoutes(self._site).routes(),
            *StaffRoutes(self._site).routes(),
            Route("/events", self._events),
            Route("/standings", self._slash),
            Mount("/standings", app=self._standings),
        ]

    async def _welcome(self, request: Request) -> Response:
        person = await self._site.visitors.visitor(request)
        if person:
            return RedirectResponse(f"{root_of(request)}/{'staff' if person.is_staff else 'me'}", 303)
        return self._site.page(request, "landing.html.j2", None)

    async def _enter_page(self, request: Request) -> Response:
        return self._site.page(request, "enter.html.j2", None)

    async def _enter(self, request: Request) -> Response:
        refuse_other_origins(request)
        form = await self._site.form(request)
        person = await self._site.visitors.by_code(request, form.get("code", "").strip())
        session = await run_in_threadpool(self._site.arena.begin_session, person)
        answer = RedirectResponse(f"{root_of(request)}/", 303)
        answer.set_cookie(
            COOKIE,
            session,
            max_age=SESSION_DAYS * 86400,
            path=root_of(request) or "/",
            httponly=True,
            samesite="strict",
            secure=self._secure,
        )
        return answer

    async def _leave(self, request: Request) -> Response:
        await self._site.visitors.visitor(request)
        await run_in_threadpool(self._site.arena.end_session, request.cookies.get(COOKIE, ""))
        answer = RedirectResponse(f"{root_of(request)}/", 303)
        answer.delete_cookie(COOKIE, path=root_of(request) or "/")
        return answer

    async def _static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in ASSETS:
            raise HTTPException(404)
        return Response(asset(name), media_type=ASSETS[name], headers={**HEADERS, "Cache-Control": "max-age=300"})

    # Standings and news

    async def _slash(self, request: Request) -> Response:
        return RedirectResponse(f"{root_of(request)}/standings/", 303)

    async def _standings(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The pages of the ladder, and of the final when it is over, for whoever may see them."""
        request = Request(scope, receive)
        league = shown_league(self._site.folder, self._site.config, self._site.arena.rules.phase)
        if not (league / LEAGUE_FILE).is_file():
            await self._visitor(request)
            raise HTTPException(404, "No round has been played yet. Come back after the first one.")
        if league not in self._leagues:
            home = f"{root_of(request).removesuffix('/standings')}/"
            shown = LeagueRoutes(LeagueFolder(league), self._ends, self._reader_of, home, home_name="Arena")
            self._leagues[league] = Router(shown.routes())
        await self._leagues[league](scope, receive, send)

    async def _visitor(self, request: Request) -> Participant | None:
        """Who asks for standings or news: anybody who takes part, and where spectators are allowed, anybody."""
        visitors = self._site.visitors
        return await (visitors.visitor if self._site.arena.rules.spectators else visitors.participant)(request)

    async def _reader_of(self, request: Request) -> PageReader:
        """What who asks may see."""
        return self._site.reader(await self._visitor(request))

    async def _events(self, request: Request) -> Response:
        await self._visitor(request)
        return StreamingResponse(self._bulletin.listen(self._ends), media_type="text/event-stream", headers=HEADERS)


def make_app(
    folder: Path,
    *,
    secure: bool = False,
    hosts: Sequence[str] = ("localhost", "127.0.0.1"),
    ends: Callable[[], bool] = lambda: False,
    sign_on: SignOn | None = None,
) -> Starlette:
    """The application of an arena."""
    arena = ArenaRoutes(folder, secure=secure, ends=ends, sign_on=sign_on)
    return Starlette(
        routes=arena.routes(),
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts)), Middleware(GZipMiddleware)],
        exception_handlers={LeagueError: explain, HTTPException: explain_http, 500: explain_bug},
    )
