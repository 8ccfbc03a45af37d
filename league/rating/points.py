"""Mean points: what each bot gets a game against the whole field, where points count instead of places.

    fitted = fit_points(table, variance, pools)
    print(fitted.mean, fitted.covariance)

Points are explained by who sits at the table: what a bot gets itself, and what each of the others gets from it. The
least squares of that are two separate problems: the level of whole tables, and the leads at them. The value of a bot is
what it is expected to get against opponents that are drawn from all the others. Where all lineups play equally often,
that is exactly its mean. Elsewhere it is what the mean would be if they did. Where the results decide who plays, and
all lineups have played, each of them counts equally, however often it did.

Luck is measured as for ratings, by groups of deals over all their rotations, and within each lineup: that a bot does
better against another one than the model says is no luck.
"""

from __future__ import annotations

from functools import partial
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from league.rating import TAIL
from league.rating.pairs import FEW_GROUPS, Pairs, flipped, pair_matrix, student
from league.rating.spread import STOPPED, has_enough, mixed_luck, more_than_luck, small_sample_factor
from league.rating.table import Floats, Ints, lineup_numbers, summed

RIDGE = 1e-9
"""Where the games do not tell two explanations apart, the one with the smaller numbers is taken."""
ROUNDING = 1e-9
SMALLEST_WEIGHT = 1e-6
"""The smallest weight of a row, in games."""
FEW_ROWS = 40
"""With fewer rows of lineups and groups, how they vary says little about luck."""


class PointsTable(NamedTuple):
    """Points by lineup and group of deals, in canonical order."""

    bots: int
    lineups: Ints
    """By row: indices of bots."""
    groups: Ints
    games: Floats
    sums: Floats
    """By row and bot of the lineup: its points in all these games."""

    @property
    def players(self) -> int:
        """Seats at a table."""
        return int(self.lineups.shape[1])

    def before(self, stop: int) -> PointsTable:
        """The part from the groups of deals before one."""
        kept = self.groups < stop
        return PointsTable(self.bots, self.lineups[kept], self.groups[kept], self.games[kept], self.sums[kept])


class PointsFit(NamedTuple):
    """What bots get a game, with all that error bars need."""

    mean: Floats
    """Against the field; without games, as much as all get on average."""
    covariance: Floats
    groups: Ints
    """By bot: in how many groups of deals it played that say something about luck."""
    strength: Floats
    """By bot: how much more than the others it gets at its table."""
    deviation: float
    """The standard deviation of the points of a bot in one game."""
    constant_sum: bool
    """Whether all points of a game together are always the same."""

    @property
    def known(self) -> NDArray[np.bool_]:
        """By bot: whether it played enough groups to measure luck."""
        return has_enough(self.groups)


class _Part(NamedTuple):
    """One of the two problems, solved."""

    effect: Floats
    """By bot."""
    inverse: Floats
    """Bots by bots: how far a pull moves the effects."""
    by_group: Floats
    """By group and bot: how far its luck moves the effects."""
    by_lineup: Floats
    """By lineup and bot: how far it moves the effects that the bots do not explain it."""
    square: float
    """The squared luck of a game, summed over its seats: the mean of all rows."""


def fit_points(table: PointsTable, variance: float, pools: Ints, *, chosen: bool = False) -> PointsFit:
    """The mean points of each bot; `variance` is that of its points in one game.

    `chosen` if the results decided who met whom.
    """
    players, bots = table.players, table.bots
    played = np.bincount(table.lineups.ravel(), minlength=bots) > 0
    lineup = lineup_numbers(table.lineups, table.bots)
    complete = len(np.unique(lineup)) == comb(int(played.sum()), players)
    weight = np.ones(len(lineup))
    if chosen and complete:  # who met whom how often does not matter if all lineups count equally
        weight = 1 / np.bincount(lineup, table.games)[lineup]
        weight *= table.games.sum() / (weight * table.games).sum()
    information = table.games * weight**2
    table = table._replace(games=table.games * weight, sums=table.sums * weight[:, None])
    games = table.games
    mean_of_seats = table.sums.mean(axis=1)
    base = float(mean_of_seats.sum() / max(games.sum(), 1.0))
    together = np.tile(((mean_of_seats - base * games) / players)[:, None], players)
    alike, apart = np.full((players, players), players**-2.0), np.eye(players) - 1 / players
    level = _solved(table, lineup, together, alike)
    lead = _solved(table, lineup, table.sums - mean_of_seats[:, None], apart)
    others = _means_of_others(played, pools) * (players - 1) / players
    of_level, of_lead = np.eye(bots) / players + others, (players - 1) / players * np.eye(bots) - others
    # The variance of one game, from how deals vary: rotations cancel much of the luck in it, or repeat it.
    noise_of_level, noise_of_lead = players * level.square, lead.square / (players - 1)
    seat = noise_of_level + noise_of_lead * (players - 1) / players
    if len(lineup) < FEW_ROWS or not seat:  # of independent games, if that is more
        noise_of_lead += max(variance - seat, 0.0) * players / (players - 1)
    by_level, by_lead = of_level @ level.inverse, of_lead @ lead.inverse
    model = noise_of_level * by_level @ _information(table, information, alike) @ by_level.T
    model += noise_of_lead * by_lead @ _information(table, information, apart) @ by_lead.T
    moved = level.by_group @ of_level.T + lead.by_group @ of_lead.T
    groups = _independent_groups(table, lineup)
    covariance = mixed_luck(groups, moved.T @ moved, model, players)
    if chosen and complete:
        covariance = STOPPED * covariance
    elif chosen:
        unexplained = level.by_lineup @ of_level.T + lead.by_lineup @ of_lead.T
        between = more_than_luck(unexplained, covariance) * unexplained.T @ unexplained
        covariance = STOPPED * covariance + between
    covariance[~played] = covariance[:, ~played] = 0.0
    covariance[~played, ~played] = variance
    mean = np.where(played, base + of_level @ level.effect + of_lead @ lead.effect, base)
    constant = bool(np.abs(mean_of_seats - base * games).max(initial=0.0) <= ROUNDING * max(abs(base), 1.0))
    return PointsFit(mean, covariance, groups, lead.effect, float(np.sqrt(variance)), constant)


