"""The ratings of all bots together: how they vary, and how far they vary together.

    covariance = joint_covariance(table, fitted)
    variance_of_the_lead = covariance[a, a] + covariance[b, b] - 2 * covariance[a, b]

It is the posterior of the model, as if all games were independent. Luck that games share by their deals is not in it:
that is what the replicates of `bootstrap` are for. Each pool is anchored at mu, as the ratings are.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from league.rating.fit import Fit
from league.rating.table import Floats, Ints, RankingTable

SMALLEST_VARIANCE = 1e-12
"""Of the difference of two ratings; what is less is rounding."""


def joint_covariance(table: RankingTable, fitted: Fit) -> Floats:
    """Of the ratings, bots by bots."""
    if not table.bots:
        return np.zeros((0, 0))
    precision = np.asarray(fitted.information + fitted.prior * np.eye(table.bots))
    factor = cho_factor(precision, lower=True)
    half = anchored(cho_solve(factor, np.eye(table.bots)), table.pools)
    return anchored(half.T, table.pools)


def leads(rating: Floats, samples: Floats) -> tuple[Floats, Floats]:
    """Bots by bots: the rating of the one minus that of the other, and its standard error as the samples tell it."""
    joint = np.atleast_2d(np.cov(samples, rowvar=False))
    alone = np.diag(joint)
    variance = alone[:, None] + alone[None, :] - 2 * joint
    return rating[:, None] - rating[None, :], np.sqrt(np.maximum(variance, SMALLEST_VARIANCE))


def anchored(moved: Floats, pools: Ints) -> Floats:
    """Each line minus its mean over each pool, since games say nothing about the common level; changed in place.

    A bot that met no other one stays as uncertain as before.
    """
    for pool in np.flatnonzero(np.bincount(pools) > 1):
        members = pools == pool
        moved[:, members] -= moved[:, members].mean(axis=1, keepdims=True)
    return moved
