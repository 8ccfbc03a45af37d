"""YAML that remembers its lines, so that a mistake can be reported with its line.

Only what configs need is understood, and in one way: numbers, truth values and words are texts, which `tools.reading`
reads as the types that are wanted. Anchors, aliases, tags and merged keys are refused: nothing in a file can stand for
something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import yaml

from league.errors import ConfigError
from league.tools.reading import MistakeError, Place, shown
from league.tools.text import safe


class Document(NamedTuple):
    """What a text of YAML says."""

    file: str
    """What messages call it."""
    value: Any
    """Dicts, lists and texts; None for nothing."""
    lines: Mapping[Place, int]
    """Where everything in it stands."""

    def error(self, mistake: MistakeError) -> ConfigError:
        """A mistake with its line, which is that of the nearest place around it."""
        around = [mistake.place[:length] for length in range(len(mistake.place), -1, -1)]
        return config_error(self.file, next(self.lines[place] for place in around if place in self.lines), mistake.what)


def config_error(file: str, line: int, what: str) -> ConfigError:
    """A mistake in a line of a file."""
    return ConfigError(safe(f"{file}:{line}: {what}"))


def parse(text: str, file: str) -> Document:
    """The one document of a text; raises `ConfigError`, with its line, for what is no YAML or must not be used."""
    lines: dict[Place, int] = {(): 1}
    try:
        events = yaml.parse(text, Loader=yaml.SafeLoader)
        starts = (event for event in events if isinstance(event, yaml.DocumentStartEvent))
        value = _value(next(events), events, (), lines) if next(starts, None) else None
        if second := next(starts, None):
            raise _NotPlainError(_line(second.start_mark), "expected one document, found a second one after '---'.")
    except _NotPlainError as problem:
        raise config_error(file, *problem.args) from None
    except yaml.reader.ReaderError as problem:
        line = text.count("\n", 0, problem.position) + 1
        raise config_error(file, line, f"expected text, found the character {chr(problem.character)!a}.") from None
    except yaml.MarkedYAMLError as problem:
        raise config_error(file, *_told(problem)) from None
    except RecursionError:
        raise config_error(file, 1, "expected a config, found lists or keys nested hundreds of levels deep.") from None
    return Document(file, value, lines)


class _NotPlainError(Exception):
    """A line, and what is wrong in it."""


def _value(event: yaml.Event, events: Iterator[yaml.Event], place: Place, lines: dict[Place, int]) -> object:
    line = _line(event.start_mark)
    lines.setdefault(place, line)
    if isinstance(event, yaml.AliasEvent):
        what = f"expected a value, found the alias '*{event.anchor}'. Write out what it stands for."
        raise _NotPlainError(line, what)
    assert isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent)  # the grammar has no other beginning
    for what, name in (("anchor", event.anchor), ("tag", event.tag)):
        if name is not None:
            raise _NotPlainError(line, f"expected a plain value, found the {what} {name!r}. Leave it out.")
    if isinstance(event, yaml.SequenceStartEvent):
        items: list[object] = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            items.append(_value(event, events, (*place, len(items)), lines))
        return items
    if isinstance(event, yaml.MappingStartEvent):
        entries: dict[str, object] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key, line = event, _line(event.start_mark)
            if not isinstance(key, yaml.ScalarEvent):
                raise _NotPlainError(line, "expected a word as a key, found a list or keys with values.")
            inside = (*place, key.value)
            if key.value in entries:
                again = f"found {shown(key.value)} again (it is in line {lines[inside]} already)."
                raise _NotPlainError(line, f"expected every key once, {again}")
            lines[inside] = line
            entries[key.value] = _value(next(events), events, inside, lines)
        return entries
    assert isinstance(event, yaml.ScalarEvent)
    return None if event.implicit[0] and event.value in ("", "~", "null") else event.value


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
