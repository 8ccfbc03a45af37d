"""What Java's kit takes from the games: a class for each game's view, with typed fields."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from inspect import get_annotations
from pathlib import Path
from textwrap import wrap
from typing import Any, get_args, get_origin

import msgspec

from league import games
from league.games.contract import Game, View, properties
from league.games.guide import members, parts

_KIT = Path(__file__).parent / "java" / "kit"
_WIDTH = 116
_PLAIN = {int: ("int", "Json.integer({})"), bool: ("boolean", "(Boolean) {}"), str: ("String", "(String) {}")}
_TAKEN = {"class", "default", "final", "fields", "new", "package", "private", "public", "static", "this", "void"}
"""Names that no field can have."""


def java_files(game: Game) -> dict[str, str]:
    """The views of the games that come with League and of this one, what makes them, and `Bot`, which takes them."""
    kinds = {name: games.find(name).view_type for name in games.BUILT_IN} | {game.name: game.view_type}
    files = {f"kit/{kind.__name__}.java": view_class(kind) for kind in kinds.values()}
    cases = "".join(
        f'            case "{name}":\n                return new {kind.__name__}(fields);\n'
        for name, kind in kinds.items()
    )
    overloads = "".join(
        f"\n    public int choose({kind.__name__} view) {{\n"
        f'        throw new UnsupportedOperationException("this bot has no method choose({kind.__name__})");\n    }}\n'
        for kind in kinds.values()
    )
    bot = (_KIT / "Bot.java").read_text(encoding="utf-8")
    return files | {
        "kit/Views.java": _VIEWS.replace("CASES", cases),
        "kit/Bot.java": bot.replace("    // choose for each view\n", overloads),
    }


def view_class(kind: type[View]) -> str:
    """The class of a view, and within it the classes of what it is made of."""
    inner = [part for part in parts(kind) if issubclass(part, msgspec.Struct)]
    lines = [
        *(["import java.util.List;"] if inner else []),
        "import java.util.Map;",
        "",
        *_comment(kind.__doc__ or "", ""),
        f"public final class {kind.__name__} extends View {{",
        *_members(kind, skipped=View.__struct_fields__, first="super(fields);"),
        "",
        "    @Override",
        "    int askedOf(Bot bot) {",
        "        return bot.choose(this);",
        "    }",
    ]
    for part in inner:
        head = [*_comment(part.__doc__ or "", ""), f"public static final class {part.__name__} {{"]
        body = [*head, *_members(part), *_ALL.replace("PART", part.__name__).splitlines(), "}"]
        lines += ["", *(f"    {line}".rstrip() for line in body)]
    return "\n".join([*lines, "}", ""])


def _members(kind: type[msgspec.Struct], skipped: Collection[str] = (), first: str = "") -> Iterator[str]:
    """Fields and constructor of a class."""
    bases = [base for base in reversed(kind.__mro__) if issubclass(base, msgspec.Struct) and base is not msgspec.Struct]
    meanings = {name: meaning for base in bases for name, meaning in members(base)}
    fields = {field.name: field.type for field in msgspec.structs.fields(kind) if field.name not in skipped}
    if issubclass(kind, View):
        getters = {name: getattr(kind, name).fget for name in properties(kind)}
        fields |= {name: get_annotations(getter, eval_str=True)["return"] for name, getter in getters.items()}
    for name, hint in fields.items():
        yield from _comment(meanings.get(name, ""), "    ")
        yield f"    public final {_type(hint)[0]} {_name(name)};"
    yield ""
    yield f"    {kind.__name__}(Map<String, Object> fields) {{"
    if first:
        yield f"        {first}"
    for name, hint in fields.items():
        value = f'fields.get("{name}")'
        yield f"        {_name(name)} = {_type(hint)[1].format(value)};"
    yield "    }"


def _name(name: str) -> str:
    return f"{name}_" if name in _TAKEN else name


def _type(hint: Any) -> tuple[str, str]:
    """A type of Java, and how a value of JSON becomes one."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return hint.__name__, f"new {hint.__name__}(Json.object({{}}))"
    items = set(get_args(hint)) - {Ellipsis}
    if get_origin(hint) is tuple and len(items) == 1:
        inner, _ = _type(items.pop())
        if inner in ("int", "int[]"):
            return f"{inner}[]", f"Json.{'integers' if inner == 'int' else 'rows'}({{}})"
        if inner.isidentifier() and inner not in ("boolean", "String", "Object"):
            return f"{inner}[]", f"{inner}.all({{}})"
    return "Object", "{}"


def _comment(text: str, indent: str) -> Iterator[str]:
    words = " ".join(text.split()).replace("*/", "* /")
    if not words:
        return
    if len(indent) + len(words) + 7 <= _WIDTH:
        yield f"{indent}/** {words} */"
        return
    yield f"{indent}/**"
    yield from (f"{indent} * {line}" for line in wrap(words, _WIDTH - len(indent) - 3))
    yield f"{indent} */"


_ALL = """
    static PART[] all(Object value) {
        List<Object> items = Json.list(value);
        PART[] made = new PART[items.size()];
        for (int index = 0; index < made.length; index++) {
            made[index] = new PART(Json.object(items.get(index)));
        }
        return made;
    }"""
_VIEWS = """\
import java.util.Map;

/** Makes the view of a game from its fields. */
final class Views {
    private Views() {}

    static View of(String game, Map<String, Object> fields) {
        switch (game) {
CASES            default:
                return new View(fields);
        }
    }
}
"""
