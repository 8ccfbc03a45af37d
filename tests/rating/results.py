"""Results of leagues that were never played, for tests of standings."""

from collections import Counter
from itertools import combinations

import numpy as np

from league.plan.seating import seating_of
from league.results.tallies import Results
from league.values.block import Block, BlockResult, Entrant, Fault, Ranking, Series, Tally
from league.values.settings import Contest, Limits, Rating
from tests.rating.simulate import play


def contest(game="raj", players=2):
    return Contest(game, players, {}, 1)


def block(one, lineup, rotation=0, deals=64):
    entrants = tuple(Entrant(name, "hash") for name in lineup)
    return Block(Series(one, entrants, rotation, 1, Limits()), 0, deals)


def result(block, ranks, points=None, faults=(), forfeits=()):
    """A block whose deals ended with these ranks, by entrant."""
    seatings = [seating_of(block.series, deal).number for deal in range(len(ranks))]
    counts = Counter((deal % 64, seatings[deal], tuple(map(int, row))) for deal, row in enumerate(ranks))
    rankings = tuple(Ranking(*key, games) for key, games in sorted(counts.items()))
    return BlockResult(
        block, Tally(rankings, ((0, tuple(points)),) if points else (), ()), tuple(faults), forfeits=tuple(forfeits)
    )


def fault(block, bot, kind="timeout"):
    return Fault(bot, str(block.series.address(0)), kind, "too slow")


def blocks_of(one, skills, deals=64, seed=0):
    """Everybody against everybody, in all rotations."""
    rng = np.random.default_rng([seed, one.players])
    for lineup in combinations(sorted(skills), one.players):
        strengths = [skills[name] for name in lineup]
        for rotation in range(one.players):
            ranks = play(rng, strengths, np.tile(np.arange(one.players), (deals, 1)))
            yield result(block(one, lineup, rotation, deals), ranks, points=[7] * one.players)


def results_of(blocks, contests, plays, rating=None):
    gathered = Results(contests, plays, rating or Rating())
    for one in blocks:
        gathered.add(one)
    return gathered
