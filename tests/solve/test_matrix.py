"""Batches of matrix games: values as by scipy's linear programs, strategies that prove them."""

import numpy as np
import pytest

from league.extensions.solver import matrix
from tests.solve.brute import matrix_value


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 4), (3, 1), (2, 2), (2, 5), (3, 3), (5, 4), (8, 8), (9, 9)])
def test_values_are_those_of_linear_programs(rows, columns):
    games = np.random.default_rng(rows * 10 + columns).uniform(-1, 1, (rows, columns, 12))
    solved = matrix.solve(games)
    for number in range(games.shape[2]):
        assert solved.values[number] == pytest.approx(matrix_value(games[:, :, number]), abs=1e-9)


def test_degenerate_games_come_to_an_end():
    """Small whole numbers make ties of every kind, in which the simplex method may turn in circles."""
    games = np.random.default_rng(0).integers(-1, 2, (6, 6, 3000)).astype(float)
    solved = matrix.solve(games)
    low, high = matrix.proofs(games, solved.rows, solved.columns)
    assert np.abs(high - low).max() <= matrix.TOLERANCE
    assert np.allclose(solved.rows.sum(axis=0), 1)
    assert solved.rows.min() >= 0
    assert solved.columns.min() >= 0
    for number in range(0, 3000, 100):
        assert solved.values[number] == pytest.approx(matrix_value(games[:, :, number]), abs=1e-9)


def test_rock_paper_scissors():
    game = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], dtype=float)[:, :, None]
    solved = matrix.solve(game)
    assert solved.values == pytest.approx([0])
    assert solved.rows[:, 0] == pytest.approx([1 / 3] * 3)
    assert solved.columns[:, 0] == pytest.approx([1 / 3] * 3)


def test_a_value_that_is_not_proven_is_refused(monkeypatch):
    games = np.random.default_rng(1).uniform(-1, 1, (3, 3, 5))

    def wrong(games, patience):
        return np.full((3, games.shape[2]), 1 / 3), np.full((3, games.shape[2]), 1 / 3)

    monkeypatch.setattr(matrix, "_simplex", wrong)
    with pytest.raises(ArithmeticError, match="known only to"):
        matrix.solve(games)


def test_blands_rule_finds_the_same_values():
    games = np.random.default_rng(2).integers(-3, 4, (4, 5, 200)).astype(float)
    rows, columns = matrix._simplex(games, 0)
    low, high = matrix.proofs(games, rows, columns)
    assert np.abs(high - low).max() <= matrix.TOLERANCE
