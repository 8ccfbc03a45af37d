"""What the routes of an arena share: who asks what is asked, bodies arrive in time, and everything answers in words.

It takes and shows what people hand in, and never opens, imports or runs any of it. Each route is a row of
`pages.PAGES`: a path, a guard and an answer. Those of the ladder's standings are the core's, which ask `Access` too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from functools import cache, lru_cache, partial
from importlib.resources import files
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import anyio.to_thread
import msgspec
from markupsafe import Markup
from starlette.datastructures import MultiDict
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route, Router
from starlette.types import Message, Receive, Scope, Send

from league.errors import ArenaError, LeagueError, StoreError
from league.extensions.arena.access import Access, SignOn, Turnstile, Visitors
from league.extensions.arena.database import RefusedError
from league.extensions.arena.folder import arena_config, shown_league
from league.extensions.arena.records import Participant
from league.extensions.arena.status import PHASES, STATES, published
from league.extensions.arena.store import ArenaStore
from league.page.inline import render_template, static
from league.page.live import LeagueFolder
from league.page.server import LeagueRoutes, html_answer
from league.results.schema import FILE as LEAGUE_FILE

STORE_THREADS, READING_THREADS = 4, 4
"""For what is written, as many for what is read in the arena's database, and for standings and games: whoever reads
takes no thread of a hand-in, and few threads at once leave it time to run."""
METHOD: ContextVar[str] = ContextVar("METHOD", default="GET")
"""That of the request which is being answered."""
UPLOAD_SECONDS, FORM_SECONDS = 60.0, 10.0
"""For the whole body of a request to arrive: with a bot in it, or of another form."""
MOST_FORM = 2_000_000
"""Bytes of a form without a bot."""
MOST_IN_FLIGHT = 256 << 20
"""Bytes of all bodies that are arriving at this moment."""
HEADINGS = {401: "Come in first", 403: "Not for you", 404: "Not found", 500: "A bug"}
PACKAGE = "league.extensions.arena"
HEADERS = {"Cross-Origin-Opener-Policy": "same-origin", "Referrer-Policy": "same-origin"}
SCRIPTS = ("theme.js", "renew.js", "table.js")
PRIVATE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
SIGNED_OUT: dict[str, Any] = {"arena": "Arena", "person": None, "spectators": False, "notice": "", "published": {}}
"""What the frame of a page shows to nobody, and when something has gone wrong."""


class Site:
    """One arena as its routes see it."""

    def __init__(self, folder: Path, *, secure: bool = False, sign_on: SignOn | None = None) -> None:
        self.folder = folder
        self.secure = secure
        """Whether browsers reach it by TLS."""
        self.arena = ArenaStore.open(folder)
        self.config = arena_config(folder)
        self.visitors = Visitors(self.arena, self.call, sign_on)
        self._threads = {method: ThreadPoolExecutor(STORE_THREADS, f"arena-{method}") for method in ("GET", "POST")}
        self._turnstile = Turnstile()
        self._in_flight = 0
        self._leagues: dict[Path, Router] = {}

    async def call(self, function: Callable[..., Any], *values: Any) -> Any:
        """Call a function of the arena in a thread: whoever hands in does not queue behind those who read."""
        threads = self._threads[METHOD.get()]
        return await asyncio.get_running_loop().run_in_executor(threads, partial(function, *values))

    def route(self, page: ArenaPage) -> Route:
        """The route of a row: who asks is found out, and asked, before anything else."""

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            METHOD.set(page.method)
            visit = Visit(Request(scope, receive), self, await self.visitors.access(Request(scope, receive)))
            page.guard(visit.access)
            if page.method == "POST":
                await (await page.answer(visit))(scope, receive, send)
                return
            with self._turnstile.passing(visit.access):
                await (await page.answer(visit))(scope, receive, send)

        return Route(page.path, _Endpoint(app), methods=[page.method])

    async def standings(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The pages of the ladder, and of the final when it is over, for whoever may see them."""
        request = Request(scope, receive)
        access = scope["access"] = await self.visitors.access(request)
        access.look()
        league = shown_league(self.folder, self.config, access.rules.phase)
        if not (league / LEAGUE_FILE).is_file():
            raise HTTPException(404, "No round has been played yet. Come back after the first one.")
        if league not in self._leagues:
            home = f"{root_of(request).removesuffix('/standings')}/"
            shown = LeagueRoutes(LeagueFolder(league), _access_of, home, home_name="Arena")
            self._leagues[league] = Router(shown.routes())
        anyio.to_thread.current_default_thread_limiter().total_tokens = READING_THREADS
        with self._turnstile.passing(access):
            await self._leagues[league](scope, receive, send)

    async def body(self, request: Request, most: int = MOST_FORM, seconds: float = FORM_SECONDS) -> bytes:
        """The whole body of a request: it arrives within its size and its time, or one clear line says why not."""
        parts, size = [], 0
        try:
            async with asyncio.timeout(seconds):
                async for part in request.stream():
                    size += len(part)
                    self._in_flight += len(part)
                    if size > most:
                        what = f"Expected at most {most >> 20} MB, found more. Nothing was handed in."
                        raise HTTPException(413, what)
                    if self._in_flight > MOST_IN_FLIGHT:
                        headers = {"Retry-After": "10"}
                        raise HTTPException(503, "Many hand-ins arrive at this moment. Try again in 10 s.", headers)
                    parts.append(part)
        except TimeoutError:
            limit = f"Expected all of it within {seconds:.0f} s. Nothing was handed in; try again."
            raise HTTPException(408, limit) from None
        except ClientDisconnect:
            raise HTTPException(400, "The connection was closed before everything had arrived.") from None
        finally:
            self._in_flight -= size
        return b"".join(parts)


