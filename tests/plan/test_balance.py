"""Samples of lineups: different ones, every bot equally often, every pair as equally as can be."""

from collections import Counter
from itertools import combinations
from math import comb
from random import Random

import pytest

from league.plan.balance import balanced_lineups, dealt_lineups

GRID = [
    (bots, players, most)
    for players in (3, 4, 5, 6)
    for bots in range(players + 2, 13)
    for most in sorted({bots, 2 * bots + 1, comb(bots, players) // 2, comb(bots, players) * 3 // 4})
    if bots <= most
]
"""Every table of three to six with up to twelve bots: one round, two and a bit, half of all lineups, most of them."""

LARGE = [(40, 3, 5000), (41, 4, 5000), (50, 5, 500), (100, 6, 600)]


def spread(counts):
    return max(counts) - min(counts)


def sat(lineups, bots):
    counts = Counter(bot for lineup in lineups for bot in lineup)
    return [counts[bot] for bot in range(bots)]


def met(lineups, bots):
    counts = Counter(pair for lineup in lineups for pair in combinations(lineup, 2))
    return [counts[pair] for pair in combinations(range(bots), 2)]


def well_formed(lineups, bots, players):
    assert lineups == sorted(set(lineups))
    assert all(lineup == tuple(sorted(set(lineup))) and len(lineup) == players for lineup in lineups)
    assert all(0 <= bot < bots for lineup in lineups for bot in lineup)


@pytest.mark.parametrize(("bots", "players", "most"), GRID + LARGE)
def test_every_bot_equally_often_and_every_pair_within_one(bots, players, most):
    lineups = balanced_lineups(bots, players, most, Random(1))
    well_formed(lineups, bots, players)
    assert 0 < len(lineups) <= most
    assert spread(sat(lineups, bots)) == 0
    assert spread(met(lineups, bots)) <= 1


@pytest.mark.parametrize(("bots", "players", "most"), LARGE)
def test_little_of_what_was_asked_for_is_given_up(bots, players, most):
    """A round is a lineup for each bot; pairs may need some rounds fewer to come out equal."""
    assert len(balanced_lineups(bots, players, most, Random(1))) > most - 5 * bots


def test_lineups_that_look_alike_after_half_a_circle_do_not_hang_the_search():
    """Of the 495 tables of four among twelve bots, 480 go a full circle: 41 rounds of twelve cannot be had."""
    lineups = balanced_lineups(12, 4, 493, Random(1))
    well_formed(lineups, 12, 4)
    assert len(lineups) <= 480


@pytest.mark.parametrize("players", [3, 4, 6])
@pytest.mark.parametrize("bots", [7, 10, 30])
def test_fewer_lineups_than_bots_still_share_the_seats(bots, players):
    for most in range(1, bots):
        lineups = balanced_lineups(bots, players, most, Random(most))
        well_formed(lineups, bots, players)
        assert len(lineups) == most
        assert spread(sat(lineups, bots)) <= 1


def test_with_few_lineups_nobody_meets_the_same_bots_before_having_met_others():
    """Thirteen bots and four seats have a plane of thirteen lineups where all pairs meet once; half of it exists."""
    lineups = dealt_lineups(13, 4, 6, Random(2))
    assert max(met(lineups, 13)) <= 2


@pytest.mark.parametrize(("bots", "players", "most"), [(9, 3, 40), (9, 3, 5), (12, 5, 100)])
def test_the_same_seed_gives_the_same_lineups(bots, players, most):
    assert balanced_lineups(bots, players, most, Random(5)) == balanced_lineups(bots, players, most, Random(5))
    assert balanced_lineups(bots, players, most, Random(5)) != balanced_lineups(bots, players, most, Random(6))
