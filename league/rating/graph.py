"""The factor graph of all games of a table, vectorised: what the games say to the bots."""

from __future__ import annotations

import numpy as np

from league.rating.chain import Chain, links, tied_orders
from league.rating.table import Floats, RankingTable, information, summed
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
        self._orders = row, place, _ = tied_orders(table.ties)
        self._table = table
        self._bot = np.ascontiguousarray(table.order.T)
        self._noise = beta**2
        self._margin = margin
        self._cell = np.ascontiguousarray((place * rows + row[:, None]).T)
        """By place and order: where that is by place and row."""
        self._first = np.unique(row, return_index=True)[1]
        """One order of each row."""
        self._ties = np.ascontiguousarray(table.ties[row].T)
        # What each result says about the lead of a player over the next one, as a Gaussian in natural form.
        self._site_precision, self._site_shift = np.zeros((2, players - 1, len(row)))
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
        precision, pull = np.empty((2, *self._cell.shape))
        for start in range(0, self._cell.shape[1], PART):
            part = np.s_[:, start : start + PART]
            cell = self._cell[part]
            precision[part], pull[part] = self._sweep(part, expected.take(cell), variance.take(cell))
        self._fresh_precision, self.pull = self._by_row(precision), self._by_row(pull)

    def _sweep(self, part: tuple[slice, slice], expected: Floats, variance: Floats) -> tuple[Floats, Floats]:
        """What a part of the games says to their players: precisions, and how much it pulls at the means."""
        chain = Chain(expected, variance + self._noise, self._site_precision[part], self._site_shift[part])
        chain.pass_up()
        for site, ties in enumerate(self._ties[part]):
            lead, spread = chain.lead(site)
            t = lead / spread
            v, w, rest = cut(t, self._margin / spread, ties)
            scale = 1 / (rest * spread)
            chain.set_site(site, w * scale / spread, (v + t * w) * scale)
        chain.pass_up()
        said, shift = chain.said()
        muffled = 1 / (1 + self._noise * said)
        precision = said * muffled
        return precision, (shift * muffled - precision * expected) / (1 + precision * variance)

    def refresh(self, pace: float) -> float:
        """Bring the uncertainty of all bots up to date, or go that part of the way; returns the relative change."""
        before = self.precision_of_bots
        self._precision = self._precision + pace * (self._fresh_precision - self._precision)
        self.precision_of_bots = self.gather(self._precision) + self.prior
        return float(np.abs(before / self.precision_of_bots - 1).max(initial=0.0)) / pace

    def rough_information(self) -> Floats:
        """Bots by bots, from one order of each row: good enough to find the way by, and quickly had."""
        order = self._bot.take(self._cell[:, self._first])
        values = links(self._site_precision[:, self._first], self._noise) * self._table.counted
        return information(self._table.bots, order.T, values.T)

    def information(self, of_rows: Floats) -> Floats:
        """Bots by bots: the joint precision that all games add, from the `links` of the rows."""
        return information(self._table.bots, self._table.order, of_rows * self._table.counted[:, None])

    def links(self) -> Floats:
        """By row and pair of places: how much one game ties two players together."""
        values = links(self._site_precision, self._noise).T
        row, place, share = self._orders
        rows, players = self._table.order.shape
        if len(row) == rows:
            return values
        upper, lower = np.triu_indices(players, 1)
        pair = np.zeros((players, players), dtype=np.int64)
        pair[upper, lower] = pair[lower, upper] = range(len(upper))
        index = row[:, None] * len(upper) + pair[place[:, upper], place[:, lower]]
        return summed(index, values * share[:, None], rows * len(upper)).reshape(rows, len(upper))

    def _by_row(self, values: Floats) -> Floats:
        """The mean over all orders of a row of what is said about each place."""
        if values.shape == self._bot.shape:
            return values
        return summed(self._cell, values * self._orders.share, self._bot.size).reshape(self._bot.shape)
