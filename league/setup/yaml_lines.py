"""YAML that remembers its lines, so that every mistake can be reported with its line.

Only what configs need is understood, and in one way: `true` and `false` are the truth values (not `yes` or `on`),
numbers are decimal (`010` is no number), and everything else is text. Anchors, aliases, tags and merged keys
are refused: nothing in a file can stand for something else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from league.tools.reading import ListNode, Mapping, Mistake, Node, Scalar, scalar


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


def _node(event: yaml.Event, events: Iterator[yaml.Event], mistakes: list[Mistake]) -> Node:
    line = _line(event.start_mark)
    if isinstance(event, yaml.AliasEvent):
        written = f"*{event.anchor}"
        mistakes.append(Mistake(line, f"expected a value, found the alias {written!r}. Write out what it stands for."))
        return Scalar(line, written, written)
    assert isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent)  # the grammar has no other beginning
    for what, name in (("anchor", event.anchor), ("tag", event.tag)):
        if name is not None:
            mistakes.append(Mistake(line, f"expected a plain value, found the {what} {name!r}. Leave it out."))
    if isinstance(event, yaml.SequenceStartEvent):
        items = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            items.append(_node(event, events, mistakes))
        return ListNode(line, tuple(items))
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
    return scalar(event.value, line) if event.implicit[0] else Scalar(line, event.value, event.value)


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
