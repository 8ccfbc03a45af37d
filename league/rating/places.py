"""What places are worth, and which places intervals leave open."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from league.rating.joint import leads
from league.rating.level import TAIL
from league.rating.table import Floats, Ints


def place_scores(ranks: Ints) -> Floats:
    """For each rank of each row: 1 for the first place, 0 for the last, evenly between, ties averaged."""
    players = ranks.shape[1]
    scores: Floats = 1 - (ranks + (sharing(ranks) - 1) / 2) / (players - 1)
    return scores


def sharing(ranks: Ints) -> Ints:
    """For each rank of each row: how many share it."""
    found: Ints = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2)
    return found


def apart_by_intervals(low: Floats, high: Floats) -> NDArray[np.bool_]:
    """Bots by bots: whether the interval of the one lies above that of the other."""
    apart: NDArray[np.bool_] = low[:, None] > high[None, :]
    return apart


def apart_by_leads(rating: Floats, samples: Floats) -> NDArray[np.bool_]:
    """Bots by bots: whether the interval of the lead of the one over the other is above zero.

    It sees more than intervals of single bots where bots are compared with each other much better than with the rest.
    """
    lead, error = leads(rating, samples)
    apart: NDArray[np.bool_] = lead > TAIL * error
    return apart


def place_ranges(apart: NDArray[np.bool_]) -> list[str]:
    """The range of places of each bot: below all that are surely ahead of it, above all that it is surely ahead of."""
    best = 1 + apart.sum(axis=0)
    worst = len(apart) - apart.sum(axis=1)
    return [str(one) if one == other else f"{one}-{other}" for one, other in zip(best, worst, strict=True)]
