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
from functools import cached_property, lru_cache, partial
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
"""Values of a field whose numbers are kept: past rounds and hands come again in many views."""

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
        self.size = len(self.moves) + sum(len(_most(shape)) for shape in encoding.fields.values())
        """How many numbers a row has."""
        self._values = attrgetter("legal", *encoding.fields)
        self._mask = lru_cache(CACHED)(self._mask_of)

    def __reduce__(self) -> tuple[type[Encoder], tuple[Encoding]]:
        return Encoder, (self._encoding,)  # OpenSpiel copies all that a state refers to

    def __deepcopy__(self, memo: object) -> Encoder:
        return self

    def encode(self, views: Sequence[View]) -> NDArray[np.float32]:
        """A row of numbers from -1 to 1 for each view."""
        values, parts = self._values, []
        for view in views:
            parts += [write(field) for write, field in zip(self._writers, values(view))]  # noqa: B905 - strict takes time
        return np.frombuffer(bytearray().join(parts), dtype=np.float32).reshape(len(views), self.size)

    def encode_one(self, view: View) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """The row of one view, and whether each action is legal: quicker than as rows of many."""
        values = self._values(view)
        row = bytearray().join([write(value) for write, value in zip(self._writers, values)])  # noqa: B905 - takes time
        return np.frombuffer(row, dtype=np.float32), np.frombuffer(bytearray(self._mask(view.legal)), dtype=np.int8)

    def legal(self, view: View) -> list[int]:
        """The actions that a view allows, ascending."""
        return [self.actions[move] for move in view.legal]

    def masks(self, views: Sequence[View]) -> NDArray[np.bool_]:
        """A row for each view: whether each action is legal."""
        masks = bytearray(b"".join([self._mask(view.legal) for view in views]))
        return np.frombuffer(masks, dtype=np.bool_).reshape(len(views), len(self.moves))

    @cached_property
    def _writers(self) -> Sequence[Writer]:
        """What writes the legal moves, and each field."""

        @lru_cache(CACHED)
        def legal(moves: tuple[int, ...]) -> bytes:
            return np.frombuffer(self._mask(moves), dtype=np.uint8).astype(np.float32).tobytes()

        return [legal, *map(_writer, self._encoding.fields.values())]

    def _mask_of(self, legal: tuple[int, ...]) -> bytes:
        mask = bytearray(len(self.moves))
        for move in legal:
            if move not in self.actions:
                raise LeagueError(f"The encoding of the game has no move {move}. {MEND}")
            mask[self.actions[move]] = 1
        return bytes(mask)


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
            values = [getattr(view, field.name) for view in views]
            shape = _shape(field.type, values)
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


def _most(shape: Shape) -> list[float]:
    """The largest size of each number of a shape."""
    match shape:
        case Bounded(most):
            return [most]
        case Coded(most=mosts):
            return [*mosts]
        case Every(items):
            return [number for item in items for number in _most(item)]
        case UpTo(most, item):
            return [most, *(_most(item) * most)]


def _writer(shape: Shape) -> Writer:
    """What writes values of a shape."""
    if isinstance(shape, UpTo):
        return _row_writer(shape.most, shape.item)
    most, add = _most(shape), _adder(shape)
    is_flat = isinstance(shape, Every) and all(isinstance(item, Bounded) for item in shape.items)

    def write_once(value: Any) -> bytes:
        numbers: list[float] = []
        if is_flat:
            numbers += _items(value)
        else:
            add(value, numbers)
        return array("f", [number / limit for number, limit in zip(numbers, most, strict=True)]).tobytes()

    return lru_cache(CACHED)(write_once)


def _row_writer(most: int, item: Shape) -> Writer:
    """What writes lists of varying length, of which most items have been written before."""
    lengths = [array("f", [length / most]).tobytes() for length in range(most + 1)]
    width = array("f").itemsize * len(_most(item))
    padding = [bytes(width * (most - length)) for length in range(most + 1)]

    def framed(length: int, items: bytes) -> bytes:
        if length > most:
            raise _too_long(length, most)
        return lengths[length] + items + padding[length]

    if isinstance(item, Bounded):
        limit = item.most
        return lru_cache(CACHED)(
            lambda value: framed(len(value), array("f", [number / limit for number in value]).tobytes())
        )
    return _GrowingRow(framed, _writer(item)).write


def _too_long(length: int, most: int) -> LeagueError:
    return LeagueError(f"The encoding of the game has room for {most} items where a view has {length}. {MEND}")


class _GrowingRow:
    """Writes lists such as past rounds: the views of all seats share one, and a step later it has one item more."""

    def __init__(self, framed: Callable[[int, bytes], bytes], write_item: Writer) -> None:
        self._framed, self._write_item = framed, write_item
        self._latest: tuple[Any, bytes, bytes] = ((), b"", framed(0, b""))
        """The last list, its items and its row: one value, since other threads may write at the same time."""

    def write(self, value: Sequence[Any]) -> bytes:
        before, items, row = self._latest
        if value is not before:
            if value and value[:-1] == before:
                items += self._write_item(value[-1])
            else:
                items = b"".join(map(self._write_item, value))
            row = self._framed(len(value), items)
            self._latest = value, items, row
        return row


def _adder(shape: Shape) -> Callable[[Any, list[float]], object]:
    """What adds the numbers of one value to others, before they are divided."""
    match shape:
        case Bounded():
            return lambda value, numbers: numbers.append(value)
        case Coded(parts):
            return partial(_add_digits, parts)
        case Every(items):
            return partial(_add_each, [_adder(item) for item in items])
        case UpTo(most, item):
            return partial(_add_row, most, len(_most(item)), _adder(item))


def _add_digits(parts: Sequence[int], value: int, numbers: list[float]) -> None:
    for part in parts:
        digit, value = divmod(value, part)
        numbers.append(digit)
    numbers.append(value)


def _add_each(adders: Sequence[Callable[[Any, list[float]], object]], value: Any, numbers: list[float]) -> None:
    for part, add in zip(_items(value), adders, strict=True):
        add(part, numbers)


def _items(value: Any) -> Sequence[Any]:
    """What is in a tuple or struct."""
    return msgspec.structs.astuple(value) if isinstance(value, msgspec.Struct) else value


def _add_row(
    most: int, width: int, add: Callable[[Any, list[float]], object], value: Any, numbers: list[float]
) -> None:
    if len(value) > most:
        raise _too_long(len(value), most)
    numbers.append(len(value))
    for part in value:
        add(part, numbers)
    numbers += [0.0] * (width * (most - len(value)))
