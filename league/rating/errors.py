"""How far the values of bots may be off, and how they vary together: for places, matches and points alike.

    evidence = of_places(table, fit(table, rating))
    errors, _, _ = measure(evidence)
    low, high = errors.intervals(evidence.value)

A cluster is the games of one group of deals of one lineup: those share their luck, others do not. A fit is where the
pulls of all clusters balance. How far a pull of one size moves the values of all bots is `move`, by Newton's method.

The variance of all values is the sum of these parts, and nothing else:

- luck: how the clusters of a lineup vary around its mean; around the fit, where a lineup has few;
- misfit: how lineups vary beyond luck, as far as they did not play alike: in a sample, an adaptive league, one that is
  not finished. Lineups that never played count as well, as a survey corrects for whom it left out;
- unseen: what the model says of results that never varied, since some bots always beat the others;
- prior: an observation like any other. Points have none.

For each bot, luck and misfit are mixed with as much of the model as `PRIOR` clusters, so that few clusters are enough.
Degrees of freedom follow from how unequal the influences of clusters are: if a few games decide, they are few.
"""

from __future__ import annotations

from hashlib import blake2b
from math import comb, pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from league.rating import UPPER
from league.rating.fit import Fit, curvature, solved
from league.rating.table import Floats, Ints, RankingTable, centred, information, summed
from league.values.settings import Rating

FEWEST = 4
"""Degrees of freedom: five groups of deals of two bots. With fewer, the quantile of Student's t is above 3."""
PRIOR = 4.0
"""As many clusters of the model are added for each bot, and as many that say that a lineup's mean is as fitted."""
BALANCE = 4.0
"""How much more equally lineups count than the misfit that is seen asks for: ratings hide a part of it, since they are
fitted to it. Chosen by `python -m benchmarks truth`, with other seeds."""
ENDED_BY_LEADS, ENDED_BY_WIDTHS = 1.5, 1.25
"""By how much variances are larger where results decide when it ends: a bound that is looked at after every round is
crossed by luck more often. How wide intervals are depends less on luck than who leads."""
DECISIVE = 8.0
"""With so few degrees of freedom, quantiles are a fifth above those of the normal distribution."""
MOST_FREEDOM = 1e6
SMALLEST = 1e-12
"""A variance below this is rounding."""
TINY = 1e-300


class Evidence(NamedTuple):
    """The values of bots (ratings, or mean points), and what pulls at them."""

    value: Floats
    """By bot."""
    columns: Ints
    """Lineups by seats: what a lineup pulls at, which is its bots. Points pull at two things of each bot, with numbers
    of their own."""
    players: int
    """The first so many columns of a lineup are the numbers of its bots."""
    model: Floats
    """Lineups by seats by seats: the covariance of a lineup's pulls, as the model has it."""
    unseen: Floats | float
    """The same for results that never varied, since some bots always beat the others; all columns by all columns."""
    lineup: Ints
    """By cluster: the number of its lineup. All lineups that played have some."""
    pulls: Floats
    """Clusters by seats."""
    games: Floats
    """By cluster."""
    counted: Floats
    """By cluster: as how many games they count."""
    move: Floats
    """Bots by all columns: how far a pull moves the values."""
    information: Floats | None
    """Bots by bots: the curvature of the games' likelihood, without the prior. Points have none, and no prior."""
    prior: float
    """The precision of the prior."""
    pools: Ints
    possible: int
    """How many lineups the question is about, those that did not play included."""
    unit: float
    """What a point of rating is, in the unit of the values."""
    floor: float
    """Luck is at least this part of what the model says, where that stands in."""
    alone: float
    """The variance of the value of a bot without games."""


