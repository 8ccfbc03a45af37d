"""The best response to a player of BraveRats whose choice depends on the position alone.

It steps through states of the rules and shares no code with the solver, whose work it checks: the best response to a
perfect strategy gains nothing. Positions are visited from the first round on, as far as the player's
own cards lead there, and the player is asked about many at once; then they are valued from the last one back.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from league.extensions.solver.branches import FAULT, Mix
from league.extensions.solver.matrix import Floats, Ints
from league.games.braverats import BraveRats
from league.games.braverats.rules import MIME, NO_CARD, BraveRatsDeal, BraveRatsState

NO_MOVE = -1
"""Instead of a card: this side does not decide now."""
_COLUMNS = 10
"""Choices of the responder: no move, and the nine cards."""

Ask = Callable[[Sequence[BraveRatsState]], list[Mix]]
"""Returns what the player plays in each of the given states, in which it must decide: card to frequency."""


class Edge(NamedTuple):
    """What may follow a position when the best response is played."""

    card: int
    """The player's card, `NO_MOVE` or `FAULT`."""
    often: float
    """How often the player plays that card."""
    node: int
    """The position that follows, or -1 if the game is over."""


class BestResponse:
    """The best response to the player at `seat`, for one deal. A node is the number of a position."""

    def __init__(self, game: BraveRats, deal: BraveRatsDeal, seat: int, ask: Ask) -> None:
        self.game, self.deal, self.seat = game, deal, seat
        self._ask = ask
        self.asked = 0
        """The number of positions in which the player was asked."""
        self._known: dict[Any, int] = {}
        self._order = array("q")
        """Nodes by their number of cards left, the most first; so are edges, from one node to the next."""
        self._first_edge = array("q")
        self._owner, self._child = array("q"), array("q")
        self._answer, self._card, self._result = array("b"), array("b"), array("b")
        self._often = array("d")
        levels = list(self._explore())
        self.values, self.answers = self._valued(levels)

    @property
    def value(self) -> float:
        """What the best response gets a game: a won one is 1, a lost one -1."""
        return float(self.values[0])

    def node_of(self, state: BraveRatsState) -> int | None:
        """The node of a state; None if the player never reaches it."""
        return self._known.get(identity(state))

    def edges(self, node: int) -> list[Edge]:
        """What may follow a position when the best response is played, for each card of the player."""
        edges = []
        for index in range(self._first_edge[node], len(self._owner)):
            if self._owner[index] != node:
                break
            if self._answer[index] == self.answers[node]:
                edges.append(Edge(self._card[index], self._often[index], self._child[index]))
        return edges

    def mix(self, node: int) -> Mix:
        """What the player plays in a position in which it must decide."""
        return {edge.card: edge.often for edge in self.edges(node)}

    def reached(self) -> Iterator[tuple[int, float, list[list[int]], BraveRatsState]]:
        """The positions that come up when the best response is played: how often each does, and after which moves."""
        found: dict[int, tuple[float, list[list[int]], BraveRatsState]] = {0: (1.0, [], self.game.start(self.deal))}
        for node in self._order:
            if node not in found:
                continue
            often, steps, state = found.pop(node)
            yield node, often, steps, state
            for edge in self.edges(node):
                if edge.node >= 0:
                    moves = self.moves(int(self.answers[node]), edge.card)
                    so_far = found[edge.node][0] if edge.node in found else 0.0
                    found[edge.node] = so_far + often * edge.often, [*steps, moves], stepped(state, moves)

    def moves(self, answer: int, card: int) -> list[int]:
        """A step's moves, in the order of the seats."""
        both = (card, answer) if self.seat == 0 else (answer, card)
        return [move for move in both if move != NO_MOVE]

    def _explore(self) -> Iterator[tuple[slice, slice]]:
        """Find all positions; returns the nodes and edges of each number of cards left, as parts of their orders."""
        start = self.game.start(self.deal)
        waiting: dict[int, list[tuple[int, BraveRatsState]]] = {}
        self._find(start, waiting)
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
            yield slice(nodes, len(self._order)), slice(edges, len(self._owner))

    def _expand(self, node: int, state: BraveRatsState, mix: Mix, waiting: dict[int, Any]) -> None:
        other = 1 - self.seat
        answers = state.view(other).legal if other in state.turn else (NO_MOVE,)
        for card, often in mix.items():
            for answer in answers:
                child, result = -1, 1  # a fault is a lost game
                if card != FAULT or self.seat not in state.turn:
                    after = stepped(state, self.moves(answer, card))
                    if after.turn:
                        child = self._find(after, waiting)
                    else:
                        result = after.games_won[other] - after.games_won[self.seat]
                self._owner.append(node)
                self._answer.append(answer)
                self._card.append(card)
                self._often.append(often)
                self._child.append(child)
                self._result.append(result)

    def _find(self, state: BraveRatsState, waiting: dict[int, Any]) -> int:
        """The node of a state, added if it is new."""
        key = identity(state)
        node = self._known.get(key)
        if node is None:
            node = self._known[key] = len(self._known)
            self._first_edge.append(-1)
            waiting.setdefault(_cards_left(state), []).append((node, state))
        return node

    def _valued(self, levels: Sequence[tuple[slice, slice]]) -> tuple[Floats, Ints]:
        """By node: what the responder gets from there on, and its best card."""
        values = np.zeros(len(self._known) + 1)  # the last one is read where the game is over, and not used
        answers = np.full(len(self._known), NO_MOVE)
        order = np.asarray(self._order)
        place = np.argsort(order)
        owner, child = np.asarray(self._owner), np.asarray(self._child)
        often, result = np.asarray(self._often), np.asarray(self._result)
        answer = np.asarray(self._answer).astype(np.int64)
        for nodes, edges in reversed(levels):
            if nodes.start == nodes.stop:
                continue
            worth = often[edges] * np.where(child[edges] < 0, result[edges], values[child[edges]])
            index = (place[owner[edges]] - nodes.start) * _COLUMNS + answer[edges] + 1
            size = (nodes.stop - nodes.start) * _COLUMNS
            totals = np.bincount(index, weights=worth, minlength=size)
            totals[np.bincount(index, minlength=size) == 0] = -np.inf
            choices = totals.reshape(-1, _COLUMNS)
            values[order[nodes]] = choices.max(axis=1)
            answers[order[nodes]] = choices.argmax(axis=1) - 1
        return values[:-1], answers


def stepped(state: BraveRatsState, moves: Sequence[int]) -> BraveRatsState:
    """The state after these moves."""
    after = state.copy()
    after.step(moves)
    return after


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
