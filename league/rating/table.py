"""Counts of rankings as arrays in canonical order: what every way of rating works on.

One table holds one contest. A row is a distinct result: who sat there, who came where. Its counts are kept apart by
groups of deals for the error bars. However many games there were, the table is as large as the number of results
that differ, and the order in which games were played leaves no trace in it.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Placing(NamedTuple):
    """Where a bot stands among those that it can be compared with."""

    place: str
    """'1', or '1-3' where the results leave it open."""
    rank: int | None
    """By rating alone."""
    best: float
    """How probable it is that it is the best of them."""


class RankingTable:
    """The results of one contest: `order[k]` came in best to worst, `ties[k]` says which neighbours shared a place.

    `cell_row`, `cell_group` and `cell_games` say how often row k was seen in which group of deals. All is in
    canonical order: rows ascending, and bots who share a place ascending by index.
    """

    def __init__(
        self, bots: int, order: Ints, ties: NDArray[np.bool_], cells: Cells, weight: Floats | None = None
    ) -> None:
        self.bots = bots
        """How many; an index stands for each."""
        self.order = order
        self.ties = ties
        self.cells = cells
        self.games: Ints = np.bincount(cells.row, cells.games, len(order)).astype(np.int64)
        """By row."""
        self.weight: Floats = np.ones(len(order)) if weight is None else weight
        """By row: how much each of its games counts."""
        self.counted: Floats = self.games * self.weight
        """By row: how many games it counts as."""

    @classmethod
    def from_rankings(cls, bots: int, lineups: Ints, ranks: Ints, groups: Ints, games: Ints) -> RankingTable:
        """Count results: row i says that `lineups[i]` came in at `ranks[i]` in `games[i]` games of that deal group."""
        index = np.lexsort((lineups, ranks), axis=-1) if len(lineups) else np.zeros(lineups.shape, dtype=np.int64)
        order = np.take_along_axis(lineups, index, axis=1)
        ordered = np.take_along_axis(ranks, index, axis=1)
        ties = ordered[:, 1:] == ordered[:, :-1]
        keys = row_keys([*order.T, *ties.T.astype(np.int64)], [bots] * order.shape[1] + [2] * ties.shape[1])
        _, first, row = np.unique(keys, return_index=True, return_inverse=True)
        group_count = int(groups.max(initial=0)) + 1
        both, cell = np.unique(row * group_count + groups, return_inverse=True)
        counts = np.bincount(cell, games, len(both)).astype(np.int64)
        return cls(bots, order[first], ties[first], Cells(both // group_count, both % group_count, counts))

    @property
    def players(self) -> int:
        """Seats at a table."""
        return int(self.order.shape[1])

    def weighted(self, weight: Floats) -> RankingTable:
        """The same results, with other weights of their games, by row."""
        return RankingTable(self.bots, self.order, self.ties, self.cells, weight)

    @cached_property
    def lineup(self) -> Ints:
        """By row: the number of its lineup."""
        return lineup_numbers(np.sort(self.order, axis=1), self.bots)

    @cached_property
    def pools(self) -> Ints:
        """For each bot the number of its pool: bots connected by games, directly or by way of others."""
        return self._connected("weak", self.order[:, :-1].ravel(), self.order[:, 1:].ravel())

    @cached_property
    def leagues_of_equals(self) -> Ints:
        """For each bot the number of its league of equals: those linked by upsets or ties in both directions.

        If a pool has more than one, some bots came in ahead of some others without exception, and only the prior says
        how far apart they are.
        """
        upper, lower = self.order[:, :-1], self.order[:, 1:]
        ahead, behind = np.r_[upper.ravel(), lower[self.ties]], np.r_[lower.ravel(), upper[self.ties]]
        return self._connected("strong", ahead, behind)

    def _connected(self, how: str, start: Ints, stop: Ints) -> Ints:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        links = coo_array((np.ones(len(start)), (start, stop)), shape=(self.bots, self.bots))
        labels: Ints = connected_components(links, connection=how)[1].astype(np.int64)
        return labels

    @cached_property
    def tie_rate(self) -> float:
        """How many neighbours in the final order shared a place: zero only if none ever did, and never one."""
        ties = float((self.ties.sum(axis=1) * self.counted).sum())
        neighbours = float(self.counted.sum()) * (self.players - 1)
        return (ties + 0.5) / (neighbours + 1) if ties else 0.0


class Cells(NamedTuple):
    """How often each row was seen in each group of deals, where it was."""

    row: Ints
    group: Ints
    games: Ints


def changes(rows: Ints) -> NDArray[np.bool_]:
    """By row: whether it differs from the one before."""
    changed = np.ones(len(rows), dtype=bool)
    changed[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return changed


def row_keys(columns: list[Ints], sizes: list[int]) -> Ints:
    """One number for each row, ordered as the rows are; a column holds numbers from 0 up to its size."""
    keys = np.zeros_like(columns[0])
    bound = 1
    for column, size in zip(columns, sizes, strict=True):
        if bound * size > 2**62:  # the numbers that occur are renumbered, in order
            distinct, keys = np.unique(keys, return_inverse=True)
            bound = len(distinct)
        keys = keys * size + column
        bound *= size
    return keys


def lineup_numbers(lineups: Ints, bots: int) -> Ints:
    """By row: the number of its lineup, which is given as ascending indices of bots."""
    keys = row_keys(list(lineups.T), [bots] * lineups.shape[1])
    numbers: Ints = np.unique(keys, return_inverse=True)[1].ravel()
    return numbers


def summed(at: Ints, values: Floats, size: int) -> Floats:
    """Add up values by index, always in the same order."""
    return np.bincount(at.ravel(), values.ravel(), size).astype(np.float64)


def centred(values: Floats, pools: Ints) -> Floats:
    """Values minus their mean over each pool, by the last axis: games say nothing about the common level.

    A bot that met no other one stays as it is.
    """
    values = values.copy()
    for pool in np.flatnonzero(np.bincount(pools) > 1):
        members = pools == pool
        values[..., members] -= values[..., members].mean(axis=-1, keepdims=True)
    return values


def information(bots: int, order: Ints, links: Floats) -> Floats:
    """Add up how much each two places of each row tie their bots together: the joint precision, bots by bots.

    Pairs of places are in the order of `np.triu_indices`. A game shows differences only, so every line sums to zero.
    """
    upper, lower = np.triu_indices(order.shape[1], 1)
    tied = summed(order[:, upper] * bots + order[:, lower], links, bots**2).reshape(bots, bots)
    tied = tied + tied.T
    joint = -tied
    np.fill_diagonal(joint, tied.sum(axis=1))
    return joint
