"""A web server for leagues: on this machine only, for reading only.

    server = PageServer(Path("results/quick"), port=8642)   # or Path("results"), for all leagues in it
    print(server.port)
    server.run()                                            # until server.stop(), or Ctrl-C

It serves the standings page, the pages of games and the CSV files, reports how far a league is, and replays any game
on demand. Requests with another Host header are refused, so that other web sites cannot read the pages through the
reader's browser.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route, Router
from starlette.types import Receive, Scope, Send

from league.errors import LeagueError, StoreError
from league.page.data import PAGE
from league.page.inline import render_template, static
from league.page.live import LeagueFolder, News
from league.results.schema import FILE
from league.results.store import Store
from league.values.settings import Isolation

OWN_ADDRESS = "127.0.0.1"
OWN_NAMES = ("localhost", OWN_ADDRESS)
KINDS = {".html": "text/html", ".csv": "text/csv"}
SAFE_FILE = re.compile(r"[^./\\\0][^/\\\0]*\.(?:html|csv)")
"""Names of files that are served; hidden files are not."""
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
MOST_CONNECTIONS = 100
IDLE_SECONDS = 5
NEWS_SECONDS = 1.0
KEEP_ALIVE_SECONDS = 15.0
"""Between two messages to a reader if there is no news, so that broken connections are noticed."""

Answer = Callable[[Request], Awaitable[Response]]


class PageServer:
    """Serves one league, or all leagues of a folder. The port is bound before it runs."""

    def __init__(self, folder: Path, port: int = 0, isolation: Isolation = Isolation.SANDBOX) -> None:
        app = make_app(folder, isolation)
        try:
            self._socket = socket.create_server((OWN_ADDRESS, port))
        except OSError as problem:
            raise LeagueError(f"Port {port} cannot be used: {problem.strerror}. Choose another by --port.") from None
        self.port: int = self._socket.getsockname()[1]
        config = uvicorn.Config(
            app,
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)

    def run(self) -> None:
        """Serve until `stop` is called or the process is interrupted."""
        try:
            asyncio.run(self._server.serve(sockets=[self._socket]))
        finally:
            self._socket.close()

    def stop(self) -> None:
        """End `run`, from another thread."""
        self._server.should_exit = True


def make_app(folder: Path, isolation: Isolation = Isolation.SANDBOX) -> Starlette:
    """The web application for a league's folder, or for a folder of leagues; games are played again in isolation."""
    if (folder / FILE).is_file() or not _leagues_in(folder):
        routes = LeagueRoutes(folder, isolation).routes()
    else:
        routes = _routes_of_all(folder, isolation)
    return Starlette(
        routes=routes,
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(OWN_NAMES)), Middleware(GZipMiddleware)],
        exception_handlers={LeagueError: _explain, HTTPException: _explain_http},
    )


