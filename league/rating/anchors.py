"""Anchors: ratings that are given, so that leagues with the same reference bots can be compared.

Games tell only how far bots are apart. A rating of 25 is the mean of a league's own bots, so equal numbers of two
leagues mean different strengths. A bot whose rating is fixed ties the scale to something outside of the league: all
others move along with it, as far as games tie them to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from league.rating import TAIL
from league.rating.errors import leads
from league.rating.fit import Fit
from league.rating.table import Floats, Ints


class Anchors(NamedTuple):
    """The bots whose ratings are given, and how much each other bot moves with them."""

    bots: Ints
    values: Floats
    share: Floats
    """Bots by anchors: by how much a bot moves if the anchor does. The shares of a bot that met any of them, directly
    or through others, add up to 1; those of a bot that did not are 0."""

    def moved(self, strengths: Floats) -> Floats:
        """Ratings with the anchors where they belong; the last axis of `strengths` is by bot."""
        ratings: Floats = strengths + (self.values - strengths[..., self.bots]) @ self.share.T
        ratings[..., self.bots] = self.values
        return ratings

    def covariance(self, covariance: Floats) -> Floats:
        """The covariance of the ratings that `moved` returns: what is left of it is uncertainty beside the anchors."""
        change = np.eye(len(covariance))
        change[:, self.bots] -= self.share
        change[self.bots] = 0.0
        result: Floats = change @ covariance @ change.T
        return result


def anchors_of(names: Sequence[str], given: Mapping[str, float], fitted: Fit, pools: Ints) -> Anchors | None:
    """The anchors among these bots; None if there are none.

    With one anchor in a pool, all of the pool is shifted. With several, each bot moves as the joint distribution of
    the ratings says: most with those whose games tell most about it.
    """
    bots = np.array([bot for bot, name in enumerate(names) if name in given], dtype=np.int64)
    if not len(bots):
        return None
    share = np.zeros((len(names), len(bots)))
    for pool in np.unique(pools[bots]):
        theirs = pools[bots] == pool
        fixed = bots[theirs]
        free = np.setdiff1d(np.flatnonzero(pools == pool), fixed)
        if len(free):
            own = fitted.information[np.ix_(free, free)] + fitted.prior * np.eye(len(free))
            ties = fitted.prior / len(fixed) - fitted.information[np.ix_(free, fixed)]
            share[np.ix_(free, np.flatnonzero(theirs))] = cho_solve(cho_factor(own, lower=True), ties)
    share[bots] = np.eye(len(bots))
    return Anchors(bots, np.array([given[names[bot]] for bot in bots]), share)


def contradictions(names: Sequence[str], anchors: Anchors, rating: Floats, covariance: Floats) -> list[str]:
    """Pairs of anchors whose values the games contradict, a part of a sentence each; `rating` as it was fitted."""
    ahead, error = leads(rating, covariance)
    sentences = []
    for number, one in enumerate(anchors.bots):
        for other, value in zip(anchors.bots[number + 1 :], anchors.values[number + 1 :], strict=True):
            lead, off = float(ahead[one, other]), TAIL * float(error[one, other])
            asked = float(anchors.values[number] - value)
            if abs(asked - lead) > off:
                interval = f"{lead:+.1f} ({lead - off:+.1f} … {lead + off:+.1f})"
                sentences.append(f"{names[one]} is set {asked:+.1f} from {names[other]}, and its games say {interval}")
    return sentences
