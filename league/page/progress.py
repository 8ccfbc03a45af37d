"""How far a league is: games that are there, of those that are to be played."""

from __future__ import annotations

from league.page.data import Part, Progress
from league.plan.rounds import progress
from league.results.store import Store


def progress_of(store: Store) -> Progress:
    """How far the league is now."""
    reached = progress(store.coverage())
    parts = tuple(Part(one.contest, one.played, one.total) for one in reached.contests)
    return Progress(reached.played, reached.total, parts)
