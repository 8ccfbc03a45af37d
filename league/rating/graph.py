"""The factor graph of all games of a table, vectorised: what the games say to the bots.

The places of a game are a chain: each performance gets messages from the place above it and from the place below. A
site is what the result says about the lead of one place over the next. Sites, beliefs and messages are Gaussians in
natural form: along the first axis precision, and precision times mean. The other axes are places (or sites) and games.
"""

from __future__ import annotations

from math import lcm

import numpy as np
from numpy.typing import NDArray

from league.rating.table import Floats, Ints, RankingTable, information, summed
from league.rating.truncated import cut

PART = 4096
"""This many games are worked on at a time: their arrays fit into a processor's cache."""


class Games:
    """All rows of a table as one vectorised factor graph; between rounds it remembers the messages.

    Arrays are by place and row, or by place and order: where places are shared, a row appears in several orders.
    """

    def __init__(self, table: RankingTable, *, beta: float, margin: float, prior: float) -> None:
        """`prior` is the precision of the bots' prior, and `margin` the lead below which two share a place."""
        rows, players = table.order.shape
        self._table = table
        self._row, self._place, self._share = tied_orders(table.ties)
        self._bot = np.ascontiguousarray(table.order.T)
        self._noise = beta**2
        self._margin = margin
        self._cell = np.ascontiguousarray((self._place * rows + self._row[:, None]).T)
        """By place and order: where that is by place and row."""
        self._ties = np.ascontiguousarray(table.ties[self._row].T)
        self._sites = np.zeros((2, players - 1, len(self._row)))
        self._precision = np.zeros((players, rows))
        self._fresh_precision = self._precision
        self.pull = np.zeros((players, rows))
        self.prior = prior
        self.precision_of_bots = np.full(table.bots, prior)

    def change_prior(self, precision: float) -> None:
        """Go on with another prior."""
        self.precision_of_bots = self.precision_of_bots - self.prior + precision
        self.prior = precision

    def gather(self, messages: Floats) -> Floats:
        """Sum what all games say to each bot."""
        return summed(self._bot, messages * self._table.counted, self._table.bots)

    def listen(self, mean: Floats) -> None:
        """One sweep of all games, up and down, given the means of all bots; sets `pull`."""
        variance = 1 / (self.precision_of_bots[self._bot] - self._precision)  # without what this very game has said
        expected = mean[self._bot] - self.pull * variance
        said = np.empty((2, *self._cell.shape))
        for start in range(0, self._cell.shape[1], PART):
            games = slice(start, start + PART)
            cell = self._cell[:, games]
            said[:, :, games] = self._sweep(games, expected.take(cell), variance.take(cell))
        self._fresh_precision, self.pull = map(self._by_row, said)

    def _sweep(self, games: slice, expected: Floats, variance: Floats) -> tuple[Floats, Floats]:
        """What some games say to their players: precisions, and how much it pulls at the means."""
        precision = 1 / (variance + self._noise)
        own, sites = np.stack([precision, expected * precision]), self._sites[:, :, games]
        above, below = np.zeros((2, *own.shape))
        _pass_up(sites, own, below)
        for site, ties in enumerate(self._ties[:, games]):
            upper, lower = own[:, site] + above[:, site], own[:, site + 1] + below[:, site + 1]
            spread = np.sqrt(1 / upper[0] + 1 / lower[0])
            t = (upper[1] / upper[0] - lower[1] / lower[0]) / spread
            v, w, rest = cut(t, self._margin / spread, ties)
            scale = 1 / (rest * spread)
            sites[:, site] = w * scale / spread, (v + t * w) * scale
            above[:, site + 1] = _passed(sites[0, site], -sites[1, site], upper)
        _pass_up(sites, own, below)
        said, shift = above + below
        muffled = 1 / (1 + self._noise * said)
        precision = said * muffled
        return precision, (shift * muffled - precision * expected) / (1 + precision * variance)

    def refresh(self, pace: float) -> float:
        """Bring the uncertainty of all bots up to date, or go that part of the way; returns the relative change."""
        before = self.precision_of_bots
        self._precision = self._precision + pace * (self._fresh_precision - self._precision)
        self.precision_of_bots = self.gather(self._precision) + self.prior
        return float(np.abs(before / self.precision_of_bots - 1).max(initial=0.0)) / pace

    def information(self) -> Floats:
        """Bots by bots: the joint precision that all games add."""
        return information(self._table.bots, self._table.order, self.links() * self._table.counted[:, None])

    def links(self) -> Floats:
        """By row and pair of places: how much one game ties two players together."""
        values = links(self._sites[0], self._noise).T
        rows, players = self._table.order.shape
        if len(self._row) == rows:
            return values
        upper, lower = np.triu_indices(players, 1)
        pair = np.zeros((players, players), dtype=np.int64)
        pair[upper, lower] = pair[lower, upper] = range(len(upper))
        index = self._row[:, None] * len(upper) + pair[self._place[:, upper], self._place[:, lower]]
        return summed(index, values * self._share[:, None], rows * len(upper)).reshape(rows, len(upper))

    def _by_row(self, values: Floats) -> Floats:
        """The mean over all orders of a row of what is said about each place."""
        if values.shape == self._bot.shape:
            return values
        return summed(self._cell, values * self._share, self._bot.size).reshape(self._bot.shape)


