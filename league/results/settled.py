"""How far an adaptive league has found out what it was asked, and which differences can be trusted."""

from __future__ import annotations

import numpy as np

from league.plan.adaptive import SURE, TAU, Sight, chance_of_places, expected_tau, reached
from league.rating import TAIL
from league.rating.spread import leads
from league.values.settings import Settle

MUCH_LESS_SURE = 1.5
"""Differences to the others are pointed out if they are less sure than those among the first by this factor."""


def how_sure(places: int, sight: Sight) -> tuple[float, float]:
    """How sure differences among the best are, on whom the games were spent, and those between them and the others.

    That is half of the width of their 95 % interval, the median of many.
    """
    best_first = np.argsort(-sight.rating, kind="stable")
    _, error = leads(sight.rating[best_first], np.cov(sight.worlds[:, best_first], rowvar=False))
    among = np.median(error[:places, :places][np.triu_indices(places, 1)])
    return TAIL * float(among), TAIL * float(np.median(error[:places, places:]))


def settled_notices(goal: Settle, sight: Sight) -> list[str]:
    """What a reader of an adaptive league's standings should know, a sentence each."""
    state = "settled" if reached(goal, sight) else "not settled yet"
    notices = [f"{state}: {_found_out(goal, sight)}."]
    notices.append("who met whom followed from the results, so scores and wins do not compare bots; ratings do.")
    places = goal.places or 0
    if 2 <= places < len(sight.rating):
        among, beyond = how_sure(places, sight)
        if beyond > MUCH_LESS_SURE * among:
            first = f"differences among the first {places} are sure to about ± {among:.2f}"
            notices.append(f"{first}, those between them and the others only to about ± {beyond:.2f}.")
    return notices


def _found_out(goal: Settle, sight: Sight) -> str:
    if goal.places is not None:
        chance = chance_of_places(goal.places, goal.within, sight)
        what = f"the first {min(goal.places, len(sight.rating))} and their order are right, apart from differences"
        return f"{what} within {goal.within:g}, with a probability of {chance:.0%} ({SURE:.0%} is asked)"
    if goal.interval is not None:
        return f"the widest interval is {sight.widths.max(initial=0.0):.2f} wide ({goal.interval:g} is asked)"
    tau = expected_tau(sight)
    return f"Kendall's tau of this order and the true one is expected to be {tau:.3f} ({TAU:g} is asked)"
