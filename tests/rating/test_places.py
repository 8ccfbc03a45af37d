"""What places are worth, and which of them intervals leave open."""

import numpy as np
import pytest

from league.rating.places import place_ranges, place_scores, sharing


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


def test_place_ranges():
    assert place_ranges(np.array([5.0, 4.0, 1.0]), np.array([7.0, 6.0, 2.0])) == ["1-2", "1-2", "3"]
    assert place_ranges(np.array([4.0, 2.0, 0.0]), np.array([6.0, 5.0, 3.0])) == ["1-2", "1-3", "2-3"]
    assert place_ranges(np.array([5.0, 1.0]), np.array([7.0, 2.0]), apart=False) == ["1-2", "1-2"]
    assert place_ranges(np.array([]), np.array([])) == []
