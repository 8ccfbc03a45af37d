"""Whether A is really better than B."""

import re
from itertools import permutations

import numpy as np
import pytest
from scipy.special import stdtrit

from league.errors import LeagueError
from league.plan.seating import seating_of
from league.results.compare import Difference, compare, describe, games_to_settle
from league.results.standings import Standings
from tests.rating.results import block, blocks_of, contest, fault, result, results_of

SKILLS = {"ann": 5.0, "bob": 0.0, "cy": 0.0, "dee": -5.0}
TWO, THREE = contest("raj", 2), contest("raj", 3)


@pytest.fixture(scope="module")
def standings():
    blocks = [*blocks_of(TWO, SKILLS), *blocks_of(THREE, SKILLS)]
    return Standings(results_of(blocks, [TWO, THREE], dict.fromkeys(SKILLS, ("raj-2p", "raj-3p"))))


def test_the_better_bot_is_found(standings):
    comparison = compare(standings, "ann", "dee")
    assert comparison.overall.settled
    assert comparison.overall.low < 10 < comparison.overall.high + 1
    assert comparison.superiority > 0.999
    for one in comparison.contests:
        assert one.more_games == 0
        assert one.shared.low > 0
        assert one.together.score > 0.7
        assert one.together_low < one.together.score < one.together_high


def test_equals_are_not_told_apart(standings):
    comparison = compare(standings, "bob", "cy")
    assert 0.001 < comparison.superiority < 0.999
    assert any(one.more_games != 0 for one in comparison.contests)


def test_both_sides_are_alike(standings):
    one, other = compare(standings, "ann", "bob"), compare(standings, "bob", "ann")
    assert one.overall.value == pytest.approx(-other.overall.value)
    assert one.overall.low == pytest.approx(-other.overall.high)
    assert one.superiority == pytest.approx(1 - other.superiority)
    for mine, theirs in zip(one.contests, other.contests, strict=True):
        assert mine.shared.value == pytest.approx(-theirs.shared.value)
        assert mine.together.wins == theirs.together.losses


def test_games_are_split_by_the_seat_of_the_first():
    """At rotation r, the first of the lineup sits at seat r: here it wins there exactly if the seat is the second."""
    blocks = [result(block(TWO, ("ann", "bob"), rotation, 8), [[1 - rotation, rotation]] * 8) for rotation in (0, 1)]
    standings = Standings(results_of(blocks, [TWO], dict.fromkeys(("ann", "bob"), ("raj-2p",))))
    (one,) = compare(standings, "ann", "bob").contests
    assert [(seat, record.score) for seat, record in one.seats] == [(1, 0.0), (2, 1.0)]
    (other,) = compare(standings, "bob", "ann").contests
    assert [(seat, record.score) for seat, record in other.seats] == [(1, 0.0), (2, 1.0)]
    assert one.together.score == 0.5
    assert one.shared is None


def by_seat_alone(lineups, deals=6, rotations=(0, 1, 2)):
    """Blocks for three in which the first seat wins and the last one loses, whoever sits there."""
    for lineup in lineups:
        for rotation in rotations:
            one = block(THREE, lineup, rotation, deals)
            yield result(one, [seating_of(one.series, deal).seats for deal in range(deals)])


def test_at_larger_tables_games_are_split_by_the_seat_of_the_first_as_well():
    """Circular orders change from deal to deal, so that no rotation tells a seat."""
    blocks = by_seat_alone([("ann", "bob", "cy")])
    standings = Standings(results_of(blocks, [THREE], dict.fromkeys(("ann", "bob", "cy"), ("raj-3p",))))
    for a, b in permutations(("ann", "bob", "cy"), 2):
        (one,) = compare(standings, a, b).contests
        assert [(seat, record.games, record.score) for seat, record in one.seats] == [
            (1, 6, 1.0),
            (2, 6, 0.5),
            (3, 6, 0.0),
        ]


