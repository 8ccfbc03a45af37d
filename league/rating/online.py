"""TrueSkill game by game, by the `trueskill` package itself: for ladders, where later games should count more.

The order is canonical: deal group by deal group, and in each by lineup and result. It follows from the results alone,
so the same results give the same ratings to the last digit.
"""

from __future__ import annotations

import numpy as np

from league.config import Rating
from league.rating.fit import draw_probability
from league.rating.table import Floats, Table


def rate_online(table: Table, rating: Rating) -> tuple[Floats, Floats]:
    """Mean and sigma of each bot after all games, one after the other."""
    import trueskill

    environment = trueskill.TrueSkill(
        rating.mu, rating.sigma, rating.beta, rating.tau, draw_probability=draw_probability(table, rating)
    )
    skills = [environment.create_rating() for _ in range(table.bots)]
    for bots, ranks, games in canonical_games(table):
        for _ in range(games):
            rated = environment.rate([(skills[bot],) for bot in bots], ranks)
            for bot, (skill,) in zip(bots, rated, strict=True):
                skills[bot] = skill
    return np.array([skill.mu for skill in skills]), np.array([skill.sigma for skill in skills])


def canonical_games(table: Table) -> list[tuple[list[int], list[int], int]]:
    """Who came where how often, in canonical order: bots from best to worst, their ranks, and how many games."""
    row, group, games = table.cells
    ranks = np.cumsum(np.hstack([np.zeros((len(table.order), 1), dtype=np.int64), ~table.ties]), axis=1)
    at = np.lexsort((row, group))
    return [(table.order[row[i]].tolist(), ranks[row[i]].tolist(), int(games[i])) for i in at]
