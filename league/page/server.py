"""A web server for leagues: on this machine only, for reading, and for games against bots.

    server = PageServer(Path("results/quick"), port=8642)   # or Path("results"), for all leagues in it
    print(server.port)
    server.run()                                            # until server.stop(), or Ctrl-C

It serves the standings page, the pages of games and the CSV files, reports how far a league is, and replays any game
on demand. Requests with another Host header are refused, so that other web sites cannot read the pages through the
reader's browser. Results may come from a stranger: by its policy, only our own scripts run in any page, and a page can
ask for data of its own league only. A connection that asks for nothing is closed.
"""

from __future__ import annotations

import asyncio
import logging
import re
import socket
from asyncio import BaseTransport, TimerHandle
from collections.abc import Awaitable, Callable, Sequence
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route, Router
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from league.errors import LeagueError, StoreError
from league.page.data import PAGE
from league.page.front import front_page, front_scripts
from league.page.inline import content_policy, render_template
from league.page.live import NOTHING, LeagueFolder
from league.page.play import HEADERS, JSON, OfferedContest, PlayRoutes, WantedGame
from league.page.privacy import EVERYBODY, PageReader
from league.page.render import page_scripts
from league.page.tables import BrowserTables, BusyError, TableSetting
from league.page.viewer import viewer_scripts
from league.results.schema import FILE
from league.results.store import Store
from league.values.block import Entrant
from league.values.settings import Contest, Isolation

OWN_ADDRESS = "127.0.0.1"
OWN_NAMES = ("localhost", OWN_ADDRESS)
SAFE_FILE = re.compile(r"[^./\\\0][^/\\\0]*\.(?:html|csv)")
"""Names of files that are served; hidden files are not."""
MOST_CONNECTIONS = 100
IDLE_SECONDS = 5
"""For a connection to ask for something: after that it is closed."""
READING_SECONDS = 120
"""For a client to read an answer that is too large for the buffers in between."""
ENDING_SECONDS = 3
"""For answers under way when the server ends."""

HOME_MARK = b"<!-- home -->"
"""Where a page has its link to the front page."""
FRONT_PAGE = "/"

ReaderOf = Callable[[Request], Awaitable[PageReader]]
At = dict[str, Any]
"""What an address has in its path and in its query."""


async def everybody(request: Request) -> PageReader:
    """The reader of a server without accounts."""
    return EVERYBODY


class Number(IntegerConvertor):
    """A number in an address that SQLite takes too."""

    regex = "[0-9]{1,15}"


register_url_convertor("number", Number())


class PageServer:
    """Serves a league, all leagues of a folder, or one game against bots. The port is bound before it runs."""

    def __init__(
        self, shown: Path | TableSetting, port: int = 0, isolation: Isolation = Isolation.SANDBOX, seat: int = 1
    ) -> None:
        self._tables = BrowserTables()
        if isinstance(shown, Path):
            app = make_app(shown, isolation, self._tables)
        else:
            app = make_play_app(shown, seat, self._tables)
        try:
            self._socket = socket.create_server((OWN_ADDRESS, port))
        except OSError as problem:
            raise LeagueError(f"Port {port} cannot be used: {problem.strerror}. Choose another with --port.") from None
        self.port: int = self._socket.getsockname()[1]
        config = uvicorn.Config(
            app,
            http=ImpatientProtocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            limit_concurrency=2 * MOST_CONNECTIONS,  # answers to those who have gone are made, too
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=ENDING_SECONDS,
        )
        self._server = uvicorn.Server(config)

    def run(self) -> None:
        """Serve until `stop` is called or the process is interrupted."""
        log = logging.getLogger("uvicorn.error")
        log.addFilter(self._is_worth_saying)
        try:
            asyncio.run(self._server.serve(sockets=[self._socket]))
        finally:
            log.removeFilter(self._is_worth_saying)
            self._tables.close()
            self._socket.close()

    def _is_worth_saying(self, record: logging.LogRecord) -> bool:
        """Not that answers under way are cut off when the server ends."""
        return not self._server.should_exit

    def stop(self) -> None:
        """End `run`, from another thread."""
        self._server.should_exit = True