@pytest.mark.parametrize(("a", "b"), [("ann", "bob"), ("ann", "yan"), ("yan", "zoe"), ("zoe", "ann")])
def test_shared_deals_are_those_of_the_same_seat_at_larger_tables_too(a, b):
    """Only seats decide, and b has not been in all of them: whatever their names, nothing is between the two."""
    lineups = [tuple(sorted((name, "mia", "xia"))) for name in (a, b)]
    blocks = [*by_seat_alone(lineups[:1], deals=5), *by_seat_alone(lineups[1:], deals=5, rotations=(1,))]
    standings = Standings(results_of(blocks, [THREE], dict.fromkeys((a, b, "mia", "xia"), ("raj-3p",))))
    (one,) = compare(standings, a, b).contests
    assert one.shared.value == 0
    assert one.shared_games == 2 * 5


def test_luck_of_the_deal_cancels_on_shared_deals():
    """Both win and lose with the deal, but for one deal in eight, where ann wins and bob does not."""
    blocks = []
    for name, bonus in (("ann", 8), ("bob", 99)):
        ranks = [[0, 1] if deal % 2 or deal % bonus == 0 else [1, 0] for deal in range(64)]
        blocks.append(result(block(TWO, (name, "zed")), ranks))
    standings = Standings(results_of(blocks, [TWO], dict.fromkeys(("ann", "bob", "zed"), ("raj-2p",))))
    (one,) = compare(standings, "ann", "bob").contests
    assert one.together is None
    assert one.shared.value == pytest.approx(7 / 64)
    assert one.shared.settled
    independent = 1.96 * np.sqrt(2 * 0.25 / 64)
    assert one.shared.high - one.shared.value < independent / 2


def zed_beats(names, deals, rotations=(0, 1)):
    """Blocks in which these bots met zed: whoever sits first wins."""
    for name in names:
        for rotation in rotations:
            yield result(block(TWO, (name, "zed"), rotation, deals), [[rotation, 1 - rotation]] * deals)


def test_only_what_both_have_played_is_shared():
    """The first seat wins always, bob has not yet sat there, and ann has played twice as many deals."""
    blocks = [*zed_beats(["ann"], 128), *zed_beats(["bob"], 64, rotations=(1,))]
    standings = Standings(results_of(blocks, [TWO], dict.fromkeys(("ann", "bob", "zed"), ("raj-2p",))))
    (one,) = compare(standings, "ann", "bob").contests
    assert one.shared.value == 0
    assert one.shared_games == 128


def test_one_group_of_deals_says_nothing_about_the_luck_in_deals():
    blocks = [*zed_beats(["ann", "bob"], 1)]
    standings = Standings(results_of(blocks, [TWO], dict.fromkeys(("ann", "bob", "zed"), ("raj-2p",))))
    comparison = compare(standings, "ann", "bob")
    (one,) = comparison.contests
    assert (one.shared.low, one.shared.high) == (-1, 1)
    guess = "raj-2p: fewer than 5 matches of each lineup, so intervals are a guess"
    assert f"{guess} (deals: 5 is enough)." in comparison.notices


@pytest.mark.parametrize("deals", [2, 64])
def test_results_that_never_vary_are_not_beyond_all_doubt(deals):
    standings = Standings(
        results_of(zed_beats(["ann", "bob"], deals), [TWO], dict.fromkeys(("ann", "bob", "zed"), ("raj-2p",)))
    )
    (one,) = compare(standings, "ann", "bob").contests
    assert one.shared.value == 0
    assert one.shared.low < -1 / (2 * deals)


def test_a_game_of_both_is_one_game(standings):
    comparison = compare(standings, "ann", "bob")
    pairs, three = comparison.contests
    assert pairs.games == 5 * 2 * 64  # of six pairings, all but the one of the other two
    assert three.games == 4 * 3 * 64


def test_bots_of_different_pools_are_not_compared():
    apart = [*blocks_of(TWO, {"ann": 1.0, "bob": 0.0}), *blocks_of(TWO, {"cy": 1.0, "dee": 0.0})]
    plays = dict.fromkeys(SKILLS, ("raj-2p", "raj-3p"))
    with pytest.raises(LeagueError, match="ann and cy never met, directly or by way of others"):
        compare(Standings(results_of(apart, [TWO, THREE], plays)), "ann", "cy")
    comparison = compare(Standings(results_of([*apart, *blocks_of(THREE, SKILLS)], [TWO, THREE], plays)), "ann", "cy")
    assert [one.contest for one in comparison.contests] == ["raj-3p"]
    assert "! raj-2p: left out, since ann and cy never met there" in describe(comparison)


