"""The pages on which a person plays against bots, for a league's server and for `league play --browser`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from league.errors import LeagueError
from league.page.inline import render_template, static
from league.page.tables import BrowserTables, TableSetting
from league.page.viewer import render, rules_in_html, shown_curve, viewer_scripts
from league.results.recorded import Shown
from league.values.settings import Contest

LARGEST_BODY = 4096
"""Bytes of a request that writes."""

JSON = "application/json"
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
"""All answers have them."""

ValueT = TypeVar("ValueT")
ShowPage = Callable[[Request, str, Sequence[str]], Response]


class OfferedContest(msgspec.Struct, frozen=True):
    """A contest that can be played."""

    key: str
    title: str
    players: int
    bots: tuple[str, ...]


class WantedGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The game that a person wants to play."""

    contest: str
    bots: tuple[str, ...]
    seat: int
    """From 1."""


class ChosenMove(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The move that a person wants to play."""

    version: int
    move: int


class PlayRoutes:
    """The routes of games against bots.

    `offered` returns the contests, `set_up` makes a game of what is wanted, `show` makes a page of HTML.
    """

    def __init__(
        self,
        tables: BrowserTables,
        offered: Callable[[], tuple[OfferedContest, ...]],
        set_up: Callable[[WantedGame], TableSetting],
        show: ShowPage,
        back: str = "",
        preset: WantedGame | None = None,
    ) -> None:
        self._tables, self._offered, self._set_up = tables, offered, set_up
        self._show, self._back, self._preset = show, back, preset

    def routes(self, page: str = "/sit") -> list[Route]:
        """The routes, relative to where they are mounted."""
        return [
            Route(page, self._page),
            Route("/tables", self._open, methods=["POST"]),
            Route("/tables/{key}", self._position),
            Route("/tables/{key}/seats", self._seats),
            Route("/tables/{key}/move", self._move, methods=["POST"]),
            Route("/tables/{key}/leave", self._leave, methods=["POST"]),
            Route("/tables/{key}/game", self._game),
            Route("/tables/{key}/curve", self._curve),
        ]

    async def _page(self, request: Request) -> Response:
        offered = await run_in_threadpool(self._offered)
        asked = request.query_params
        bot, contest = asked.get("bot", ""), asked.get("contest", "")
        contest = contest or next((one.key for one in offered if bot in one.bots), "")
        wanted = self._preset or WantedGame(contest, (bot,), 1)
        page = render_template("play.html.j2", play_scripts(), back=self._back, contests=offered, wanted=wanted)
        return self._show(request, page, play_scripts())

    async def _open(self, request: Request) -> Response:
        wanted = await _read(request, WantedGame)

        def open_table() -> str:
            return self._tables.open(self._set_up(wanted), wanted.seat - 1)

        return self._seated(await run_in_threadpool(open_table))

    async def _seats(self, request: Request) -> Response:
        return self._seated(request.path_params["key"])

    def _seated(self, key: str) -> Response:
        """Who sits at a table."""
        table = self._tables.find(key)
        contest = Contest.of(table.game)
        title, rules = contest.title, str(rules_in_html(contest))
        return _json({"key": key, "names": table.names, "seat": table.seat, "title": title, "rules": rules})

    async def _position(self, request: Request) -> Response:
        try:
            after = int(request.query_params.get("after", "0"))
        except ValueError:
            raise HTTPException(400) from None
        table = self._tables.find(request.path_params["key"])
        return _json(await run_in_threadpool(table.position, after))

    async def _move(self, request: Request) -> Response:
        chosen = await _read(request, ChosenMove)
        table = self._tables.find(request.path_params["key"])
        table.choose(chosen.version, chosen.move)
        return _json(await run_in_threadpool(table.position, chosen.version))

    async def _leave(self, request: Request) -> Response:
        _require_own_page(request)
        await run_in_threadpool(self._tables.find(request.path_params["key"]).leave)
        return _json({})

    async def _game(self, request: Request) -> Response:
        shown, back = self._over(request), f"../../{self._back}" if self._back else "../.."
        page = await run_in_threadpool(lambda: render(shown, back=back, curve="curve"))
        return self._show(request, page, viewer_scripts())

    async def _curve(self, request: Request) -> Response:
        return _json(await run_in_threadpool(shown_curve, self._over(request).replay))

    def _over(self, request: Request) -> Shown:
        shown = self._tables.find(request.path_params["key"]).shown
        if shown is None:
            raise LeagueError("This game is not over, or was left.")
        return shown


@cache
def play_scripts() -> list[str]:
    """The scripts of the page: colours, and its own."""
    return [static("theme.js"), "\n".join(map(static, ("scene.js", "play.js")))]


def _json(value: object) -> Response:
    return Response(msgspec.json.encode(value), media_type=JSON, headers=HEADERS)


def _require_own_page(request: Request) -> None:
    """Refuse what another web site sends through the reader's browser."""
    own = f"{request.url.scheme}://{request.headers.get('host', '')}"
    if request.headers.get("origin") != own:
        raise HTTPException(403, "Only pages of this server may play here.")


async def _read(request: Request, kind: type[ValueT]) -> ValueT:
    """The value that a page of ours sends."""
    _require_own_page(request)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_BODY:
            raise HTTPException(413)
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.DecodeError as problem:
        raise LeagueError(f"This is not what the page sends: {problem}.") from None
