"""One reader for values that people write: in configs, as options of games, on the command line.

What a value may be is said by its type alone, in the terms of msgspec:

    class Stop(msgspec.Struct):
        games: Annotated[int, msgspec.Meta(ge=1, le=1000)] | None = None

    reader = Reader()
    stop = reader.read(node, Stop, "stop")
    for mistake in reader.mistakes:
        print(mistake.line, mistake.what)       # 4 expected games as a whole number from 1 to 1000, found 0.

A type is `bool`, `str`, an `int` or `float` with bounds, a `Literal` or `StrEnum` of words, a tuple of such types, a
struct whose fields are the keys, or a union of them. None cannot be written: it stands for what is left out. A
`msgspec.Meta(extra={…})` may add:

- `auto`: a word that is written for None;
- `words`: what is expected, where the type alone does not tell it;
- `parse`: a function from the text to the value, which returns None for a wrong text;
- `alone`: True where a single value may be written instead of a list of one;
- `if_left_out`: for the documentation, if the default does not tell it.

`describe` says in words what a type allows, for messages and documentation.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import msgspec

from league.errors import did_you_mean

LONGEST_FOUND = 60
"""Characters of what was found that a message repeats."""

_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+|[0-9]+\.[0-9]*[eE][-+]?[0-9]+)")
_MOST_DIGITS = 30  # a longer number is a mistake, and reading a very long one takes quadratic time
_WORDS = {"": None, "~": None, "null": None, "true": True, "True": True, "false": False, "False": False}
_TRUTHS = {
    **dict.fromkeys(("true", "yes", "y", "on"), "true"),
    **dict.fromkeys(("false", "no", "n", "off"), "false"),
}
_BASES = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


_fields = cache(msgspec.structs.fields)  # a config may have thousands of games


class Mistake(msgspec.Struct, frozen=True, order=True):
    """Something wrong in what was written."""

    line: int
    """0 where there are no lines."""
    what: str
    """A sentence: expected, found, what to try."""


class Scalar(msgspec.Struct, frozen=True):
    """A word, a number, a truth value, or nothing."""

    line: int
    text: str
    """As written."""
    value: object
    written: bool = True
    """Whether people wrote it without a type, so that a number may be meant as text."""

    def __str__(self) -> str:
        if self.value is None:
            return "nothing"
        text = self.text if len(self.text) <= LONGEST_FOUND else self.text[: LONGEST_FOUND - 1] + "…"
        return repr(text) if isinstance(self.value, str) else text


class ListNode(msgspec.Struct, frozen=True):
    """A list."""

    line: int
    items: tuple[Node, ...]

    def __str__(self) -> str:
        return "a list" if self.items else "an empty list"


class Mapping(msgspec.Struct, frozen=True):
    """Keys with values. A key that was written twice is there twice: the reader reports it."""

    line: int
    entries: tuple[tuple[Scalar, Node], ...]

    def __str__(self) -> str:
        return "keys with values" if self.entries else "no keys at all"


Node = Scalar | ListNode | Mapping


def scalar(text: str, line: int = 0) -> Scalar:
    """A text that may be a number, a truth value or nothing: numbers are decimal, and only `true` is true."""
    value: object = text
    if text in _WORDS:
        value = _WORDS[text]
    elif len(text) <= _MOST_DIGITS:
        if _WHOLE.fullmatch(text):
            value = int(text)
        elif _DECIMAL.fullmatch(text):
            value = float(text)
    return Scalar(line, text, value)


def node_of(value: object, line: int = 0) -> Node:
    """Plain data (dicts, lists, texts, numbers, truth values) as a node to read from."""
    if isinstance(value, dict):
        return Mapping(line, tuple((Scalar(line, _text(key), key), node_of(item, line)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return ListNode(line, tuple(node_of(item, line) for item in value))
    return Scalar(line, _text(value), value, written=False)


def plain(node: Node) -> object:
    """The value without its lines, as dicts, lists and scalars; of a key written twice, the last counts."""
    if isinstance(node, Mapping):
        return {key.text: plain(value) for key, value in node.entries}
    if isinstance(node, ListNode):
        return [plain(item) for item in node.items]
    return node.value


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
    return "{}"


class Reader:
    """Reads typed values out of nodes, and notes what is wrong in `mistakes`."""

    def __init__(self, mistakes: Iterable[Mistake] = ()) -> None:
        self.mistakes = [*mistakes]

    def wrong(self, node: Node, what: str) -> None:
        """Note a mistake where the node stands."""
        self.mistakes.append(Mistake(node.line, what))

    def read(self, node: Node, kind: Any, name: str = "") -> Any:
        """The value of a type; `msgspec.UNSET` after a mistake. `name` is what messages call it."""
        for part in parts(kind):
            if part.is_struct and isinstance(node, Mapping):
                return self._struct(node, part.base, name)
            if part.base is dict and isinstance(node, Mapping):
                return self._mapping(node, part.inner[1], name)
            if part.base is tuple and (isinstance(node, ListNode) or part.extra.get("alone")):
                items = node.items if isinstance(node, ListNode) else (node,)
                if _right_length(items, part):
                    return self._items(items, part, name)
            elif isinstance(node, Scalar):
                value = _value(node, part)
                if value is not msgspec.UNSET:
                    return value
        expected = f"{name} as {describe(kind)}" if name else describe(kind)
        takes_lists = any(part.base is tuple for part in parts(kind))
        size = f" of {len(node.items)}" if isinstance(node, ListNode) and node.items and takes_lists else ""
        self.wrong(node, f"expected {expected}, found {node}{size}.{_hint(node, kind)}")
        return msgspec.UNSET

    def keys(
        self, node: Node, kind: type[msgspec.Struct], name: str, left_out: Collection[str] = (), like: str = ""
    ) -> dict[str, Node]:
        """The nodes of the fields of a struct that are written, each known and there once.

        Required ones may still be missing, those `left_out` without a mistake. `like` is an example for the message
        where there are no keys.
        """
        if not isinstance(node, Mapping):
            self.wrong(node, f"expected {name} as keys with values ('{like or example_of(kind)}'), found {node}.")
            return {}
        fields = _fields(kind)
        known = [field.name for field in fields]
        nodes: dict[str, Node] = {}
        lines: dict[str, int] = {}
        for key, value in node.entries:
            if key.text in lines:
                self._written_again(key, lines[key.text])
            elif key.text in known:
                nodes[key.text] = value
            elif known:
                hint = did_you_mean(key.text, known)
                self.wrong(key, f"expected a key of {name} ({', '.join(known)}), found {key}.{hint}")
            else:
                self.wrong(key, f"expected no key in {name}, found {key}.")
            lines.setdefault(key.text, key.line)
        misspelt = [key for key in lines if key not in known]  # reported above
        for field in fields:
            missing = field.required and field.name not in nodes and field.name not in left_out
            if missing and not did_you_mean(field.name, misspelt):
                self.wrong(node, f"expected the key {field.name!r} in {name}, found none.")
        return nodes

    def values(self, nodes: dict[str, Node], kind: type[msgspec.Struct], skip: Collection[str] = ()) -> dict[str, Any]:
        """The values of the fields of a struct, without those to skip and without wrong ones."""
        fields = {field.name: field.type for field in _fields(kind)}
        read = {name: self.read(node, fields[name], name) for name, node in nodes.items() if name not in skip}
        return {name: value for name, value in read.items() if value is not msgspec.UNSET}

    def _struct(self, node: Mapping, kind: type[msgspec.Struct], name: str) -> Any:
        values = self.values(self.keys(node, kind, name), kind)
        complete = all(field.name in values or not field.required for field in _fields(kind))
        return kind(**values) if complete else msgspec.UNSET

    def _mapping(self, node: Mapping, kind: Any, name: str) -> Any:
        """Names of the user's own, each once, with values of one type."""
        lines: dict[str, int] = {}
        values: dict[str, Any] = {}
        for key, value in node.entries:
            if key.text in lines:
                self._written_again(key, lines[key.text])
            lines.setdefault(key.text, key.line)
            values[key.text] = self.read(value, kind, f"{name}: {key.text}")
        return msgspec.UNSET if msgspec.UNSET in values.values() else values

    def _items(self, items: Sequence[Node], part: AllowedType, name: str) -> Any:
        kinds = [part.inner[0]] * len(items) if part.any_length else part.inner
        single = name if part.extra.get("alone") else f"each of {name}"
        values = tuple(self.read(item, kind, single) for item, kind in zip(items, kinds, strict=True))
        return msgspec.UNSET if msgspec.UNSET in values else values

    def _written_again(self, key: Scalar, first: int) -> None:
        where = f" (it is in line {first} already)" if first else ""
        self.wrong(key, f"expected every key once, found {key} again{where}.")


