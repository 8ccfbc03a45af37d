"""Looking into values: what is mutable in a state, what is not plain in a view, and where two values differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

PLAIN = {int, str, bool, type(None)}
IMMUTABLE = PLAIN | {float, bytes}


def is_frozen(value: Any) -> bool:
    """Whether a value is a struct whose fields cannot be set."""
    return isinstance(value, msgspec.Struct) and value.__struct_config__.frozen


def mutable_parts(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Everything in a state that could be changed in place, with the path that leads there."""
    if type(value) in IMMUTABLE:
        return
    if isinstance(value, tuple | frozenset):
        if {*map(type, value)} <= IMMUTABLE:  # long decks are common
            return
        for at, item in enumerate(value):
            yield from mutable_parts(item, f"{path}[{at}]")
        return
    if isinstance(value, msgspec.Struct):
        if path and not is_frozen(value):
            yield path, value
        for name in value.__struct_fields__:
            yield from mutable_parts(getattr(value, name), f"{path}.{name}" if path else name)
        return
    yield path, value


def not_plain(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Everything in a view or a deal that is more than ints, strings, booleans, None, tuples and frozen structs."""
    if type(value) in PLAIN or (type(value) is tuple and {*map(type, value)} <= PLAIN):
        return
    if type(value) is tuple:
        for at, item in enumerate(value):
            yield from not_plain(item, f"{path}[{at}]")
    elif is_frozen(value):
        for name in value.__struct_fields__:
            yield from not_plain(getattr(value, name), f"{path}.{name}" if path else name)
    else:
        yield path, value


def snapshot(state: msgspec.Struct) -> dict[str, str]:
    """What a state holds now, field by field: shows later whether it was changed in place."""
    return {name: repr(getattr(state, name)) for name in state.__struct_fields__}


def changed_since(before: dict[str, str], state: msgspec.Struct) -> list[str]:
    """The fields that differ from a snapshot."""
    return [name for name, text in snapshot(state).items() if text != before[name]]


def differing_fields(one: msgspec.Struct, other: msgspec.Struct) -> list[str]:
    """The names of the fields in which two structs of one kind differ."""
    return [name for name in one.__struct_fields__ if getattr(one, name) != getattr(other, name)]


def differing_places(one: msgspec.Struct, other: msgspec.Struct) -> set[str]:
    """Where two states differ: fields, and items of fields that hold tuples, such as 'hands[1]'.

    The order of the cards in such an item is not looked at: one keeps a hand sorted, another as it was drawn.
    """
    places = set()
    for name in differing_fields(one, other):
        left, right = getattr(one, name), getattr(other, name)
        if _is_nested(left) and _is_nested(right) and len(left) == len(right):
            pairs = enumerate(zip(left, right, strict=True))
            places |= {f"{name}[{at}]" for at, (mine, yours) in pairs if _unordered(mine) != _unordered(yours)}
        else:
            places.add(name)
    return places


def _is_nested(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and all(isinstance(item, tuple) for item in value)


def _unordered(cards: tuple[Any, ...]) -> list[str]:
    return sorted(map(repr, cards))
