"""The leaders of each contest, and whether the overall standings are meaningful."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from league.results.columns import Line

if TYPE_CHECKING:
    from league.results.standings import Standings

LEAST_COMPLETE = 0.5
"""The overall standings come first if at least this share of the bots has a place in them."""
NEXT = 2
"""Bots that are named behind the leaders of a contest."""


class Leaders(NamedTuple):
    """The leaders of a contest, and the bots behind them."""

    contest: str
    """Its key."""
    first: tuple[str, ...]
    """More than one where intervals do not separate them; the best rated first. Baselines are left out."""
    behind: tuple[str, ...]
    unbeaten: tuple[str, ...]
    """Baselines that intervals do not separate from the leaders, or that are ahead of them."""
    best: Line
    bots: int
    """That have played."""
    games: int


def has_place(line: Line) -> bool:
    """Whether a bot can be compared with the others of its table."""
    return line.place[:1].isdigit()


def placed(lines: Sequence[Line]) -> list[Line]:
    """The lines of the bots that have a place."""
    return [line for line in lines if has_place(line)]


def overall_comes_first(standings: Standings) -> bool:
    """Whether the overall standings are shown before the contests: enough bots play every game."""
    complete = len(placed(standings.overall))
    played = sum(line.games > 0 for line in standings.overall)
    return len(standings.contests) == 1 or (complete > 1 and complete >= LEAST_COMPLETE * played)


def leaders_of(standings: Standings) -> list[Leaders]:
    """The leaders of every contest that has games."""
    found = []
    for key, contest in standings.contests.items():
        lines = placed(contest.lines)
        rivals = [line for line in lines if line.bot not in standings.baselines] or lines
        if not rivals:
            continue
        best = min(_best_place(line) for line in rivals)
        first = [line.bot for line in rivals if _best_place(line) == best]
        behind = [line.bot for line in rivals if line.bot not in first][:NEXT]
        unbeaten = [line.bot for line in lines if line not in rivals and _best_place(line) <= best]
        games = int(contest.counts.games.sum())
        found.append(Leaders(key, tuple(first), tuple(behind), tuple(unbeaten), rivals[0], len(lines), games))
    return found


def _best_place(line: Line) -> int:
    """1 of '1-3'."""
    return int(line.place.split("-")[0])
