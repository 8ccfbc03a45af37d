"""How far ratings may be off: the covariance of all ratings of a contest.

    errors = spread(table, fitted)
    variance_of_the_lead = errors.covariance[a, a] + errors.covariance[b, b] - 2 * errors.covariance[a, b]

The games of one deal depend on each other, groups of deals do not. So the luck in the results is measured by how the
pulls of the groups vary, and Newton's method says how far it moves the ratings. That is the covariance that resampling
whole groups would give.

Few groups say little about luck. There the model's own information stands in: as much of it as groups are missing, and
as much larger as all bots together vary more than the model says. It stands in as well where one set of bots beat
another without exception, since results that never vary show no luck at all. The prior is an observation like any
other. Where the model holds, the covariance is that of the Bayesian posterior.
"""

from __future__ import annotations

from hashlib import blake2b
from math import pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import stdtrit

from league.rating import TAIL, UPPER
from league.rating.fit import Fit
from league.rating.table import Floats, Ints, RankingTable, information, row_keys, summed
from league.values.settings import Rating

FEW_GROUPS = 5
"""Below this, how results vary says nothing about luck."""
TRUSTED_GROUPS = 8
"""With this many groups, what they show counts as much as the model."""
STRETCH = 4.0
"""How far all ratings together may be stretched, as a part of their distance from the mean, after one match."""
LOPSIDED = 1.7
"""By how much the variance of a rating is larger than after games of equals on deals of their own, as a rule."""
STOPPED = 1.5
"""By how much the variance is larger where the results decide when it ends: a bound that is looked at after every round
is crossed by luck more often than one that is looked at once."""
SMALLEST_VARIANCE = 1e-12
"""Of the difference of two ratings; what is less is rounding."""


class RatingErrors(NamedTuple):
    """How ratings vary."""

    covariance: Floats
    """Of the ratings, bots by bots."""
    luck: Floats
    """Of the pulls of all games at the ratings, bots by bots."""
    groups: Ints
    """By bot: in how many groups of deals it played."""

    @property
    def known(self) -> NDArray[np.bool_]:
        """By bot: whether it played enough groups to measure luck."""
        return has_enough(self.groups)


def has_enough(groups: Ints) -> NDArray[np.bool_]:
    """By bot: whether it played enough groups of deals to measure luck."""
    enough: NDArray[np.bool_] = groups >= FEW_GROUPS
    return enough


def spread(table: RankingTable, fitted: Fit, *, chosen: bool = False) -> RatingErrors:
    """How the ratings of a fit vary; `chosen` if the results decided who met whom."""
    groups, luck = measured_luck(table, fitted)
    if not table.bots:
        return RatingErrors(luck, luck, groups)
    more = misfit(table, fitted, luck) if chosen else 0.0
    luck = STOPPED * luck if chosen else luck
    factor = cho_factor(fitted.information + fitted.prior * np.eye(table.bots), lower=True)
    half = cho_solve(factor, luck + more + fitted.prior * np.eye(table.bots))
    covariance = anchored(anchored(cho_solve(factor, half.T), table.pools).T.copy(), table.pools)
    return RatingErrors(covariance, luck, groups)


def measured_luck(table: RankingTable, fitted: Fit) -> tuple[Ints, Floats]:
    """By bot the number of groups of deals; and the covariance of all pulls, bots by bots."""
    number, pulls, played = group_pulls(table, fitted)
    groups: Ints = played.sum(axis=0)
    total = pulls.sum(axis=0)
    shown = (pulls.T @ pulls - np.outer(total, total) / max(number, 1)) * number / max(number - 1, 1)
    return groups, mixed_luck(groups, shown + _unopposed_information(table, fitted), fitted.information, table.players)


def mixed_luck(groups: Ints, shown: Floats, model: Floats, players: int) -> Floats:
    """A covariance as the groups of deals show it, and as a model has it: few groups say little, so it stands in."""
    known = has_enough(groups)
    ratio = np.trace(shown[known][:, known]) / max(np.trace(model[known][:, known]), SMALLEST_VARIANCE)
    times = np.where(known, max(ratio, 1.0), players)  # all games of a deal may end in the same way
    part = np.where(known, groups / (groups + TRUSTED_GROUPS), 0.0)
    freedom = np.maximum(groups - 1, 1) / np.maximum(part, SMALLEST_VARIANCE) ** 2
    wider = np.where(known, stdtrit(np.minimum(freedom, 1e6), UPPER) / TAIL, 1.0)
    own, theirs = wider * np.sqrt(part), wider * np.sqrt((1 - part) * times)
    mixed: Floats = np.outer(own, own) * shown + np.outer(theirs, theirs) * model
    return mixed


