"""Games in which places were shared: the orders in which those who share a place can be listed."""

from __future__ import annotations

from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from league.rating.table import Floats, Ints


class TiedOrders(NamedTuple):
    """Rows of a table, in several orders of those who share a place."""

    row: Ints
    """Of the table."""
    place: Ints
    """By order and position: the place in that row."""
    share: Floats
    """How much of the row this order is."""


def tied_orders(ties: NDArray[np.bool_]) -> TiedOrders:
    """Each row in all orders of those who share a place.

    The model compares neighbours only. Of three who share a place, the first one is compared with those above and the
    last one from those below; with one order for all games, names would decide who that is. Between two players there
    is nothing to decide.
    """
    rows, players = len(ties), ties.shape[1] + 1
    if players == 2 or not ties.any():
        return TiedOrders(np.arange(rows), np.tile(np.arange(players), (rows, 1)), np.ones(rows))
    patterns, of_row = np.unique(ties, axis=0, return_inverse=True)
    parts = []
    for number, pattern in enumerate(patterns):
        orders = np.array(_orders(pattern.tolist()))
        alike = np.nonzero(of_row.ravel() == number)[0]
        share = np.full(len(alike) * len(orders), 1 / len(orders))
        parts.append((np.repeat(alike, len(orders)), np.tile(orders, (len(alike), 1)), share))
    return TiedOrders(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _orders(ties: list[bool]) -> list[tuple[int, ...]]:
    """The orders of the places that a pattern of ties allows."""
    runs: list[list[int]] = [[0]]
    for place, tie in enumerate(ties, 1):
        if tie:
            runs[-1].append(place)
        else:
            runs.append([place])
    choices = [_orders_of_run(run) for run in runs]
    count = lcm(*map(len, choices))  # all runs turn together, which takes fewer orders than each for itself
    return [tuple(place for orders in choices for place in orders[number % len(orders)]) for number in range(count)]


def _orders_of_run(run: list[int]) -> list[tuple[int, ...]]:
    """Round and round, forwards and backwards: everyone is everywhere equally often, and up to three that is all."""
    turned = [(*run[start:], *run[:start]) for start in range(len(run))]
    return list(dict.fromkeys([*turned, *(order[::-1] for order in turned)]))
