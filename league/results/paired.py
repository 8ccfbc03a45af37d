"""Two bots in the same seat against the same opponents on the same deals: what is left is how they played.

The luck of the deal is the same for both, so their difference is known better than either score.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from league.rating.bootstrap import small_sample_factor
from league.rating.level import TAIL
from league.rating.places import place_scores
from league.rating.table import Floats, Ints, summed
from league.results.tallies import Counts

NOTHING = 1e-9
"""A smaller spread is rounding."""


class Paired(NamedTuple):
    """A difference of place scores with its 95 % interval, which is all there is if only one group of deals tells."""

    value: float
    low: float
    high: float
    games: int
    """Of both together."""


def paired(counts: Counts, one: int, other: int) -> Paired | None:
    """The place score of one bot minus that of the other; None if there is nothing to compare.

    Where one has played more, its surplus does not count: each cell of opponents, seat and group weighs as much as
    the smaller number of games in it.
    """
    mine, theirs = _scores(counts, one, other), _scores(counts, other, one)
    cells, at = np.unique(np.concatenate([mine.cells, theirs.cells]), axis=0, return_inverse=True)
    own, its = at.ravel()[: len(mine.cells)], at.ravel()[len(mine.cells) :]
    my_games, their_games = (summed(where, of.games, len(cells)) for where, of in ((own, mine), (its, theirs)))
    both = (my_games > 0) & (their_games > 0)
    if not both.any():
        return None
    my_points, their_points = (
        summed(where, of.games * of.scores, len(cells)) for where, of in ((own, mine), (its, theirs))
    )
    gap = my_points[both] / my_games[both] - their_points[both] / their_games[both]
    weight = np.minimum(my_games, their_games)[both]
    value, low, high = grouped_mean(gap, weight, cells[both, 0])
    return Paired(value, max(low, -1.0), min(high, 1.0), int(2 * weight.sum()))


def grouped_mean(values: Floats, weight: Floats, group: Ints, scale: float = 1.0) -> tuple[float, float, float]:
    """The weighted mean of values, and its 95 % interval: only groups of deals are independent.

    `scale` is how much a value may reasonably vary, for groups that are all the same.
    """
    value = float((weight * values).sum() / weight.sum())
    _, numbered = np.unique(group, return_inverse=True)
    influence = np.bincount(numbered, weight * (values - value)) / weight.sum()
    groups = len(influence)
    spread = float(np.sqrt((influence**2).sum()))
    if spread < NOTHING * scale:  # all groups ended alike, but the next one might end otherwise
        spread = scale / (groups + 1)
    error = float(small_sample_factor(groups)) * spread if groups > 1 else np.inf
    return value, value - TAIL * error, value + TAIL * error


class _Scores(NamedTuple):
    """How one bot did where another did not sit at the table."""

    cells: Ints
    """What both may have had in common: group of deals, seat, opponents."""
    games: Floats
    scores: Floats


def _scores(counts: Counts, bot: int, without: int) -> _Scores:
    chosen = np.setdiff1d(counts.rows_of(bot), counts.rows_of(without), assume_unique=True)
    lineups = counts.lineups[chosen]
    own = lineups == bot
    opponents = lineups[~own].reshape(-1, lineups.shape[1] - 1)
    cells = np.column_stack([counts.groups[chosen], counts.seats[chosen][own], opponents])
    return _Scores(cells, counts.games[chosen].astype(np.float64), place_scores(counts.ranks[chosen])[own])