def of_places(table: RankingTable, fitted: Fit, possible: int | None = None) -> Evidence:
    """What places say about ratings. Left out, the question is about all lineups that there could be."""
    row, group, games = table.cells
    bots, players = table.bots, table.players
    lineups = int(table.lineup.max(initial=-1)) + 1
    first = np.unique(table.lineup, return_index=True)[1]
    seat = np.argsort(np.argsort(table.order, axis=1), axis=1)  # where the bot of a place is in its lineup
    keys, cluster = np.unique(table.lineup[row] * (int(group.max(initial=0)) + 1) + group, return_inverse=True)
    lineup = np.zeros(len(keys), dtype=np.int64)
    lineup[cluster] = table.lineup[row]
    counted = games * table.weight[row]
    pulls = summed(cluster[:, None] * players + seat[row], fitted.pull[row] * counted[:, None], len(keys) * players)
    links = fitted.links * (table.games * table.weight**2)[:, None]
    upper, lower = np.triu_indices(players, 1)
    pairs = (table.lineup[:, None] * players + seat[:, upper]) * players + seat[:, lower]
    tied = summed(pairs, links, lineups * players**2).reshape(lineups, players, players)
    tied = tied + tied.transpose(0, 2, 1)
    equals = table.leagues_of_equals[table.order]
    unequal = (equals != equals[:, :1]).any(axis=1)
    return Evidence(
        value=fitted.mean,
        columns=np.sort(table.order[first], axis=1),
        players=players,
        model=np.eye(players) * tied.sum(axis=2)[:, :, None] - tied,
        unseen=information(bots, table.order, links * unequal[:, None]),
        lineup=lineup,
        pulls=pulls.reshape(len(keys), players),
        games=summed(cluster, games.astype(np.float64), len(keys)),
        counted=summed(cluster, counted, len(keys)),
        move=solved(curvature(fitted.information, fitted.prior), np.eye(bots)),
        information=fitted.information,
        prior=fitted.prior,
        pools=table.pools,
        possible=all_lineups(table.pools, players) if possible is None else possible,
        unit=1.0,
        floor=1.0,
        alone=1 / fitted.prior,
    )


def all_lineups(pools: Ints, players: int) -> int:
    """How many lineups of linked bots there are."""
    return sum(comb(size, players) for size in np.bincount(pools).tolist())


class Errors(NamedTuple):
    """How values vary."""

    covariance: Floats
    """Bots by bots."""
    freedom: Floats
    """By bot: the degrees of freedom of its variance."""
    clusters: Floats
    """By bot: how many clusters measure its luck, less what was taken from them."""

    @property
    def known(self) -> NDArray[np.bool_]:
        """By bot: whether there is enough to say who is ahead of it."""
        known: NDArray[np.bool_] = self.clusters >= FEWEST
        return known

    @property
    def few_decide(self) -> NDArray[np.bool_]:
        """By bot: whether a few games decide its error: another such game may change everything."""
        few: NDArray[np.bool_] = self.known & (self.freedom < np.minimum(self.clusters / 2, DECISIVE))
        return few

    @property
    def alone(self) -> Floats:
        """By bot: the standard error of its value."""
        return np.sqrt(np.diag(self.covariance))

    def part(self, bots: Ints) -> Errors:
        """Those of some bots."""
        return Errors(self.covariance[np.ix_(bots, bots)], self.freedom[bots], self.clusters[bots])

    def scaled(self, factor: float) -> Errors:
        """Those of values that are so many times as large."""
        return self._replace(covariance=self.covariance * factor**2)

    def intervals(self, value: Floats) -> tuple[Floats, Floats]:
        """By bot: where its own value is, with a probability of 95 %."""
        half = self.alone * stdtrit(self.freedom, UPPER)
        return value - half, value + half

    def freedom_of_leads(self) -> Floats:
        """Bots by bots: the degrees of freedom of the difference of two values."""
        alone = np.diag(self.covariance)
        parts = alone**2 / self.freedom
        sums = np.maximum(parts[:, None] + parts[None, :], TINY)
        return np.clip((alone[:, None] + alone[None, :]) ** 2 / sums, 1.0, MOST_FREEDOM)