def test_faults_of_the_two_are_told_and_those_of_others_are_not():
    blocks = list(blocks_of(TWO, SKILLS))
    blocks.append(result(blocks[0].block, [[0, 1]] * 64, faults=[fault(blocks[0].block, "ann")]))
    blocks.append(result(blocks[0].block, [[0, 1]] * 64, faults=[fault(blocks[0].block, "cy")]))
    notices = compare(Standings(results_of(blocks, [TWO], dict.fromkeys(SKILLS, ("raj-2p",)))), "ann", "bob").notices
    assert notices == ("raj-2p: 1 fault of ann (1 timeout).",)


def test_how_many_more_games():
    assert games_to_settle(Difference(1.0, 0.8, 1.2), 0.1, 1000, 64) == 0
    assert games_to_settle(Difference(0.0, -2.0, 2.0), 1.0, 1000, 64) is None
    assert games_to_settle(Difference(0.0099, -2.0, 2.0), 1.0, 1000, 64) is None, "a hundredth of the error is luck"
    assert games_to_settle(Difference(0.0101, -2.0, 2.0), 1.0, 1000, 64) is not None
    few, many = (games_to_settle(Difference(value, value - 2, value + 2), 1.0, 1000, 64) for value in (1.0, 0.5))
    assert few == pytest.approx(1000 * (2.85**2 - 1), rel=0.02)
    assert many > 4 * few


@pytest.mark.parametrize("deals", [2, 4, 16])
def test_so_many_more_games_settle_it_as_often_as_promised(deals):
    """Two bots that differ by a fifth of their luck in a deal: where it is open, the rest is played as told."""
    rng = np.random.default_rng(deals)
    settled = []
    while len(settled) < 150:
        first = rng.normal(0.5, 1.0, deals)
        error = first.std(ddof=1) / np.sqrt(deals)
        difference = Difference(0.5, *(0.5 + sign * stdtrit(deals - 1, 0.975) * error for sign in (-1, 1)))
        more = games_to_settle(difference, 1 / np.sqrt(deals), deals, deals)  # as if the true difference had been seen
        if more:
            both = np.r_[first, rng.normal(0.5, 1.0, more)]
            bound = stdtrit(len(both) - 1, 0.975) * both.std(ddof=1) / np.sqrt(len(both))
            settled.append(both.mean() > bound)
    assert 0.7 < np.mean(settled) < 0.9


def test_mistakes_are_told(standings):
    with pytest.raises(LeagueError, match=r"no bot 'anna' in this league\. Did you mean 'ann'"):
        compare(standings, "anna", "bob")
    with pytest.raises(LeagueError, match="found 'ann' twice"):
        compare(standings, "ann", "ann")
    apart = results_of(
        blocks_of(TWO, {"ann": 1, "bob": 0}), [TWO, THREE], {"ann": ["raj-2p"], "bob": ["raj-2p"], "x": []}
    )
    with pytest.raises(LeagueError, match="no contest in common"):
        compare(Standings(apart), "ann", "x")


def test_it_is_told_in_words(standings):
    text = describe(compare(standings, "ann", "bob"))
    assert re.match(
        r"ann is better than bob, by \d\.\d\d points of rating \(\d\.\d\d … \d\.\d\d\)\.\n\nann minus bob\n", text
    )
    other_side = describe(compare(standings, "bob", "ann"))
    assert other_side.splitlines()[0] == text.splitlines()[0]
    even = describe(compare(standings, "bob", "cy"))
    assert re.match(
        r"Not settled: (bob|cy) is ahead by 0\.\d\d points of rating; .* more games would settle it\.", even
    )
    assert "settled" in text
    assert "ann against bob" in text
    assert text.count("raj-3p") == 1 + 1 + 3