class ImpatientProtocol(H11Protocol):
    """HTTP that closes a connection which does not ask in time, or does not read.

    Uvicorn waits for the rest of a request without a limit. Sending it byte by byte does not extend the time. If all
    connections are taken, the oldest idle one goes, or else the oldest that reads: it can ask again, and who sends
    something cannot be kept out by readers.
    """

    most_connections = MOST_CONNECTIONS
    _reading_deadline: TimerHandle | None = None

    def connection_made(self, transport: BaseTransport) -> None:
        """A client has connected."""
        if len(self.connections) + 1 >= self.most_connections:
            spare = [other for other in self.connections if isinstance(other, ImpatientProtocol) and other.is_spare]
            for oldest in sorted(spare, key=lambda other: (not other.is_waiting, other._deadline.when()))[:1]:
                oldest.transport.abort()
                self.connections.discard(oldest)  # now, as others may be accepted before it is gone
        super().connection_made(cast("asyncio.Transport", transport))
        self._deadline: TimerHandle = self.loop.call_later(IDLE_SECONDS, self._give_up)

    def connection_lost(self, problem: Exception | None) -> None:
        """It is gone."""
        self._deadline.cancel()
        if self._reading_deadline is not None:
            self._reading_deadline.cancel()
        super().connection_lost(problem)

    def on_response_complete(self) -> None:
        """It may ask again."""
        self._deadline.cancel()
        self._deadline = self.loop.call_later(IDLE_SECONDS, self._give_up)
        super().on_response_complete()

    def pause_writing(self) -> None:
        """The client reads more slowly than it is sent to."""
        super().pause_writing()
        self._reading_deadline = self.loop.call_later(READING_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """It has read most of it."""
        super().resume_writing()
        if self._reading_deadline is not None:
            self._reading_deadline.cancel()

    @property
    def is_waiting(self) -> bool:
        """Whether there is no complete request that is being answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def is_spare(self) -> bool:
        """Whether nothing is lost without it: it waits, or reads what it can ask for again."""
        return self.cycle is None or self.is_waiting or self.cycle.scope["method"] != "POST"

    def _give_up(self) -> None:
        if self.is_waiting:
            self.transport.close()


def make_app(folder: Path, isolation: Isolation, tables: BrowserTables) -> Starlette:
    """The web application for a league's folder, or for a folder of leagues.

    Games are played again, and against people, in isolation.
    """
    if (folder / FILE).is_file() or not _leagues_in(folder):
        return _app(LeagueRoutes(LeagueFolder(folder, isolation), tables=tables).routes())
    return _app(_routes_of_all(folder, isolation, tables))


def make_play_app(setting: TableSetting, seat: int, tables: BrowserTables) -> Starlette:
    """The web application for one game between a person and these bots; the seat is counted from 1."""
    game, bots = setting.game, setting.bots
    names = tuple(bot.name for bot in bots)
    offered = (OfferedContest(game.name, Contest.of(game).title, game.players, tuple(dict.fromkeys(names))),)
    by_name = {bot.name: bot for bot in bots}

    def set_up(wanted: WantedGame) -> TableSetting:
        try:
            return setting._replace(bots=[by_name[name] for name in wanted.bots])
        except KeyError as name:
            raise LeagueError(f"There is no bot {name} here.") from None

    def show(request: Request, page: str, scripts: Sequence[str]) -> Response:
        return html_answer(request, page.replace("<html ", "<html data-served ", 1), scripts)

    preset = WantedGame(game.name, names, seat)
    return _app([*PlayRoutes(tables, lambda: offered, set_up, show, preset=preset).routes("/")])


def _app(routes: Sequence[Route | Mount]) -> Starlette:
    return Starlette(
        routes=routes,
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(OWN_NAMES)), Middleware(GZipMiddleware)],
        exception_handlers={LeagueError: _explain, HTTPException: _explain},
    )


class LeagueRoutes:
    """The routes of one league. `reader_of` says who asks; it raises an error if they may see nothing at all."""

    def __init__(
        self,
        league: LeagueFolder,
        reader_of: ReaderOf = everybody,
        home: str = "",
        tables: BrowserTables | None = None,
        home_name: str = "All leagues",
    ) -> None:
        with Store.open(league.folder):
            pass  # raises if there is no league in the folder
        self._reader_of = reader_of
        self._home = f'<a href="{home}">{home_name}</a>'.encode() if home else HOME_MARK
        self._league = league
        self._play = tables and PlayRoutes(tables, league.offered, league.set_up, self._html, back=PAGE)

    def routes(self) -> list[Route | Mount]:
        """The routes of this league, relative to where it is mounted."""
        league, route, page, viewer = self._league, self._route, page_scripts(), viewer_scripts()

        def version(reader: PageReader, at: At) -> str:
            return league.game_of_version(Entrant(at["bot"], at["source"]), at["block"], at["deal"], reader)

        return [
            route("/", lambda *_: league.page(), page),
            route(f"/{PAGE}", lambda *_: league.page(), page),
            route("/progress", lambda *_: league.progress()),
            route("/bots/{name}.html", lambda _, at: league.bot(at["name"]), page),
            route("/compare/{a}/{b}", lambda _, at: league.compare(at["a"], at["b"]), page),
            route("/play/{address:path}", lambda reader, at: league.game(at["address"], reader), viewer),
            route("/versions/{bot}/{source}/{block:number}/{deal:number}", version, viewer),
            route("/curve/{address:path}", lambda reader, at: league.curve(at["address"], reader), (), JSON),
            route("/games", lambda reader, at: league.games(at, reader), viewer),
            *(self._play.routes() if self._play else ()),
            route("/games/{name}", partial(_file, league, "games"), viewer),
            route("/{name}", partial(_file, league), viewer),
        ]

    def _route(
        self,
        path: str,
        make: Callable[[PageReader, At], str | bytes],
        scripts: Sequence[str] = (),
        kind: str = "",
    ) -> Route:
        """A route whose content is made for its reader of what stands in the address: a page, or data of a kind."""

        async def answer(request: Request) -> Response:
            reader = await self._reader_of(request)
            content = await run_in_threadpool(make, reader, {**request.query_params, **request.path_params})
            if kind or request.url.path.endswith(".csv"):
                return Response(content, media_type=kind or "text/csv", headers=HEADERS)
            return self._html(request, content, scripts)

        return Route(path, answer)

    def _html(self, request: Request, page: str | bytes, scripts: Sequence[str]) -> Response:
        """A page with all that a server has: a link to the front page, pages of all bots, lists of all games."""
        content = page.encode() if isinstance(page, str) else page
        marks = b"<html data-served data-play " if self._play else b"<html data-served "
        content = content.replace(b"<html ", marks, 1).replace(b"<a data-href=", b"<a href=")
        return html_answer(request, content.replace(HOME_MARK, self._home, 1), scripts)


def html_answer(request: Request, content: str | bytes, scripts: Sequence[str]) -> Response:
    """A page in which only these scripts run, and which can ask for data of its own league only."""
    try:
        port = f":{request.url.port}" if request.url.port else ""
    except ValueError:
        raise HTTPException(400) from None
    own = f"{request.url.scheme}://{request.url.hostname}{port}{quote(request.scope.get('root_path', ''))}/"
    policy = content_policy(scripts, connect=own, frames=own if scripts == page_scripts() else "'none'")
    inside = "'self'" if scripts == viewer_scripts() else "'none'"  # the lecture hall shows games
    body = content.encode() if isinstance(content, str) else content
    tag = f'"{blake2b(body, digest_size=16).hexdigest()}"'
    headers = {**HEADERS, "Content-Security-Policy": f"{policy}; frame-ancestors {inside}", "ETag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type="text/html", headers=headers)


def _routes_of_all(folder: Path, isolation: Isolation, tables: BrowserTables) -> list[Route | Mount]:
    """An index at the root, and each league below its name, also if it appears later."""

    @cache
    def folder_of(name: str) -> LeagueFolder:
        return LeagueFolder(folder / name, isolation)

    @cache
    def router_of(name: str) -> Router:
        if name not in _leagues_in(folder):
            raise HTTPException(404)
        return Router(LeagueRoutes(folder_of(name), home=FRONT_PAGE, tables=tables).routes())

    async def index(request: Request) -> Response:
        page = await run_in_threadpool(front_page, [folder_of(name) for name in _leagues_in(folder)])
        return html_answer(request, page, front_scripts())

    async def slash(request: Request) -> Response:
        return RedirectResponse(f"{request.path_params['league']}/")

    async def league(scope: Scope, receive: Receive, send: Send) -> None:
        await router_of(scope["path_params"]["league"])(scope, receive, send)

    return [Route("/", index), Route("/{league}", slash), Mount("/{league}", app=league)]


def _file(league: LeagueFolder, *given: Any) -> bytes:
    """A file of a league's folder, or of a folder in it."""
    *folders, reader, at = given
    if not SAFE_FILE.fullmatch(at["name"]):
        raise LeagueError(NOTHING)
    return league.file(reader, *folders, at["name"])


def _leagues_in(folder: Path) -> list[str]:
    try:
        return sorted(path.parent.name for path in folder.glob(f"*/{FILE}") if _is_inside(path, folder))
    except OSError:
        return []


def _is_inside(file: Path, folder: Path) -> bool:
    """Whether it is a file in this folder; a link that leads elsewhere is not."""
    try:
        return file.is_file() and file.resolve().is_relative_to(folder.resolve())
    except OSError:
        return False


async def _explain(request: Request, problem: Exception) -> Response:
    """One sentence: a page for a browser, and text for programs and scripts."""
    if isinstance(problem, HTTPException):
        status, text = problem.status_code, NOTHING if problem.status_code == 404 else problem.detail
    else:
        status, text = 503 if isinstance(problem, StoreError | BusyError) else 404, str(problem)
    if "text/html" not in request.headers.get("accept", ""):
        return PlainTextResponse(f"{text}\n", status, HEADERS)
    words = {
        "back": FRONT_PAGE,
        "heading": "Not found" if status == 404 else "Not possible",
        "back_text": "To the first page",
    }
    page = render_template("message.html.j2", front_scripts(), text=text, **words)
    answer = html_answer(request, page, front_scripts())
    answer.status_code = status
    return answer
