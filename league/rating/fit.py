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

from league.rating.table import Floats, Ints, RankingTable, bots_by_bots, summed
from league.rating.truncated import tied, won
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


RAREST_DRAWS = 1e-9
"""A smaller draw probability counts as none: its margin would drown in rounding."""


class Fit(NamedTuple):
    """Skills, with all that error bars need."""

    mean: Floats
    sigma: Floats
    """As TrueSkill means it: each bot's own, as if it were independent of all others."""
    pull: Floats
    """By row and place: how much one such game pulls at the mean of each player; games and prior balance."""
    information: Floats
    """Bots by bots: the curvature of the games' likelihood at the means, without the prior."""
    row_information: Floats
    """By row, place and place: what one such game adds to `information`."""
    prior: float
    """The precision of the prior."""
    rounds: int
    settled: bool
    """False if it gave up after `MAX_ROUNDS`."""


def draw_probability(table: RankingTable, rating: Rating) -> float:
    """As asked for, or measured; never zero where ties occur, which would make a tie impossible."""
    asked = rating.draw_probability
    return table.tie_rate if asked is None or asked < RAREST_DRAWS else asked


def draw_margin(table: RankingTable, rating: Rating) -> float:
    """The lead in performance below which two neighbours share a place."""
    return float(ndtri((draw_probability(table, rating) + 1) / 2) * np.sqrt(2) * rating.beta)


def fit(table: RankingTable, rating: Rating) -> Fit:
    """Fit the skills of all bots to all games at once."""
    games = _Games(table, rating)
    prior = rating.sigma**-2
    mean = np.zeros(table.bots)
    longest, closing_in = 0.0, False
    moved, pace, settled = np.inf, 1.0, False
    for rounds in range(1, MAX_ROUNDS + 1):  # noqa: B007 - told at the end
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
        if unrest < CALM * min(moved, 1.0) or longest < tolerance * rating.sigma:
            before, moved = moved, games.refresh(pace)
            pace = pace if moved < 0.95 * before else max(pace / 2, SLOWEST)
            if max(moved, longest / rating.sigma) < tolerance:
                settled = True
                break
    mean = mean + rating.mu
    sigma = games.precision_of_bots**-0.5
    row_information = games.row_information()
    information = bots_by_bots(table.bots, table.order, row_information * table.games[:, None, None])
    return Fit(mean, sigma, games.pull, information, row_information, prior, rounds, settled)


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
    """All rows of a table as one vectorised factor graph; between rounds it remembers the messages."""

    def __init__(self, table: RankingTable, rating: Rating) -> None:
        rows, players = table.order.shape
        self._table = table
        self._orders = tied_orders(table.ties)
        count = len(self._orders.row)
        self._prior = rating.sigma**-2
        self._noise = rating.beta**2
        self._margin = draw_margin(table, rating)
        # What each result says about the lead of a player over the next one, as a Gaussian in natural form.
        self._site_precision = np.zeros((players - 1, count))
        self._site_shift = np.zeros((players - 1, count))
        self._precision = np.zeros((rows, players))
        self._fresh_precision = self._precision
        self.pull = np.zeros((rows, players))
        self.precision_of_bots = np.full(table.bots, self._prior)

    def gather(self, messages: Floats) -> Floats:
        """Sum what all games say to each bot."""
        weighted = messages * self._table.games[:, None]
        return summed(self._table.order, weighted, self._table.bots)

    def listen(self, mean: Floats) -> None:
        """One sweep of all games, up and down, given the means of all bots; sets `pull`."""
        order = self._table.order
        variance = 1 / (self.precision_of_bots[order] - self._precision)  # without what this very game has said
        expected = mean[order] - self.pull * variance
        row, place, _ = self._orders
        at = row[:, None], place
        chain = _Chain(expected[at].T, variance[at].T + self._noise)
        sites = range(order.shape[1] - 1)
        for site in reversed(sites):
            chain.pass_up(site, self._site_precision[site], self._site_shift[site])
        for site in sites:
            self._update(chain, site)
            chain.pass_down(site, self._site_precision[site], self._site_shift[site])
        for site in reversed(sites):
            chain.pass_up(site, self._site_precision[site], self._site_shift[site])
        said = (chain.above.precision + chain.below.precision).T
        shift = (chain.above.shift + chain.below.shift).T
        muffled = 1 + self._noise * said
        precision = said / muffled
        pull = (shift / muffled - precision * expected[at]) / (1 + precision * variance[at])
        self._fresh_precision, self.pull = self._by_row(precision), self._by_row(pull)

    def refresh(self, pace: float) -> float:
        """Bring the uncertainty of all bots up to date, or go that part of the way; gives the relative change ahead."""
        before = self.precision_of_bots
        self._precision = self._precision + pace * (self._fresh_precision - self._precision)
        self.precision_of_bots = self.gather(self._precision) + self._prior
        return float(np.abs(before / self.precision_of_bots - 1).max(initial=0.0)) / pace

    def _update(self, chain: _Chain, site: int) -> None:
        """Set one site of all rows to what its truncation says, given the rest of the chain."""
        lead, variance = chain.lead(site)
        spread = np.sqrt(variance)
        v, w, rest = won((lead - self._margin) / spread)
        tie = self._table.ties[self._orders.row, site]
        if tie.any():
            v[tie], w[tie], rest[tie] = tied(lead[tie] / spread[tie], self._margin / spread[tie])
        self._site_precision[site] = w / (rest * variance)
        self._site_shift[site] = (spread * v + lead * w) / (rest * variance)

    def row_information(self) -> Floats:
        """By row, place and place: the precision that one game adds to the joint distribution of its players."""
        return self._by_row(self._order_information())

    def rough_information(self) -> Floats:
        """Bots by bots, from one order of each row: good enough to find the way by, and quickly had."""
        row, place, _ = self._orders
        first = np.unique(row, return_index=True)[1]
        order = self._table.order[row[first, None], place[first]]
        values = self._order_information(first) * self._table.games[:, None, None]
        return bots_by_bots(self._table.bots, order, values)

    def _order_information(self, chosen: Ints | slice = slice(None)) -> Floats:
        """By order of those who share a place, place and place: the precision that one such game adds."""
        sites = self._site_precision.T[chosen]
        players = sites.shape[1] + 1
        steps = np.eye(players)[:-1] - np.eye(players)[1:]  # a lead is one performance less the next
        noisy = np.eye(players - 1) + (self._noise * steps @ steps.T) * sites[:, None, :]
        leads = sites[:, :, None] * np.linalg.inv(noisy)
        information: Floats = steps.T @ leads @ steps
        return information

    def _by_row(self, values: Floats) -> Floats:
        """The mean over all orders of a row of what is said about each place, or about each two of them."""
        row, place, share = self._orders
        rows, players = self._table.order.shape
        if len(row) == rows:
            return values
        at = row[:, None] * players + place
        if values.ndim > 2:
            at = at[:, :, None] * players + place[:, None, :]
        shared = values * share.reshape(-1, *[1] * (values.ndim - 1))
        return summed(at, shared, rows * players ** (values.ndim - 1)).reshape(rows, *values.shape[1:])


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


