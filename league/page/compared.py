"""The output of `league compare` for pairs of bots, as text for the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from league.errors import LeagueError
from league.page.data import Board, Comparing
from league.results.compare import RATINGS, Comparison, compare, meeting_header, meeting_rows, rating_rows, verdict

if TYPE_CHECKING:
    from league.results.standings import Standings

TOP = 8
"""Bots of each board that are compared with each other."""
MOST = 150
"""Pairs that are compared for one page; a server compares any other pair on demand."""
WORK = 4_000_000
"""Counted results that may be read for all pairs together: the time of a comparison is proportional to them."""


def comparisons(standings: Standings, index: Mapping[str, int], boards: Sequence[Board]) -> tuple[Comparing, ...]:
    """The best bots of each board compared with each other."""
    names = list(index)
    results = sum(len(contest.counts.games) for contest in standings.contests.values())
    most = min(MOST, WORK // max(results, 1))
    pairs: dict[tuple[str, str], None] = {}
    for board in boards:
        best = [names[row.bot] for row in board.rows[:TOP] if row.line.games]
        for one, other in sorted(combinations(range(len(best)), 2), key=sum):
            if (best[other], best[one]) not in pairs:
                pairs[best[one], best[other]] = None
    found = []
    for a, b in list(pairs)[:most]:
        try:
            found.append(comparing(compare(standings, a, b), index))
        except LeagueError:  # they never met, directly or by way of others
            continue
    return tuple(found)


def comparing(comparison: Comparison, index: Mapping[str, int]) -> Comparing:
    """A comparison as text."""
    rows = meeting_rows(comparison)
    return Comparing(
        a=index[comparison.a],
        b=index[comparison.b],
        verdict=verdict(comparison),
        ratings=(RATINGS, *rating_rows(comparison)),
        meetings=(meeting_header(comparison), *rows) if rows else (),
        notices=comparison.notices,
    )