def _pass_up(sites: Floats, own: Floats, below: Floats) -> None:
    """Send each place, from the last one upwards, the message of all that is below it."""
    for site in reversed(range(sites.shape[1])):
        below[:, site] = _passed(sites[0, site], sites[1, site], own[:, site + 1] + below[:, site + 1])


def _passed(site_precision: Floats, site_shift: Floats, belief: Floats) -> tuple[Floats, Floats]:
    """What a site lets through of the belief in the place on its other side."""
    precision, shift = belief
    part = 1 / (site_precision + precision)
    return site_precision * precision * part, (site_precision * shift + site_shift * precision) * part


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


def tied_orders(ties: NDArray[np.bool_]) -> tuple[Ints, Ints, Floats]:
    """Each row in all orders of those who share a place: its number; by position the place; its part of the row.

    The model compares neighbours only. Of three who share a place, the first one is compared with those above and the
    last one from those below; with one order for all games, names would decide who that is. Between two players there
    is nothing to decide.
    """
    rows, players = len(ties), ties.shape[1] + 1
    if players == 2 or not ties.any():
        return np.arange(rows), np.tile(np.arange(players), (rows, 1)), np.ones(rows)
    patterns, of_row = np.unique(ties, axis=0, return_inverse=True)
    parts = []
    for number, pattern in enumerate(patterns):
        orders = np.array(_orders(pattern.tolist()))
        alike = np.nonzero(of_row.ravel() == number)[0]
        share = np.full(len(alike) * len(orders), 1 / len(orders))
        parts.append((np.repeat(alike, len(orders)), np.tile(orders, (len(alike), 1)), share))
    row, place, share = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return row, place, share


def _orders(ties: list[bool]) -> list[tuple[int, ...]]:
    """The orders of the places that a pattern of ties allows: of those who share one, everyone is everywhere."""
    runs: list[list[int]] = [[0]]
    for place, tie in enumerate(ties, 1):
        if tie:
            runs[-1].append(place)
        else:
            runs.append([place])
    choices = []
    for run in runs:  # round and round, forwards and backwards: up to three that is all
        turned = [(*run[start:], *run[:start]) for start in range(len(run))]
        choices.append(list(dict.fromkeys([*turned, *(order[::-1] for order in turned)])))
    count = lcm(*map(len, choices))  # all runs turn together, which takes fewer orders than each for itself
    return [tuple(place for orders in choices for place in orders[number % len(orders)]) for number in range(count)]
