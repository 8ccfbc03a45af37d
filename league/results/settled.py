"""How far an adaptive league has found out what it was asked, and which differences can be trusted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from league.plan.adaptive import SURE, TAU, chance_of_places, expected_tau, reached, widths
from league.rating.joint import leads
from league.rating.level import TAIL
from league.rating.table import Floats
from league.values.settings import Settle

MUCH_LESS_SURE = 1.5
"""Differences to the others are pointed out if they are less sure than those among the first by this factor."""


class Trust(NamedTuple):
    """How sure differences are: half of the width of their 95 % interval, the median of many."""

    first: int
    """How many bots the games were spent on."""
    among: float
    """Between two of them."""
    beyond: float
    """Between one of them and another bot."""

    @property
    def only_among(self) -> bool:
        """Whether only differences among the first can be trusted as far as they seem."""
        return self.beyond > MUCH_LESS_SURE * self.among


def trust(places: int, rating: Floats, samples: Floats) -> Trust | None:
    """How sure differences among the best are, and those to the others; None if there are no two or no others."""
    if not 2 <= places < len(rating):
        return None
    best_first = np.argsort(-rating, kind="stable")
    _, error = leads(rating[best_first], samples[:, best_first])
    among = np.median(error[:places, :places][np.triu_indices(places, 1)])
    return Trust(places, TAIL * float(among), TAIL * float(np.median(error[:places, places:])))


def settled_notices(goal: Settle, rating: Floats, samples: Floats) -> list[str]:
    """What a reader of an adaptive league's standings should know, a sentence each."""
    state = "settled" if reached(goal, rating, samples) else "not settled yet"
    found = [f"{state}: {_found_out(goal, rating, samples)}."]
    found.append("who met whom followed from the results, so scores and wins do not compare bots; ratings do.")
    sure = trust(goal.places or 0, rating, samples)
    if sure is not None and sure.only_among:
        among = f"differences among the first {sure.first} are sure to about ± {sure.among:.2f}"
        found.append(f"{among}, those between them and the others only to about ± {sure.beyond:.2f}.")
    return found


def _found_out(goal: Settle, rating: Floats, samples: Floats) -> str:
    if goal.places is not None:
        chance = chance_of_places(goal.places, goal.within, rating, samples)
        what = f"the first {min(goal.places, len(rating))} and their order are right but for differences"
        return f"{what} within {goal.within:g}, with a probability of {chance:.0%} ({SURE:.0%} is asked)"
    if goal.interval is not None:
        return f"the widest interval is {widths(samples).max(initial=0.0):.2f} wide ({goal.interval:g} is asked)"
    tau = expected_tau(rating, samples)
    return f"Kendall's tau of this order and the true one is expected to be {tau:.3f} ({TAU:g} is asked)"
