"""Backward induction: the value of every position of BraveRats, from the last round to the first.

Only values are kept. What to play in a position follows from the values of the positions after it: a matrix game, or
under a Spy a choice and its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from league.extensions.solver import matrix
from league.extensions.solver.braverats.positions import (
    CHUNK,
    Floats,
    Ints,
    as_array,
    cards,
    levels,
    play,
    position_of,
    spies,
)
from league.games.braverats.rules import NO_CARD, NOBODY, BraveRatsState, Cards

BEYOND = 2.0
"""What a card that a seat does not have would cost it: more than a lost game."""

Mix = dict[int, float]
"""How often each card is played; cards that are never played are left out."""
OnProgress = Callable[[int], None]


class Level(NamedTuple):
    """All positions after the same number of rounds."""

    positions: Ints
    """Sorted."""
    values: Floats
    """For seat 0: a won game is 1, a draw 0, a lost one -1."""


class Solution(NamedTuple):
    """A solved game."""

    hands: tuple[Cards, Cards]
    target: int
    levels: tuple[Level, ...]
    """By the number of rounds played."""

    @property
    def value(self) -> float:
        """What seat 0 gets per game if both play perfectly."""
        return float(self.levels[0].values[0])

    @property
    def size(self) -> int:
        """The number of positions."""
        return sum(level.positions.size for level in self.levels)

    @property
    def decisions(self) -> int:
        """In how many positions a seat has to decide, for both seats together: a card shown to a Spy makes another."""
        total = 0
        for level in self.levels:
            spying = spies(level.positions)
            held = [(cards(level.positions, seat) != NO_CARD).sum(axis=0) for seat in (0, 1)]
            shown = np.where(spying == 0, held[1], held[0])
            total += int(np.where(spying == NOBODY, 2, 1 + shown).sum())
        return total

    def value_of(self, state: BraveRatsState) -> float:
        """The value for seat 0 of a state between two rounds."""
        level = self.levels[len(state.history)]
        return float(level.values[np.searchsorted(level.positions, position_of(state))])

    def mixes(self, states: Sequence[BraveRatsState], seat: int) -> list[Mix]:
        """What a perfect player at `seat` plays in each state; it must be its turn."""
        all_mixes: list[Mix] = [{}] * len(states)
        by_round: dict[int, list[int]] = {}
        for index, state in enumerate(states):
            by_round.setdefault(len(state.history), []).append(index)
        for rounds, there in by_round.items():
            positions = as_array([position_of(states[index]) for index in there])
            shown = as_array([states[index].shown for index in there])
            for start in range(0, len(there), CHUNK):
                part = slice(start, start + CHUNK)
                for index, mix in zip(
                    there[part], self._mixes(rounds, positions[part], shown[part], seat), strict=True
                ):
                    all_mixes[index] = mix
        return all_mixes

    def _mixes(self, rounds: int, positions: Ints, shown: Ints, seat: int) -> list[Mix]:
        games, hands = payoffs(positions, self._after(rounds), self.target)
        solved = _solve(games, spies(positions))
        strategies, own, other = (solved.rows, *hands) if seat == 0 else (solved.columns, *hands[::-1])
        answering = shown != NO_CARD
        if answering.any():  # the best answer to the card on the table
            against = (other == shown).argmax(axis=0)
            index = np.arange(positions.size)
            outcomes = games[:, against, index] if seat == 0 else -games[against, :, index].T
            strategies = np.where(answering, np.arange(len(own))[:, None] == outcomes.argmax(axis=0), strategies)
        return [
            {int(card): float(often) for card, often in zip(held, mix, strict=True) if often > 0}
            for held, mix in zip(own.T, strategies.T, strict=True)
        ]

    def _after(self, rounds: int) -> Level:
        return self.levels[rounds + 1] if rounds + 1 < len(self.levels) else NO_LEVEL


NO_LEVEL = Level(np.empty(0, dtype=np.int64), np.empty(0))


def solve(hands: tuple[Cards, Cards], target: int, on_progress: OnProgress | None = None) -> Solution:
    """Solve the game that begins with these hands; `on_progress` is called with the number of positions done."""
    return solve_levels(hands, target, levels(hands, target), on_progress)


def solve_levels(
    hands: tuple[Cards, Cards], target: int, levels: list[Ints], on_progress: OnProgress | None = None
) -> Solution:
    """Solve a game whose positions are known."""
    solved: list[Level] = [NO_LEVEL]
    for positions in reversed(levels):
        values = np.empty(positions.size)
        for start in range(0, positions.size, CHUNK):
            part = positions[start : start + CHUNK]
            games, _ = payoffs(part, solved[-1], target)
            values[start : start + CHUNK] = _solve(games, spies(part)).values
            if on_progress:
                on_progress(part.size)
        solved.append(Level(positions, values))
    return Solution(hands, target, tuple(reversed(solved[1:])))


def payoffs(positions: Ints, after: Level, target: int) -> tuple[Floats, tuple[Ints, Ints]]:
    """The next round of every position as a matrix game, and the cards of its rows and columns."""
    hands = cards(positions, 0), cards(positions, 1)
    games = np.empty((len(hands[0]), len(hands[1]), positions.size))
    for row, first in enumerate(hands[0]):
        for column, second in enumerate(hands[1]):
            there = (first >= 0) & (second >= 0)
            if there.all():
                games[row, column] = _results(positions, first, second, after, target)
                continue
            games[row, column] = np.where(first < 0, -BEYOND, BEYOND)
            games[row, column, there] = _results(positions[there], first[there], second[there], after, target)
    return games, hands


def _results(positions: Ints, first: Ints, second: Ints, after: Level, target: int) -> Floats:
    follow, results = play(positions, first, second, target)
    going_on = np.flatnonzero(np.isnan(results))
    if going_on.size:
        results[going_on] = after.values[np.searchsorted(after.positions, follow[going_on])]
    return results


def _solve(games: Floats, spying: Ints) -> matrix.Solved:
    """Solve rounds; under a Spy, the one who shows plays the safest card; the answer of the spy is computed later."""
    values = np.empty(games.shape[2])
    rows, columns = np.zeros((games.shape[0], values.size)), np.zeros((games.shape[1], values.size))
    at_once = np.flatnonzero(spying == NOBODY)
    if at_once.size:
        values[at_once], rows[:, at_once], columns[:, at_once] = matrix.solve(games[:, :, at_once])
    for spy, shown, answers in ((0, columns, games.max(axis=0)), (1, rows, -games.min(axis=1))):
        there = np.flatnonzero(spying == spy)
        safest = answers[:, there].argmin(axis=0)
        shown[safest, there] = 1
        values[there] = answers[safest, there] * (1 if spy == 0 else -1)
    return matrix.Solved(values, rows, columns)
