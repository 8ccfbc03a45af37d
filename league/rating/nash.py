"""Nash averaging: how good a bot is against the mixture of bots that none can exploit.

An average over all opponents rewards those who beat the weak, and changes when the same weak bot is entered
ten times. Here the opponents are weighted by the equilibrium of the game "choose a bot": copies share one weight,
and bots that a better one makes superfluous get none. Of all equilibria the one of greatest entropy is taken, so that
equals are treated alike.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import null_space

from league.rating.table import Floats

_SMALL = 1e-9


def nash(score: Floats) -> Floats:
    """How much of the equilibrium each bot is.

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
