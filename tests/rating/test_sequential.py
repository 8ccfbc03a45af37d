"""The test behind duels: false alarms stay below what was promised, although it is looked at all the time."""

from math import prod

import numpy as np
import pytest

from league.rating.sequential import SequentialTest


def duel(rng, chance, deals, block=16, **rates):
    """Both rotations of each deal, looked at after every block; the verdict at the end."""
    test = SequentialTest(**rates)
    while test.verdict is None and test.deals < deals:
        for score in (rng.random((block, 2)) < chance).mean(axis=1).tolist():
            test.add(score)
    return test.verdict


@pytest.mark.soak
def test_equals_are_called_unequal_at_most_as_often_as_alpha_says():
    rng = np.random.default_rng(1)
    duels, alpha = 150, 0.1
    alarms = sum(duel(rng, 0.5, 480, alpha=alpha) in ("a", "b") for _ in range(duels))
    assert alarms <= duels * alpha


def test_a_difference_is_seldom_missed():
    rng = np.random.default_rng(2)
    verdicts = [duel(rng, 0.6, 2000, smallest=0.1, beta=0.1) for _ in range(60)]
    assert verdicts.count("even") <= 60 * 0.1
    assert "b" not in verdicts
    assert verdicts.count("a") > 45


def test_both_sides_are_alike():
    one, other = SequentialTest(), SequentialTest()
    one.add(1.0, 20)
    other.add(0.0, 20)
    assert (one.verdict, other.verdict) == ("a", "b")


def test_a_difference_that_hardly_matters_is_reported():
    test = SequentialTest(smallest=0.1)
    test.add(0.5, 1000)
    assert test.verdict == "even"


def test_counting_again_in_any_order_resumes_it():
    rng = np.random.default_rng(3)
    scores = rng.choice([0.0, 0.25, 0.5, 0.75, 1.0], 300).tolist()
    one, other = SequentialTest(), SequentialTest()
    for score in scores:
        one.add(score)
    for score in sorted(scores):
        other.add(score)
    assert one.interval() == other.interval()
    assert one.scores == other.scores


@pytest.mark.slow
def test_the_interval_holds_at_all_times_at_once():
    rng = np.random.default_rng(4)
    missed = 0
    for _ in range(20):
        test = SequentialTest(alpha=0.1)
        inside = True
        for _ in range(4):
            for score in (rng.random((64, 2)) < 0.55).mean(axis=1).tolist():
                test.add(score)
            low, high = test.interval()
            inside &= low <= 0.55 <= high
        missed += not inside
    assert missed <= 20 * 0.1 + 1


def test_the_ends_of_an_interval_are_where_twelve_gamblers_have_forty_times_their_money():
    test = SequentialTest()
    test.add(1.0, 60)
    test.add(0.5, 30)
    test.add(0.0, 10)
    low, high = test.interval()

    def money(true, side):
        bets = [0.95 * 0.6**gambler / (true if side > 0 else 1 - true) for gambler in range(12)]
        parts = [
            prod((1 + side * bet * (score - true)) ** deals for score, deals in test.scores.items()) for bet in bets
        ]
        return sum(parts) / 12

    assert money(low, 1) == pytest.approx(2 / 0.05, rel=1e-4)
    assert money(high, -1) == pytest.approx(2 / 0.05, rel=1e-4)


def test_nothing_is_known_before_the_first_deal():
    test = SequentialTest()
    assert test.verdict is None
    assert test.mean == 0.5
    assert test.interval() == pytest.approx((0, 1), abs=0.01)
