"""What the games of a contest say about each bot, cluster by cluster: what all errors are measured by.

    evidence = of_places(table, fit(table, rating))

A cluster is the games of one group of deals of one lineup: those share their luck, others do not. A fit is where the
pulls of all clusters balance. How far a pull of one size moves the values of all bots is `move`, by Newton's method.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from league.rating.fit import Fit
from league.rating.table import Floats, Ints, RankingTable, information, summed


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
    equals = leagues_of_equals(table)[table.order]
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
        move=cho_solve(cho_factor(fitted.information + fitted.prior * np.eye(bots)), np.eye(bots)),
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


def leagues_of_equals(table: RankingTable) -> Ints:
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
