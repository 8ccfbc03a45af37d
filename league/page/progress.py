"""How far a league is: games that are there, of those that are to be played."""

from __future__ import annotations

from league.page.data import Progress
from league.plan.schedule import covering
from league.results.store import Store


def progress_of(store: Store) -> Progress:
    """How far the league is now."""
    spans = store.spans()
    played = total = 0
    for id_, _, deals in store.plan():
        total += deals
        played += sum(stop - first for first, stop in covering(deals, spans.get(id_, ())).values())
    return Progress(played, total)
