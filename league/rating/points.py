"""Mean points: what each bot gets a game against the whole field, where points count instead of places.

    fitted = fit_points(table, pools, deviation)
    print(fitted.evidence.value)

Points are explained by who sits at the table: what a bot gets itself, and what each of the others gets from it. The
least squares of that are two separate problems: the level of whole tables, and the leads at them. The value of a bot is
what it is expected to get against opponents that are drawn from all the others. Where all lineups play equally often,
that is exactly its mean. Elsewhere it is what the mean would be if they did.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from league.rating.errors import Evidence, all_lineups
from league.rating.table import Floats, Ints, lineup_numbers, summed


class PointsTable(NamedTuple):
    """Points by lineup and group of deals, in canonical order."""

    bots: int
    lineups: Ints
    """By row: ascending indices of bots."""
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
    """What bots get a game."""

    evidence: Evidence
    """Its values are points against the field; without games, as much as all get on average."""
    strength: Floats
    """By bot: how much more than the others it gets at its table."""
    constant_sum: bool
    """Whether all points of a game together are always the same."""


def fit_points(
    table: PointsTable,
    pools: Ints,
    deviation: float,
    unit: float = 1.0,
    *,
    weight: Floats | None = None,
    possible: int | None = None,
) -> PointsFit:
    """The mean points of each bot, where `deviation` is that of its points in one game.

    `unit` is what a point of rating is in points, and `weight` by lineup as how much each of its games counts.
    """
    players, bots, lineup = table.players, table.bots, lineup_numbers(table.lineups, table.bots)
    counts = np.ones(len(lineup)) if weight is None else weight[lineup]
    games, sums = table.games * counts, table.sums * counts[:, None]
    squares = summed(lineup, table.games * counts**2, int(lineup.max(initial=-1)) + 1)
    lineups = table.lineups[np.unique(lineup, return_index=True)[1]]
    played = np.bincount(table.lineups.ravel(), minlength=bots) > 0
    mean = sums.mean(axis=1)
    base = float(mean.sum() / max(games.sum(), 1.0))
    others = _means_of_others(played, pools) * (players - 1) / players
    level = np.tile(((mean - base * games) / players)[:, None], players)
    alike, apart = np.full((players, players), players**-2.0), np.eye(players) - 1 / players
    value = np.full(bots, base)
    moves, pulls, model = [], [], np.zeros((len(lineups), 2 * players, 2 * players))
    for number, (pull, gram, share) in enumerate(
        (
            (level, alike, np.eye(bots) / players + others),
            (sums - mean[:, None], apart, (players - 1) / players * np.eye(bots) - others),
        )
    ):
        where = table.lineups[:, :, None] * bots + table.lineups[:, None, :]
        joint = summed(where, games[:, None, None] * gram, bots**2).reshape(bots, bots)
        # Of explanations that games do not tell apart, the smallest one is taken.
        inverse = np.linalg.pinv(joint, rcond=1e-9, hermitian=True)
        effect = inverse @ summed(table.lineups, pull, bots)
        value = value + np.where(played, share @ effect, 0.0)
        rest = pull - games[:, None] * (effect[table.lineups] @ gram)
        noise = float((rest**2 / games[:, None]).sum()) / max(len(lineup), 1) / float(np.trace(gram))
        half = np.s_[number * players : (number + 1) * players]
        model[:, half, half] = noise * squares[:, None, None] * gram
        moves.append(share @ inverse)
        pulls.append(rest)
    constant = float(np.abs(mean - base * games).max(initial=0.0)) <= 1e-9 * max(abs(base), 1.0)
    evidence = Evidence(
        value=value,
        columns=np.hstack([lineups, lineups + bots]),
        players=players,
        model=model,
        unseen=0.0,
        lineup=lineup,
        pulls=np.hstack(pulls),
        games=table.games,
        counted=games,
        move=np.hstack(moves),
        information=None,
        prior=0.0,
        pools=pools,
        possible=all_lineups(pools, players) if possible is None else possible,
        unit=unit,
        floor=0.0,
        alone=deviation**2,
    )
    return PointsFit(evidence, effect, constant)


def _means_of_others(played: NDArray[np.bool_], pools: Ints) -> Floats:
    """Bots by bots: weights of the mean over all other bots of a pool."""
    alike = (pools[:, None] == pools[None, :]) & played[:, None] & played[None, :]
    np.fill_diagonal(alike, val=False)
    weights: Floats = alike / np.maximum(alike.sum(axis=1, keepdims=True), 1)
    return weights
