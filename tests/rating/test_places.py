"""What places are worth, and which of them intervals leave open."""

import numpy as np

from league.rating.errors import Errors
from league.rating.places import certain_order, place_ranges, place_scores, plain_ranks, sharing
from tests.tables import each


@each(
    ("ranks", "scores"),
    [
        ([0, 1], [1, 0]),
        ([0, 0], [0.5, 0.5]),
        ([0, 1, 1], [1, 0.25, 0.25]),
        ([2, 0, 0], [0, 0.75, 0.75]),
        ([3, 1, 0, 1], [0, 0.5, 1, 0.5]),
        ([0, 0, 0, 0, 0], [0.5] * 5),
    ],
)
def test_place_scores_go_from_one_to_zero_and_ties_are_averaged(ranks, scores):
    assert place_scores(np.array([ranks])).tolist() == [scores]


def test_of_many_rows_each_stands_for_itself():
    ranks = np.array([[0, 1, 2], [0, 0, 2], [0, 1, 1]])
    assert sharing(ranks).tolist() == [[1, 1, 1], [2, 2, 1], [1, 2, 2]]
    assert place_scores(ranks).sum(axis=1).tolist() == [1.5, 1.5, 1.5]


def order(rating, covariance, known=True, freedom=1e6):
    bots = np.ones(len(rating))
    errors = Errors(np.array(covariance), freedom * bots, np.where(known, 100.0, 0.0) * bots)
    return certain_order(np.array(rating), errors, "x")[0]


def places(rating, covariance, known=True):
    return place_ranges(order(rating, covariance, known))


def test_place_ranges_follow_from_certain_leads():
    assert places([30.0, 29.0, 20.0], np.diag([1.0, 1.0, 1.0])) == ["1-2", "1-2", "3"]
    assert places([30.0, 25.0, 20.0], np.diag([4.0, 4.0, 4.0])) == ["1-2", "1-3", "2-3"]
    assert places([], np.zeros((0, 0))) == []
    assert places([30.0], np.ones((1, 1))) == ["1"]


def test_an_error_that_bots_share_does_not_hide_who_is_ahead():
    shared = np.array([[4.0, 4.0, 0.0], [4.0, 4.0, 0.0], [0.0, 0.0, 0.0]])
    assert places([30.0, 29.0, 20.0], shared + 0.04 * np.eye(3)) == ["1", "2", "3"]
    assert places([30.0, 29.0, 20.0], np.diag([4.04, 4.04, 0.04])) == ["1-2", "1-2", "3"]


def test_bots_with_too_few_matches_are_ahead_of_nobody():
    covariance = 0.01 * np.eye(3)
    assert places([30.0, 25.0, 20.0], covariance, [True, True, False]) == ["1-2", "2-3", "1-3"]
    assert places([30.0, 25.0, 20.0], covariance, [False, False, True]) == ["1-3", "1-3", "1-3"]


@each("bots", [2, 12])
def test_at_most_5_of_100_leagues_of_equals_claim_any_order(bots):
    rng = np.random.default_rng(bots)
    wrong = sum(order(rng.normal(size=bots), np.eye(bots)).any() for _ in range(100))
    assert wrong <= 11


def test_what_is_certain_makes_room_for_the_rest():
    """A lead that would not do among many open ones does where nearly all others are certain."""
    far = np.arange(20) * 100.0
    near = np.r_[far, 5000.0, 5000.0 + 3.1 * np.sqrt(2)]
    assert order(near, np.eye(22))[21, 20]
    equal = np.r_[np.zeros(20), 0.0, 3.1 * np.sqrt(2)]
    assert not order(equal, np.eye(22))[21, 20]


def test_plain_ranks_go_by_rating_and_equals_share_one():
    assert plain_ranks(np.array([20.0, 30.0, 25.0, 25.0])) == [4, 1, 2, 2]


def test_a_lead_that_few_games_decide_is_less_certain():
    """Of two bots, 2.9 standard errors are sure with 100 degrees of freedom, and with 2 they are not."""
    apart = [25.0, 25.0 + 2.9 * np.sqrt(2)]
    assert [order(apart, np.eye(2), freedom=freedom).any() for freedom in (50, 1)] == [True, False]
