"""YAML that remembers its lines, so that every mistake can be reported with its line.

Only what configs need is understood, and in one way: `true` and `false` are the truth values (not `yes` or `on`),
numbers are decimal (`010` is no number), and everything else is text. Anchors, aliases, tags and merged keys
are refused: nothing in a file can stand for something else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

import msgspec
import yaml

from league.errors import did_you_mean

_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+|[0-9]+\.[0-9]*[eE][-+]?[0-9]+)")
_WORDS = {"": None, "~": None, "null": None, "true": True, "True": True, "false": False, "False": False}
_MOST_DIGITS = 30  # a longer number is a mistake, and reading a very long one takes quadratic time


class Mistake(msgspec.Struct, frozen=True, order=True):
    """Something wrong in a file."""

    line: int
    what: str
    """A sentence: expected, found, what to try."""


class Scalar(msgspec.Struct, frozen=True):
    """A word, a number, a truth value, or nothing."""

    line: int
    text: str
    """As written."""
    value: str | int | float | bool | None

    def __str__(self) -> str:
        if self.value is None:
            return "nothing"
        text = self.text if len(self.text) <= 60 else self.text[:59] + "…"
        return repr(text) if isinstance(self.value, str) else text


class Sequence(msgspec.Struct, frozen=True):
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


Node = Scalar | Sequence | Mapping


class NotYamlError(Exception):
    """The text is not YAML; holds the mistake that ended the reading."""

    def __init__(self, line: int, what: str) -> None:
        self.mistake = Mistake(line, what)
        super().__init__(what)


def parse(text: str) -> tuple[Node | None, list[Mistake]]:
    """The one document of a text (None if there is none), and what it must not use; or raise `NotYamlError`."""
    mistakes: list[Mistake] = []
    try:
        events = yaml.parse(text, Loader=yaml.SafeLoader)
        documents = [
            _node(next(events), events, mistakes) for event in events if isinstance(event, yaml.DocumentStartEvent)
        ]
    except yaml.reader.ReaderError as problem:
        line = text.count("\n", 0, problem.position) + 1
        raise NotYamlError(line, f"expected text, found the character {chr(problem.character)!a}.") from None
    except yaml.MarkedYAMLError as problem:
        raise NotYamlError(*_told(problem)) from None
    except RecursionError:
        raise NotYamlError(1, "expected a config, found lists or keys nested hundreds of levels deep.") from None
    if len(documents) > 1:
        raise NotYamlError(documents[1].line, "expected one document, found a second one after '---'.")
    return (documents[0] if documents else None), mistakes


def plain(node: Node) -> object:
    """The value without its lines, as dicts, lists and scalars; of a key written twice, the last counts."""
    if isinstance(node, Mapping):
        return {key.text: plain(value) for key, value in node.entries}
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return node.value


class Reader:
    """Reads typed values out of nodes; a wrong one is noted in `mistakes`, and some right value stands in for it."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        self.mistakes = mistakes

    def wrong(self, node: Node, what: str) -> None:
        """Note a mistake where the node stands."""
        self.mistakes.append(Mistake(node.line, what))

    def fields(
        self, node: Node, what: str, known: Collection[str], required: Collection[str] = (), like: str = ""
    ) -> dict[str, Node]:
        """The values of a mapping by key, each known and there once; the required ones may still be missing.

        `like` is an example for the message if it is no mapping.
        """
        if not isinstance(node, Mapping):
            example = f" ({like})" if like else ""
            self.wrong(node, f"expected {what} as keys with values{example}, found {node}.")
            return {}
        found: dict[str, Node] = {}
        lines: dict[str, int] = {}
        for key, value in node.entries:
            if key.text in lines:
                first = lines[key.text]
                self.wrong(key, f"expected every key once, found {key.text!r} again (it is in line {first} already).")
            elif key.text not in known:
                near = did_you_mean(key.text, known)
                self.wrong(key, f"expected a key of {what} ({', '.join(known)}), found {key.text!r}.{near}")
            else:
                found[key.text] = value
            lines.setdefault(key.text, key.line)
        unknown = [key for key in lines if key not in known]
        for name in required:
            if name not in found and not did_you_mean(name, unknown):  # a misspelt one has been reported above
                self.wrong(node, f"expected the key {name!r} in {what}, found none.")
        return found

    def text(self, node: Node, what: str) -> str:
        """A text; a number or a truth value is taken as it is written."""
        if isinstance(node, Scalar) and node.text and node.value is not None:
            return node.text
        self.wrong(node, f"expected {what}, found {node}.")
        return ""

    def choice(self, node: Node, what: str, choices: Collection[str]) -> str:
        """One of several words."""
        if isinstance(node, Scalar) and node.text in choices:
            return node.text
        near = did_you_mean(node.text, choices) if isinstance(node, Scalar) else ""
        self.wrong(node, f"expected {what} as one of {', '.join(choices)}, found {node}.{near}")
        return next(iter(choices))

    def truth(self, node: Node, what: str) -> bool:
        """True or false."""
        if isinstance(node, Scalar) and isinstance(node.value, bool):
            return node.value
        self.wrong(node, f"expected {what} as true or false, found {node}.")
        return False

    def whole(self, node: Node, what: str, low: int, high: int) -> int:
        """A whole number within bounds."""
        if isinstance(node, Scalar) and type(node.value) is int and low <= node.value <= high:
            return node.value
        self.wrong(node, f"expected {what} as a whole number from {low} to {high}, found {node}.{_number_hint(node)}")
        return low

    def number(self, node: Node, what: str, low: float, high: float, words: str = "") -> float:
        """A number within bounds, both of them included; `words` says what else is accepted."""
        if isinstance(node, Scalar) and type(node.value) in (int, float) and low <= node.value <= high:  # type: ignore[operator]
            return float(node.value)  # type: ignore[arg-type]
        self.wrong(
            node, f"expected {what} as {words}a number from {low:g} to {high:g}, found {node}.{_number_hint(node)}"
        )
        return low


