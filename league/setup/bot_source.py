"""What a bot's file says about itself, read from its text: nothing of it is ever run here."""

from __future__ import annotations

import ast
import re
import tomllib
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from league import games
from league.errors import did_you_mean
from league.games.files import NAME

_TOML_KEYS = ("command", "description", "games", "players")
_EXAMPLES = {"games": '("raj",)', "players": "(2,)", "baseline": "True"}
_TOML_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)")

HOOKS = {
    "choose": ("self, view",),
    "__init__": ("self, table",),
    "start": ("self, table",),
    "finish": ("self, outcome", "self, outcome, view"),
}
"""The methods that a bot may have, and the arguments that each may take, the fewest first."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Source(NamedTuple):
    """What a file says."""

    doc: str
    games: tuple[str, ...] | None
    """What the bot plays; None: everything."""
    players: tuple[int, ...] | None = None
    """The table sizes that it plays; None: all."""
    command: tuple[str, ...] = ()
    """What starts a bot that is a program."""
    baseline: bool = False
    """Whether the bot is there for comparison only."""


class Stated(NamedTuple):
    """A value that a file states, and its line."""

    value: object
    line: int


class UnfitError(Exception):
    """The file is no bot: the line (0 if it is no single one) and the reason."""

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        self.reason = reason
        super().__init__(reason)


def read_python(source: bytes) -> Source:
    """Docstring, games, players and `baseline` of a class `Bot` that has `choose`."""
    tree = _tree(source)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    if "Bot" not in classes:
        near = did_you_mean("Bot", classes) or did_you_mean("bot", classes)
        raise UnfitError(0, f"expected a class named Bot at the top level, found none.{near}")
    bot = classes["Bot"]
    family = list(_family(bot, classes))
    _check_choose(bot, family)
    _check_hooks(family)
    _check_outside(tree, family)
    doc = ast.get_docstring(bot) or ast.get_docstring(tree) or ""
    stated = _source(doc, _stated(family, "games"), _stated(family, "players"))
    return stated._replace(baseline=_baseline(family))


def read_toml(source: bytes) -> Source:
    """Command, description, games and players of a bot that is a program."""
    try:
        found = tomllib.loads(_text(source))
    except tomllib.TOMLDecodeError as problem:
        place = _TOML_PLACE.search(str(problem))
        line = int(place[1]) if place and place[1] else source.count(b"\n") + 1
        raise UnfitError(
            line, f"expected TOML, found a mistake in its form: {_TOML_PLACE.sub('', str(problem))}."
        ) from None
    except RecursionError:
        raise UnfitError(0, "expected a bot, found values nested hundreds of levels deep.") from None
    for key in found:
        if key not in _TOML_KEYS:
            known = ", ".join(_TOML_KEYS)
            raise UnfitError(_key_line(source, key), f"expected {known}, found {key!r}.{did_you_mean(key, _TOML_KEYS)}")
    command = found.get("command")
    if not (isinstance(command, list) and command and all(map(_is_word, command))):
        reason = """expected a command as a list of words, such as ["awk", "-f", "bot.awk"]"""
        raise UnfitError(_key_line(source, "command"), f"{reason}, found {_short(command)}.")
    description = found.get("description", "")
    if not isinstance(description, str):
        line = _key_line(source, "description")
        raise UnfitError(line, f"expected a description as text, found {_short(description)}.")

    def stated(key: str) -> Stated | None:
        return Stated(found[key], _key_line(source, key)) if key in found else None

    return _source(description, stated("games"), stated("players"), tuple(command))


def _source(doc: str, played: Stated | None, tables: Stated | None, command: tuple[str, ...] = ()) -> Source:
    names = _checked_games(played) if played else None
    return Source(doc, names, _checked_players(tables, names) if tables else None, command)


def _is_word(word: object) -> bool:
    """Whether it can be a part of a command."""
    return isinstance(word, str) and word != "" and "\0" not in word


def _text(source: bytes) -> str:
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = source.count(b"\n", 0, problem.start) + 1
        reason = f"expected text in UTF-8, found the byte {source[problem.start]:#04x}. Save the file as UTF-8."
        raise UnfitError(line, reason) from None


def _tree(source: bytes) -> ast.Module:
    text = _text(source)
    if "\0" in text:
        raise UnfitError(text.count("\n", 0, text.index("\0")) + 1, "expected Python, found a zero byte.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings are for the bot's author, not for the user who runs the league
            return ast.parse(text)
    except SyntaxError as problem:
        raise UnfitError(problem.lineno or 0, f"expected Python, found a syntax error: {problem.msg}.") from None
    except (RecursionError, MemoryError):  # raised for an expression that is too deep for the parser
        raise UnfitError(0, "expected Python, found an expression nested too deeply to be read.") from None


def _family(bot: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> Iterator[ast.ClassDef]:
    """The class and those of its bases that are in the same file, nearest first, each once."""
    waiting, seen = [bot.name], set()
    for name in waiting:
        if name in classes and name not in seen:
            seen.add(name)
            yield classes[name]
            waiting += [base.id for base in classes[name].bases if isinstance(base, ast.Name)]


def _check_choose(bot: ast.ClassDef, family: list[ast.ClassDef]) -> None:
    for kind in family:
        for node in kind.body:
            if isinstance(node, Function) and node.name == "choose":
                _check_signature(node)
                return
            if "choose" in _assigned(node):
                return
    known = {kind.name for kind in family} | {"object"}
    if all(isinstance(base, ast.Name) and base.id in known for kind in family for base in kind.bases):
        methods = [node.name for kind in family for node in kind.body if isinstance(node, Function)]
        near = did_you_mean("choose", methods)
        raise UnfitError(bot.lineno, f"expected a method choose(self, view) in class Bot, found none.{near}")


def _check_hooks(family: list[ast.ClassDef]) -> None:
    """The definitions that count of the hooks that a bot may have, up to where something is not known."""
    settled: set[str] = set()
    known = {kind.name for kind in family}
    for kind in family:
        if kind.decorator_list or kind.keywords:  # which may make anything of the class
            return
        for node in reversed(kind.body):
            if isinstance(node, Function) and node.name in HOOKS and node.name not in settled:
                _check_signature(node)
                settled.add(node.name)
            settled.update(_assigned(node))
        if not all(isinstance(base, ast.Name) and base.id in known for base in kind.bases):
            return


def _check_signature(method: Function) -> None:
    name = method.name
    wanted = HOOKS[name]
    fewest, most = (arguments.count(",") + 1 for arguments in (wanted[0], wanted[-1]))
    if isinstance(method, ast.AsyncFunctionDef):
        raise UnfitError(method.lineno, f"expected a plain 'def {name}', found 'async def'.")
    if method.decorator_list:
        return
    given = method.args
    positional = [*given.posonlyargs, *given.args]
    needed = len(positional) - len(given.defaults)
    too_many = needed > most or any(default is None for default in given.kw_defaults)
    too_few = len(positional) < fewest and given.vararg is None
    if too_many or too_few:
        names = ", ".join(argument.arg for argument in [*positional, *given.kwonlyargs])
        expected = " or ".join(f"{name}({arguments})" for arguments in wanted)
        raise UnfitError(method.lineno, f"expected {expected}, found {name}({names}).")


def _check_outside(tree: ast.Module, family: list[ast.ClassDef]) -> None:
    """What would have no effect: games that are named outside of the class, and nowhere in it."""
    for node in tree.body:
        if "games" in _assigned(node) and _stated(family, "games") is None:
            assert isinstance(node, ast.Assign | ast.AnnAssign)
            found = _strings(node.value)
            if found and found <= {*games.names()}:  # otherwise it is a variable of the bot's own
                reason = "expected games inside class Bot, found it outside. Move it into the class."
                raise UnfitError(node.lineno, reason)


def _strings(node: ast.expr | None) -> set[str]:
    """The texts of a tuple or list; empty if there is anything else."""
    entries = node.elts if isinstance(node, ast.Tuple | ast.List) else []
    texts = {entry.value for entry in entries if isinstance(entry, ast.Constant) and isinstance(entry.value, str)}
    return texts if len(texts) == len(entries) else set()


def _stated(family: list[ast.ClassDef], name: str) -> Stated | None:
    """What `games` or `players` is set to in the class, or in the nearest of its bases that sets it."""
    for kind in family:
        for node in kind.body:
            if name in _assigned(node):
                assert isinstance(node, ast.Assign | ast.AnnAssign)
                return Stated(_literal(node, name), node.lineno)
    return None


def _baseline(family: list[ast.ClassDef]) -> bool:
    """Whether the class says that it is there for comparison only."""
    stated = _stated(family, "baseline")
    if stated is not None and not isinstance(stated.value, bool):
        raise UnfitError(stated.line, f"expected baseline = True or False, found {_short(stated.value)}.")
    return stated is not None and bool(stated.value)


def _assigned(node: ast.stmt) -> list[str]:
    """The names that a statement of a class gives a value to."""
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, ast.AnnAssign) and node.value and isinstance(node.target, ast.Name):
        return [node.target.id]
    return []


def _literal(node: ast.Assign | ast.AnnAssign, name: str) -> object:
    assert node.value
    try:
        return ast.literal_eval(node.value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        reason = f"expected {name} written out, such as {_EXAMPLES[name]}, found something that has to be computed."
        raise UnfitError(node.lineno, reason) from None


def _checked_games(stated: Stated) -> tuple[str, ...]:
    found, line = stated
    if not (isinstance(found, tuple | list) and found and all(isinstance(name, str) for name in found)):
        raise UnfitError(line, f"""expected games as a tuple of names, such as ("raj",), found {_short(found)}.""")
    known = games.names()
    for name in found:
        if games.is_known(name):
            continue
        near = did_you_mean(name, known)
        if near or not NAME.fullmatch(name):  # otherwise it may be a game in a file that was not named yet
            raise UnfitError(line, f"expected games among {', '.join(known)}, found {name!r}.{near}")
    return tuple(dict.fromkeys(found))


def _checked_players(stated: Stated, played: tuple[str, ...] | None) -> tuple[int, ...]:
    """The table sizes that a bot plays, at least one of which a game of the bot must have."""
    found, line = stated
    if not (isinstance(found, tuple | list) and found and all(type(count) is int and count > 0 for count in found)):
        raise UnfitError(line, f"expected players as a tuple of numbers, such as (2,), found {_short(found)}.")
    known = [name for name in played or games.names() if name in games.names()]  # to look at others costs too much
    possible = sorted({count for name in known for count in games.find(name).player_counts})
    if known == list(played or known) and not set(found) & set(possible):
        counts = ", ".join(map(str, possible))
        raise UnfitError(line, f"expected players among {counts} (the tables of its games), found {_short(found)}.")
    return tuple(dict.fromkeys(found))


def _key_line(source: bytes, key: str) -> int:
    """The line in which a key of a TOML file is set; 0 if it is nowhere in plain sight."""
    for number, line in enumerate(source.decode("utf-8-sig").splitlines(), 1):
        if re.match(rf"\s*[\"'\[]*{re.escape(key)}[\"'\]]*\s*(=|$)", line):
            return number
    return 0


def _short(value: object) -> str:
    text = "none" if value is None else repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
