"""How far a league is: games that are there, of those that are to be played."""

from __future__ import annotations

from league.page.data import Part, Progress
from league.plan.coverage import LeagueProgress
from league.plan.rounds import progress
from league.results.store import Store


def progress_of(store: Store, reached: LeagueProgress | None = None) -> Progress:
    """How far the league is now, or as it was when `reached` was counted."""
    reached = reached or progress(store.coverage())
    parts = tuple(Part(one.contest, one.played, one.total) for one in reached.contests)
    return Progress(reached.played, reached.total, parts, reached.round, reached.rounds)
