"""Chances: how probable it is that one bot is better than another, or the best of all.

    worlds = possible_worlds(table, fitted, found, "some seed")
    chance = (worlds[:, a] > worlds[:, b]).mean()

A chance depends on how far bots of this field differ: a lead that is convincing among very different bots is luck among
near-equal ones. So the spread of strengths is learned from the results. It is not known exactly either: it is drawn for
each world, from what the results say about it.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from league.rating.fit import Fit
from league.rating.spread import RatingErrors, anchored, generator
from league.rating.table import Floats, Ints, RankingTable

WORLDS = 2000
SPREADS = np.geomspace(0.05, 25.0, 60)
"""Standard deviations of strengths that are considered, in points; before any result all are as probable."""
RIDGE = 1e-9


def possible_worlds(table: RankingTable, fitted: Fit, found: RatingErrors, seed: str, count: int = WORLDS) -> Floats:
    """Strengths that the results allow, drawn by their probability: worlds by bots."""
    middle = fitted.mean.mean() if table.bots else 0.0
    seen = _seen(fitted, found, fitted.mean - middle)
    return middle + _drawn(*seen, SPREADS, table.pools, generator(seed), count)


def worlds_of_means(mean: Floats, covariance: Floats, pools: Ints, unit: float, seed: str) -> Floats:
    """The same for means and their covariance, where `unit` is what a point of rating is to ratings."""
    middle = mean.mean() if len(mean) else 0.0
    variances, axes = np.linalg.eigh(covariance)
    weight = np.maximum(variances, RIDGE * unit**2) ** -0.5
    shift = weight * (axes.T @ (mean - middle))
    return middle + _drawn(shift, weight, axes, unit * SPREADS, pools, generator(seed), WORLDS)


def _drawn(
    shift: Floats, weight: Floats, axes: Floats, spreads: Floats, pools: Ints, rng: np.random.Generator, count: int
) -> Floats:
    """Worlds around the middle, from what is seen along axes on which it is independent."""
    precision = weight**2 + spreads[:, None] ** -2
    marginal = 1 + (weight * spreads[:, None]) ** 2
    evidence = -0.5 * (np.log(marginal) + shift**2 / marginal).sum(axis=1)
    probable = np.exp(evidence - evidence.max())
    chosen = rng.choice(len(spreads), count, p=probable / probable.sum())
    mean, error = weight * shift / precision, precision**-0.5
    drawn = mean[chosen] + error[chosen] * rng.standard_normal((count, len(weight)))
    return anchored(drawn @ axes.T, pools)


def chances_of_best(worlds: Floats) -> Floats:
    """By bot: how probable it is that it is the best of them."""
    best = np.bincount(worlds.argmax(axis=1), minlength=worlds.shape[1])
    chances: Floats = best / len(worlds)
    return chances


def chance_of_better(one: Floats, other: Floats) -> float:
    """How probable it is that the one is better; never 0 or 1, since worlds are few."""
    return (float((one > other).sum()) + 0.5) / (len(one) + 1)


def _seen(fitted: Fit, found: RatingErrors, mean: Floats) -> tuple[Floats, Floats, Floats]:
    """What the games say, along axes on which they are independent: value, its precision's root, and the axes.

    The pulls of all games at strengths s are information * (s - mean) - prior * mean, with the covariance of luck.
    """
    scale = max(float(np.trace(found.luck)), 1.0)
    factor = cho_factor(found.luck + RIDGE * scale * np.eye(len(mean)), lower=True) if len(mean) else None
    weighed = cho_solve(factor, fitted.information).T if factor else fitted.information
    squares, axes = np.linalg.eigh(weighed @ fitted.information)
    weight = np.sqrt(np.maximum(squares, 0.0))
    said = axes.T @ (weighed @ (fitted.information @ mean + fitted.prior * mean))
    return np.divide(said, weight, out=np.zeros_like(said), where=weight > RIDGE), weight, axes