class _Endpoint:
    """An application as the endpoint of a route: functions would get a request."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


class Upload(NamedTuple):
    """A file in a form."""

    filename: str
    content: bytes


class Visit(NamedTuple):
    """Somebody asks for a page of an arena."""

    request: Request
    site: Site
    access: Access

    @property
    def arena(self) -> ArenaStore:
        return self.site.arena

    @property
    def person(self) -> Participant:
        """Who asks, on a page of those who take part."""
        return self.access.enter()

    @property
    def wants_page(self) -> bool:
        """Whether a person asks, with a browser, and not a program."""
        return "text/html" in self.request.headers.get("accept", "")

    async def call(self, function: Callable[..., Any], *values: Any) -> Any:
        """Call a function in a thread."""
        return await self.site.call(function, *values)

    async def owner(self) -> Participant:
        """Whose page an address names: `me` is whoever asks. Raises 403 if it is not theirs, except for the staff.

        Only the staff find people by name, and are told that there is nobody: others cannot try names out.
        """
        alias = self.request.path_params["alias"]
        if alias == "me":
            return self.person
        if self.access.is_staff:
            return await self.site.visitors.called(alias)
        everybody: list[Participant] = await self.call(self.arena.people)
        owner = next((one for one in everybody if one.alias == alias), None)
        return self.access.own(owner)

    async def form(self, most: int = MOST_FORM, seconds: float = FORM_SECONDS) -> MultiDict:
        """The fields of a form, with files in it or without."""
        body = await self.site.body(self.request, most, seconds)
        parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            return parts.pop() if parts else {"type": "http.disconnect"}

        try:
            asked = Request(self.request.scope, receive).form(max_files=1, max_fields=1000, max_part_size=most)
            async with asked as form:
                fields = [
                    (name, value if isinstance(value, str) else Upload(value.filename or "", await value.read()))
                    for name, value in form.multi_items()
                ]
            return MultiDict(fields)
        except ValueError:
            raise HTTPException(400, "Expected a form of this page.") from None

    async def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page from a template."""

        def render() -> str:
            frame = {
                "arena": self.arena.fact("name"),
                "person": self.access.reader,
                "spectators": self.access.rules.spectators,
                "notice": self.access.rules.notice if self.access.reader else "",
                "published": published(self.arena),
            }
            return _rendered(root_of(self.request), template, frame, **values)

        return _answer(self.request, await self.call(render), status)

    def go(self, path: str) -> Response:
        """On to another page of the arena."""
        return RedirectResponse(f"{root_of(self.request)}{path}", 303)


class ArenaPage(NamedTuple):
    """A row of the table of routes."""

    path: str
    guard: Callable[[Access], object]
    """Asked before anything is read; what depends on a person or a bot, the answer asks of `Access` itself."""
    answer: Callable[[Visit], Awaitable[Response]]
    method: str = "GET"


async def _access_of(request: Request) -> Access:
    """Who asks for a page of the core."""
    access: Access = request.scope["access"]
    return access


def root_of(request: Request) -> str:
    """The path below which the arena is mounted."""
    return str(request.scope.get("root_path", "")).rstrip("/")


def json_answer(data: Any, status: int = 200) -> Response:
    """Data for a program."""
    return Response(msgspec.json.encode(data), status, PRIVATE, "application/json")


async def explain(request: Request, problem: Exception) -> Response:
    """What went wrong in one clear line: a mistake of whoever asks, a limit, or a bug, whose traceback the log has."""
    if isinstance(problem, HTTPException):
        text = "There is nothing here." if problem.detail == "Not Found" else problem.detail
        return _problem(request, text, problem.status_code, dict(problem.headers or {}))
    if not isinstance(problem, LeagueError):
        return _problem(request, "The server has met a bug. Nothing was handed in; tell the lecturer.", 500, {})
    after = getattr(problem, "retry_after", None)
    if after is not None:
        return _problem(request, str(problem), 429, {"Retry-After": str(ceil(after))})
    busy = isinstance(problem, (ArenaError, StoreError))
    return _problem(request, str(problem), 400 if isinstance(problem, RefusedError) else 503 if busy else 404, {})


def _problem(request: Request, text: str, status: int, headers: dict[str, str]) -> Response:
    """One clear line, as a page for people and as JSON for programs."""
    if "text/html" in request.headers.get("accept", ""):
        heading = HEADINGS.get(status, "Not possible")
        answer = _answer(request, _problem_page(root_of(request), heading, text), status)
    else:
        answer = json_answer({"problem": text}, status)
    answer.headers.update(headers)
    return answer


@lru_cache(64)  # thousands may be refused at once
def _problem_page(root: str, heading: str, text: str) -> str:
    return _rendered(root, "problem.html.j2", SIGNED_OUT, heading=heading, text=text)


def _answer(request: Request, page: str, status: int = 200) -> Response:
    answer = html_answer(request, page, _scripts())
    answer.headers.update(HEADERS)
    if status != 200:
        answer.status_code = status
    return answer


def _rendered(root: str, template: str, frame: Mapping[str, Any], **values: Any) -> str:
    style = Markup(_own("arena.css"))  # noqa: S704 - a file of ours
    words: dict[str, Any] = {"root": root, "states": STATES, "phases": PHASES, "style": style}
    return render_template(template, _scripts(), package=PACKAGE, **words, **frame, **values)


@cache
def _scripts() -> tuple[str, ...]:
    return (*map(static, SCRIPTS), _own("arena.js"))


@cache
def _own(name: str) -> str:
    """The text of a static file of the arena."""
    return files(PACKAGE).joinpath("static", name).read_text(encoding="utf-8")