def measure(evidence: Evidence, wider: float = 1.0) -> tuple[Errors, Floats, float]:
    """How all values vary; variances of results that decided when it ended are `wider`.

    Also returns the covariance of all pulls, by columns, without the prior; and the misfit: how much more a lineup of n
    games counts than by luck is n times this.
    """
    lineup, pulls, columns = evidence.lineup, evidence.pulls, evidence.columns
    number, bots, seats = np.bincount(lineup, minlength=len(columns)), len(evidence.value), columns.shape[1]
    size = evidence.move.shape[1]
    if not len(columns):
        nothing = np.zeros((size, size))
        spread = evidence.alone * np.eye(bots)
        return Errors(spread, np.ones(bots), np.zeros(bots)), nothing, 0.0
    games, counted = (summed(lineup, each, len(columns)) for each in (evidence.games, evidence.counted))
    totals = summed(lineup[:, None] * seats + np.arange(seats), pulls, len(columns) * seats).reshape(-1, seats)
    fitted = (bots - len(np.unique(evidence.pools))) / (evidence.players - 1)
    left = np.full(len(columns), 1 - min(fitted / len(columns), 0.9))

    # Luck: around a mean that is the less that of the lineup, the fewer clusters it has.
    towards_fit = PRIOR / (PRIOR + number - 1)
    free = number - 1 + towards_fit * left
    means = totals * ((1 - np.sqrt(towards_fit)) / number)[:, None]
    within = (pulls - means[lineup]) * np.sqrt(number / free)[lineup][:, None]
    luck, freedom = _with_model(evidence, lineup, within, np.ones(len(columns)), free, evidence.floor)

    # Misfit: how lineups vary beyond luck, times how unlike they played, those that never played included.
    possible = max(evidence.possible, len(columns))
    mean = counted.sum() / possible
    uneven = np.sqrt((counted - mean) ** 2 + mean**2 * (possible / len(columns) - 1)) / counted
    square = max(float((totals**2).sum()), SMALLEST)
    part = max(0.0, 1 / left[0] - float(np.trace(luck)) / square)
    between = totals * (sqrt(part) * uneven)[:, None]
    every = np.arange(len(columns))
    more, freedom_of_more = _with_model(evidence, every, between, games * uneven**2, left, 0.0)
    of_game = float(np.trace(luck)) / max(games.sum(), 1.0)
    misfit = part * square / max(float((games**2).sum()) * of_game, SMALLEST)

    luck, more = wider * (luck + evidence.unseen), wider * more
    clusters = _by_bot(evidence, free)
    if possible > len(columns) and fitted >= len(columns):  # nothing is left that could show misfit
        clusters = np.zeros(bots)
    variances = [evidence.move @ each @ evidence.move.T for each in (luck, more)]
    variances.append(evidence.prior * evidence.move @ evidence.move.T)
    influence = evidence.move.T
    if evidence.information is not None:  # games say nothing about the common level of ratings
        variances = [centred(centred(each, evidence.pools).T, evidence.pools) for each in variances]
        influence = centred(influence, evidence.pools)
    doubt = np.zeros(bots)  # Satterthwaite: of two variances that were measured, and of a prior that was not
    measured = ((lineup, within, variances[0], freedom), (every, between, variances[1], freedom_of_more))
    for where, shown, variance, most in measured:
        doubt += np.diag(variance) ** 2 / np.clip(_shown_freedom(evidence, where, shown, influence), 1.0, most)
    covariance = np.sum(variances, axis=0)
    effective = np.diag(covariance) ** 2 / np.maximum(doubt, TINY)
    idle = np.flatnonzero(_by_bot(evidence, np.ones(len(columns))) == 0)
    covariance[idle, idle] = evidence.alone
    errors = Errors(covariance, np.clip(effective, 1.0, MOST_FREEDOM), clusters)
    return errors, luck + more, misfit


def _by_bot(evidence: Evidence, of_lineups: Floats) -> Floats:
    """Numbers of lineups, added up by bot."""
    seated = evidence.columns[:, : evidence.players]
    return summed(seated, np.repeat(of_lineups, evidence.players), len(evidence.value))


