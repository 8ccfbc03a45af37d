"""How far a league is: games that are there, of those that are to be played."""

from __future__ import annotations

from league.page.data import Progress
from league.results.store import Store


def progress_of(store: Store) -> Progress:
    """How far the league is now."""
    coverage = store.coverage()
    played = sum(coverage.games(at) for at in range(len(coverage.plan.fixtures)))
    return Progress(played, coverage.plan.games)
