"""TrueSkill game by game, by the `trueskill` package itself: for ladders that are computed in this way elsewhere.

The games are put in canonical order and then shuffled by a fixed seed. So the order follows from the results alone, the
same results give the same ratings to the last digit, and nobody gains from winning late in the alphabet.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from league.config import Rating
from league.rating.fit import draw_probability
from league.rating.table import Floats, Table

ORDER_SEED = 2006


def rate_online(table: Table, rating: Rating) -> tuple[Floats, Floats]:
    """Mean and sigma of each bot after all games, one after the other."""
    import trueskill

    environment = trueskill.TrueSkill(
        rating.mu, rating.sigma, rating.beta, rating.tau, draw_probability=draw_probability(table, rating)
    )
    skills = [environment.create_rating() for _ in range(table.bots)]
    for bots, ranks in shuffled_games(table):
        rated = environment.rate([(skills[bot],) for bot in bots], ranks)
        for bot, (skill,) in zip(bots, rated, strict=True):
            skills[bot] = skill
    return np.array([skill.mu for skill in skills]), np.array([skill.sigma for skill in skills])


def shuffled_games(table: Table) -> Iterator[tuple[list[int], list[int]]]:
    """Game by game: bots from best to worst, and their ranks."""
    ranks = np.cumsum(np.hstack([np.zeros((len(table.order), 1), dtype=np.int64), ~table.ties]), axis=1)
    rows = list(zip(table.order.tolist(), ranks.tolist(), strict=True))
    games = np.repeat(np.arange(len(rows)), table.games)
    for row in np.random.default_rng(ORDER_SEED).permutation(games):
        yield rows[row]