def misfit(table: RankingTable, fitted: Fit, luck: Floats) -> Floats:
    """The covariance of the pulls of whole lineups, as far as it is more than luck.

    Bots that do better against some opponents than their ratings say pull at the ratings whenever they meet. Where all
    lineups play equally often, that is a part of what is rated. Where the results decide who meets whom, it is an
    error.
    """
    lineups = np.sort(table.order, axis=1)
    _, lineup = np.unique(row_keys(list(lineups.T), [table.bots] * table.players), return_inverse=True)
    size = int(lineup.max(initial=-1)) + 1
    where = lineup[:, None] * table.bots + table.order
    return excess(summed(where, fitted.pull * table.games[:, None], size * table.bots).reshape(size, table.bots), luck)


def excess(pulls: Floats, luck: Floats) -> Floats:
    """The covariance of pulls, a line for each lineup, as far as it is more than luck."""
    between: Floats = pulls.T @ pulls
    part = max(0.0, 1 - float(np.trace(luck)) / max(float(np.trace(between)), SMALLEST_VARIANCE))
    return part * between


def interval_errors(rating: Floats, covariance: Floats, matches: Floats, middle: float) -> Floats:
    """By bot: the standard error of its rating alone.

    After few matches the scale of the ratings is unknown too: a bot that is far ahead may be much less so. That
    changes no order, so it counts here only.
    """
    part = np.minimum(STRETCH / np.maximum(matches, 1.0), 1.0)
    errors: Floats = np.sqrt(np.diag(covariance) + (part * (rating - middle)) ** 2)
    return errors


def expected_half_width(games: float, matches: float, players: int, rating: Rating) -> float:
    """About half of the width of a bot's interval after this many games against others as different as usual.

    A place among `players` says nearly as much as the performance itself if they are many, and 2/pi of it if they
    are two. Of lopsided games and of games that share a deal it says less.
    """
    efficiency = 1 - 2 * (1 - 2 / pi) / players
    luck = players if matches < FEW_GROUPS else LOPSIDED
    variance = luck * rating.beta**2 * (1 + 1 / (players - 1)) / efficiency
    stretched = min(STRETCH / max(matches, 1.0), 1.0) * rating.sigma_at_first / 2
    return TAIL * sqrt(1 / (games / variance + rating.sigma_at_first**-2) + stretched**2)


def leads(rating: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """Bots by bots: the rating of the one minus that of the other, and its standard error."""
    alone = np.diag(covariance)
    variance = alone[:, None] + alone[None, :] - 2 * covariance
    return rating[:, None] - rating[None, :], np.sqrt(np.maximum(variance, SMALLEST_VARIANCE))


def anchored(moved: Floats, pools: Ints) -> Floats:
    """Each line minus its mean over each pool, since games say nothing about the common level; changed in place.

    A bot that met no other one stays as uncertain as before.
    """
    for pool in np.flatnonzero(np.bincount(pools) > 1):
        members = pools == pool
        moved[:, members] -= moved[:, members].mean(axis=1, keepdims=True)
    return moved


def group_pulls(table: RankingTable, fitted: Fit) -> tuple[int, Floats, NDArray[np.bool_]]:
    """The number of groups of deals; by group and bot, what it pulls at the bot's mean, and whether it played."""
    row, group, games = table.cells
    present, index = np.unique(group, return_inverse=True)
    where = index[:, None] * table.bots + table.order[row]
    shape = len(present), table.bots
    pulls = summed(where, fitted.pull[row] * games[:, None], len(present) * table.bots).reshape(shape)
    played = np.bincount(where.ravel(), minlength=len(present) * table.bots).reshape(shape) > 0
    return len(present), pulls, played


def small_sample_factor(groups: Floats | int) -> Floats:
    """Few groups show too little spread, and its tails are too thin: the usual corrections for both; 1 below two."""
    several = np.maximum(groups, 2)
    factor: Floats = np.sqrt(several / (several - 1)) * stdtrit(several - 1, UPPER) / TAIL
    return np.where(np.asarray(groups) < 2, 1.0, factor)


def unopposed(table: RankingTable) -> Ints:
    """For each bot the number of its league of equals: those linked by upsets or ties in both directions.

    If a pool has more than one, some bots came in ahead of some others without exception, and only the prior says
    how far apart they are.
    """
    upper, lower = table.order[:, :-1], table.order[:, 1:]
    start = np.concatenate([upper.ravel(), lower[table.ties]])
    stop = np.concatenate([lower.ravel(), upper[table.ties]])
    links = coo_array((np.ones(len(start)), (start, stop)), shape=(table.bots, table.bots))
    labels: Ints = connected_components(links, directed=True, connection="strong")[1].astype(np.int64)
    return labels


def generator(seed: str) -> np.random.Generator:
    """Random numbers that follow from a text."""
    return np.random.default_rng(int.from_bytes(blake2b(seed.encode(), digest_size=16).digest()))


def _unopposed_information(table: RankingTable, fitted: Fit) -> Floats:
    """The information of the games whose results never varied between leagues of equals."""
    equals = unopposed(table)[table.order]
    counts = np.where((equals != equals[:, :1]).any(axis=1), table.games, 0)
    return information(table.bots, table.order, fitted.links * counts[:, None])
