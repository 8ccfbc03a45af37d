"""Head to head: what two bots did when they sat at one table, against what their ratings expect.

Cycles (A beats B beats C beats A) are what no single number can express; Nash averaging is a second opinion.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space
from scipy.special import ndtr, stdtr, stdtrit

from league.rating import TAIL, UPPER
from league.rating.points import PointsTable
from league.rating.table import Floats, Ints, RankingTable, summed
from league.values.block import DEAL_GROUPS


class Pairs(NamedTuple):
    """Matrices of bots by bots: the bot of the row against the bot of the column."""

    games: Ints
    wins: Ints
    """Games in which the one came in before the other."""
    draws: Ints
    """Games in which they shared a place."""
    score: Floats
    """Wins and half of the draws, as a part of the games; if points count, how many points more the one got a game.
    NaN where they never met."""
    low: Floats
    high: Floats
    """The 95 % interval of the score."""
    p_value: Floats
    """How likely it is that among equals any pair of the contest is as uneven as this one; 1 where they never met."""
    even: float
    """The score of equals: one half, or no points."""

    @property
    def met(self) -> NDArray[np.bool_]:
        """Which pairs sat at one table."""
        return self.games > 0


def head_to_head(table: RankingTable, points: PointsTable | None = None) -> Pairs:
    """Count who came in before whom, or who got how many more points; how sure that is, groups of deals say.

    All is worked out for the pairs that met, from the side of the bot of lower index.
    """
    row, group, games = table.cells
    upper, lower = np.triu_indices(table.players, 1)
    steps = np.hstack([np.zeros((len(table.ties), 1), dtype=np.int64), np.cumsum(~table.ties, axis=1)])
    pairs, pair, sign = _pairs_of(table.bots, table.order[:, upper], table.order[:, lower])
    sign = np.where(steps[:, upper] == steps[:, lower], 0, sign)[row]
    times = np.broadcast_to(games[:, None], sign.shape).astype(np.float64)
    won, lost, tied = (summed(pair[row], times * (sign == way), len(pairs)) for way in (1, -1, 0))
    if points is None:
        found = _clusters(len(pairs), pair[row], group, sign * times / 2, times)
        even, (low, high) = 0.5, _wilson(found)
    else:
        _, pair, sign = _pairs_of(table.bots, points.lineups[:, upper], points.lineups[:, lower])
        ahead = sign * (points.sums[:, upper] - points.sums[:, lower])
        found = _clusters(len(pairs), pair, points.groups, ahead, np.broadcast_to(points.games[:, None], ahead.shape))
        half = stdtrit(np.maximum(found.number - 1, 1), UPPER) * found.error
        even, low, high = 0.0, found.ahead - half, found.ahead + half
    p_value = adjusted(_unlikely(found))
    matrix = partial(_matrix, table.bots, pairs)
    return Pairs(
        games=matrix(won + lost + tied, won + lost + tied, 0).astype(np.int64),
        wins=matrix(won, lost, 0).astype(np.int64),
        draws=matrix(tied, tied, 0).astype(np.int64),
        score=matrix(even + found.ahead, even - found.ahead),
        low=matrix(low, 2 * even - high),
        high=matrix(high, 2 * even - low),
        p_value=matrix(p_value, p_value, 1),
        even=even,
    )


def _pairs_of(bots: int, first: Ints, second: Ints) -> tuple[Ints, Ints, Ints]:
    """The pairs, as `lower * bots + higher`; by row and two bots the number of their pair; 1 if the first is lower."""
    keys = np.minimum(first, second) * bots + np.maximum(first, second)
    pairs, number = np.unique(keys, return_inverse=True)
    return pairs, number.reshape(keys.shape), np.where(first < second, 1, -1)


class _Clusters(NamedTuple):
    """What groups of deals say, by pair."""

    games: Floats
    ahead: Floats
    """How far ahead the bot of lower index is, a game."""
    number: Floats
    """In how many groups they met."""
    error: Floats
    """The standard error of how far ahead; infinite with a single group."""


def _clusters(pairs: int, pair: Ints, group: Ints, ahead: Floats, games: Floats) -> _Clusters:
    """By how the groups vary about their mean; that they are not equally large is no variation."""
    groups = int(group.max(initial=0)) + 1
    keys, at = np.unique(pair * groups + group[:, None], return_inverse=True)
    of_pair = keys // groups
    lead, size = (summed(at, values, len(keys)) for values in (ahead, games))
    total, number = summed(of_pair, size, pairs), summed(of_pair, np.ones(len(keys)), pairs)
    mean = summed(of_pair, lead, pairs) / total
    spread = summed(of_pair, (lead - mean[of_pair] * size) ** 2, pairs)
    error = np.sqrt(spread * number / np.maximum(number - 1, 1)) / total
    return _Clusters(total, mean, number, np.where(number > 1, error, np.inf))


def _unlikely(found: _Clusters) -> Floats:
    """Student's test over groups of deals, two-sided: how likely it is that equals are so uneven.

    Where all groups ended the same way it would be zero. So it never falls below what a test could give that flips
    the signs of whole groups: one outcome in 2^groups, on either side.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        p_value = 2 * stdtr(found.number - 1, -np.abs(found.ahead) / found.error)
    likely = (found.ahead == 0) | (found.number < 2)
    return np.where(likely, 1.0, np.maximum(p_value, 2.0 ** (1 - found.number)))


