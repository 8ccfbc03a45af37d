"""How far a league is: games played and games planned, in all and by contest."""

from __future__ import annotations

from collections.abc import Iterable

from league.page.data import Part, Progress
from league.plan.schedule import covering
from league.results.store import Planned, Store


def progress_of(store: Store, plan: Iterable[Planned] | None = None) -> Progress:
    """How far the league is now; `plan` is the store's, if it has been read already."""
    spans = store.spans()
    played: dict[str, int] = {}
    total: dict[str, int] = {}
    for id_, series, deals in store.plan() if plan is None else plan:
        key = series.contest.key
        total[key] = total.get(key, 0) + deals
        done = sum(stop - first for first, stop in covering(deals, spans.get(id_, ())).values())
        played[key] = played.get(key, 0) + done
    parts = tuple(Part(key, played[key], total[key]) for key in total)
    return Progress(sum(played.values()), sum(total.values()), parts)
