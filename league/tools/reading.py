"""One reader for values that people write: in configs, as options of games, on the command line.

What a value may be is said by its type alone, in the terms of msgspec:

    class Stop(msgspec.Struct):
        games: Annotated[int, msgspec.Meta(ge=1, le=1000)] | None = None

    read({"games": "7"}, Stop, "stop")      # Stop(games=7)
    read({"games": "0"}, Stop, "stop")      # MistakeError: expected games as a whole number from 1 to 1000, found 0.

What is read is plain data. A text stands for what its type makes of it: a number, a truth value, or the text itself.

A type is `bool`, `str`, an `int` or `float` with bounds, a `Literal` or `StrEnum` of words, a tuple of such types, a
struct whose fields are the keys, a dict with keys of the user's own, or a union of them. None cannot be written: it
stands for what is left out. A `msgspec.Meta(extra={…})` may add:

- `auto`: a word that is written for None;
- `words`: what is expected, where the type alone does not tell it;
- `parse`: a function from the text to the value, which returns None for a wrong text;
- `alone`: True where a single value may be written instead of a list of one;
- `each`: what messages call an item of a list;
- `if_left_out`: for the documentation, if the default does not tell it.

`describe` says in words what a type allows, for messages and documentation.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import msgspec

from league.errors import did_you_mean

LONGEST_FOUND = 60
"""Characters of what was found that a message repeats."""

_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+)")
_MOST_DIGITS = 30  # a longer number is a mistake, and reading a very long one takes quadratic time
_TRUTHS = {"true": True, "True": True, "false": False, "False": False}
_OTHER_TRUTHS = {**dict.fromkeys(("yes", "y", "on"), "true"), **dict.fromkeys(("no", "n", "off"), "false")}
_BASES = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}

Place = tuple[str | int, ...]
"""Where a value is in what was written: keys and indices, from the outermost on."""

_fields = cache(msgspec.structs.fields)  # a config may have thousands of games


class MistakeError(Exception):
    """Something wrong in what was written: its place, and a sentence with what was expected, found, and to try."""

    def __init__(self, place: Place, what: str) -> None:
        self.place, self.what = place, what
        super().__init__(what)


class AllowedType(NamedTuple):
    """One of the types that a value may have."""

    kind: Any
    """The type with its bounds, as msgspec checks it."""
    base: Any
    """bool, int, float, str, Literal, a StrEnum, tuple, a struct, or anything else that msgspec knows."""
    inner: tuple[Any, ...]
    """Words of a Literal, item types of a tuple."""
    meta: tuple[msgspec.Meta, ...]

    @property
    def is_struct(self) -> bool:
        """Whether it is written as keys with values."""
        return isinstance(self.base, type) and issubclass(self.base, msgspec.Struct)

    @property
    def words(self) -> tuple[str, ...]:
        """All that may be written, where that can be listed."""
        if isinstance(self.base, type) and issubclass(self.base, StrEnum):
            return tuple(self.base)
        return ("true", "false") if self.base is bool else self.inner if self.base is Literal else ()

    @property
    def extra(self) -> dict[str, Any]:
        """What `Meta` adds for this reader."""
        return {key: value for meta in reversed(self.meta) for key, value in (meta.extra or {}).items()}

    def bound(self, name: str) -> Any:
        """A bound of `Meta`, such as `ge`; None if there is none."""
        return next((bound for meta in self.meta if (bound := getattr(meta, name)) is not None), None)

    @property
    def any_length(self) -> bool:
        """Whether it is a tuple of any number of items of one type."""
        return self.base is tuple and self.inner[1:] == (...,)


def parts(kind: Any) -> list[AllowedType]:
    """The types that a value may have, without None: several for a union."""
    origin = get_origin(kind)
    if origin is Annotated:
        base, *notes = get_args(kind)
        meta = tuple(note for note in notes if isinstance(note, msgspec.Meta))
        whole = kind if get_origin(base) not in (Union, UnionType) else None
        return [
            AllowedType(whole or part.kind, part.base, part.inner, (*part.meta, *meta)) for part in parts(base)
        ]  # fmt: skip
    if origin in (Union, UnionType):
        return [part for member in get_args(kind) if member is not NoneType for part in parts(member)]
    return [AllowedType(kind, origin or kind, get_args(kind), ())]


def describe(kind: Any) -> str:
    """What a value may be, in words: 'true or false', 'one of a, b', 'auto or a number from 0 to 9'."""
    allowed = parts(kind)
    if len(allowed) == 1 and allowed[0].is_struct:
        return f"keys with values ('{example_of(allowed[0].base)}')"
    auto = [part.extra["auto"] for part in allowed[:1] if "auto" in part.extra]
    return " or ".join([*auto, *map(_described, allowed)])


def choices(kind: Any) -> tuple[str, ...]:
    """All that may be written for a value of a type; none if it cannot be listed."""
    return tuple(word for part in parts(kind) for word in part.words)


def example_of(kind: type[msgspec.Struct]) -> str:
    """The first key of a struct and a value for it: '{places: 10}'."""
    for field in _fields(kind)[:1]:
        examples = [meta.examples[0] for part in parts(field.type) for meta in part.meta if meta.examples]
        shown = examples or ["…" if field.required else field.default]
        return f"{{{field.name}: {_text(shown[0])}}}"
    return "{NAME: VALUE}"


def read(value: object, kind: Any, name: str = "", place: Place = ()) -> Any:
    """The value of a type; raises `MistakeError` for the first mistake. `name` is what its message calls the value."""
    allowed = parts(kind)
    for part in allowed:
        if part.base is Any:
            return value
        if part.is_struct and isinstance(value, dict):
            return _struct(value, part.base, name, place)
        if part.base is dict and isinstance(value, dict):
            return {key: read(item, part.inner[1], f"{name}: {key}", (*place, key)) for key, item in value.items()}
        if part.base is tuple and (isinstance(value, list | tuple) or part.extra.get("alone")):
            items = value if isinstance(value, list | tuple) else (value,)
            if _right_length(items, part):
                kinds = [part.inner[0]] * len(items) if part.any_length else part.inner
                each = part.extra.get("each") or (name if part.extra.get("alone") else f"each of {name}")
                pairs = enumerate(zip(items, kinds, strict=True))
                return tuple([read(item, kind, each, (*place, number)) for number, (item, kind) in pairs])
        elif not isinstance(value, dict | list | tuple) and (found := _scalar(value, part)) is not msgspec.UNSET:
            return found
    expected = f"{name} as {describe(kind)}" if name else describe(kind)
    takes_lists = any(part.base is tuple for part in allowed)
    size = f" of {len(value)}" if isinstance(value, list | tuple) and value and takes_lists else ""
    raise MistakeError(place, f"expected {expected}, found {shown(value)}{size}.{_hint(value, allowed)}")


def _struct(written: dict[str, object], kind: type[msgspec.Struct], name: str, place: Place) -> Any:
    """A struct from its keys, each of which is known."""
    fields = {field.name: field for field in _fields(kind)}
    for key in written:
        if key not in fields:
            known = f"a key of {name} ({', '.join(fields)})" if fields else f"no key in {name}"
            hint = did_you_mean(_text(key), fields)
            raise MistakeError((*place, key), f"expected {known}, found {shown(key)}.{hint}")
    for field in fields.values():
        if field.required and field.name not in written:
            raise MistakeError(place, f"expected the key {field.name!r} in {name}, found none.")
    return kind(**{key: read(value, fields[key].type, key, (*place, key)) for key, value in written.items()})


def _scalar(value: object, part: AllowedType) -> Any:
    """What a text, number, truth value or None is as one of the types; UNSET if it is none."""
    extra = part.extra
    if isinstance(value, str) and value == extra.get("auto"):
        return None
    if "parse" in extra:
        found = None if value is None else extra["parse"](_text(value))
        return msgspec.UNSET if found is None else found
    if part.words and part.base is not bool:
        if value not in part.words:
            return msgspec.UNSET
        return value if part.base is Literal else part.base(value)
    written = (value or None) if part.base is str else _unquoted(value)
    try:
        return msgspec.convert(written, part.kind)
    except (msgspec.ValidationError, OverflowError):
        return msgspec.UNSET


def _unquoted(value: object) -> object:
    """What a text stands for, if it is a number or a truth value: numbers are decimal, and `yes` is a text."""
    if isinstance(value, str) and len(value) <= _MOST_DIGITS:
        if _WHOLE.fullmatch(value):
            return int(value)
        return float(value) if _DECIMAL.fullmatch(value) else _TRUTHS.get(value, value)
    return value


def _right_length(items: Collection[object], part: AllowedType) -> bool:
    if not part.any_length:
        return len(items) == len(part.inner)
    return (part.bound("min_length") or 0) <= len(items) <= (part.bound("max_length") or sys.maxsize)


def _described(part: AllowedType) -> str:
    words: str | None = part.extra.get("words")
    if words:
        return words
    if part.words and part.base is not bool:
        return part.words[0] if len(part.words) == 1 else f"one of {', '.join(part.words)}"
    if part.is_struct:
        return example_of(part.base)
    if part.base is tuple:
        return _described_list(part)
    return f"{_BASES.get(part.base) or getattr(part.base, '__name__', str(part.base))}{_bounds(part)}"


def _bounds(part: AllowedType) -> str:
    """The bounds of a number in words, after a blank: ' from 1 to 9'; nothing if there are none."""
    limits = part.bound("ge"), part.bound("le")
    low, high = (str(bound) if isinstance(bound, int) else bound and f"{bound:g}" for bound in limits)
    if low is None:
        return ""
    return f" of at least {low}" if high is None else f" from {low} to {high}"


def _described_list(part: AllowedType) -> str:
    item = describe(part.inner[0])
    if part.extra.get("alone"):
        return f"{item}, or a list of them"
    if not part.any_length:
        return f"a list of {len(part.inner)}, each {item}"
    low, high = part.bound("min_length"), part.bound("max_length")
    size = (
        "" if low is None and high is None else f" of at least {low}" if high is None else f" of {low or 0} to {high}"
    )
    return f"a list{size}, each {item}"


def shown(value: object) -> str:
    """What was found, for a message."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "keys with values" if value else "no keys at all"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    text = _text(value)
    text = text if len(text) <= LONGEST_FOUND else text[: LONGEST_FOUND - 1] + "…"
    return repr(text) if isinstance(_unquoted(value), str) else text


def _hint(value: object, allowed: list[AllowedType]) -> str:
    """What was probably meant: a similar word, a truth value of other YAML readers, or a number written otherwise."""
    if not isinstance(value, str) or not isinstance(_unquoted(value), str):
        return ""
    bases = [part.base for part in allowed]
    if bool in bases:
        meant = _OTHER_TRUTHS.get(value.casefold(), value.casefold())
        return f" Did you mean {meant}?" if meant in ("true", "false") else ""
    words = [word for part in allowed for word in (*part.words, part.extra.get("auto", ""))]
    words += [example_of(part.base) for part in allowed if part.is_struct]
    return did_you_mean(value, filter(None, words))


def _text(value: object) -> str:
    """A value as it would be written."""
    try:
        return str(value).lower() if isinstance(value, bool) else str(value)
    except ValueError:  # Python refuses to write out numbers of thousands of digits
        return "a very long number"