def adjusted(p_values: Floats) -> Floats:
    """By Holm: how likely any of so many would be so small by chance alone."""
    order = np.argsort(p_values, kind="stable")
    least = np.maximum.accumulate(p_values[order] * np.arange(len(order), 0, -1))
    result = np.empty(len(order))
    result[order] = np.minimum(least, 1.0)
    return result


def _wilson(found: _Clusters) -> tuple[Floats, Floats]:
    """Wilson's interval for as many independent games as would vary like this; never more than were played.

    Where all groups ended the same way and each is one match, it is unknown how far the games of a match
    go together, and it counts as one.
    """
    score, few = 0.5 + found.ahead, found.number < 2
    alike = np.where(found.number < DEAL_GROUPS, found.number, found.games)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.where(few, 0.0, (stdtrit(np.maximum(found.number - 1, 1), UPPER) / TAIL * found.error) ** 2)
        alike = np.where(variance > 0, score * (1 - score) / variance, alike)
    size = np.fmin(found.games, alike) / TAIL**2
    middle = (score * size + 0.5) / (size + 1)
    half = np.sqrt(score * (1 - score) * size + 0.25) / (size + 1)
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)


def _matrix(bots: int, pairs: Ints, of_lower: Floats, of_higher: Floats, elsewhere: float = np.nan) -> Floats:
    """Values of pairs, seen from either side, bots by bots."""
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


def cycles(pairs: Pairs, alpha: float = 0.05) -> list[tuple[int, ...]]:
    """Cycles of three significant wins, the clearest first, each starting at its lowest index.

    `alpha` is the probability that any of the cycles of a contest is there by chance alone.
    """
    beats = pairs.met & (pairs.p_value <= alpha) & (pairs.score > pairs.even)
    cycles: list[tuple[int, ...]] = []
    for first in range(len(beats)):
        for second in first + 1 + np.flatnonzero(beats[first, first + 1 :]):
            thirds = np.flatnonzero(beats[second] & beats[:, first])
            cycles += [(first, int(second), int(third)) for third in thirds if third > first]
    return sorted(cycles, key=lambda cycle: (-_clarity(pairs, cycle), cycle))


def _clarity(pairs: Pairs, cycle: tuple[int, ...]) -> float:
    """The score of the narrowest victory of a cycle."""
    return min(float(pairs.score[one, other]) for one, other in zip(cycle, cycle[1:] + cycle[:1], strict=True))


def nash(score: Floats) -> Floats:
    """Nash averaging: how much each bot is of the mixture of bots that none can exploit.

    An average over all opponents rewards those who beat the weak, and changes when the same weak bot is entered ten
    times. Here the opponents are weighted by the equilibrium of the game "choose a bot": copies share one weight, and
    bots that a better one makes superfluous get none. Of all equilibria the one of greatest entropy is taken, so that
    equals are treated alike.

    `score` is a matrix of scores between 0 and 1, row against column, where score[i, j] + score[j, i] is 1.
    """
    payoff = score - 0.5
    np.fill_diagonal(payoff, 0.0)
    return _most_even(payoff, _with_greatest_support(payoff))


def _with_greatest_support(payoff: Floats) -> Floats:
    """An equilibrium in which every bot that has weight in any equilibrium has some.

    By strict complementarity there is one in which each bot has either weight or a disadvantage.
    """
    from scipy.optimize import linprog  # takes longer to import than most standings to make

    bots = len(payoff)
    objective = np.r_[np.zeros(bots), -1.0]
    no_advantage = np.c_[payoff, np.zeros(bots)]
    either = np.c_[payoff - np.eye(bots), np.ones(bots)]
    solution = linprog(
        objective,
        A_ub=np.r_[no_advantage, either],
        b_ub=np.zeros(2 * bots),
        A_eq=np.r_[np.ones(bots), 0.0][None],
        b_eq=[1.0],
        bounds=[(0, 1)] * bots + [(0, 1)],
        method="highs-ds",
    )
    weight: Floats = np.maximum(solution.x[:bots], 0.0)
    weight[weight < 1e-9] = 0.0
    weight /= weight.sum()
    return weight


def _most_even(payoff: Floats, start: Floats) -> Floats:
    """The equilibrium of greatest entropy with the support of this one."""
    from scipy.optimize import minimize

    support = np.nonzero(start)[0]
    inside = payoff[np.ix_(support, support)]
    ways = null_space(np.r_[inside, np.ones((1, len(support)))], rcond=1e-9)  # directions that keep the equilibrium
    if not ways.shape[1]:
        return start
    outside = np.delete(payoff[:, support], support, axis=0)

    def weights(position: Floats) -> Floats:
        mixed: Floats = start[support] + ways @ position
        return mixed

    def disorder(position: Floats) -> tuple[float, Floats]:
        mixed = np.maximum(weights(position), 1e-15)
        return float(mixed @ np.log(mixed)), ways.T @ (np.log(mixed) + 1)

    constraints = [{"type": "ineq", "fun": weights, "jac": lambda _: ways}]
    if len(outside):
        constraints.append({"type": "ineq", "fun": lambda at: -outside @ weights(at), "jac": lambda _: -outside @ ways})
    best = minimize(disorder, np.zeros(ways.shape[1]), jac=True, constraints=constraints, method="SLSQP", tol=1e-12)
    even = np.zeros_like(start)
    even[support] = np.maximum(weights(best.x), 0.0)
    even /= even.sum()
    return even
