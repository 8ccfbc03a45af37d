"""What the routes of an arena share: who asks what is asked, bodies arrive in time, and everything answers in words.

It takes and shows what people hand in, and never opens, imports or runs any of it. Each route is a row of
`pages.PAGES`: a path, a guard and an answer. Those of the ladder's standings are the core's, which ask `Access` too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import anyio.to_thread
import msgspec
from markupsafe import Markup
from starlette.datastructures import ImmutableMultiDict
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Router
from starlette.types import Message, Receive, Scope, Send

from league.errors import ArenaError, LeagueError, StoreError
from league.extensions.arena.access import Access, Turnstile, WrongCodeError, WrongCodes
from league.extensions.arena.database import RefusedError
from league.extensions.arena.folder import arena_config, shown_league
from league.extensions.arena.records import Participant
from league.extensions.arena.status import PHASES, STATES, published
from league.extensions.arena.store import ArenaStore
from league.page.inline import render_template, static
from league.page.live import LeagueFolder
from league.page.server import LeagueRoutes, html_answer
from league.page.tables import BusyError
from league.results.schema import FILE as LEAGUE_FILE

COOKIE = "arena"
THREADS = 4
"""For what is written, as many for what is read in the arena's database, and for standings and games: whoever reads
takes no thread of a hand-in, and few threads at once leave it time to run."""
MOST_FORM = 2_000_000
"""Bytes of a form without a bot."""
MOST_IN_FLIGHT = 256 << 20
"""Bytes of all bodies that are arriving at this moment."""
HEADINGS = {401: "Come in first", 403: "Not for you", 404: "Not found", 500: "A bug"}
PACKAGE = "league.extensions.arena"
PRIVATE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


class Site:
    """One arena as its routes see it."""

    def __init__(self, folder: Path, *, secure: bool = False, sign_on: tuple[str, str] | None = None) -> None:
        self.folder = folder
        self.secure = secure
        """Whether browsers reach it by TLS."""
        self.sign_on = sign_on
        """The header in which a proxy says who somebody is, after a university's sign-on, and the proxy's address:
        from anywhere else, the header means nothing."""
        self.arena = ArenaStore.open(folder)
        self.config = arena_config(folder)
        self.wrong = WrongCodes()
        self._threads = {method: ThreadPoolExecutor(THREADS, f"arena-{method}") for method in ("GET", "POST")}
        self.turnstile = Turnstile()
        self._in_flight = 0
        self._leagues: dict[Path, Router] = {}

    async def call(self, method: str, function: Callable[..., Any], *values: Any) -> Any:
        """Call a function in a thread: whoever hands in does not queue behind those who read."""
        return await asyncio.get_running_loop().run_in_executor(self._threads[method], function, *values)

    async def standings(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The pages of the ladder, and of the final when it is over, for whoever may see them."""
        request = Request(scope, receive)
        visit: Visit = await self.call("GET", Visit, self, request)
        visit.look()
        scope["visit"] = visit
        league = shown_league(self.folder, self.config, visit.rules.phase)
        if not (league / LEAGUE_FILE).is_file():
            raise HTTPException(404, "No round has been played yet. Come back after the first one.")
        if league not in self._leagues:
            home = f"{root_of(request).removesuffix('/standings')}/"
            shown = LeagueRoutes(LeagueFolder(league), _visit_of, home, home_name="Arena")
            self._leagues[league] = Router(shown.routes())
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        with self.turnstile.passing(visit):
            await self._leagues[league](scope, receive, send)

    async def body(self, request: Request, most: int, seconds: float) -> bytes:
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


async def _form(request: Request, body: bytes) -> ImmutableMultiDict[str, Any]:
    """The fields of a form; a file as its name and its content."""

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    try:
        asked = Request(request.scope, receive).form(max_files=1, max_fields=1000, max_part_size=len(body))
        async with asked as form:
            fields = [
                (name, value if isinstance(value, str) else (value.filename or "", await value.read()))
                for name, value in form.multi_items()
            ]
        return ImmutableMultiDict(fields)
    except ValueError:
        raise HTTPException(400, "Expected a form of this page.") from None


