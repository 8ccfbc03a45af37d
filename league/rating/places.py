"""Places: what they are worth, which of them the results leave open, and how probable it is that a bot is the best.

    mean, worlds = likely_strengths(evidence, errors, luck, "some seed")
    chance = (worlds[:, a] > worlds[:, b]).mean()

A chance depends on how far bots of this field differ: a lead that is convincing among very different bots is luck among
near-equal ones. So the spread of strengths is learned from the results. It is not known exactly either: it is drawn for
each world, from what the results say about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import ndtri, stdtr

from league.rating.errors import Errors, Evidence, generator, leads, root_of
from league.rating.table import Floats, Ints, Placing, centred
from league.values.settings import LEVEL

NOWHERE = -1
"""The pool of bots that are not ranked."""
WORLDS = 2000
SPREADS = np.geomspace(0.05, 25.0, 60)
"""Standard deviations of strengths that are considered, in points of rating; before any result all are as probable."""
RIDGE = 1e-9


def place_scores(ranks: Ints) -> Floats:
    """For each rank of each row: 1 for the first place, 0 for the last, evenly between, ties averaged."""
    players = ranks.shape[1]
    scores: Floats = 1 - (ranks + (sharing(ranks) - 1) / 2) / (players - 1)
    return scores


def sharing(ranks: Ints) -> Ints:
    """For each rank of each row: how many share it."""
    sharing: Ints = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2)
    return sharing


def certain_order(value: Floats, errors: Errors, seed: str) -> tuple[NDArray[np.bool_], float]:
    """Which bots are better than which others, for sure: in 95 of 100 leagues nothing of it is wrong.

    Returns that as bots by bots, and a quantile of the normal distribution: a lead beyond it is certain, once its
    freedom is allowed for.

    All leads are tested at once. Each has Student's t with its degrees of freedom, and is turned into the normal score
    of the same probability. How large the largest of them gets by luck alone follows from draws with the covariance of
    the values. Leads that are larger are certain, and no longer among those that may be large by luck, so the others
    are tested again: the step-down method of Romano and Wolf. Bots that are not `known` are neither behind nor ahead of
    others.
    """
    members = np.flatnonzero(errors.known)
    ahead = np.zeros((len(value), len(value)), dtype=bool)
    if len(members) < 2:
        return ahead, np.inf
    inside = errors.part(members)
    one, other = np.triu_indices(len(members), 1)
    lead, error = (part[one, other] for part in leads(value[members], inside.covariance))
    score = -ndtri(np.maximum(stdtr(inside.freedom_of_leads()[one, other], -np.abs(lead) / error), 1e-300))
    draws = int(np.clip(4e7 / len(one), 200, 2000))  # of very many bots, fewer
    luck = generator(seed).standard_normal((draws, len(members))) @ root_of(inside.covariance)
    tail = float(ndtri(1 - (1 - LEVEL) / 2 / len(one)))  # as if all leads were independent: saves drawing most of them
    undecided = score <= tail
    open_errors = np.zeros((len(members), len(members)))
    while undecided.any():
        open_errors[one, other] = np.where(undecided, error, 0.0)
        tail = float(np.quantile(_largest(luck, open_errors), LEVEL))
        certain = undecided & (score > tail)
        enough = certain.sum() <= 0.01 * undecided.sum()  # another round would find hardly more
        undecided &= ~certain
        if enough:
            break
    first, second = members[one], members[other]
    ahead[first, second], ahead[second, first] = ~undecided & (lead > 0), ~undecided & (lead < 0)
    return ahead, tail


def _largest(luck: Floats, errors: Floats) -> Floats:
    """By draw: the largest lead in either direction, in standard errors; of pairs that have one above the diagonal."""
    by_bot = np.ascontiguousarray(luck.T)
    largest = np.zeros(len(luck))
    for bot in range(len(by_bot) - 1):  # bot by bot, so that memory stays small and is read in order
        others = bot + 1 + np.flatnonzero(errors[bot, bot + 1 :])
        if len(others):
            leads_of_bot = np.abs(by_bot[others] - by_bot[bot]) / errors[bot, others, None]
            np.maximum(largest, leads_of_bot.max(axis=0), out=largest)
    return largest


def place_ranges(ahead: NDArray[np.bool_]) -> list[str]:
    """The range of places of each bot: below all that are surely ahead of it, above all that it is surely ahead of."""
    best = 1 + ahead.sum(axis=0)
    worst = len(ahead) - ahead.sum(axis=1)
    return [str(low) if low == high else f"{low}-{high}" for low, high in zip(best, worst, strict=True)]


def plain_ranks(rating: Floats) -> list[int]:
    """1 for the best rating and so on; equal ratings have the same rank."""
    ranks: list[int] = (1 + (rating[None, :] > rating[:, None]).sum(axis=1)).tolist()
    return ranks


def likely_strengths(
    evidence: Evidence, errors: Errors, luck: Floats, seed: str, widened: float = 1.0
) -> tuple[Floats, Floats]:
    """The strengths that results allow: by bot their mean, and worlds by bots, drawn by their probability.

    The mean is pulled to the middle, as much as the results may be luck. So the winner is not flattered: neither by
    being the luckiest of many, nor by a league that ended when luck made it look settled. That holds for luck as it was
    measured, so if its variance was `widened`, that is undone.

    The pulls of all games at strengths s are information * (s - value) - prior * value, with the covariance of luck.
    Along `axes`, `shift` is what is seen, in standard errors, and `weight` the root of its precision.
    """
    middle = float(evidence.value.mean()) if len(evidence.value) else 0.0
    value, information = evidence.value - middle, evidence.information
    if information is None or not len(value):
        variances, axes = np.linalg.eigh(errors.covariance)
        weight = np.maximum(variances, RIDGE * evidence.unit**2) ** -0.5
        shift = weight * (axes.T @ value)
    else:
        scale = max(float(np.trace(luck)), 1.0)
        factor = cho_factor(luck + RIDGE * scale * np.eye(len(value)), lower=True)
        weighed = cho_solve(factor, information).T
        squares, axes = np.linalg.eigh(weighed @ information)
        weight = np.sqrt(np.maximum(squares, 0.0))
        said = axes.T @ (weighed @ (information @ value + evidence.prior * value))
        shift = np.divide(said, weight, out=np.zeros_like(said), where=weight > RIDGE)
    spreads, measured, rng = evidence.unit * SPREADS[:, None], widened**0.5, generator(seed)
    probable, means, _ = _by_spread(measured * shift, measured * weight, spreads)
    mean = probable @ means
    probable, means, deviations = _by_spread(shift, weight, spreads)
    chosen = rng.choice(len(spreads), WORLDS, p=probable)
    drawn = rng.standard_normal((WORLDS, len(weight))) @ axes  # so the signs of axes do not matter
    worlds = means[chosen] + deviations[chosen] * drawn
    return middle + centred(mean @ axes.T, evidence.pools), middle + centred(worlds @ axes.T, evidence.pools)


def _by_spread(shift: Floats, weight: Floats, spreads: Floats) -> tuple[Floats, Floats, Floats]:
    """For each spread of strengths how probable it is, and along each axis the mean and its standard deviation."""
    precision = weight**2 + spreads**-2
    marginal = 1 + (weight * spreads) ** 2
    evidence = -0.5 * (np.log(marginal) + shift**2 / marginal).sum(axis=1)
    probable = np.exp(evidence - evidence.max())
    return probable / probable.sum(), weight * shift / precision, precision**-0.5


def chances_of_best(worlds: Floats, within: float = 0.0) -> Floats:
    """By bot: how probable it is that it is the best of them, or that no other is better by more than this."""
    best = worlds.max(axis=1, keepdims=True)
    chances: Floats = (worlds >= best - within).mean(axis=0)
    return chances


def chance_of_better(first: Floats, second: Floats) -> float:
    """How probable it is that the first bot is better; never 0 or 1, since worlds are few."""
    return (float((first > second).sum()) + 0.5) / (len(first) + 1)


class Ranking:
    """Bots with ratings, which can be compared within pools."""

    def __init__(
        self,
        bots: Sequence[str],
        rating: Floats,
        errors: Errors,
        worlds: Floats,
        *,
        pools: Ints,
        seed: str,
        within: float,
    ) -> None:
        """`pools` has a number by bot, or `NOWHERE`."""
        self.bots = tuple(bots)
        self.rating = rating
        self.errors = errors
        self.worlds = worlds
        """Strengths that the results allow, by world and bot: chances are counted in them."""
        self.within = within
        """By how much the best bot may be worse than another one: what an adaptive league was asked for, or nothing."""
        self._seed = seed
        members = [np.flatnonzero(pools == pool) for pool in np.unique(pools) if pool != NOWHERE]
        self._pools = sorted(members, key=lambda bots: (-len(bots), bots.tolist()))

    @property
    def pools(self) -> list[list[str]]:
        """Sets of bots that are connected by games, the largest first."""
        return [[self.bots[bot] for bot in members] for members in self._pools]

    @property
    def ahead(self) -> NDArray[np.bool_]:
        """Bots by bots: whether the one is better than the other, for sure."""
        return self._order[0]

    @property
    def tail(self) -> dict[str, float]:
        """By bot of a pool: a lead over another one of it is sure beyond this quantile of the normal distribution."""
        return self._order[1]

    @cached_property
    def _order(self) -> tuple[NDArray[np.bool_], dict[str, float]]:
        """`ahead` and `tail`. For many bots they take long, and a schedule does not need them."""
        ahead, tail = np.zeros((len(self.bots), len(self.bots)), dtype=bool), dict[str, float]()
        for members, names in zip(self._pools, self.pools, strict=True):
            errors = self.errors.part(members)
            ahead[np.ix_(members, members)], sure = certain_order(self.rating[members], errors, self._seed)
            tail |= dict.fromkeys(names, sure)
        return ahead, tail

    @cached_property
    def placings(self) -> dict[str, Placing]:
        """By bot of a pool."""
        placings: dict[str, Placing] = {}
        for members, names in zip(self._pools, self.pools, strict=True):
            places = place_ranges(self.ahead[np.ix_(members, members)])
            best = chances_of_best(self.worlds[:, members], self.within).tolist()
            of_bots = zip(places, plain_ranks(self.rating[members]), best, strict=True)
            placings |= dict(zip(names, map(Placing._make, of_bots), strict=True))
        return placings
