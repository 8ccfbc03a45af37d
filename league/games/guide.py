"""What a bot of a game should know, taken from the docstrings of the game's module and classes."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from itertools import pairwise
from textwrap import dedent, wrap
from typing import Any, get_args

import msgspec

from league.games.contract import Game, Options, View

WIDTH = 116


def guide(game: Game, *, for_programs: bool = False) -> Iterator[str]:
    """What a bot of a game should know, as lines of text: the game in brief, the view, the options.

    With `for_programs` it is what programs of other languages get.
    """
    yield from brief(game)
    yield ""
    yield "What choose can see:" if for_programs else "What choose(self, view) can see:"
    yield from _described("view", game.view_type, View)
    for kind in parts(game.view_type):
        if for_programs and not issubclass(kind, msgspec.Struct):
            continue
        yield ""
        yield f"A {kind.__name__} in it has:"
        yield from _described("", kind, kind, fields_only=for_programs)
    if game.options_type.__struct_fields__:
        yield ""
        yield "The options:" if for_programs else "The options, in table.options:"
        yield from _described("options", game.options_type, Options)


def brief(game: Game) -> list[str]:
    """The game in a few lines, from the module of its rules: what it is about, and what a move is."""
    return dedent(inspect.getdoc(sys.modules[game.view_type.__module__]) or "").splitlines()


def _described(owner: str, kind: type, last_base: type, fields_only: bool = False) -> Iterator[str]:
    """A line or more for every field and property of a class, bases first."""
    bases = list(kind.__mro__[: kind.__mro__.index(last_base) + 1])
    told = [member for base in reversed(bases) for member in members(base)]
    if fields_only:
        told = [(name, meaning) for name, meaning in told if name in kind.__struct_fields__]  # type: ignore[attr-defined]
    indent = max((len(f"{owner}.{name}") for name, _ in told), default=0) + 4
    for name, meaning in told:
        label = f"  {owner}.{name}".ljust(indent)
        yield from wrap(label + " ".join(meaning.split()), WIDTH, subsequent_indent=" " * indent)


def members(kind: type) -> Iterator[tuple[str, str]]:
    """Name and docstring of each public field and property of a class, from its source."""
    try:
        source = inspect.getsource(kind)
    except OSError:  # made by a program, such as the options of another project's game
        yield from ((name, "") for name in kind.__struct_fields__)  # type: ignore[attr-defined]
        return
    tree = ast.parse(dedent(source)).body[0]
    assert isinstance(tree, ast.ClassDef)
    for node, following in pairwise([*tree.body, ast.Pass()]):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            has_docstring = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            yield node.target.id, str(following.value.value) if has_docstring else ""  # type: ignore[attr-defined]
        elif isinstance(node, ast.FunctionDef) and isinstance(getattr(kind, node.name, None), property):
            yield node.name, ast.get_docstring(node) or ""


def parts(kind: type) -> list[type]:
    """The classes of which the fields and properties of a class are made, such as a round of the history, each once."""
    kinds: dict[type, None] = {}
    waiting = _hints(kind)
    while waiting:
        hint = waiting.pop(0)
        if isinstance(hint, type) and inspect.get_annotations(hint) and hint not in kinds:
            kinds[hint] = None
            waiting += _hints(hint)
        waiting += get_args(hint)
    return list(kinds)


def _hints(kind: type) -> list[Any]:
    """The types of all fields and properties of a class."""
    properties = [member.fget for member in vars(kind).values() if isinstance(member, property) and member.fget]
    results = [inspect.get_annotations(getter, eval_str=True).get("return") for getter in properties]
    return [*inspect.get_annotations(kind, eval_str=True).values(), *results]
