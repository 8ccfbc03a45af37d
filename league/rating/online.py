"""TrueSkill game by game, by the `trueskill` package itself: for ladders that are computed in this way elsewhere.

The games are put in canonical order and then shuffled, seeded by the results themselves. So the order follows from the
results alone, the same results give the same ratings to the last digit, and no bot gains from its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

import numpy as np

from league.rating.fit import draw_probability
from league.rating.table import Floats, RankingTable
from league.values.settings import Rating


def rate_online(table: RankingTable, rating: Rating) -> tuple[Floats, Floats]:
    """Mean and sigma of each bot after all games, one after the other."""
    import trueskill

    environment = trueskill.TrueSkill(
        rating.mu, rating.sigma_at_first, rating.beta, rating.tau, draw_probability=draw_probability(table, rating)
    )
    skills = [environment.create_rating() for _ in range(table.bots)]
    for bots, ranks in shuffled_games(table):
        rated = environment.rate([(skills[bot],) for bot in bots], ranks)
        for bot, (skill,) in zip(bots, rated, strict=True):
            skills[bot] = skill
    return np.array([skill.mu for skill in skills]), np.array([skill.sigma for skill in skills])


def shuffled_games(table: RankingTable) -> Iterator[tuple[list[int], list[int]]]:
    """Game by game: bots, those who share a place in any order, and their ranks."""
    ranks = np.cumsum(np.hstack([np.zeros((len(table.order), 1), dtype=np.int64), ~table.ties]), axis=1)
    rng = np.random.default_rng(_fingerprint(table))
    for row in rng.permutation(np.repeat(np.arange(len(table.order)), table.games)):
        seated = rng.permutation(table.players)
        yield table.order[row, seated].tolist(), ranks[row, seated].tolist()


def _fingerprint(table: RankingTable) -> int:
    """Another number for other results: with the same one for all, the last games would favour the same bots."""
    hashed = blake2b(digest_size=16)
    for part in (table.order, table.ties, table.games):
        hashed.update(part.tobytes())
    return int.from_bytes(hashed.digest())
