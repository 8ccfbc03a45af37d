"""A page that lists games of one bot, or of one bot against another, with a link to watch each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from league.errors import LeagueError
from league.page.build import title_of
from league.page.data import OVERALL, PAGE
from league.page.inline import render, static
from league.results.queries import FoundGame, Query, SortBy, top

if TYPE_CHECKING:
    from league.results.store import Store

SHOWN = 100
"""Games of each contest on one page of the list."""
MOST_PAGES = 1000
KINDS: dict[str, tuple[str, Query, SortBy]] = {
    "lost": ("Lost games, the worst first", Query(ended="lost"), "worst"),
    "won": ("Won games, the clearest first", Query(ended="won"), "best"),
    "drawn": ("Drawn games", Query(ended="drawn"), "first"),
    "closest": ("Closest games", Query(), "closest"),
    "fault": ("Games with faults", Query(fault=True), "first"),
}


class Asked(msgspec.Struct, frozen=True):
    """Which games a reader asks for."""

    bot: str
    against: str | None = None
    contest: str | None = None
    """The key of a contest; None or `OVERALL` is every contest."""
    seat: int | None = None
    """Of the bot, from 1."""
    kind: str = "lost"
    page: Annotated[int, msgspec.Meta(ge=1, le=MOST_PAGES)] = 1


def asked_for(parameters: dict[str, str]) -> Asked:
    """What the query of an address asks for."""
    try:
        asked = msgspec.convert(parameters, Asked, strict=False)
    except msgspec.ValidationError as problem:
        raise LeagueError(f"Expected games?bot=NAME&kind=lost, and contest, against and seat: {problem}.") from None
    if asked.kind not in KINDS:
        raise LeagueError(f"Expected kind as one of {', '.join(KINDS)}, found {asked.kind!r}.")
    return asked


def games_page(store: Store, asked: Asked) -> str:
    """The page with these games; those of each contest together."""
    words, query, by = KINDS[asked.kind]
    contest = None if asked.contest == OVERALL else asked.contest
    query = msgspec.structs.replace(query, bot=asked.bot, against=asked.against, game=contest, seat=asked.seat)
    end = SHOWN * asked.page
    by_contest: dict[str, list[FoundGame]] = {}
    for game in top(store, query, by, end + 1):
        by_contest.setdefault(game.contest.key, []).append(game)
    shown = [game for games in by_contest.values() for game in games[end - SHOWN : end]]
    return render(
        "games.html.j2",
        [static("theme.js")],
        asked=asked,
        words=words,
        kinds={kind: text for kind, (text, _, _) in KINDS.items()},
        games=[(title_of(game.contest), game, _players(game)) for game in shown],
        more=any(len(games) > end for games in by_contest.values()),
        back=PAGE,
    )


def _players(game: FoundGame) -> list[tuple[str, int, int, bool]]:
    """Bot, place, points and fault of each player, best first."""
    seats = sorted(range(len(game.bots)), key=lambda seat: (game.ranks[seat], seat))
    return [(game.bots[seat], game.ranks[seat] + 1, game.points[seat], game.faults[seat]) for seat in seats]