def _value(node: Scalar, part: AllowedType) -> Any:
    """What a scalar is as one of the types; UNSET if it is none."""
    extra = part.extra
    if node.text == extra.get("auto"):
        return None
    if "parse" in extra:
        value = extra["parse"](node.text)
        return msgspec.UNSET if value is None else value
    if part.words and part.base is not bool:
        if node.text not in part.words:
            return msgspec.UNSET
        return node.text if part.base is Literal else part.base(node.text)
    written = node.value
    if part.base is str:
        is_text = node.value is not None if node.written else isinstance(node.value, str)
        written = node.text if node.text and is_text else None
    try:
        return msgspec.convert(written, part.kind)
    except (msgspec.ValidationError, OverflowError):
        return msgspec.UNSET


def _right_length(items: Sequence[object], part: AllowedType) -> bool:
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
    return f"{_BASES.get(part.base) or getattr(part.base, '__name__', str(part.base))}{bounds(part)}"


def bounds(part: AllowedType) -> str:
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


def _hint(node: Node, kind: Any) -> str:
    """What was probably meant: a similar word, a truth value of other YAML readers, or a number written otherwise."""
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return ""
    allowed = parts(kind)
    bases = [part.base for part in allowed]
    if bool in bases:
        meant = _TRUTHS.get(node.text.casefold())
        return f" Did you mean {meant}?" if meant else ""
    words = [word for part in allowed for word in (*part.words, part.extra.get("auto", ""))]
    words += [example_of(part.base) for part in allowed if part.is_struct]
    near = did_you_mean(node.text, filter(None, words))
    if near or not {int, float} & {*bases}:
        return near
    digits = node.text.replace("_", "").replace(",", "").lstrip("0")
    written_otherwise = digits.isdecimal() and digits != node.text and len(digits) <= _MOST_DIGITS
    return f" Did you mean {digits}?" if written_otherwise else ""


def _text(value: object) -> str:
    """A value as it would be written."""
    try:
        return str(value).lower() if isinstance(value, bool) else str(value)
    except ValueError:  # Python refuses to write out numbers of thousands of digits
        return "a very long number"
