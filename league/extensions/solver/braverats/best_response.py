"""The best response to a player of BraveRats whose choice depends on the position alone.

It steps through states of the rules and shares no code with the solver, whose work it checks: the best response to a
perfect strategy gains nothing. Positions are visited from the first round on, as far as the player's
own cards lead there, and the player is asked about many at once; then they are valued from the last one back.
"""

from __future__ import annotations

import gc
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from league.extensions.solver.branches import FAULT, Mix
from league.games.braverats import BraveRats
from league.games.braverats.rules import MIME, NO_CARD, BraveRatsDeal, BraveRatsState

NO_MOVE = -1
"""Instead of a card: this side does not decide now."""
_COLUMNS = 10
"""Choices of the responder: no move, and the nine cards."""

Ask = Callable[[Sequence[BraveRatsState]], list[Mix]]
"""Returns what the player plays in each of the given states, in which it must decide: card to frequency."""
Floats = npt.NDArray[np.float64]


class Edge(NamedTuple):
    """A transition from a position."""

    answer: int
    """The responder's card, or `NO_MOVE`."""
    card: int
    """The player's card, `NO_MOVE` or `FAULT`."""
    often: float
    """How often the player plays that card."""
    node: int
    """The position that follows, or -1 if the game is over."""
    result: int
    """The responder's result, if the game is over."""


class _Level(NamedTuple):
    """Positions with the same number of cards left."""

    nodes: range
    """Positions of this level, as indices of `_order`."""
    edges: range


