"""Games with known strengths, for tests of ratings."""

from itertools import combinations

import numpy as np

from league.rating.table import RankingTable

BETA = 25 / 6


def play(rng, skills, lineups, margin=1.0, luck=None):
    """Ranks of one game for each lineup; neighbours in performance within the margin share a place."""
    performance = np.asarray(skills)[lineups] + BETA * (rng.normal(size=lineups.shape) if luck is None else luck)
    order = np.argsort(-performance, axis=1)
    ordered = np.take_along_axis(performance, order, axis=1)
    apart = ordered[:, :-1] - ordered[:, 1:] >= margin
    level = np.hstack([np.zeros((len(lineups), 1), dtype=int), np.cumsum(apart, axis=1)])
    ranks = np.empty_like(level)
    np.put_along_axis(ranks, order, (level[:, :, None] > level[:, None, :]).sum(axis=2), axis=1)
    return ranks


def all_lineups(bots, players):
    """Every lineup once."""
    return np.array(list(combinations(range(bots), players)))


def table_of(bots, lineups, ranks, groups=None, games=None):
    """A table of single games, or of as many as are given."""
    count = len(lineups)
    zeros, ones = np.zeros(count, dtype=np.int64), np.ones(count, dtype=np.int64)
    shape = (count, len(lineups[0]) if count else 2)
    return RankingTable.from_rankings(
        bots,
        np.array(lineups, dtype=np.int64).reshape(shape),
        np.array(ranks, dtype=np.int64).reshape(shape),
        zeros if groups is None else np.asarray(groups),
        ones if games is None else np.asarray(games),
    )
