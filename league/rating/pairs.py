"""Head to head: what two bots did when they sat at one table, against what their ratings expect.

Cycles (A beats B beats C beats A) are what no single number can express.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtr, stdtr

from league.rating import TAIL
from league.rating.spread import small_sample_factor
from league.rating.table import Floats, Ints, RankingTable
from league.values.block import DEAL_GROUPS

FEW_GROUPS = 10
"""Up to this number of groups of deals, the test is exact: all sign flips are enumerated."""
AT_ONCE = 4096
"""Pairs that are tested at a time, which bounds the memory."""
ROUNDING = 1e-9
CYCLE_ALPHA = 0.05
"""The probability that any of the cycles of a contest is there by chance alone."""


class Pairs(NamedTuple):
    """Matrices of bots by bots: the bot of the row against the bot of the column."""

    games: Ints
    wins: Ints
    """Games in which the one came in before the other."""
    draws: Ints
    """Games in which they shared a place."""
    score: Floats
    """Wins and half of the draws, as a part of the games; NaN where they never met."""
    low: Floats
    high: Floats
    """95 % interval of the score."""
    p_value: Floats
    """Two-sided: how likely so uneven a result is between equals; 1 where they never met."""
    span: float = 0.0
    """If points count, the lead in points that is a score of 1: the score is then no part of the games."""

    def leads(self, score: Floats) -> Floats:
        """Leads in points for scores, if points count."""
        leads: Floats = (2 * score - 1) * self.span
        return leads

    @property
    def met(self) -> NDArray[np.bool_]:
        """Which pairs sat at one table."""
        return self.games > 0


def head_to_head(table: RankingTable) -> Pairs:
    """Count who came in before whom, with error bars over groups of deals.

    All is worked out for the pairs that met, from the side of the bot of lower index.
    """
    row, group, games = table.cells
    pairs, outcome = _outcomes(table)
    wins, losses, draws, groups, squares, products, sizes = np.zeros((7, len(pairs)))
    present = np.unique(group)
    by_group: list[Floats] = []
    for number in present:
        chosen = group == number
        seen = outcome[row[chosen]]
        counted = np.bincount(seen.ravel(), np.repeat(games[chosen], seen.shape[1]), 3 * len(pairs))
        won, lost, tied = counted.reshape(3, len(pairs))
        excess, played = (won - lost) / 2, won + lost + tied
        wins += won
        losses += lost
        draws += tied
        groups += played > 0
        squares += excess**2
        products += excess * played
        sizes += played**2
        if len(present) <= FEW_GROUPS:
            by_group.append(excess)
    total = wins + losses + draws
    excess = (wins - losses) / 2
    ahead = excess / total
    # How the groups vary about the score; that they are not equally large is no variation.
    spread = np.maximum(squares - 2 * ahead * products + ahead**2 * sizes, 0.0)
    low, high = _interval(0.5 + ahead, total, spread, groups)
    below, above = _interval(0.5 - ahead, total, spread, groups)
    p_value = flipped(np.array(by_group)) if by_group else student(excess, squares, groups)

    matrix = partial(pair_matrix, table.bots, pairs)
    return Pairs(
        games=matrix(total, total, 0).astype(np.int64),
        wins=matrix(wins, losses, 0).astype(np.int64),
        draws=matrix(draws, draws, 0).astype(np.int64),
        score=matrix(0.5 + ahead, 0.5 - ahead),
        low=matrix(low, below),
        high=matrix(high, above),
        p_value=matrix(p_value, p_value, 1),
    )


def pair_matrix(bots: int, pairs: Ints, of_lower: Floats, of_higher: Floats, elsewhere: float = np.nan) -> Floats:
    """Values of pairs, seen from either side, bots by bots; a pair is `lower * bots + higher`."""
    matrix = np.full((bots, bots), elsewhere, dtype=np.float64)
    lower, higher = divmod(pairs, bots)
    matrix[lower, higher], matrix[higher, lower] = of_lower, of_higher
    return matrix


def expected_scores(mean: Floats, margin: float, beta: float) -> Floats:
    """The score of each bot against each other one, as the ratings would have it."""
    lead = mean[:, None] - mean[None, :]
    noise = np.sqrt(2) * beta
    expected: Floats = (ndtr((lead - margin) / noise) + ndtr((lead + margin) / noise)) / 2
    return expected


def significant(pairs: Pairs, alpha: float) -> NDArray[np.bool_]:
    """Significant wins: over all pairs, the probability of a single false one is `alpha` (Holm)."""
    bots = len(pairs.games)
    first, second = np.nonzero(np.triu(pairs.met, 1))
    p_values = pairs.p_value[first, second]
    order = np.argsort(p_values, kind="stable")
    passed = p_values[order] <= alpha / np.arange(len(order), 0, -1)
    sure = order[: int(np.argmin(passed)) if not passed.all() else len(order)]
    beats = np.zeros((bots, bots), dtype=bool)
    ahead = pairs.wins > pairs.wins.T
    beats[first[sure], second[sure]] = beats[second[sure], first[sure]] = True
    both: NDArray[np.bool_] = beats & ahead
    return both


def _outcomes(table: RankingTable) -> tuple[Ints, Ints]:
    """The pairs that met, as `lower * bots + higher`; and what each row says about each two of its places.

    That is the number of the pair, if the bot of lower index came in first; with the number of pairs added, if the
    other one did; and added twice, if they shared a place.
    """
    upper, lower = np.triu_indices(table.players, 1)
    first, second = table.order[:, upper], table.order[:, lower]
    steps = np.cumsum(~table.ties, axis=1)
    level = np.hstack([np.zeros((len(steps), 1), dtype=steps.dtype), steps])
    keys = np.minimum(first, second) * table.bots + np.maximum(first, second)
    pairs, index = np.unique(keys, return_inverse=True)
    kind = np.where(level[:, upper] == level[:, lower], 2, first > second)
    return pairs, index.reshape(keys.shape) + kind * len(pairs)


def flipped(by_group: Floats) -> Floats:
    """An exact test, two-sided: between equals, each group could as well have ended the other way round.

    Of all ways in which the groups could have ended, the part that is as uneven as the one that was found.
    """
    signs = np.array([(1.0, *more) for more in product((1.0, -1.0), repeat=len(by_group) - 1)])  # the first one is free
    parts = []
    for start in range(0, by_group.shape[1], AT_ONCE):
        part = by_group[:, start : start + AT_ONCE]
        observed = np.abs(part.sum(axis=0))
        parts.append((np.abs(signs @ part) >= observed - ROUNDING).mean(axis=0))
    return np.concatenate(parts)


def student(excess: Floats, squares: Floats, groups: Floats) -> Floats:
    """Student's test over groups of deals, two-sided.

    Where all groups ended the same way it would be zero. So it never falls below what the test that flips the
    signs of whole groups could give: one outcome in 2^groups, on either side.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.minimum(excess**2 / (squares * groups), 1.0)  # of the sum of squares, what the mean explains
        student = np.sqrt(part * (groups - 1) / (1 - part))
        p_value = np.maximum(2 * stdtr(groups - 1, -student), 2.0 ** (1 - groups))
    p_values: Floats = np.where((squares == 0) | (groups < 2), 1.0, p_value)
    return p_values


