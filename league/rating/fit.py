"""Order-free TrueSkill: the model of TrueSkill, fitted to all games at once until nothing moves any more.

Bots do not change during a league, so there is one skill for each and no game comes before another. The posterior is
the fixed point of expectation propagation on the factor graph of all games together; online TrueSkill takes one
step of that for each game and never comes back. Equal results send equal messages, so a result that was seen a
million times costs as much as one that was seen once.

Two things keep it quick. The messages of a game run along its chain of neighbours in closed form, for all rows at
once. And the means are not passed around until they settle: in a Gaussian graph the settled means are those of the
joint distribution, so each round solves for them directly, which is Newton's method.
"""

from __future__ import annotations

from collections.abc import Callable
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import ndtri

from league.rating.chain import Chain, links
from league.rating.table import Floats, Ints, Table, information, summed
from league.rating.truncated import cut
from league.values.settings import Rating

TOLERANCE = 1e-9
"""It is settled when no mean moves by more than this part of the prior's sigma, and no precision by this part of it."""
ROUNDING = 1e-14
"""What is lost where the pulls of very many games cancel, as a part of them: more cannot be settled."""
MAX_ROUNDS = 500
CALM = 0.1
"""Uncertainties are brought up to date when the means move by less than this part of them, and by less than this part
of how far they moved the last time: where a bot never loses, hasty updates would swing back and forth for ever."""
CLOSING_IN = 0.3
"""As long as each step is so much shorter than the last one, the old curvature does for the next."""
SLOWEST = 0.1
"""Where uncertainties swing nevertheless, they go only a part of the way, down to this."""
LONGEST_STEP = 6.0
"""In betas: the first rounds of a hopeless mismatch would overshoot."""
PART = 4096
"""So many games are worked on at a time: their arrays fit into a processor's cache."""


RAREST_DRAWS = 1e-9
"""A smaller draw probability counts as none: its margin would drown in rounding."""


class Fit(NamedTuple):
    """Skills, with all that error bars need."""

    mean: Floats
    sigma: Floats
    """As TrueSkill means it: each bot's own, as if it were independent of all others."""
    pull: Floats
    """By row and place: how much one such game pulls at the mean of each player; games and prior balance."""
    links: Floats
    """By row and pair of places: how much one such game ties two players together, as `information` takes it."""
    information: Floats
    """Bots by bots: the curvature of the games' likelihood at the means, without the prior."""
    prior: float
    """The precision of the prior."""
    rounds: int
    settled: bool
    """False if it gave up after `MAX_ROUNDS`."""


def draw_probability(table: Table, rating: Rating) -> float:
    """As asked for, or measured; never zero where ties occur, which would make a tie impossible."""
    asked = rating.draw_probability
    return table.tie_rate if asked is None or asked < RAREST_DRAWS else asked


def draw_margin(table: Table, rating: Rating) -> float:
    """The lead in performance below which two neighbours share a place."""
    return float(ndtri((draw_probability(table, rating) + 1) / 2) * np.sqrt(2) * rating.beta)


def fit(table: Table, rating: Rating) -> Fit:
    """Fit the skills of all bots to all games at once."""
    games = _Games(table, rating)
    prior = rating.sigma**-2
    mean = np.zeros(table.bots)
    longest, closing_in = 0.0, False
    moved, pace, settled = np.inf, 1.0, False
    for rounds in range(1, MAX_ROUNDS + 1):
        games.listen(mean)
        if not closing_in:
            solve = _solver(games.rough_information(), prior)
        step = solve(games.gather(games.pull) - prior * mean)
        last, longest = longest, float(np.abs(step).max(initial=0.0))
        closing_in = longest < CLOSING_IN * last and longest < rating.beta
        tolerance = TOLERANCE + ROUNDING * games.gather(np.abs(games.pull)).max(initial=0.0)
        mean += step * min(1.0, LONGEST_STEP * rating.beta / max(longest, TOLERANCE))
        mean -= pool_means(mean, table.pools)
        unrest = (np.abs(step) * np.sqrt(games.precision_of_bots)).max(initial=0.0)
        if rounds == 1 or unrest < CALM * min(moved, 1.0) or longest < tolerance * rating.sigma:
            before, moved = moved, games.refresh(pace)
            pace = pace if moved < 0.95 * before else max(pace / 2, SLOWEST)
            if max(moved, longest / rating.sigma) < tolerance:
                settled = True
                break
    mean = mean + rating.mu
    sigma = games.precision_of_bots**-0.5
    tied_together = games.links()
    joint = information(table.bots, table.order, tied_together * table.games[:, None])
    return Fit(mean, sigma, games.pull.T, tied_together, joint, prior, rounds, settled)


def pool_means(values: Floats, pools: NDArray[np.int64]) -> Floats:
    """For each bot the mean over its pool."""
    sizes = np.bincount(pools)
    means: Floats = summed(pools, values, len(sizes)) / sizes
    return means[pools]


def _solver(information: Floats, prior: float) -> Callable[[Floats], Floats]:
    """Newton's step for a pull at the means."""
    if not len(information):
        return lambda pull: pull
    factor = cho_factor(information + prior * np.eye(len(information)), lower=True)
    return lambda pull: np.asarray(cho_solve(factor, pull))


class _Games:
    """All rows of a table as one vectorised factor graph; between rounds it remembers the messages.

    Arrays go by place and row, or by place and order: where places are shared, a row stands in several orders.
    """

    def __init__(self, table: Table, rating: Rating) -> None:
        rows, players = table.order.shape
        self._orders = row, place, _ = tied_orders(table.ties)
        self._table = table
        self._bot = np.ascontiguousarray(table.order.T)
        self._prior = rating.sigma**-2
        self._noise = rating.beta**2
        self._margin = draw_margin(table, rating)
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
        self.precision_of_bots = np.full(table.bots, self._prior)

    def gather(self, messages: Floats) -> Floats:
        """Sum what all games say to each bot."""
        return summed(self._bot, messages * self._table.games, self._table.bots)

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
        """Bring the uncertainty of all bots up to date, or go that part of the way; gives the relative change ahead."""
        before = self.precision_of_bots
        self._precision = self._precision + pace * (self._fresh_precision - self._precision)
        self.precision_of_bots = self.gather(self._precision) + self._prior
        return float(np.abs(before / self.precision_of_bots - 1).max(initial=0.0)) / pace

    def rough_information(self) -> Floats:
        """Bots by bots, from one order of each row: good enough to find the way by, and quickly had."""
        order = self._bot.take(self._cell[:, self._first])
        values = links(self._site_precision[:, self._first], self._noise) * self._table.games
        return information(self._table.bots, order.T, values.T)

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
        at = row[:, None] * len(upper) + pair[place[:, upper], place[:, lower]]
        return summed(at, values * share[:, None], rows * len(upper)).reshape(rows, len(upper))

    def _by_row(self, values: Floats) -> Floats:
        """The mean over all orders of a row of what is said about each place."""
        if values.shape == self._bot.shape:
            return values
        return summed(self._cell, values * self._orders.share, self._bot.size).reshape(self._bot.shape)


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

    The model compares neighbours only. Of three who share a place, the first one is told from those above and the
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