def _number_hint(node: Node) -> str:
    """What to try where a number was meant: YAML readers disagree about 010 and 1_000, so they are refused."""
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return ""
    digits = node.text.replace("_", "").replace(",", "").lstrip("0")
    return f" Did you mean {digits}?" if digits.isdecimal() and digits != node.text else ""


def _node(event: yaml.Event, events: Iterator[yaml.Event], mistakes: list[Mistake]) -> Node:
    line = _line(event.start_mark)
    if isinstance(event, yaml.AliasEvent):
        found = f"*{event.anchor}"
        mistakes.append(Mistake(line, f"expected a value, found the alias {found!r}. Write out what it stands for."))
        return Scalar(line, found, found)
    assert isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent)  # the grammar has no other beginning
    for what, name in (("anchor", event.anchor), ("tag", event.tag)):
        if name is not None:
            mistakes.append(Mistake(line, f"expected a plain value, found the {what} {name!r}. Leave it out."))
    if isinstance(event, yaml.SequenceStartEvent):
        items = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            items.append(_node(event, events, mistakes))
        return Sequence(line, tuple(items))
    if isinstance(event, yaml.MappingStartEvent):
        entries = []
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key = _node(event, events, mistakes)
            value = _node(next(events), events, mistakes)
            if isinstance(key, Scalar):
                entries.append((key, value))
            else:
                mistakes.append(Mistake(key.line, f"expected a word as a key, found {key}."))
        return Mapping(line, tuple(entries))
    assert isinstance(event, yaml.ScalarEvent)
    return Scalar(line, event.value, _value(event.value) if event.implicit[0] else event.value)


def _value(text: str) -> str | int | float | bool | None:
    if text in _WORDS:
        return _WORDS[text]
    if len(text) <= _MOST_DIGITS:
        if _WHOLE.fullmatch(text):
            return int(text)
        if _DECIMAL.fullmatch(text):
            return float(text)
    return text


def _line(mark: Any) -> int:
    return mark.line + 1 if mark else 1


def _told(problem: yaml.MarkedYAMLError) -> tuple[int, str]:
    """Line and sentence for an error of the YAML reader."""
    line = _line(problem.problem_mark or problem.context_mark)
    said = str(problem.problem or problem.context)
    if "'\\t'" in said:
        return line, "expected spaces at the beginning of the line, found a tab."
    if "mapping values are not allowed" in said:
        return line, (
            "expected one 'key: value' on a line, found a second ':'. Put text with a colon in quotes, and look "
            "whether the lines above have the same indentation."
        )
    began = _line(problem.context_mark) if problem.context_mark else line
    where = "" if began == line else f", {problem.context} that began in line {began}"
    return line, f"expected YAML, found a mistake in its form: {said}{where}."
