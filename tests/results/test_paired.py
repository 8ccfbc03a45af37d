"""Shared deals: which games are compared with which, and what a place is worth in them."""

import numpy as np
import pytest

from league.results.paired import paired
from tests.rating.results import block, contest, result, results_of

TWO, THREE = contest("raj", 2), contest("raj", 3)


def lead(one, *tables, bots=("ann", "bob", "mia", "xia")):
    """The place score of ann minus that of bob; each table is a lineup and how all its deals ended, by entrant."""
    blocks = [result(block(one, lineup, deals=len(ranks)), ranks) for lineup, ranks in tables]
    tallies = results_of(blocks, [one], dict.fromkeys(bots, (one.key,))).contests[one.key]
    return paired(tallies.counts(), tallies.bots.index("ann"), tallies.bots.index("bob"))


def test_only_games_against_the_same_opponents_are_compared():
    won, lost = [[0, 1]] * 4, [[1, 0]] * 4
    assert lead(TWO, (("ann", "xia"), won), (("bob", "mia"), lost)) is None
    both = lead(TWO, (("ann", "xia"), won), (("bob", "mia"), lost), (("bob", "xia"), won))
    assert (both.value, both.games) == (0, 8)


def test_games_in_which_both_sat_at_the_table_are_not_compared():
    assert lead(THREE, (("ann", "bob", "xia"), [[0, 1, 2]] * 4)) is None


@pytest.mark.parametrize(
    ("ranks", "score"), [([0, 1, 2], 1), ([0, 0, 2], 0.75), ([0, 0, 0], 0.5), ([1, 0, 1], 0.25), ([2, 0, 0], 0)]
)
def test_who_shares_a_place_gets_the_mean_of_those_places(ranks, score):
    found = lead(THREE, (("ann", "mia", "xia"), [ranks] * 2), (("bob", "mia", "xia"), [[2, 1, 0]] * 2))
    assert found.value == score


def test_games_of_one_group_of_deals_weigh_alike():
    """Deals 0 and 64 are of one group, and so on: of four deals there, ann won three in the same way."""
    deals = [[1, 0] if deal < 64 else [0, 1] for deal in range(256)]
    found = lead(TWO, (("ann", "xia"), deals), (("bob", "xia"), [[1, 0]] * 256))
    assert (found.value, found.games) == (0.75, 512)


def test_the_interval_is_about_the_spread_around_the_difference():
    """Ann is ahead by one half in every second deal: its mean is one quarter, the spread of it that of such deals."""
    deals = [[0, 0] if deal % 2 else [1, 0] for deal in range(64)]
    found = lead(TWO, (("ann", "xia"), deals), (("bob", "xia"), [[1, 0]] * 64))
    error = np.std([0.0, 0.5]) / np.sqrt(63)
    assert found.value == 0.25
    assert (found.high - found.low) / 2 == pytest.approx(1.998 * error, rel=1e-3)