class BestResponse:
    """The best response to the player at `seat`, for one deal. A node is the number of a position."""

    def __init__(self, game: BraveRats, deal: BraveRatsDeal, seat: int, ask: Ask) -> None:
        self.game, self.deal, self.seat = game, deal, seat
        self._ask = ask
        self.asked = 0
        """The number of positions in which the player was asked."""
        self._known: dict[Any, int] = {}
        self._order = array("q")
        self._owner, self._child, self._first_edge = array("q"), array("q"), array("q")
        self._answer, self._card, self._result = array("b"), array("b"), array("b")
        self._often = array("d")
        self._came_by = array("q")
        """Node to the edge by which it was found first."""
        with _no_collection():
            self._levels = list(self._explore())
        self.values, self.answers = self._valued()

    @property
    def value(self) -> float:
        """What the best response gets a game: a won one is 1, a lost one -1."""
        return float(self.values[0])

    def node_of(self, state: BraveRatsState) -> int | None:
        """The node of a state; None if the player never reaches it."""
        return self._known.get(identity(state))

    def edges(self, node: int) -> list[Edge]:
        """All transitions from a position."""
        first = self._first_edge[node]
        edges = []
        for index in range(first, len(self._owner)):
            if self._owner[index] != node:
                break
            edges.append(
                Edge(
                    self._answer[index], self._card[index], self._often[index], self._child[index], self._result[index]
                )
            )
        return edges

    def mix(self, node: int) -> Mix:
        """What the player plays in a position in which it must decide."""
        return {edge.card: edge.often for edge in self.edges(node)}

    def moves_to(self, node: int) -> list[list[int]]:
        """The steps that lead to a position from the beginning."""
        steps: list[list[int]] = []
        while node:
            edge = self._came_by[node]
            steps.append(self.moves(self._answer[edge], self._card[edge]))
            node = self._owner[edge]
        return steps[::-1]

    def state_of(self, node: int) -> BraveRatsState:
        """A state in this position."""
        state = self.game.start(self.deal)
        for moves in self.moves_to(node):
            state.step(moves)
        return state

    def reached(self) -> dict[int, float]:
        """The positions that come up when the best response is played, and how often each does."""
        often = {0: 1.0}
        for level in self._levels:
            for node in self._order[level.nodes.start : level.nodes.stop]:
                if node not in often:
                    continue
                for edge in self.edges(node):
                    if edge.answer == self.answers[node] and edge.node >= 0:
                        often[edge.node] = often.get(edge.node, 0.0) + often[node] * edge.often
        return often

    def moves(self, answer: int, card: int) -> list[int]:
        """A step's moves, in the order of the seats."""
        both = (card, answer) if self.seat == 0 else (answer, card)
        return [move for move in both if move != NO_MOVE]

    def _explore(self) -> Iterator[_Level]:
        start = self.game.start(self.deal)
        waiting: dict[int, list[tuple[int, BraveRatsState]]] = {}
        self._find(start, -1, waiting)
        for left in range(_cards_left(start), 0, -1):
            items = waiting.pop(left, [])
            nodes, edges = len(self._order), len(self._owner)
            deciding = [state for _, state in items if self.seat in state.turn]
            mixes = iter(self._ask(deciding) if deciding else [])
            self.asked += len(deciding)
            for node, state in items:
                self._order.append(node)
                self._first_edge[node] = len(self._owner)
                mix = next(mixes) if self.seat in state.turn else {NO_MOVE: 1.0}
                self._expand(node, state, mix, waiting)
            yield _Level(range(nodes, len(self._order)), range(edges, len(self._owner)))

    def _expand(self, node: int, state: BraveRatsState, mix: Mix, waiting: dict[int, Any]) -> None:
        seat, other = self.seat, 1 - self.seat
        deciding, turn = seat in state.turn, len(state.turn)
        answers = state.view(other).legal if other in state.turn else (NO_MOVE,)
        edge = len(self._owner)
        self._owner.extend(repeat(node, len(mix) * len(answers)))
        self._answer.extend(answers * len(mix))
        for card, often in mix.items():
            self._card.extend(repeat(card, len(answers)))
            self._often.extend(repeat(often, len(answers)))
            for edge, answer in enumerate(answers, edge):  # noqa: B020
                if deciding and card == FAULT:
                    self._child.append(-1)
                    self._result.append(1)
                    continue
                after = state.copy()
                if turn == 2:
                    after.step((card, answer) if seat == 0 else (answer, card))
                else:
                    after.step((card,) if deciding else (answer,))
                if after.turn:
                    self._child.append(self._find(after, edge, waiting))
                    self._result.append(0)
                else:
                    self._child.append(-1)
                    self._result.append(after.games_won[other] - after.games_won[seat])
            edge += 1

    def _find(self, state: BraveRatsState, edge: int, waiting: dict[int, Any]) -> int:
        """The node of a state, added if it is new."""
        key = identity(state)
        node = self._known.get(key)
        if node is None:
            node = self._known[key] = len(self._came_by)
            self._came_by.append(edge)
            self._first_edge.append(-1)
            waiting.setdefault(_cards_left(state), []).append((node, state))
        return node

    def _valued(self) -> tuple[Floats, npt.NDArray[np.int64]]:
        """By node: what the responder gets from there on, and its best card."""
        values = np.zeros(len(self._came_by) + 1)  # the last one is read where the game is over, and not used
        answers = np.full(len(self._came_by), NO_MOVE)
        order = np.asarray(self._order)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        owner, child = np.asarray(self._owner), np.asarray(self._child)
        often, result = np.asarray(self._often), np.asarray(self._result)
        answer = np.asarray(self._answer).astype(np.int64)
        for level in reversed(self._levels):
            if not level.nodes:
                continue
            edges = slice(level.edges.start, level.edges.stop)
            worth = often[edges] * np.where(child[edges] < 0, result[edges], values[child[edges]])
            index = (place[owner[edges]] - level.nodes.start) * _COLUMNS + answer[edges] + 1
            size = len(level.nodes) * _COLUMNS
            totals = np.bincount(index, weights=worth, minlength=size)
            totals[np.bincount(index, minlength=size) == 0] = -np.inf
            choices = totals.reshape(-1, _COLUMNS)
            nodes = order[level.nodes.start : level.nodes.stop]
            values[nodes] = choices.max(axis=1)
            answers[nodes] = choices.argmax(axis=1) - 1
        return values[:-1], answers


def identity(state: BraveRatsState) -> tuple[object, ...]:
    """The part of a state that matters for the rest of the game, if all hands are open."""
    copied: tuple[int, ...] = ()
    if MIME in state.hands[0] or MIME in state.hands[1] or state.shown == MIME:
        acted = state.history[-1].acted if state.history else (NO_CARD, NO_CARD)
        shower = 1 - state.spy if state.shown == MIME else NO_MOVE
        copied = tuple([acted[1 - seat] if MIME in state.hands[seat] or seat == shower else NO_CARD for seat in (0, 1)])
    return state.hands, state.scores, state.on_hold, state.bonus, state.spy, state.shown, copied


def _cards_left(state: BraveRatsState) -> int:
    return len(state.hands[0]) + len(state.hands[1])


@contextmanager
def _no_collection() -> Iterator[None]:
    """Turns off the garbage collector, which would search millions of states for cycles again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
