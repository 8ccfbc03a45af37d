"""Two bots in the same seat against the same opponents on the same deals: what is left is how they played.

The luck of the deal is the same for both, so their difference is known better than either score.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from league.rating.bootstrap import small_sample_factor
from league.rating.level import TAIL
from league.rating.places import place_scores
from league.rating.table import Floats, Ints
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
    """The place score of one bot less that of the other; None if there is nothing to compare.

    Where one has played more, its surplus does not count: each cell of opponents, seat and group weighs as much as
    the smaller number of games in it.
    """
    mine, theirs = _cells(counts, one, other), _cells(counts, other, one)
    pairs = [(cell, mine[cell], theirs[cell]) for cell in sorted(mine.keys() & theirs.keys())]
    if not pairs:
        return None
    group = np.array([cell.group for cell, _, _ in pairs])
    weight = np.array([min(my.games, their.games) for _, my, their in pairs], dtype=np.float64)
    gap = np.array([my.mean - their.mean for _, my, their in pairs])
    value, low, high = grouped_mean(gap, weight, group)
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


class _Cell(NamedTuple):
    """Games that both may have played alike."""

    group: int
    """Of deals."""
    seat: int
    opponents: tuple[int, ...]


class _Scores:
    """Place scores, added up."""

    def __init__(self) -> None:
        self.games = 0
        self.total = 0.0

    @property
    def mean(self) -> float:
        return self.total / self.games


def _cells(counts: Counts, bot: int, without: int) -> dict[_Cell, _Scores]:
    """The place scores of one bot where the other did not sit at the table."""
    chosen = (counts.lineups == bot).any(axis=1) & ~(counts.lineups == without).any(axis=1)
    lineups, ranks = counts.lineups[chosen], counts.ranks[chosen]
    players = lineups.shape[1]
    scores = place_scores(ranks)[lineups == bot]
    seats = counts.seats[chosen][lineups == bot]
    opponents = lineups[lineups != bot].reshape(-1, players - 1)
    columns = (counts.groups[chosen], seats, opponents, counts.games[chosen], scores)
    found: defaultdict[_Cell, _Scores] = defaultdict(_Scores)
    for group, seat, others, games, score in zip(*(column.tolist() for column in columns), strict=True):
        cell = found[_Cell(group, seat, tuple(others))]
        cell.games += games
        cell.total += games * score
    return found
