"""Zero-sum matrix games, many at once.

A batch is an array of shape (rows, columns, games): the row player gets the entry, the column player loses it. Games
with a saddle point in pure strategies are read off; the others are linear programs, solved by the simplex method, one
pivot of all games at a time. Both strategies come out, so every value is proven: the row player's gets at least it
against every column, the column player's gives away at most it against every row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

TOLERANCE = 1e-11
"""The largest difference between the bounds from both sides."""
_ZERO = 1e-12
"""Reduced costs and pivots nearer to zero than this are rounding errors."""
_PATIENCE = 60
"""Pivots by the steepest reduced cost before Bland's rule, which cannot cycle, takes over."""
_MOST_PIVOTS = 10_000


class Solved(NamedTuple):
    """The values of a batch of games, and one pair of optimal strategies for each."""

    values: Floats
    """By game."""
    rows: Floats
    """(rows, games): how often the row player plays each row."""
    columns: Floats
    """(columns, games)."""


def solve(games: Floats) -> Solved:
    """Solve a batch; raises `ArithmeticError` if a value cannot be proven to `TOLERANCE`."""
    height, width, count = games.shape
    floors, ceilings = games.min(axis=1), games.max(axis=0)
    best_row, best_column = floors.argmax(axis=0), ceilings.argmin(axis=0)
    index = np.arange(count)
    rows, columns = np.zeros((height, count)), np.zeros((width, count))
    rows[best_row, index] = columns[best_column, index] = 1
    mixed = np.flatnonzero(ceilings[best_column, index] - floors[best_row, index] > 0)
    if mixed.size:
        rows[:, mixed], columns[:, mixed] = _simplex(games[:, :, mixed], _PATIENCE)
        low, high = proofs(games, rows, columns)
        doubtful = np.flatnonzero(high - low > TOLERANCE)
        if doubtful.size:
            rows[:, doubtful], columns[:, doubtful] = _simplex(games[:, :, doubtful], 0)
    low, high = proofs(games, rows, columns)
    if np.any(high - low > TOLERANCE):
        raise ArithmeticError(f"a matrix game is known only to {(high - low).max():.1e}")
    return Solved((low + high) / 2, rows, columns)


def proofs(games: Floats, rows: Floats, columns: Floats) -> tuple[Floats, Floats]:
    """The least that the row strategies get, and the most that the column strategies concede."""
    low = np.einsum("ig,ijg->jg", rows, games).min(axis=0)
    high = np.einsum("jg,ijg->ig", columns, games).max(axis=0)
    return low, high


def _simplex(games: Floats, patience: int) -> tuple[Floats, Floats]:
    """Optimal strategies, from the column player's program: maximise the sum of y >= 0 with (games + shift) y <= 1.

    The tableau is the condensed one, whose rows are the variables in the basis and whose columns are the others;
    a pivot swaps two of them. Variable j < width is column j of the game, width + i the slack of row i.
    """
    height, width, count = games.shape
    tableau = np.empty((height + 1, width + 1, count))
    tableau[:-1, :-1] = games - games.min(axis=(0, 1)) + 1
    tableau[:-1, -1] = 1
    tableau[-1, :-1] = -1
    tableau[-1, -1] = 0
    basic = np.repeat(np.arange(width, width + height)[:, None], count, axis=1)
    others = np.repeat(np.arange(width)[:, None], count, axis=1)
    rows, columns = np.zeros((height, count)), np.zeros((width, count))
    active = np.arange(count)
    for pivots in range(_MOST_PIVOTS):
        costs = tableau[-1, :-1]
        done = costs.min(axis=0) >= -_ZERO
        if done.any():
            _read_off(tableau[:, :, done], basic[:, done], others[:, done], rows, columns, active[done])
            left = ~done
            tableau, basic, others, active = tableau[:, :, left], basic[:, left], others[:, left], active[left]
            costs = tableau[-1, :-1]
        if not active.size:
            return rows, columns
        if pivots < patience:
            entering = costs.argmin(axis=0)
        else:
            entering = np.where(costs < -_ZERO, others, width + height).argmin(axis=0)
        _pivot(tableau, basic, others, entering)
    raise ArithmeticError("the simplex method does not come to an end")


def _pivot(tableau: Floats, basic: Ints, others: Ints, entering: Ints) -> None:
    """Bring one variable of each game into the basis, in place; the smallest of equal ratios leaves it."""
    index = np.arange(tableau.shape[2])
    column = tableau[:, entering, index]
    candidates = column[:-1]
    ratios = np.full(candidates.shape, np.inf)
    np.divide(tableau[:-1, -1], candidates, out=ratios, where=candidates > _ZERO)
    least = ratios.min(axis=0)
    leaving = np.where(ratios <= least + _ZERO, basic, np.iinfo(np.int64).max).argmin(axis=0)
    pivot = column[leaving, index]
    row = tableau[leaving, :, index].T / pivot
    tableau -= column[:, None] * row[None]
    tableau[leaving, :, index] = row.T
    tableau[:, entering, index] = -column / pivot
    tableau[leaving, entering, index] = 1 / pivot
    basic[leaving, index], others[entering, index] = others[entering, index], basic[leaving, index]


def _read_off(tableau: Floats, basic: Ints, others: Ints, rows: Floats, columns: Floats, games: Ints) -> None:
    """Write the strategies of finished tableaus: the column player's from the right side, the row player's are dual."""
    width = len(columns)
    for labels, amounts in ((basic, tableau[:-1, -1]), (others, tableau[-1, :-1])):
        is_column = labels < width
        strategies = columns if labels is basic else rows
        wanted = is_column if labels is basic else ~is_column
        index = np.broadcast_to(games, labels.shape)
        strategies[labels[wanted] - (0 if labels is basic else width), index[wanted]] = np.maximum(amounts[wanted], 0)
    rows[:, games] /= rows[:, games].sum(axis=0)
    columns[:, games] /= columns[:, games].sum(axis=0)
