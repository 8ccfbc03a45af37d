"""Chances: how probable it is that one bot is better than another, or the best of all.

    worlds = likely_strengths(evidence, measured).worlds("some seed")
    chance = (worlds[:, a] > worlds[:, b]).mean()

A chance depends on how far bots of this field differ: a lead that is convincing among very different bots is luck among
near-equal ones. So the spread of strengths is learned from the results. It is not known exactly either: it is drawn for
each world, from what the results say about it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from league.rating.errors import Measured, anchored, generator
from league.rating.evidence import Evidence
from league.rating.table import Floats, Ints

WORLDS = 2000
SPREADS = np.geomspace(0.05, 25.0, 60)
"""Standard deviations of strengths that are considered, in points of rating; before any result all are as probable."""
RIDGE = 1e-9


class Strengths(NamedTuple):
    """What the results allow, along axes on which it is independent."""

    middle: float
    shift: Floats
    """By axis: what is seen, in standard errors."""
    weight: Floats
    """By axis: the root of its precision."""
    axes: Floats
    spreads: Floats
    pools: Ints

    def mean(self, widened: float = 1.0) -> Floats:
        """By bot: the mean over all worlds. It is pulled to the middle, as much as the results may be luck.

        So the winner is not flattered: neither by being the luckiest of many, nor by a league that ended when luck
        made it look settled. That holds for luck as it was measured, so if its variance was `widened`, that is undone.
        """
        measured = self._replace(shift=widened**0.5 * self.shift, weight=widened**0.5 * self.weight)
        probable, means, _ = measured._by_spread()
        mean: Floats = self.middle + anchored((self.axes @ (probable @ means))[None, :], self.pools)[0]
        return mean

    def worlds(self, seed: str) -> Floats:
        """Strengths drawn by their probability: worlds by bots."""
        rng = generator(seed)
        probable, means, errors = self._by_spread()
        chosen = rng.choice(len(self.spreads), WORLDS, p=probable)
        luck = rng.standard_normal((WORLDS, len(self.weight))) @ self.axes  # so the signs of axes do not matter
        drawn = means[chosen] + errors[chosen] * luck
        worlds: Floats = self.middle + anchored(drawn @ self.axes.T, self.pools)
        return worlds

    def _by_spread(self) -> tuple[Floats, Floats, Floats]:
        """For each spread of strengths how probable it is, and along each axis the mean and its error."""
        precision = self.weight**2 + self.spreads[:, None] ** -2
        marginal = 1 + (self.weight * self.spreads[:, None]) ** 2
        evidence = -0.5 * (np.log(marginal) + self.shift**2 / marginal).sum(axis=1)
        probable = np.exp(evidence - evidence.max())
        return probable / probable.sum(), self.weight * self.shift / precision, precision**-0.5


def likely_strengths(evidence: Evidence, measured: Measured) -> Strengths:
    """The strengths that results allow.

    The pulls of all games at strengths s are information * (s - value) - prior * value, with the covariance of luck.
    """
    middle = float(evidence.value.mean()) if len(evidence.value) else 0.0
    value, information = evidence.value - middle, evidence.information
    if information is None or not len(value):
        variances, axes = np.linalg.eigh(measured.errors.covariance)
        weight = np.maximum(variances, RIDGE * evidence.unit**2) ** -0.5
        shift = weight * (axes.T @ value)
    else:
        scale = max(float(np.trace(measured.luck)), 1.0)
        factor = cho_factor(measured.luck + RIDGE * scale * np.eye(len(value)), lower=True)
        weighed = cho_solve(factor, information).T
        squares, axes = np.linalg.eigh(weighed @ information)
        weight = np.sqrt(np.maximum(squares, 0.0))
        said = axes.T @ (weighed @ (information @ value + evidence.prior * value))
        shift = np.divide(said, weight, out=np.zeros_like(said), where=weight > RIDGE)
    return Strengths(middle, shift, weight, axes, evidence.unit * SPREADS, evidence.pools)


def chances_of_best(worlds: Floats, within: float = 0.0) -> Floats:
    """By bot: how probable it is that it is the best of them, or that no other is better by more than this."""
    best = worlds.max(axis=1, keepdims=True)
    chances: Floats = (worlds >= best - within).mean(axis=0)
    return chances


def chance_of_better(first: Floats, second: Floats) -> float:
    """How probable it is that the first bot is better; never 0 or 1, since worlds are few."""
    return (float((first > second).sum()) + 0.5) / (len(first) + 1)
