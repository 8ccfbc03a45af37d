"""Views as rows of numbers for learners, many at once: by a plan that is made once for a game.

A row has first a 0 or 1 for each move that can ever be legal, then every other field, in the order of the view's class.
A number is divided by the largest size it can have. A list of varying length becomes its length and then its items,
with zeros up to the largest length it can have. A code such as 307 (family 3, number 7) is first split.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from operator import attrgetter
from struct import Struct
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
import numpy as np
from numpy.typing import NDArray

from league.errors import LeagueError
from league.games.contract import Game, View
from league.games.encoding import Bounded, Coded, Encoding, Every, Shape, UpTo

CACHED = 65_536
"""Values of a field whose numbers are kept: past rounds and hands come again in many views."""

Writer = Callable[[Any], bytes]
"""A value as the numbers that it stands for, before they are divided."""


class Encoder:
    """Turns the views of one game into rows of numbers."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self.moves = encoding.moves
        """By action, ascending."""
        self.actions = {move: action for action, move in enumerate(self.moves)}
        fields = encoding.fields
        most = [1.0] * len(self.moves) + [number for shape in fields.values() for number in _most(shape)]
        self.size = len(most)
        """How many numbers a row has."""
        self._most = np.array(most, dtype=np.float64)
        self._writers = [_writer(shape) for shape in fields.values()]
        self._values = attrgetter("legal", *fields)
        self._mask_bytes = len(_numbers(self.moves))
        self._mask = lru_cache(CACHED)(self._mask_of)

    def __reduce__(self) -> tuple[type[Encoder], tuple[Encoding]]:
        return Encoder, (self._encoding,)  # OpenSpiel copies all that a state refers to

    def __deepcopy__(self, memo: object) -> Encoder:
        return self

    def encode(self, views: Sequence[View]) -> NDArray[np.float32]:
        """A row of numbers from -1 to 1 for each view."""
        return (self._raw(views) / self._most).astype(np.float32)

    def observe(self, view: View) -> list[float]:
        """The row of one view, as Python's own numbers."""
        row: list[float] = (self._raw((view,))[0] / self._most).tolist()
        return row

    def masks(self, views: Sequence[View]) -> NDArray[np.bool_]:
        """A row for each view: whether each action is legal."""
        parts = b"".join([self._mask(view.legal) for view in views])
        return np.frombuffer(parts, dtype=np.float64).reshape(len(views), len(self.moves)).astype(np.bool_)

    def _raw(self, views: Sequence[View]) -> NDArray[np.float64]:
        mask, writers, values = self._mask, self._writers, self._values
        parts = []
        for view in views:
            legal, *fields = values(view)
            parts.append(mask(legal))
            parts += [write(field) for write, field in zip(writers, fields)]  # noqa: B905 - strict takes time
        return np.frombuffer(b"".join(parts), dtype=np.float64).reshape(len(views), self.size)

    def _mask_of(self, legal: tuple[int, ...]) -> bytes:
        mask = array("d", bytes(self._mask_bytes))
        for move in legal:
            mask[self.actions[move]] = 1.0
        return mask.tobytes()


_encoders: WeakKeyDictionary[Game, Encoder] = WeakKeyDictionary()


def encoder_of(game: Game) -> Encoder:
    """The encoder of a game, made once; raises `LeagueError` if the game has no encoding."""
    encoder = _encoders.get(game)
    if encoder is None:
        encoding = game.encoding()
        if encoding is None:
            raise LeagueError(
                f"The game {game.name} has no encoding for learners: its class needs a method encoding()."
            )
        encoder = _encoders[game] = Encoder(encoding)
    return encoder


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
    match shape:
        case Bounded():
            return Struct("=d").pack
        case UpTo(most, item):
            write = _row_writer(most, item)
            return lru_cache(CACHED)(write) if isinstance(item, Bounded) else write  # its items are cached
        case _:
            add = _adder(shape)

            def write_once(value: Any) -> bytes:
                numbers = array("d")
                add(value, numbers)
                return numbers.tobytes()

            return lru_cache(CACHED)(write_once)


def _row_writer(most: int, item: Shape) -> Writer:
    """What writes lists of varying length, of which most items have been written before."""
    lengths = [_numbers([length]) for length in range(most + 1)]
    width = len(_numbers(_most(item)))
    padding = [bytes(width * (most - length)) for length in range(most + 1)]
    write_items = _numbers if isinstance(item, Bounded) else _joined(_writer(item))

    def write(value: Sequence[Any]) -> bytes:
        length = len(value)
        assert length <= most, f"{length} items where at most {most} fit"
        return lengths[length] + write_items(value) + padding[length]

    return write


def _numbers(value: Sequence[float]) -> bytes:
    return array("d", value).tobytes()


def _joined(write_item: Writer) -> Writer:
    return lambda value: b"".join(map(write_item, value))


def _adder(shape: Shape) -> Callable[[Any, array[float]], object]:
    """What adds the numbers of one value to others."""
    match shape:
        case Bounded():
            return lambda value, numbers: numbers.append(value)
        case Coded(parts):
            return partial(_add_digits, parts)
        case Every(items):
            if all(isinstance(item, Bounded) for item in items):
                return lambda value, numbers: numbers.extend(_items(value))
            return partial(_add_each, [_adder(item) for item in items])
        case UpTo():
            write = _writer(shape)
            return lambda value, numbers: numbers.frombytes(write(value))


def _add_digits(parts: Sequence[int], value: int, numbers: array[float]) -> None:
    for part in parts:
        digit, value = divmod(value, part)
        numbers.append(digit)
    numbers.append(value)


def _add_each(adders: Sequence[Callable[[Any, array[float]], object]], value: Any, numbers: array[float]) -> None:
    for part, add in zip(_items(value), adders, strict=True):
        add(part, numbers)


def _items(value: Any) -> Sequence[Any]:
    return msgspec.structs.astuple(value) if isinstance(value, msgspec.Struct) else value
