"""The places of games as chains: each performance gets messages from the place above it and the place below.

Where places are shared, `tied_orders` lists the orders in which the players can be in the chain.

A site is what the result says about the lead of one place over the next, as a Gaussian. All messages are in natural
form: precision, and precision times mean. Arrays are by place (or site) and game, all games side by side.
"""

from __future__ import annotations

from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from league.rating.table import Floats, Ints


class Chain:
    """The performances of games, with what their players and their results say about them."""

    def __init__(self, expected: Floats, variance: Floats, site_precision: Floats, site_shift: Floats) -> None:
        """Performances before the game, and the sites, which are changed in place."""
        self._precision = 1 / variance
        self._shift = expected * self._precision
        self._site_precision = site_precision
        self._site_shift = site_shift
        self._above_precision, self._above_shift, self._below_precision, self._below_shift = np.zeros(
            (4, *expected.shape)
        )

    def pass_up(self) -> None:
        """Send each place, from the last one upwards, the message of all that is below it."""
        for site in reversed(range(len(self._site_precision))):
            self._below_precision[site], self._below_shift[site] = _passed(
                self._site_precision[site], self._site_shift[site], *self._lower(site)
            )

    def lead(self, site: int) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the lead of one place over the next, without what the result says of it."""
        upper_precision, upper_shift = self._upper(site)
        lower_precision, lower_shift = self._lower(site)
        lead = upper_shift / upper_precision - lower_shift / lower_precision
        return lead, np.sqrt(1 / upper_precision + 1 / lower_precision)

    def set_site(self, site: int, precision: Floats, shift: Floats) -> None:
        """Change a site, and send the lower place the message of all that is above it."""
        self._site_precision[site], self._site_shift[site] = precision, shift
        self._above_precision[site + 1], self._above_shift[site + 1] = _passed(precision, -shift, *self._upper(site))

    def said(self) -> tuple[Floats, Floats]:
        """What each performance has heard from both sides."""
        return self._above_precision + self._below_precision, self._above_shift + self._below_shift

    def _upper(self, site: int) -> tuple[Floats, Floats]:
        """The belief in the place above a site, without what is below it."""
        return self._precision[site] + self._above_precision[site], self._shift[site] + self._above_shift[site]

    def _lower(self, site: int) -> tuple[Floats, Floats]:
        """The belief in the place below a site, without what is above it."""
        place = site + 1
        return self._precision[place] + self._below_precision[place], self._shift[place] + self._below_shift[place]


def links(site_precision: Floats, noise: float) -> Floats:
    """What one game adds to the joint precision of each two of its players, with the sign turned.

    By pair of places, in the order of `np.triu_indices`, and game. The precision of the performances is tridiagonal, so
    its inverse follows from one pass along the chain from either side; nothing is ever subtracted.
    """
    site = noise * site_precision
    places = len(site) + 1
    above, below = np.ones((2, places, site.shape[1]))  # precisions of the places and of all beyond them, in 1/noise
    for place in range(1, places):
        above[place] += site[place - 1] * above[place - 1] / (site[place - 1] + above[place - 1])
    for place in reversed(range(places - 1)):
        below[place] += site[place] * below[place + 1] / (site[place] + below[place + 1])
    passed_on = site / (site + below[1:])
    links = []
    for upper in range(places - 1):
        link = 1 / (noise * (above[upper] + below[upper] - 1))
        for lower in range(upper, places - 1):
            link = link * passed_on[lower]
            links.append(link)
    return np.array(links)


def _passed(site_precision: Floats, site_shift: Floats, precision: Floats, shift: Floats) -> tuple[Floats, Floats]:
    """What a site lets through of the belief in the place on its other side."""
    part = 1 / (site_precision + precision)
    return site_precision * precision * part, (site_precision * shift + site_shift * precision) * part


class TiedOrders(NamedTuple):
    """Rows of a table, in several orders of those who share a place."""

    row: Ints
    """The row of the table."""
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
