"""What places are worth, and which of them intervals leave open."""

import numpy as np
import pytest

from league.rating.places import apart_by_intervals, apart_by_leads, place_ranges, place_scores, sharing


@pytest.mark.parametrize(
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


def by_intervals(low, high):
    return place_ranges(apart_by_intervals(np.array(low), np.array(high)))


def test_place_ranges():
    assert by_intervals([5.0, 4.0, 1.0], [7.0, 6.0, 2.0]) == ["1-2", "1-2", "3"]
    assert by_intervals([4.0, 2.0, 0.0], [6.0, 5.0, 3.0]) == ["1-2", "1-3", "2-3"]
    assert by_intervals([], []) == []
    assert place_ranges(np.zeros((2, 2), dtype=bool)) == ["1-2", "1-2"]


def test_an_error_that_bots_share_does_not_hide_who_is_ahead():
    rng = np.random.default_rng(1)
    rating = np.array([30.0, 29.0, 20.0])
    shared = 2 * rng.normal(size=(2000, 1)) * [1, 1, 0]
    samples = rating + shared + 0.2 * rng.normal(size=(2000, 3))
    low, high = np.quantile(samples, [0.025, 0.975], axis=0)
    assert by_intervals(low, high) == ["1-2", "1-2", "3"]
    assert place_ranges(apart_by_leads(rating, samples)) == ["1", "2", "3"]