class Visit(Access):
    """Somebody asks for a page of an arena: who it is, by a code, by a cookie, or by the word of a trusted proxy."""

    body = b""
    form: ImmutableMultiDict[str, Any] = ImmutableMultiDict()
    """The fields of a form that was sent."""

    def __init__(self, site: Site, request: Request) -> None:
        self.site = site
        self.arena = site.arena
        self.request = request
        super().__init__(self._reader(), self.arena.rules, address_of(request, site.sign_on))

    @property
    def wants_page(self) -> bool:
        """Whether a person asks, with a browser, and not a program."""
        return "text/html" in self.request.headers.get("accept", "")

    def _reader(self) -> Participant | None:
        """Who asks. A browser that writes must come from a page of this arena."""
        header = self.request.headers.get("authorization", "")
        if header.startswith("Bearer "):
            return self.by_code(header.removeprefix("Bearer ").strip())
        if self.request.method == "POST":
            _refuse_other_origins(self.request)
        if (person := self._signed_on()) is not None:
            return person
        session = self.request.cookies.get(COOKIE)
        return self.arena.by_session(session) if session else None

    def by_code(self, code: str) -> Participant:
        """Whose code this is; raises 401 for a wrong one, which is answered later and later."""
        person = self.arena.by_code(code)
        if person is None:
            raise WrongCodeError(self.site.wrong.seconds(code))
        return person

    def called(self, word: str) -> Participant:
        """Somebody by alias or name; raises 404 if there is nobody."""
        try:
            return self.arena.person_called(word)
        except ArenaError as problem:
            raise HTTPException(404, str(problem)) from None

    def _signed_on(self) -> Participant | None:
        """Whom a trusted proxy names."""
        header, proxy = self.site.sign_on or ("", "")
        word = self.request.headers.get(header, "") if header else ""
        if not (word and self.request.client and self.request.client.host == proxy):
            return None
        person = self.called(word)
        if person.revoked:  # whoever signs on has no link that could have ended
            raise HTTPException(403, "Your access was revoked. Ask the lecturer.")
        return person

    def owner(self) -> Participant:
        """Whose page an address names: `me` is whoever asks. Raises 403 if it is not theirs, except for the staff.

        Only the staff find people by name, and are told that there is nobody: others cannot try names out.
        """
        alias = self.request.path_params["alias"]
        if alias == "me":
            return self.enter()
        if self.is_staff:
            return self.called(alias)
        return self.own(next((one for one in self.arena.people() if one.alias == alias), None))

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page from a template."""
        values["published"] = published(self.arena)
        return _page(self.request, template, status, self, self.arena.fact("name"), **values)

    def go(self, path: str) -> Response:
        """On to another page of the arena."""
        return RedirectResponse(f"{root_of(self.request)}{path}", 303)


class ArenaPage(NamedTuple):
    """A row of the table of routes."""

    path: str
    guard: Callable[[Visit], object]
    """Asked before anything is read; what depends on a person or a bot, the answer asks of `Visit` itself."""
    answer: Callable[[Visit], Response]
    method: str = "GET"
    upload: bool = False
    """Whether a bot may be in its body."""


class Endpoint:
    """A row of the table as an application: who asks is found out, and asked, before anything else."""

    def __init__(self, site: Site, page: ArenaPage) -> None:
        self._site = site
        self._page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        site, page, request = self._site, self._page, Request(scope, receive)
        visit: Visit = await site.call(page.method, Visit, site, request)
        page.guard(visit)
        if page.method == "GET":
            with site.turnstile.passing(visit):
                await (await site.call("GET", page.answer, visit))(scope, receive, send)
            return
        most = (site.config.folder_mb << 20) + (1 << 16)  # there may be more in a form than the file
        visit.body = await site.body(request, most, 60.0) if page.upload else await site.body(request, MOST_FORM, 10.0)
        if "filename" not in request.query_params:  # else it is a file, whatever its type is called
            visit.form = await _form(request, visit.body)
        await (await site.call("POST", page.answer, visit))(scope, receive, send)


async def _visit_of(request: Request) -> Visit:
    """Who asks for a page of the core."""
    visit: Visit = request.scope["visit"]
    return visit


def _refuse_other_origins(request: Request) -> None:
    """Raise 403 if a browser sends this from a page of another site."""
    origin = request.headers.get("origin")
    if origin is None:
        allowed = request.headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
    else:
        allowed = origin.partition("://")[2] == request.headers.get("host", "")
    if not allowed:
        raise HTTPException(403, "This was sent from a page of another site.")


def address_of(request: Request, sign_on: tuple[str, str] | None) -> str:
    """Where a request comes from; what a proxy for sign-on passes on comes from the proxy's own client."""
    address = request.client.host if request.client else ""
    if sign_on and address == sign_on[1]:
        # The last address is the one that the proxy saw; those before it are what its client claims.
        return ",".join(request.headers.getlist("x-forwarded-for")).rpartition(",")[2].strip() or address
    return address


