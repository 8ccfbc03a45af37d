"""Chooses games of a league to watch, by their outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from league.results.leaders import placed
from league.results.queries import FoundGame, Highlights, highlights

if TYPE_CHECKING:
    from league.results.standings import ContestStandings, Standings
    from league.results.store import Store
    from league.values.block import Series

MOST = 300
"""Games of a league that get a page of their own."""
LOOKED_AT = 200_000
"""Games that are searched; if there are more, every second lineup is searched, or every third, and so on."""
TOP = 4
"""The best bots of a contest: every pair of them gets games."""
ROWS = 40_000
"""Blocks that may be read while searching for games of pairs."""


WANTED = ("worst loss", "first fault")
"""The games of every bot that come before all games of the best but one."""


class Choice(NamedTuple):
    """A game, and why it was chosen."""

    game: FoundGame
    reasons: tuple[tuple[str, str], ...]
    """Pairs of a bot and what the game is for it, such as 'worst loss'."""


def chosen(store: Store, standings: Standings) -> list[Choice]:
    """Some games of each contest, the most important ones first."""
    found: dict[str, tuple[FoundGame, dict[tuple[str, str], None]]] = {}
    for _, _, bot, reason, game in sorted(_candidates(store, standings), key=lambda one: one[:2]):
        if str(game.address) in found or len(found) < MOST:
            found.setdefault(str(game.address), (game, {}))[1][bot, reason] = None
    return [Choice(game, tuple(reasons)) for game, reasons in found.values()]


def _candidates(store: Store, standings: Standings) -> Iterator[tuple[int, int, str, str, FoundGame]]:
    """Games with how important they are, as two numbers (0 most), the bot that they are about, and the reason.

    First come, in every contest, the games of the best bot, then the first fault and the worst loss of every other one:
    that is what its author looks for. Then come the rest and the games of pairs, those of the best again first.
    """
    games = sum(int(one.counts.games.sum()) for one in standings.contests.values())
    best = highlights(store, _every(games // LOOKED_AT + 1))
    for key, contest in standings.contests.items():
        for at, line in enumerate(contest.lines):
            for reason, game in _named(best.get((key, line.bot), Highlights())):
                yield int(at > 0 and reason not in WANTED), at, line.bot, reason, game
    blocks = store.last_block()
    for contest in standings.contests.values():
        for at, (a, b) in enumerate(_pairs(contest, ROWS // max(blocks * len(standings.contests), 1))):
            of_both = highlights(store, _between(contest.contest.key, a, b))
            for name, other in ((a, b), (b, a)):
                of_name = of_both.get((contest.contest.key, name), Highlights())
                for reason, game in _named(of_name._replace(first_fault=None)):
                    yield 1, at, name, f"{reason} against {other}", game


def _named(of_bot: Highlights) -> Iterator[tuple[str, FoundGame]]:
    for reason in Highlights._fields:
        game = getattr(of_bot, reason)
        if game is not None:
            yield reason.replace("_", " ").replace("closest", "closest game"), game


def _pairs(contest: ContestStandings, most: int) -> list[tuple[str, str]]:
    """At most `most` pairs of the best bots of a contest, the best pairs first."""
    names = [line.bot for line in placed(contest.lines)[:TOP]]
    return sorted(combinations(names, 2), key=lambda pair: names.index(pair[0]) + names.index(pair[1]))[:most]


def _between(key: str, a: str, b: str) -> Callable[[Series], bool]:
    def wanted(series: Series) -> bool:
        return series.contest.key == key and {a, b} <= {entrant.name for entrant in series.lineup}

    return wanted


def _every(step: int) -> Callable[[Series], bool]:
    """Every second lineup, every third, and so on."""
    seen: dict[tuple[str, ...], int] = {}

    def wanted(series: Series) -> bool:
        lineup = (series.contest.key, *(entrant.name for entrant in series.lineup))
        return seen.setdefault(lineup, len(seen)) % step == 0

    return wanted if step > 1 else lambda _: True
