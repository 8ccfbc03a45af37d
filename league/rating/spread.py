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
from math import comb, pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import stdtrit

from league.rating import TAIL, UPPER
from league.rating.fit import Fit
from league.rating.table import Floats, Ints, RankingTable, information, summed
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
BALANCE = 4.0
"""How much more equally lineups count than the misfit that is seen asks for: ratings hide a part of it, since they are
fitted to it, and what looks like luck may be misfit. Chosen by `python -m benchmarks truth`, with other seeds."""
SMALLEST_VARIANCE = 1e-12
"""The smallest variance of a difference of ratings; what is less is rounding."""


class RatingErrors(NamedTuple):
    """How ratings vary."""

    covariance: Floats
    """The covariance of the ratings, bots by bots."""
    luck: Floats
    """The covariance of the pulls of all games at the ratings, bots by bots."""
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
    row, group, games = table.cells
    present, index = np.unique(group, return_inverse=True)
    number, size = len(present), len(present) * table.bots
    where = index[:, None] * table.bots + table.order[row]
    of_cells = fitted.pull[row] * (games * table.weight[row])[:, None]
    pulls = summed(where, of_cells, size).reshape(number, table.bots)
    played = np.bincount(where.ravel(), minlength=size).reshape(number, table.bots) > 0
    groups: Ints = played.sum(axis=0)
    total = pulls.sum(axis=0)
    shown = (pulls.T @ pulls - np.outer(total, total) / max(number, 1)) * number / max(number - 1, 1)
    model = _luck_of_rows(table, fitted, table.counted * table.weight)
    return groups, mixed_luck(groups, shown + _unopposed_luck(table, fitted), model, table.players)


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


def balanced(table: RankingTable, fitted: Fit) -> RankingTable:
    """The same games, weighted so that lineups count more equally, for leagues whose results decide who meets whom.

    Bots that do better against some opponents than their ratings say pull at the ratings whenever they meet. So ratings
    depend on how often each lineup played, and in a round robin all play equally often. A lineup of n games counts as
    n / (1 + n r), where r is how far its games are from what the ratings expect, in parts of the luck of one game:
    of all such weights, these have about the smallest mean square error.
    """
    luck = measured_luck(table, fitted)[1]
    games, pulls, part = lineup_pulls(table, fitted, luck)
    of_one_game = float(np.trace(luck)) / max(games.sum(), 1.0)
    ratio = BALANCE * part * (pulls.data**2).sum() / max((games**2).sum() * of_one_game, SMALLEST_VARIANCE)
    weight = (1 / (1 + ratio * games))[table.lineup]
    # As much information as there is luck: so the prior counts as much as with games that all have the same weight.
    return table.weighted(
        weight * (weight * table.games).sum() / max((weight**2 * table.games).sum(), SMALLEST_VARIANCE)
    )


def lineup_pulls(table: RankingTable, fitted: Fit, luck: Floats) -> tuple[Floats, csr_array, float]:
    """By lineup how many games it counts as; by lineup and bot how it pulls; and which part of that is no luck.

    The pulls of all games have the covariance `luck`. A lineup pulls at its own bots only, and there may be a hundred
    times as many lineups as bots, so the array is sparse.
    """
    size = int(table.lineup.max(initial=-1)) + 1
    lineups = np.repeat(table.lineup, table.players)
    of_rows = (fitted.pull * table.counted[:, None]).ravel(), (lineups, table.order.ravel())
    pulls = coo_array(of_rows, shape=(size, table.bots)).tocsr()
    fitted_away = (table.bots - len(np.bincount(table.pools))) / max(size * (table.players - 1), 1)
    part = more_than_luck(pulls.data, (1 - fitted_away) * luck)
    return summed(table.lineup, table.counted, size), pulls, part


def misfit(table: RankingTable, fitted: Fit, luck: Floats) -> Floats:
    """The covariance of the error that lineups did not count equally, those that never played included."""
    games, pulls, part = lineup_pulls(table, fitted, luck)
    possible = sum(comb(int(size), table.players) for size in np.bincount(table.pools))
    mean = games.sum() / max(possible, 1)
    unplayed = mean**2 * (possible / max(len(games), 1) - 1)
    deviation = np.sqrt((games - mean) ** 2 + unplayed) / np.maximum(games, SMALLEST_VARIANCE)
    weighed = pulls.multiply(deviation[:, None]).tocsr()
    between: Floats = part * (weighed.T @ weighed).toarray()
    return between


def more_than_luck(pulls: Floats, luck: Floats) -> float:
    """The part of the squares of pulls that is more than luck; those that are 0 may be left out."""
    return max(0.0, 1 - float(np.trace(luck)) / max(float((pulls**2).sum()), SMALLEST_VARIANCE))


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


def _unopposed_luck(table: RankingTable, fitted: Fit) -> Floats:
    """What the model says about the games whose results never varied between leagues of equals."""
    equals = unopposed(table)[table.order]
    varied = (equals == equals[:, :1]).all(axis=1)
    return _luck_of_rows(table, fitted, np.where(varied, 0.0, table.counted * table.weight))


def _luck_of_rows(table: RankingTable, fitted: Fit, games: Floats) -> Floats:
    """The covariance of the pulls of this many games of each row, as the model has it."""
    return information(table.bots, table.order, fitted.links * games[:, None])
