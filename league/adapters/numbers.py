"""Games for learners: moves numbered from 0 without gaps, and views as a fixed number of floats.

    table = Numbers(games.make("raj", 3))
    table.moves[4]                 # the move that is action 4: bid the 5
    table.observe(view)            # every field of the view as numbers from -1 to 1

First comes `legal`, as a 0 or 1 for each action; then every other field, in the order of the view's class.
A number is divided by the largest size it can have. A list of varying length becomes its length and then its items,
with zeros up to the largest length it can have. A code such as 307 (family 3, number 7) is first split.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import msgspec

from league.errors import LeagueError
from league.games.contract import Game, View
from league.games.encoding import Bounded, Coded, Every, Shape, UpTo


class Numbers:
    """The moves of one game as actions, and its views as numbers."""

    def __init__(self, game: Game) -> None:
        encoding = game.encoding()
        if encoding is None:
            raise LeagueError(
                f"The game {game.name} has no encoding for learners: its class needs a method encoding()."
            )
        self.moves = encoding.moves
        """By action, ascending."""
        self.actions = {move: action for action, move in enumerate(self.moves)}
        self.longest = encoding.longest
        """An upper bound for the decisions of one playing."""
        self._fields = encoding.fields

    @cached_property
    def size(self) -> int:
        """How many numbers `observe` returns."""
        return len(self.moves) + sum(_size(shape) for shape in self._fields.values())

    def legal(self, view: View) -> list[int]:
        """The actions that a view allows, ascending."""
        return [self.actions[move] for move in view.legal]

    def mask(self, view: View) -> list[int]:
        """For each action, 1 if a view allows it and 0 if not."""
        allowed = {*view.legal}
        return [int(move in allowed) for move in self.moves]

    def observe(self, view: View) -> list[float]:
        """A view as numbers from -1 to 1."""
        numbers: list[float] = [*map(float, self.mask(view))]
        for name, shape in self._fields.items():
            numbers += _flat(getattr(view, name), shape)
        return numbers


def _size(shape: Shape) -> int:
    match shape:
        case Bounded():
            return 1
        case Coded(most=most):
            return len(most)
        case Every(items):
            return sum(map(_size, items))
        case UpTo(most, item):
            return 1 + most * _size(item)


def _flat(value: Any, shape: Shape) -> Iterator[float]:
    match shape:
        case Bounded(most):
            yield value / most
        case Coded(parts, mosts):
            for part, most in zip(parts, mosts, strict=False):
                digit, value = divmod(value, part)
                yield digit / most
            yield value / mosts[-1]
        case Every(items):
            given = msgspec.structs.astuple(value) if isinstance(value, msgspec.Struct) else value
            for part, inner in zip(given, items, strict=True):
                yield from _flat(part, inner)
        case UpTo(most, item):
            assert len(value) <= most, f"{len(value)} items where at most {most} fit"
            yield len(value) / most
            for part in value:
                yield from _flat(part, item)
            yield from [0.0] * ((most - len(value)) * _size(item))
