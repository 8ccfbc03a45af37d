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

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import ndtri

from league.rating.graph import Games
from league.rating.table import Floats, Ints, RankingTable, centred
from league.values.settings import DEFAULT_SIGMA, Rating

TOLERANCE = 1e-9
"""It is settled when no mean moves by more than this part of the prior's sigma, and no precision by this part of it."""
ROUNDING = 1e-14
"""What is lost where the pulls of very many games cancel, as a part of them: more cannot be settled."""
MAX_ROUNDS = 500
CALM = 0.1
"""Uncertainties are brought up to date when the means move by less than this part of them, and by less than this part
of how far they moved the last time: where a bot never loses, early updates would oscillate forever."""
CLOSING_IN = 0.3
"""As long as each step is shorter than the last one by this factor, the old curvature is used again. The step after an
update of the uncertainties may be longer."""
LONGEST_STEP = 6.0
"""In betas: the first rounds of a hopeless mismatch would overshoot."""
ROUGHLY = 1e-4
"""The tolerance where only the prior's variance is looked for: as long as it moves, nothing has to be settled."""
TYPICAL_BOTS = 3
"""This many bots of the default's sigma are added to the pool that a sigma is learned from."""
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
    prior = rating.sigma_at_first**-2
    games = Games(table, beta=rating.beta, margin=draw_margin(table, rating), prior=prior)
    settle = _settled_with_learned_prior if rating.sigma is None else _settled
    mean, settled = settle(games, np.zeros(table.bots), table.pools, rating.beta)
    sigma = games.precision_of_bots**-0.5
    return Fit(mean + rating.mu, sigma, games.pull.T, games.links(), games.information(), games.prior, settled)


def _settled(games: Games, mean: Floats, pools: Ints, beta: float, precise: float = TOLERANCE) -> tuple[Floats, bool]:
    """Newton's method from these means, until nothing moves any more; and whether that was so in the end."""
    sigma = games.prior**-0.5
    longest, closing_in, refreshed = 0.0, False, False
    moved, pace = np.inf, 1.0
    for number in range(MAX_ROUNDS):
        games.listen(mean)
        if not closing_in:
            factor = curvature(games.information(), games.prior)
        step = solved(factor, games.gather(games.pull) - games.prior * mean)
        last, longest = longest, float(np.abs(step).max(initial=0.0))
        unrest = (np.abs(step) * np.sqrt(games.precision_of_bots)).max(initial=0.0)
        closing_in = longest < beta and (longest < CLOSING_IN * last or (refreshed and unrest < CALM))
        tolerance = precise + ROUNDING * games.gather(np.abs(games.pull)).max(initial=0.0)
        mean = centred(mean + step * min(1.0, LONGEST_STEP * beta / max(longest, TOLERANCE)), pools)
        refreshed = unrest < CALM * min(moved, 1.0) or longest < tolerance * sigma
        if number == 0:  # what the games say is nearer than the prior of every bot
            games.refresh(1.0)
        elif refreshed:
            before, moved = moved, games.refresh(pace)
            pace = _pace(pace, moved / before)
            if max(moved, longest / sigma) < tolerance:
                return mean, True
    return mean, False


def _pace(pace: float, ratio: float) -> float:
    """Slower where uncertainties oscillate, and faster again where they do not."""
    if ratio > 0.95:
        return max(pace / 2, 0.1)
    return min(2 * pace, 1.0) if ratio < 0.6 else pace


def _settled_with_learned_prior(games: Games, mean: Floats, pools: Ints, beta: float) -> tuple[Floats, bool]:
    """With the prior's sigma that the pool itself shows: its square is the mean of (m - mu)² + v over all bots.

    That is expectation maximisation, sped up by the secant of its steps. A few bots with the default's sigma
    count as well: otherwise a small pool, or a bot that always won, would lead to extremes.
    """
    met = np.bincount(pools)[pools] > 1
    precise, before = ROUGHLY, (0.0, 0.0)
    for attempt in range(50):
        mean, settled = _settled(games, mean, pools, beta, precise)
        squares = mean**2 + np.diag(solved(curvature(games.information(), games.prior), np.eye(len(mean))))
        shown = (squares[met].sum() + TYPICAL_BOTS * DEFAULT_SIGMA**2) / (met.sum() + TYPICAL_BOTS)
        log_variance = -np.log(games.prior)
        gap = np.log(shown) - log_variance
        if (abs(gap) < 1e-8 and precise == TOLERANCE) or not settled:
            return mean, settled
        slope = (gap - before[1]) / (log_variance - before[0]) if attempt else -1.0
        before = log_variance, gap
        precise = max(TOLERANCE, min(ROUGHLY, ROUGHLY * abs(gap)))
        games.change_prior(float(np.exp(-log_variance + gap / np.clip(slope, -2.0, -0.05))))
    return mean, False


def curvature(information: Floats, prior: float) -> tuple[Floats, bool]:
    """Information and prior together, factorised: what a pull at the means is solved with."""
    factor: tuple[Floats, bool] = cho_factor(information + prior * np.eye(len(information)), lower=True)
    return factor


def solved(factor: tuple[Floats, bool], wanted: Floats) -> Floats:
    """What the factorised matrix makes `wanted` of."""
    answer: Floats = cho_solve(factor, wanted) if len(wanted) else wanted  # lower versions of scipy solve nothing empty
    return answer
