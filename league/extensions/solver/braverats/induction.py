"""Backward induction: the value of every position of BraveRats, from the last round to the first.

Only values are kept. What to play in a position follows from the values of the positions after it: a matrix game, or
under a Spy a choice and its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from league.extensions.solver import matrix
from league.extensions.solver.branches import Mix
from league.extensions.solver.braverats.best_response import stepped
from league.extensions.solver.braverats.positions import (
    CHUNK,
    cards,
    levels,
    play,
    position_of,
    spies,
)
from league.extensions.solver.matrix import Floats, Ints
from league.games.braverats.rules import NO_CARD, NOBODY, BraveRatsState, Cards

BEYOND = 2.0
"""What a card that a seat does not have would cost it: more than a lost game."""

Hands = tuple[Cards, Cards]
OnProgress = Callable[[int], None]


def ignore(_: int) -> None:
    """Nobody wants to know."""


class Level(NamedTuple):
    """All positions after the same number of rounds."""

    positions: Ints
    """Sorted."""
    values: Floats
    """For seat 0: a won game is 1, a draw 0, a lost one -1."""


class Solution(NamedTuple):
    """A solved game."""

    hands: Hands
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

    def seen_from(self, state: BraveRatsState) -> int:
        """The seat of a state that is seat 0 here: hands may have been dealt the other way round."""
        return 0 if state.cards == self.hands else 1

    def worth(self, state: BraveRatsState, seat: int) -> float:
        """What a state is worth to a seat under perfect play."""
        if not state.turn:
            return state.games_won[seat] - state.games_won[1 - seat]
        if state.shown != NO_CARD:
            after = [stepped(state, (card,)) for card in state.view(state.spy).legal]
            return (max if state.spy == seat else min)(self.worth(following, seat) for following in after)
        first = self.seen_from(state)
        level = self.levels[len(state.history)]
        value = float(level.values[np.searchsorted(level.positions, position_of(state, first))])
        return value if seat == first else -value

    def mixes(self, states: Sequence[BraveRatsState], seat: int) -> list[Mix]:
        """What a perfect player at `seat` plays in each state; it must be its turn."""
        all_mixes: list[Mix] = [{}] * len(states)
        alike: dict[tuple[int, int], list[int]] = {}
        for index, state in enumerate(states):
            alike.setdefault((len(state.history), self.seen_from(state)), []).append(index)
        for (rounds, first), there in alike.items():
            for start in range(0, len(there), CHUNK):
                part = there[start : start + CHUNK]
                positions = np.array([position_of(states[index], first) for index in part], dtype=np.int64)
                shown = np.array([states[index].shown for index in part], dtype=np.int64)
                for index, mix in zip(part, self._mixes(rounds, positions, shown, seat ^ first), strict=True):
                    all_mixes[index] = mix
        return all_mixes

    def _mixes(self, rounds: int, positions: Ints, shown: Ints, seat: int) -> list[Mix]:
        after = self.levels[rounds + 1] if rounds + 1 < len(self.levels) else NO_LEVEL
        games, hands = payoffs(positions, after, self.target)
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


NO_LEVEL = Level(np.empty(0, dtype=np.int64), np.empty(0))


def solve(hands: Hands, target: int, on_size: OnProgress = ignore, on_progress: OnProgress = ignore) -> Solution:
    """Solve the game that begins with these hands; is told how many positions there are, and how many more are done."""
    found = levels(hands, target)
    on_size(sum(positions.size for positions in found))
    solved: list[Level] = [NO_LEVEL]
    for positions in reversed(found):
        values = np.empty(positions.size)
        for start in range(0, positions.size, CHUNK):
            part = positions[start : start + CHUNK]
            games, _ = payoffs(part, solved[-1], target)
            values[start : start + CHUNK] = _solve(games, spies(part)).values
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