def _with_model(
    evidence: Evidence, lineup: Ints, shown: Floats, scale: Floats, free: Floats, floor: float
) -> tuple[Floats, Floats]:
    """The covariance of pulls, with `PRIOR` more of the model for each bot; and the most degrees of freedom, by bot.

    What the model says is in proportion only: it is made as large as what is shown by all together, or as `floor`.
    """
    size, seats = evidence.move.shape[1], evidence.columns.shape[1]
    squares = np.empty((len(scale), seats, seats))
    for one in range(seats):
        for other in range(seats):
            squares[:, one, other] = summed(lineup, shown[:, one] * shown[:, other], len(scale))
    where = evidence.columns[:, :, None] * size + evidence.columns[:, None, :]
    own = summed(where, squares, size**2).reshape(size, size)
    expected = summed(where, evidence.model * scale[:, None, None], size**2).reshape(size, size)
    times = max(float(np.trace(own)) / max(float(np.trace(expected)), SMALLEST), floor)
    freedom = _by_bot(evidence, free)
    part = freedom / (freedom + PRIOR)
    doubt = part**2 / np.maximum(freedom, SMALLEST) + (1 - part) ** 2 / max(free.sum(), 1.0)
    root, rest = (np.tile(np.sqrt(each), size // len(part)) for each in (part, (1 - part) * times))
    mixed = np.outer(root, root) * own + np.outer(rest, rest) * expected
    return mixed, np.maximum(1 / np.maximum(doubt, SMALLEST), 1.0)


def _shown_freedom(evidence: Evidence, lineup: Ints, shown: Floats, influence: Floats) -> Floats:
    """By bot: degrees of freedom, from how unequal the influences of its own games are; few that decide are worth few.

    Of n normal influences x of one variance, 3 (sum x²)² / sum x⁴ is n.
    """
    second, fourth = np.zeros((2, len(evidence.value)))
    for seat in range(evidence.players):
        bot = evidence.columns[:, seat]
        moved = influence[evidence.columns, bot[:, None]]
        squares = (shown * moved[lineup]).sum(axis=1) ** 2
        second += summed(bot[lineup], squares, len(second))
        fourth += summed(bot[lineup], squares**2, len(second))
    return np.where(fourth > 0, 3 * second**2 / np.maximum(fourth, TINY), MOST_FREEDOM)


def balance(evidence: Evidence, misfit: float) -> Floats:
    """By lineup: weights of its games, for leagues whose results decide who meets whom; fit again with them.

    A lineup of n games whose misfit is r times the luck of one game counts as n / (1 + n r): of all such weights these
    have about the smallest mean square error. The sum of the information stays, so that the prior counts as before.
    """
    games = summed(evidence.lineup, evidence.games, len(evidence.columns))
    weight = 1 / (1 + BALANCE * misfit * games)
    balanced: Floats = weight * (weight * games).sum() / max(float((weight**2 * games).sum()), SMALLEST)
    return balanced


def combined(errors: list[Errors]) -> Errors:
    """The errors of the mean of several contests of the same bots, which are independent; all in one unit."""
    count = len(errors)
    covariance = np.sum([each.covariance for each in errors], axis=0) / count**2
    doubt = np.sum([(np.diag(each.covariance) / count**2) ** 2 / each.freedom for each in errors], axis=0)
    freedom = np.clip(np.diag(covariance) ** 2 / np.maximum(doubt, TINY), 1.0, MOST_FREEDOM)
    return Errors(covariance, freedom, np.min([each.clusters for each in errors], axis=0))


def leads(value: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """Bots by bots: the value of the one minus that of the other, and its standard error."""
    alone = np.diag(covariance)
    variance = alone[:, None] + alone[None, :] - 2 * covariance
    return value[:, None] - value[None, :], np.sqrt(np.maximum(variance, SMALLEST))


def clustered_mean(sums: Floats, sizes: Floats | Ints, scale: float = 0.0) -> tuple[float, float]:
    """The mean of values that are summed up by cluster, and half of the width of its interval by Student's t.

    That is infinite with a single cluster. `scale` is how much a value may reasonably vary: if all clusters are alike,
    the next one might not be.
    """
    total, count = float(sizes.sum()), int((sizes > 0).sum())
    value = float(sums.sum()) / total
    if count < 2:
        return value, np.inf
    spread = sqrt(float(((sums - value * sizes) ** 2).sum()) * count / (count - 1)) / total
    if spread < 1e-9 * scale:
        spread = scale / (count + 1)
    return value, float(stdtrit(count - 1, UPPER)) * spread


def expected_half_width(games: float, matches: float, players: int, rating: Rating) -> float:
    """About half of the width of a bot's interval after this many games against others as different as usual.

    A place among `players` says nearly as much as the performance itself if they are many, and 2/pi of it if they
    are two. Lopsided games say less, and the rotations of a deal more.
    """
    efficiency = 1 - 2 * (1 - 2 / pi) / players
    variance = rating.beta**2 * (1 + 1 / (players - 1)) / efficiency
    freedom = matches + PRIOR
    return float(stdtrit(freedom, UPPER)) * sqrt(1 / (games / variance + rating.sigma_at_first**-2))


def root_of(matrix: Floats) -> Floats:
    """The symmetric square root of a positive semidefinite matrix: no convention about signs is in it."""
    values, vectors = np.linalg.eigh(matrix)
    root: Floats = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return root


def generator(seed: str) -> np.random.Generator:
    """Random numbers that follow from a text."""
    return np.random.default_rng(int.from_bytes(blake2b(seed.encode(), digest_size=16).digest()))
