"""Views as rows of numbers for learners, many at once: by a plan that is made once for a game.

A row has first a 0 or 1 for each move that can ever be legal, then every other field, in the order of the view's class.
A number is divided by the largest size it can have. A list of varying length becomes its length and then its items,
with zeros up to the largest length it can have. A code such as 307 (family 3, number 7) is first split.

    encoder = encoder_of(games.make("raj", 3))
    encoder.moves[4]                 # the move that is action 4: bid the 5
    encoder.encode(views)            # a row for each view

What a game says of its views (`Game.encoding`) is exact. For a game that says nothing it is derived: the types of the
fields say how they are made, and random playings how large they get.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import attrgetter
from random import Random
from typing import Any, cast
from weakref import WeakKeyDictionary

import msgspec
import numpy as np
from msgspec import inspect
from numpy.typing import NDArray

from league.errors import LeagueError
from league.games.contract import Bounded, Coded, Encoding, Every, Game, Shape, UpTo, View

CACHED = 65_536
"""Values whose numbers are kept, of each field and part: past rounds and hands come again in many views."""
PLAYINGS = 100
"""By random moves: what an encoding is derived from."""
LONGER = 2
"""As many times more decisions than the longest of these playings are taken for the most there can be."""
MEND = "Its class needs a method encoding() of its own."

Writer = Callable[[Any], bytes]
"""A value as the numbers that it stands for."""


class Encoder:
    """Turns the views of one game into rows of numbers."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self.moves = encoding.moves
        """By action, ascending."""
        self.actions = {move: action for action, move in enumerate(self.moves)}
        self.longest = encoding.longest
        """An upper bound for the decisions of one playing."""
        self.size = len(self.moves) + sum(map(_size, encoding.fields.values()))
        """How many numbers a row has."""
        self._values = attrgetter("legal", *encoding.fields)
        self._writers: list[Writer] = [lru_cache(CACHED)(self._legal), *map(_writer, encoding.fields.values())]

    def __reduce__(self) -> tuple[type[Encoder], tuple[Encoding]]:
        return Encoder, (self._encoding,)

    def __deepcopy__(self, memo: object) -> Encoder:
        return self  # OpenSpiel copies all that a state refers to

    def encode(self, views: Sequence[View]) -> NDArray[np.float32]:
        """A row of numbers from -1 to 1 for each view."""
        values = ((write, value) for view in views for write, value in zip(self._writers, self._values(view)))  # noqa: B905 - strict takes time
        rows = bytearray().join([write(value) for write, value in values])
        return np.frombuffer(rows, dtype=np.float32).reshape(len(views), self.size)

    def encode_one(self, view: View) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """The row of one view, and whether each action is legal."""
        row = self.encode([view])[0]
        return row, row[: len(self.moves)].astype(np.int8)

    def legal(self, view: View) -> list[int]:
        """The actions that a view allows, ascending."""
        return [self.actions[move] for move in view.legal]

    def _legal(self, legal: tuple[int, ...]) -> bytes:
        mask = np.zeros(len(self.moves), np.float32)
        for move in legal:
            if move not in self.actions:
                raise LeagueError(f"The encoding of the game has no move {move}. {MEND}")
            mask[self.actions[move]] = 1
        return mask.tobytes()


_encoders: WeakKeyDictionary[Game, Encoder] = WeakKeyDictionary()


def encoder_of(game: Game) -> Encoder:
    """The encoder of a game, made once; raises `LeagueError` if the fields of its views are no numbers."""
    encoder = _encoders.get(game)
    if encoder is None:
        encoder = _encoders[game] = Encoder(game.encoding() or derived(game))
    return encoder


def derived(game: Game) -> Encoding:
    """An encoding from the types of a view's fields, and from what some random playings showed in them."""
    rng = Random("encoding")
    views: list[View] = []
    longest = 0
    for _ in range(PLAYINGS):
        state, decisions = game.start(game.deal(rng)), 0
        while state.turn:
            views += [state.view(seat) for seat in range(game.players)]
            decisions += len(state.turn)
            state.step([rng.choice(state.legal(seat)) for seat in state.turn])
        views += [state.view(seat) for seat in range(game.players)]
        longest = max(longest, decisions)
    fields = {}
    for field in cast(inspect.StructType, inspect.type_info(game.view_type)).fields:
        if field.name != "legal":
            shape = _shape(field.type, [getattr(view, field.name) for view in views])
            if shape is None:
                raise LeagueError(f"In views of {game.name}, {field.name} is not made of numbers. {MEND}")
            fields[field.name] = shape
    return Encoding(tuple(sorted({move for view in views for move in view.legal})), fields, LONGER * longest)


def _shape(kind: inspect.Type, values: Sequence[Any]) -> Shape | None:
    """The shape of a field of this type that had these values; None if it is not made of whole numbers."""
    match kind:
        case inspect.IntType() | inspect.BoolType():
            return Bounded(max(map(abs, values), default=0) or 1)
        case inspect.VarTupleType(item_type=inner):
            item = _shape(inner, [part for value in values for part in value])
            return item and UpTo(max(map(len, values), default=0) or 1, item)
        case inspect.TupleType(item_types=inners):
            parts = [_shape(inner, [value[place] for value in values]) for place, inner in enumerate(inners)]
        case inspect.StructType(fields=fields):
            parts = [_shape(field.type, [getattr(value, field.name) for value in values]) for field in fields]
        case _:
            return None
    items = tuple(part for part in parts if part)
    return Every(items) if len(items) == len(parts) else None


def _size(shape: Shape) -> int:
    """How many numbers a shape has."""
    match shape:
        case Bounded():
            return 1
        case Coded(most=mosts):
            return len(mosts)
        case Every(items):
            return sum(map(_size, items))
        case UpTo(most, item):
            return 1 + most * _size(item)


def _writer(shape: Shape) -> Writer:
    """What writes values of a shape; a value that comes again is written once."""
    match shape:
        case Bounded(most):

            def write(value: Any) -> bytes:
                return array("f", [value / most]).tobytes()

        case Coded(parts, mosts):

            def write(value: Any) -> bytes:
                digits = []
                for part in parts:
                    digit, value = divmod(value, part)
                    digits.append(digit)
                return array("f", [digit / most for digit, most in zip([*digits, value], mosts, strict=True)]).tobytes()

        case Every(items):
            writers = [_writer(item) for item in items]

            def write(value: Any) -> bytes:
                values = msgspec.structs.astuple(value) if isinstance(value, msgspec.Struct) else value
                return b"".join([write_part(part) for write_part, part in zip(writers, values, strict=True)])

        case UpTo(most, item):
            write_item, width = _writer(item), _size(item) * array("f").itemsize

            def write(value: Any) -> bytes:
                if len(value) > most:
                    room = f"room for {most} items where a view has {len(value)}"
                    raise LeagueError(f"The encoding of the game has {room}. {MEND}")
                length = array("f", [len(value) / most]).tobytes()
                return length + b"".join(map(write_item, value)) + bytes(width * (most - len(value)))

    return lru_cache(CACHED)(write)
