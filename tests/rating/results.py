"""Results of leagues that were never played, for tests of standings."""

from itertools import combinations

import numpy as np

from league.results.games import games_of
from league.results.outcomes import Ending, result_of
from league.results.tallies import Results
from league.values.block import Block, Entrant, Fault, Series
from league.values.settings import Contest, Limits, Rating
from tests.rating.simulate import play


def contest(game="raj", players=2):
    return Contest(game, players, {}, 1)


def block(one, lineup, rotation=0, deals=64):
    entrants = tuple(Entrant(name, "hash") for name in lineup)
    return Block(Series(one, entrants, rotation, 1, Limits()), 0, deals)


def result(block, ranks, points=None, faults=(), forfeits=()):
    """A block whose deals ended with these ranks, by entrant; `points` are the sums of all of them."""
    nothing = (0,) * len(block.series.lineup)
    endings = [Ending(tuple(map(int, row)), nothing) for row in ranks]
    endings[0] = endings[0]._replace(points=tuple(points or nothing))
    for place, games in enumerate(forfeits):
        for deal in range(games):
            endings[deal] = endings[deal]._replace(forfeited=(*endings[deal].forfeited, place))
    return result_of(Block(block.series, block.first, block.first + len(ranks)), endings, faults)


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
        gathered.add(games_of(one))
    return gathered
