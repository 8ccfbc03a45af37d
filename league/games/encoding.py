"""How learners see a game: all its moves, and the shape of every field of its views. `Game.encoding` returns it.

`league.adapters.numbers` turns moves into actions and views into numbers by it.
"""

from __future__ import annotations

from typing import NamedTuple


class Bounded(NamedTuple):
    """A number from -most to most."""

    most: int


class Coded(NamedTuple):
    """A number that packs several: `divmod` by each of `parts` in turn splits it."""

    parts: tuple[int, ...]
    most: tuple[int, ...]


class Every(NamedTuple):
    """A tuple or struct: each of its items has a shape of its own."""

    items: tuple[Shape, ...]


class UpTo(NamedTuple):
    """A tuple of varying length, at most `most` items of one shape."""

    most: int
    item: Shape


Shape = Bounded | Coded | Every | UpTo


class Encoding(NamedTuple):
    """What a learner must know of a game."""

    moves: tuple[int, ...]
    """All moves that can ever be legal, ascending."""
    fields: dict[str, Shape]
    """The shape of each field of a view except `legal`."""
    longest: int
    """An upper bound for the decisions of one playing."""


def each(number: int, shape: Shape) -> Every:
    """A tuple of N items of one shape."""
    return Every((shape,) * number)
