"""A small web server for one league's folder: on this machine only, for reading only.

It hands out the page, the games beside it and the tables, and tells how far the league is. Requests that name
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
from time import monotonic, time
from typing import Any
from urllib.parse import unquote

import msgspec

from league.errors import LeagueError
from league.page import PAGE
from league.page.progress import progress_of
from league.store import FILE, Store

KINDS = {".html": "text/html; charset=utf-8", ".csv": "text/csv; charset=utf-8"}
SHOWN = re.compile(r"(?:games/)?[^./\\\0][^/\\\0]*\.(?:html|csv)")
"""What may be asked for: files of the folder and of its games, by name; none that is hidden."""
NEWS = "progress.json"
OWN_ADDRESS = "127.0.0.1"
OWN_NAMES = ("localhost", OWN_ADDRESS)
REST = 10
"""Reading the news may take up one part in so many of the time."""
LIVELY_SECONDS = 120
"""A run that has not written for so long is taken to be over, however it ended."""


class News(msgspec.Struct, frozen=True):
    """What the page asks for every other second."""

    page: float
    """When the page was written."""
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
        page = self._folder / PAGE
        with Store.open(self._folder) as store:
            runs = store.runs()
            now = progress_of(store)
        lively = any(time() - file.stat().st_mtime < LIVELY_SECONDS for file in self._folder.glob(f"{FILE}*"))
        running = bool(runs) and runs[-1].ended is None and lively
        return News(page.stat().st_mtime if page.is_file() else 0.0, running, now.played, now.total)


def make_server(folder: Path, port: int) -> ThreadingHTTPServer:
    """A server for a league's folder that listens on this machine; 0 takes any port that is free."""
    reporter = Reporter(folder)
    reporter.news()  # tells at once if this is no league's folder
    try:
        return ThreadingHTTPServer((OWN_ADDRESS, port), partial(Handler, folder, reporter))
    except OSError as problem:
        raise LeagueError(f"Port {port} cannot be had: {problem.strerror}. Choose another by --port.") from None


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server_version = "League"
    sys_version = ""

    def __init__(self, folder: Path, reporter: Reporter, request: Any, address: Any, server: BaseServer) -> None:
        self._folder = folder
        self._reporter = reporter
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
        if path == PAGE and not file.is_file():
            self._send(_page_so_far(self._folder), KINDS[".html"])
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


def _page_so_far(folder: Path) -> bytes:
    """The page of a league that has not written one yet."""
    from league.page.gather import gather
    from league.page.render import render
    from league.report import standings_of

    with Store.open(folder) as store:
        return render(gather(store, standings_of(store), running=True)).encode()