class _Messages:
    """Gaussian messages to each place of all rows, in natural form: precision, and precision times mean."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.precision = np.zeros(shape)
        self.shift = np.zeros(shape)


class _Chain:
    """The performances of all games, best to worst: each hears from the place above it and from the place below."""

    def __init__(self, expected: Floats, variance: Floats) -> None:
        self._precision = 1 / variance
        self._shift = expected / variance
        self.above = _Messages(expected.shape)
        self.below = _Messages(expected.shape)

    def lead(self, site: int) -> tuple[Floats, Floats]:
        """Mean and variance of the lead of one place over the next, but for what the result says about it."""
        upper_mean, upper_variance = self._belief(site, self.above)
        lower_mean, lower_variance = self._belief(site + 1, self.below)
        return upper_mean - lower_mean, upper_variance + lower_variance

    def pass_down(self, site: int, precision: Floats, shift: Floats) -> None:
        """Tell the lower place what the upper one and the result say about it."""
        mean, variance = self._belief(site, self.above)
        muffled = 1 + precision * variance
        self.above.precision[site + 1] = precision / muffled
        self.above.shift[site + 1] = (precision * mean - shift) / muffled

    def pass_up(self, site: int, precision: Floats, shift: Floats) -> None:
        """Tell the upper place what the lower one and the result say about it."""
        mean, variance = self._belief(site + 1, self.below)
        muffled = 1 + precision * variance
        self.below.precision[site] = precision / muffled
        self.below.shift[site] = (precision * mean + shift) / muffled

    def _belief(self, place: int, heard: _Messages) -> tuple[Floats, Floats]:
        """Mean and variance of one place, from its prior and what it heard from one side."""
        variance = 1 / (self._precision[place] + heard.precision[place])
        return (self._shift[place] + heard.shift[place]) * variance, variance