def _interval(score: Floats, games: Floats, spread: Floats, groups: Floats) -> tuple[Floats, Floats]:
    """Wilson's interval for as many independent games as would vary like this; never more than were played.

    Where all groups ended the same way and each is one match, it is unknown how far the games of a match
    go together, and it counts as one.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = spread * small_sample_factor(groups) ** 2 / games**2
        alike = np.where(groups < DEAL_GROUPS, groups, games)
        alike = np.where(variance > 0, score * (1 - score) / variance, alike)
        size = np.fmin(games, alike) / TAIL**2
        middle = (score * size + 0.5) / (size + 1)
        half = np.sqrt(score * (1 - score) * size + 0.25) / (size + 1)
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)


def cycles(pairs: Pairs, alpha: float = CYCLE_ALPHA) -> list[tuple[int, ...]]:
    """Cycles of significant wins, the clearest first, each starting at its lowest index.

    All cycles of three; and for bots that are caught in a longer one only, one that is as short as possible.
    """
    beats = significant(pairs, alpha)
    rings = _threes(beats)
    caught = {bot for cycle in rings for bot in cycle}
    for knot in _knots(beats):
        if not caught & set(knot):
            rings.append(min((_shortest(beats, bot) for bot in knot), key=lambda cycle: (len(cycle), cycle)))
    return sorted(rings, key=lambda cycle: (-_clarity(pairs, cycle), cycle))


def _threes(beats: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    cycles: list[tuple[int, ...]] = []
    for first in range(len(beats)):
        for second in np.nonzero(beats[first])[0]:
            thirds = np.nonzero(beats[second] & beats[:, first])[0]
            if second > first:
                cycles += [(first, int(second), int(third)) for third in thirds if third > first]
    return cycles


def _knots(beats: NDArray[np.bool_]) -> list[list[int]]:
    """The sets of bots in which each beats each other one, directly or by way of others."""
    count, labels = connected_components(csr_array(beats), directed=True, connection="strong")
    knots = [np.nonzero(labels == label)[0].tolist() for label in range(count)]
    return [knot for knot in knots if len(knot) > 1]


def _shortest(beats: NDArray[np.bool_], start: int) -> tuple[int, ...]:
    """A shortest path from a bot of a strongly connected component back to itself, starting at its lowest index."""
    came_from: dict[int, int] = {}
    queue = deque([start])
    while start not in came_from:
        bot = queue.popleft()
        for beaten in np.nonzero(beats[bot])[0].tolist():
            if beaten not in came_from:
                came_from[beaten] = bot
                queue.append(beaten)
    way = [start]
    while came_from[way[-1]] != start:
        way.append(came_from[way[-1]])
    cycle = [start, *reversed(way[1:])]
    first = cycle.index(min(cycle))
    return (*cycle[first:], *cycle[:first])


def _clarity(pairs: Pairs, cycle: tuple[int, ...]) -> float:
    """The score of the narrowest victory of a cycle."""
    return min(float(pairs.score[one, other]) for one, other in zip(cycle, cycle[1:] + cycle[:1], strict=True))
