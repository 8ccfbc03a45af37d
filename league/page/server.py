"""A small web server for one league's folder: on this machine only, for reading only.

It hands out the page, the games beside it and the tables, and tells how far the league is. Where the page on disk is
behind the results and no run is there to write it again, as after a kill, the page is made here. Requests that name
another host are refused, so that no web page elsewhere can read along by way of the reader's browser.
"""

from __future__ import annotations

import re
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import BaseServer
from threading import Lock
from time import monotonic
from typing import Any
from urllib.parse import unquote

import msgspec

from league.errors import LeagueError
from league.page import PAGE
from league.page.progress import progress_of
from league.page.render import LIVE
from league.results.store import Store, is_being_played, last_change

KINDS = {".html": "text/html; charset=utf-8", ".csv": "text/csv; charset=utf-8"}
SHOWN = re.compile(r"(?:games/)?[^./\\\0][^/\\\0]*\.(?:html|csv)")
"""What may be asked for: files of the folder and of its games, by name; none that is hidden."""
NEWS = "progress.json"
OWN_ADDRESS = "127.0.0.1"
OWN_NAMES = ("localhost", OWN_ADDRESS)
REST = 10
"""Reading the news may take up one part in so many of the time."""
FIRST_TAGS = 200
"""Bytes of a page in which its first tag is."""


class News(msgspec.Struct, frozen=True):
    """What the page asks for every other second."""

    page: float
    """When what the page shows was written; if it is another number, there is another page."""
    running: bool
    played: int
    total: int


class Reporter:
    """Reads the news from a league's folder, but not again for a while if that took long."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._news: News | None = None
        self._good_until = 0.0

    def news(self) -> News:
        """How far the league is."""
        with self._lock:
            started = monotonic()
            if self._news is None or started >= self._good_until:
                self._news = self._read()
                took = monotonic() - started
                self._good_until = monotonic() + REST * took
            return self._news

    def _read(self) -> News:
        with Store.open(self._folder) as store:
            now = progress_of(store)
        return News(_shown_since(self._folder), is_being_played(self._folder), now.played, now.total)


class PageMaker:
    """Makes the page of a league from its results, once for each change of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._made_from: tuple[float, bool] | None = None
        self._page = b""

    def page(self) -> bytes:
        """The page as it is now."""
        with self._lock:
            running = is_being_played(self._folder)
            source = last_change(self._folder), running
            if source != self._made_from:
                self._page = _made(self._folder, running=running)
                self._made_from = source
            return self._page


def make_server(folder: Path, port: int) -> ThreadingHTTPServer:
    """A server for a league's folder that listens on this machine; 0 takes any port that is free."""
    reporter = Reporter(folder)
    reporter.news()  # tells at once if this is no league's folder
    try:
        return ThreadingHTTPServer((OWN_ADDRESS, port), partial(Handler, folder, reporter, PageMaker(folder)))
    except OSError as problem:
        raise LeagueError(f"Port {port} cannot be had: {problem.strerror}. Choose another by --port.") from None


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server_version = "League"
    sys_version = ""

    def __init__(
        self, folder: Path, reporter: Reporter, maker: PageMaker, request: Any, address: Any, server: BaseServer
    ) -> None:
        self._folder = folder
        self._reporter = reporter
        self._maker = maker
        super().__init__(request, address, server)

    def do_GET(self) -> None:
        """Hand out a file or the news."""
        try:
            self._answer()
        except LeagueError as problem:
            self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, explain=str(problem))

    def _answer(self) -> None:
        if self.headers.get("Host", "").partition(":")[0] not in OWN_NAMES:
            self.send_error(HTTPStatus.FORBIDDEN, "This server is for this machine only")
            return
        path = unquote(self.path.partition("?")[0]).removeprefix("/") or PAGE
        if path == NEWS:
            self._send(msgspec.json.encode(self._reporter.news()), "application/json")
            return
        file = self._folder / path
        if path == PAGE and not _is_up_to_date(self._folder):
            self._send(self._maker.page(), KINDS[".html"])
            return
        if not SHOWN.fullmatch(path) or not file.is_file():
            self.send_error(HTTPStatus.NOT_FOUND, explain=f"The standings are at /{PAGE}.")
            return
        self._send(file.read_bytes(), KINDS[file.suffix])

    def _send(self, content: bytes, kind: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Keep silent: the terminal is for people."""


def _is_up_to_date(folder: Path) -> bool:
    """Whether the page on disk will do: a run that is under way renews it by itself."""
    page = folder / PAGE
    if not page.is_file():
        return False
    return is_being_played(folder) or (last_change(folder) <= page.stat().st_mtime and not _is_live(page))


def _is_live(page: Path) -> bool:
    """Whether a page was made while its league was being played."""
    with page.open("rb") as file:
        return LIVE.encode() in file.read(FIRST_TAGS)


def _shown_since(folder: Path) -> float:
    if _is_up_to_date(folder):
        return (folder / PAGE).stat().st_mtime
    return 0.0 if is_being_played(folder) else last_change(folder)  # a run will soon write its first page


def _made(folder: Path, *, running: bool) -> bytes:
    from league.page.gather import gather
    from league.page.render import render
    from league.results.standings import Standings

    with Store.open(folder) as store:
        return render(gather(store, Standings.of(store), running=running)).encode()