def lead_pairs(table: PointsTable, by_place: Pairs) -> Pairs:
    """Head to head in points: a score of one half is no lead, and 0 and 1 are leads of `span` points.

    `by_place` has who came in before whom.
    """
    upper, lower = np.triu_indices(table.players, 1)
    first, second = table.lineups[:, upper], table.lineups[:, lower]
    sign = np.where(first < second, 1.0, -1.0)
    keys = np.minimum(first, second) * table.bots + np.maximum(first, second)
    pairs, pair = np.unique(keys, return_inverse=True)
    leads = sign * (table.sums[:, upper] - table.sums[:, lower])
    present, group = np.unique(table.groups, return_inverse=True)
    where = group[:, None] * len(pairs) + pair.reshape(keys.shape)
    shape = len(present), len(pairs)
    lead = summed(where, leads, shape[0] * shape[1]).reshape(shape)
    games = np.broadcast_to(table.games[:, None], leads.shape)
    played = summed(where, games, shape[0] * shape[1]).reshape(shape)
    groups, total = (played > 0).sum(axis=0).astype(np.float64), played.sum(axis=0)
    mean = lead.sum(axis=0) / total
    spread = ((lead - mean * played) ** 2).sum(axis=0)
    half = TAIL * np.sqrt(spread) * small_sample_factor(groups) / total
    few = len(present) <= FEW_GROUPS
    p_value = flipped(lead) if few else student(lead.sum(axis=0), (lead**2).sum(axis=0), groups)
    half = np.where(groups > 1, half, np.inf)
    largest = np.abs(mean) + np.where(np.isfinite(half), half, 0.0)
    span = float(largest.max(initial=0.0)) or 1.0

    matrix = partial(pair_matrix, table.bots, pairs)

    def score(points: Floats) -> Floats:
        return np.clip(0.5 + points / (2 * span), 0.0, 1.0)

    return by_place._replace(
        score=matrix(score(mean), score(-mean)),
        low=matrix(score(mean - half), score(-mean - half)),
        high=matrix(score(mean + half), score(half - mean)),
        p_value=matrix(p_value, p_value, 1.0),
        span=span,
    )


def _information(table: PointsTable, games: Floats, gram: Floats) -> Floats:
    """Bots by bots: what this many games of each row say about the effects."""
    where = table.lineups[:, :, None] * table.bots + table.lineups[:, None, :]
    return summed(where, games[:, None, None] * gram, table.bots**2).reshape(table.bots, table.bots)


def _solved(table: PointsTable, lineup: Ints, pulls: Floats, gram: Floats) -> _Part:
    """By row and bot of the lineup, what its games pull at the effects; and how much one game says about them."""
    bots, games, cells = table.bots, table.games, np.bincount(lineup)
    information = _information(table, games, gram)
    scale = max(float(np.trace(information)), 1.0) / max(bots, 1)
    inverse: Floats = np.linalg.inv(information + RIDGE * scale * np.eye(bots)).astype(np.float64)
    effect = inverse @ summed(table.lineups, pulls, bots)
    unexplained = pulls - games[:, None] * (effect[table.lineups] @ gram)
    of_lineup = np.stack([np.bincount(lineup, column, len(cells)) for column in pulls.T], axis=1)
    usual = (of_lineup / np.maximum(np.bincount(lineup, games, len(cells)), 1.0)[:, None])[lineup]
    number = cells[lineup][:, None]
    within = (pulls - games[:, None] * usual) * np.sqrt(number / np.maximum(number - 1, 1))
    luck = np.where(number > 1, within, unexplained)
    return _Part(
        effect=effect,
        inverse=inverse,
        by_group=_gathered(table, table.groups, luck) @ inverse,
        by_lineup=_gathered(table, lineup, unexplained) @ inverse,
        square=float((luck**2 / np.maximum(games, SMALLEST_WEIGHT)[:, None]).sum() / max(len(lineup), 1)),
    )


def _gathered(table: PointsTable, label: Ints, pulls: Floats) -> Floats:
    """Pulls added up by label and bot."""
    present, index = np.unique(label, return_inverse=True)
    where = index.ravel()[:, None] * table.bots + table.lineups
    return summed(where, pulls, len(present) * table.bots).reshape(len(present), table.bots)


def _means_of_others(played: NDArray[np.bool_], pools: Ints) -> Floats:
    """Bots by bots: weights of the mean over all other bots of a pool."""
    alike = (pools[:, None] == pools[None, :]) & played[:, None] & played[None, :]
    np.fill_diagonal(alike, val=False)
    weights: Floats = alike / np.maximum(alike.sum(axis=1, keepdims=True), 1)
    return weights


def _independent_groups(table: PointsTable, lineup: Ints) -> Ints:
    """By bot: in how many groups of deals it played, less one for each lineup whose own mean was taken from them."""
    groups: Ints = (_gathered(table, table.groups, np.ones(table.sums.shape)) > 0).sum(axis=0)
    cells = np.bincount(lineup)[lineup]
    free = np.where(cells > 1, 1 - 1 / cells, 1.0)
    freedom = summed(table.lineups, np.tile(free[:, None], table.players), table.bots)
    return np.minimum(groups, np.rint(freedom).astype(np.int64) + 1)
