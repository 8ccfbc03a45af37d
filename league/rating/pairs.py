"""Head to head: what two bots did when they sat at one table, against what their ratings expect."""

from __future__ import annotations

from itertools import islice, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr

from league.rating.bootstrap import small_sample_factor
from league.rating.level import TAIL
from league.rating.table import Floats, Ints, RankingTable
from league.values.block import DEAL_GROUPS

FEW_GROUPS = 10
"""Up to this number of groups of deals, the test is exact: all sign flips are enumerated."""
ROUNDING = 1e-9


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

    @property
    def met(self) -> NDArray[np.bool_]:
        """Which pairs sat at one table."""
        return self.games > 0


def head_to_head(table: RankingTable) -> Pairs:
    """Count who came in before whom, with error bars over groups of deals."""
    bots = table.bots
    row, group, games = table.cells
    wins, draws, groups, squares, products, sizes = np.zeros((6, bots, bots))
    present = np.unique(group)
    by_group: list[Floats] = []
    for one in present:
        chosen = group == one
        won, tied = _count(table, row[chosen], games[chosen])
        excess, played = (won - won.T) / 2, won + won.T + tied
        wins += won
        draws += tied
        groups += played > 0
        squares += excess**2
        products += excess * played
        sizes += played**2
        if len(present) <= FEW_GROUPS:
            by_group.append(excess)
    total = wins + wins.T + draws
    excess = (wins - wins.T) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        ahead = excess / total
    # How the groups vary about the score; that they are not equally large is no variation.
    spread = np.maximum(squares - 2 * ahead * products + ahead**2 * sizes, 0.0)
    low, high = _interval(0.5 + ahead, total, spread, groups)
    whole = (total.astype(np.int64), wins.astype(np.int64), draws.astype(np.int64))
    p_value = _flipped(np.array(by_group)) if by_group else _p_values(excess, squares, groups)
    return Pairs(*whole, 0.5 + ahead, low, high, p_value)


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


def _count(table: RankingTable, row: Ints, games: Ints) -> tuple[Floats, Floats]:
    """Who came in before whom how often, and who shared a place, in these rows."""
    bots = table.bots
    won, tied = np.zeros(bots * bots), np.zeros(bots * bots)
    order = table.order[row]
    steps = np.cumsum(~table.ties[row], axis=1)
    level = np.hstack([np.zeros((len(row), 1), dtype=steps.dtype), steps])
    for upper in range(table.players):
        for lower in range(upper + 1, table.players):
            at = order[:, upper] * bots + order[:, lower]
            same = level[:, upper] == level[:, lower]
            won += np.bincount(at, games * ~same, bots * bots)
            tied += np.bincount(at, games * same, bots * bots)
    either = tied.reshape(bots, bots)
    return won.reshape(bots, bots), either + either.T


def _flipped(by_group: Floats) -> Floats:
    """An exact test, two-sided: between equals, each group could as well have ended the other way round.

    Of all ways in which the groups could have ended, the part that is as uneven as the one that was found.
    """
    found = np.abs(by_group.sum(axis=0))
    as_uneven = np.ones_like(found)
    for signs in islice(product((1.0, -1.0), repeat=len(by_group) - 1), 1, None):  # the first group's sign is free
        as_uneven += np.abs(np.tensordot((1.0, *signs), by_group, 1)) >= found - ROUNDING
    part: Floats = as_uneven / 2 ** (len(by_group) - 1)
    return part


def _p_values(excess: Floats, squares: Floats, groups: Floats) -> Floats:
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
