"""Nash averaging: how good a bot is against the mixture of bots that none can exploit.

An average over all opponents rewards those who beat the weak, and changes when the same weak bot is entered
ten times. Here the opponents are weighted by the equilibrium of the game "choose a bot": copies share one weight,
and bots that a better one makes superfluous get none. Of all equilibria the one of greatest entropy is taken, so that
equals are treated alike.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import null_space

from league.rating.table import Floats, Ints

_SMALL = 1e-9
_CLEAR = 1e-3
"""A bot that beats every other one by more than this is the whole equilibrium: that needs no linear program."""
_STEP = 50
"""This many bots are added at a time to those among which an equilibrium is looked for."""


def nash(score: Floats) -> Floats:
    """How much of the equilibrium each bot is.

    `score` is a matrix of scores between 0 and 1, row against column, where score[i, j] + score[j, i] is 1.
    """
    payoff = score - 0.5
    np.fill_diagonal(payoff, 0.0)
    weight = np.zeros(len(payoff))
    if len(winner := np.nonzero((payoff > _CLEAR).sum(axis=1) == len(payoff) - 1)[0]):
        weight[winner] = 1.0
        return weight
    chosen = _contenders(payoff)
    inside = payoff[np.ix_(chosen, chosen)]
    weight[chosen] = _most_even(inside, _with_greatest_support(inside))
    return weight


def _contenders(payoff: Floats) -> Ints:
    """Bots that hold every equilibrium: all others are at a disadvantage against one among these.

    Few bots have weight, however many there are. So it begins with the best on average, and adds those who do best
    against the equilibrium of the bots that are in, as long as there are any who do not lose.
    """
    chosen = np.argsort(-payoff.mean(axis=1), kind="stable")[:_STEP]
    while len(chosen) < len(payoff):
        weight = _with_greatest_support(payoff[np.ix_(chosen, chosen)])
        advantage = payoff[:, chosen] @ weight
        advantage[chosen] = -np.inf
        best = np.argsort(-advantage, kind="stable")[:_STEP]
        more = best[advantage[best] > -_SMALL]
        if not len(more):
            break
        chosen = np.concatenate([chosen, more])
    return np.sort(chosen)


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
    weight[weight < _SMALL] = 0.0
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