def root_of(request: Request) -> str:
    """The path below which the arena is mounted."""
    return str(request.scope.get("root_path", "")).rstrip("/")


def json_answer(data: Any, status: int = 200) -> Response:
    """Data for a program."""
    return Response(msgspec.json.encode(data), status, PRIVATE, "application/json")


async def explain(request: Request, problem: Exception) -> Response:
    """What went wrong in one clear line: a mistake of whoever asks, a limit, or a bug, whose traceback the log has."""
    text, status, headers = str(problem), 404, {}
    if isinstance(problem, WrongCodeError):
        await asyncio.sleep(problem.seconds)
    if isinstance(problem, HTTPException):
        text = "There is nothing here." if problem.detail == "Not Found" else problem.detail
        status, headers = problem.status_code, dict(problem.headers or {})
    elif not isinstance(problem, LeagueError):
        text, status = "The server has met a bug. Nothing was handed in; tell the lecturer.", 500
    elif isinstance(problem, RefusedError):
        status = 400 if problem.retry_after is None else 429
        headers = {} if problem.retry_after is None else {"Retry-After": str(ceil(problem.retry_after))}
    elif isinstance(problem, (ArenaError, StoreError, BusyError)):
        status = 503
    if "text/html" in request.headers.get("accept", ""):
        heading = HEADINGS.get(status, "Not possible")
        answer = _page(request, "problem.html.j2", status, heading=heading, text=text)
    else:
        answer = json_answer({"problem": text}, status)
    answer.headers.update(headers)
    return answer


def _page(
    request: Request, template: str, status: int, visit: Access | None = None, arena: str = "Arena", **values: Any
) -> Response:
    """A page from a template; without a visit, when something has gone wrong, as nobody sees it."""
    frame: dict[str, Any] = {
        "arena": arena,
        "person": visit and visit.reader,
        "spectators": bool(visit and visit.rules.spectators),
        "notice": visit.rules.notice if visit and visit.reader else "",
        "published": {},
        "root": root_of(request),
        "states": STATES,
        "phases": PHASES,
        "style": Markup(_own("arena.css")),  # noqa: S704 - a file of ours
    }
    page = render_template(template, _scripts(), package=PACKAGE, **{**frame, **values})
    answer = html_answer(request, page, _scripts())
    answer.headers.update({"Cross-Origin-Opener-Policy": "same-origin", "Referrer-Policy": "same-origin"})
    if status != 200:  # else it may be that the reader has it already
        answer.status_code = status
    return answer


@cache
def _scripts() -> tuple[str, ...]:
    return (*map(static, ("theme.js", "renew.js", "table.js")), _own("arena.js"))


@cache
def _own(name: str) -> str:
    """The text of a static file of the arena."""
    return files(PACKAGE).joinpath("static", name).read_text(encoding="utf-8")
