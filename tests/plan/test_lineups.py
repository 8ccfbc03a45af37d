"""Lineups that are counted without being listed, and samples that grow with the field."""

from collections import Counter
from itertools import combinations
from math import comb
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from league.plan.lineups import Combinations, Listed, sampled
from league.tools.seeds import Seeds
from tests.tables import each

SEEDS = Seeds(7, "lineups", "raj", 4)


def named(names, seats, most):
    """A sample as sets of names."""
    names = sorted(names)
    return {frozenset(names[bot] for bot in lineup) for lineup in sampled(names, seats, most, SEEDS)}


def crowd(count):
    return [f"bot{number}" for number in range(count)]


class TestCombinations:
    @given(st.integers(1, 9), st.integers(1, 5))
    def test_are_those_of_itertools_in_the_same_order(self, bots, seats):
        lineups = Combinations(bots, seats)
        expected = list(combinations(range(bots), seats))
        assert list(lineups) == expected
        assert [lineups.rank(lineup) for lineup in expected] == list(range(len(expected)))

    def test_have_no_rank_for_what_is_no_lineup(self):
        assert Combinations(5, 2).rank((3, 1)) is None
        assert Combinations(5, 2).rank((3, 3)) is None

    def test_are_as_quick_for_many_bots(self):
        lineups = Combinations(100_000, 4)
        assert len(lineups) == comb(100_000, 4)
        assert lineups.rank(lineups[10**18]) == 10**18


def test_listed_lineups_are_looked_up():
    lineups = Listed([(1, 0), (0, 2)])
    assert [lineups.rank(lineup) for lineup in [(0, 2), (1, 0), (0, 1)]] == [0, 1, None]
    assert list(lineups) == [(0, 2), (1, 0)]
    assert list(lineups.in_turns()) == [1, 0]


@each(("bots", "seats"), [(2, 2), (5, 2), (6, 2), (6, 3), (8, 4), (9, 3), (7, 1), (10, 5), (4, 4)])
def test_all_lineups_have_their_turns_and_everybody_advances_together(bots, seats):
    lineups = Combinations(bots, seats)
    order = list(lineups.in_turns())
    assert sorted(order) == list(range(len(lineups)))
    sat = Counter(dict.fromkeys(range(bots), 0))
    for rank in order:
        sat.update(lineups[rank])
        assert max(sat.values()) - min(sat.values()) <= seats


def test_the_first_turns_of_many_bots_come_at_once():
    order = Combinations(100_000, 4).in_turns()
    assert len({next(order) for _ in range(100)}) == 100


class TestSamples:
    @each(("bots", "seats", "most"), [(40, 4, 320), (40, 2, 200), (200, 4, 1600), (12, 2, 40), (12, 3, 100)])
    def test_have_the_size_asked_for_and_sit_everybody_about_equally_often(self, bots, seats, most):
        lineups = named(crowd(bots), seats, most)
        assert len(lineups) == most
        assert {len(lineup) for lineup in lineups} == {seats}
        sat = Counter(name for lineup in lineups for name in lineup)
        mean = seats * most / bots
        assert min(sat.values()) > 0.6 * mean
        assert max(sat.values()) < 1.4 * mean

    def test_pairs_of_large_tables_meet_about_equally_often(self):
        met = Counter(pair for lineup in named(crowd(40), 4, 320) for pair in combinations(sorted(lineup), 2))
        assert max(met.values()) <= 10  # 2.5 on average
        assert len(met) > 0.8 * comb(40, 2)

    def test_depend_on_the_seed_and_the_names_only(self):
        names = crowd(12)
        assert named(names, 3, 60) == named(names[::-1], 3, 60)
        other = sampled(sorted(names), 3, 60, Seeds(8, "lineups"))
        assert named(names, 3, 60) != {frozenset(sorted(names)[bot] for bot in lineup) for lineup in other}

    @each(("seats", "most"), [(2, 60), (2, 33), (3, 60), (4, 75), (5, 31)])
    def test_a_new_bot_adds_only_lineups_with_it_and_a_bot_that_leaves_is_the_reverse(self, seats, most):
        rng = Random(seats * most)
        names = crowd(15)
        for number in range(12):
            before = named(names, seats, most)
            new = f"new{number}"
            after = named([*names, new], seats, most)
            added, retired = after - before, before - after
            assert added
            assert all(new in lineup for lineup in added)
            assert len(retired) <= len(added) + 1
            left = rng.choice(names)
            names = [name for name in [*names, new] if name != left]
            assert all(left in lineup for lineup in after - named(names, seats, most))

    def test_a_larger_sample_holds_the_smaller_one(self):
        assert named(crowd(15), 3, 50) < named(crowd(15), 3, 70)

    @each("rings", [1, 3])
    def test_a_bot_that_is_new_where_everybody_hosts_equally_often_retires_few(self, rings):
        before, after = named(crowd(40), 4, 40 * rings), named(crowd(41), 4, 41 * rings)
        assert len(after - before) - len(before - after) == rings
        assert len(before - after) <= 5 * rings