class LeagueRoutes:
    """The routes of one league."""

    def __init__(self, folder: Path, isolation: Isolation) -> None:
        with Store.open(folder):
            pass  # raises if there is no league in the folder
        self._folder = folder
        self._league = LeagueFolder(folder, isolation)

    def routes(self) -> list[Route | Mount]:
        """The routes of this league, relative to where it is mounted."""
        return [
            Route("/", self._page),
            Route(f"/{PAGE}", self._page),
            Route("/progress.json", self._progress),
            Route("/events", self._events),
            Route("/play/{address:path}", self._game),
            Route("/compare/{a}/{b}", self._compare),
            Route("/games", self._games),
            Route("/games/{name}", self._file_of("games")),
            Route("/{name}", self._file_of("")),
        ]

    async def _page(self, request: Request) -> Response:
        page = await run_in_threadpool(self._league.page)
        served = page.replace(b"<html ", b"<html data-served ", 1)  # the page then requests what is not in the file
        return Response(served, media_type="text/html", headers=HEADERS)

    async def _progress(self, request: Request) -> Response:
        news = await run_in_threadpool(self._league.news)
        return Response(msgspec.json.encode(news), media_type="application/json", headers=HEADERS)

    async def _events(self, request: Request) -> Response:
        return StreamingResponse(self._news(), media_type="text/event-stream", headers=HEADERS)

    async def _news(self) -> AsyncIterator[bytes]:
        """News as server-sent events, whenever something has changed."""
        last, silent = b"", 0.0
        while True:
            try:
                news = msgspec.json.encode(await run_in_threadpool(self._league.news))
            except LeagueError:  # the folder is gone or being replaced: send nothing until it is back
                news = last
            if news != last or silent >= KEEP_ALIVE_SECONDS:
                yield b"data: " + news + b"\n\n" if news != last else b": nothing new\n\n"
                last, silent = news, 0.0
            await asyncio.sleep(NEWS_SECONDS)
            silent += NEWS_SECONDS

    async def _game(self, request: Request) -> Response:
        page = await run_in_threadpool(self._league.game, request.path_params["address"])
        return Response(page, media_type="text/html", headers=HEADERS)

    async def _games(self, request: Request) -> Response:
        page = await run_in_threadpool(self._league.games, dict(request.query_params))
        return Response(page, media_type="text/html", headers=HEADERS)

    async def _compare(self, request: Request) -> Response:
        bots = request.path_params["a"], request.path_params["b"]
        found = await run_in_threadpool(self._league.compare, *bots)
        return Response(msgspec.json.encode(found), media_type="application/json", headers=HEADERS)

    def _file_of(self, part: str) -> Answer:
        async def answer(request: Request) -> Response:
            name = request.path_params["name"]
            file = self._folder / part / name
            if not SAFE_FILE.fullmatch(name) or not await run_in_threadpool(_is_inside, file, self._folder):
                raise HTTPException(404)
            privacy = await run_in_threadpool(self._league.privacy)
            if not await run_in_threadpool(privacy.allows, file):
                raise HTTPException(404)
            content = await run_in_threadpool(file.read_bytes)
            return Response(content, media_type=KINDS[file.suffix], headers=HEADERS)

        return answer


def _routes_of_all(folder: Path, isolation: Isolation) -> list[Route | Mount]:
    """An index at the root, and each league below its name, also if it appears later."""
    known: dict[str, Router] = {}

    async def index(request: Request) -> Response:
        return Response(await run_in_threadpool(_index_page, folder), media_type="text/html", headers=HEADERS)

    async def slash(request: Request) -> Response:
        return RedirectResponse(f"{request.path_params['league']}/")

    async def league(scope: Scope, receive: Receive, send: Send) -> None:
        name = scope["path_params"]["league"]
        if name not in known:
            if name not in _leagues_in(folder):
                raise HTTPException(404)
            known[name] = Router(LeagueRoutes(folder / name, isolation).routes())
        await known[name](scope, receive, send)

    return [Route("/", index), Route("/{league}", slash), Mount("/{league}", app=league)]


def _leagues_in(folder: Path) -> list[str]:
    try:
        return sorted(path.parent.name for path in folder.glob(f"*/{FILE}") if _is_inside(path, folder))
    except OSError:
        return []


def _index_page(folder: Path) -> str:
    found: list[tuple[str, News | None, str]] = []
    for name in _leagues_in(folder):
        try:
            found.append((name, LeagueFolder(folder / name).news(), ""))
        except StoreError as problem:  # one damaged league hides no other
            found.append((name, None, str(problem)))
    return render_template("leagues.html.j2", [static("theme.js")], leagues=found)


def _is_inside(file: Path, folder: Path) -> bool:
    """Whether it is a file in this folder; a link that leads elsewhere is not."""
    try:
        return file.is_file() and file.resolve().is_relative_to(folder.resolve())
    except OSError:
        return False


async def _explain(request: Request, problem: Exception) -> Response:
    status = 503 if isinstance(problem, StoreError) else 404
    return PlainTextResponse(f"{problem}\n", status, HEADERS)


async def _explain_http(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    text = f"There is nothing here. The standings are at {request.scope.get('root_path', '')}/{PAGE}.\n"
    return PlainTextResponse(
        text if problem.status_code == 404 else f"{problem.detail}\n", problem.status_code, HEADERS
    )
