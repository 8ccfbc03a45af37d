"""Games that are files: rules in one Python file of a user's own, known by their content.

    rules = load(Path("crown.py"))
    rules.file.hash                     # part of the identity of all results under these rules

A file is run once in each process that needs it. The rules run in the referee, which nothing confines: load only files
that you trust.
"""

from __future__ import annotations

import linecache
import os
import re
import sys
from contextlib import suppress
from inspect import isabstract
from pathlib import Path
from traceback import extract_tb
from types import ModuleType

from league.errors import LeagueError
from league.games.contract import Game, GameFile
from league.tools.files import cache_folder, not_utf8, read_bytes
from league.tools.text import nearest_file, safe, shown_path

MAX_BYTES = 1_000_000
NAME = re.compile(r"[a-z][a-z0-9_]{0,47}")
NAME_RULE = "1 to 48 lower-case letters, digits and '_', a letter first"

_by_hash: dict[str, type[Game]] = {}
_by_name: dict[str, type[Game]] = {}
"""The version of each game whose file was read last."""


def load(path: Path) -> type[Game]:
    """The rules in a file."""
    rules = _loaded(_text(path), shown_path(path))
    _by_name[rules.name] = rules
    _record(rules)
    return rules


def run(file: GameFile) -> type[Game]:
    """The rules of a text: of a league's results, or from the process that asks for a host."""
    rules = _loaded(file.text, f"the file of game {safe(file.name)!r}")
    _by_name.setdefault(rules.name, rules)
    return rules


def was_run_here(source: str) -> bool:
    """Whether the user of this machine has run the file with this hash by its path, now or before."""
    return source in _by_hash or os.path.isfile(_record_of(source))


def named(name: str) -> type[Game] | None:
    """The rules of this name, if they were loaded from a file; of several versions the last one."""
    return _by_name.get(name)


def known(source: str) -> type[Game] | None:
    """The rules of the file with this hash, if it was loaded."""
    return _by_hash.get(source)


def _loaded(text: str, place: str) -> type[Game]:
    file = GameFile("", text)
    rules = _by_hash.get(file.hash)
    if rules is None:
        rules = _run(file, place)
        rules.file = GameFile(rules.name, text)
        _by_hash[file.hash] = rules
    return rules


def _run(file: GameFile, place: str) -> type[Game]:
    """Run a file as a module of its own, and return the game that it defines."""
    module = ModuleType(f"league_game_{file.hash}")
    module.__file__ = f"<game {file.hash}>"
    linecache.cache[module.__file__] = (  # for tracebacks, and for guides, which read docstrings from the source
        len(file.text), None, file.text.splitlines(keepends=True), module.__file__,
    )  # fmt: skip
    sys.modules[module.__name__] = module
    try:
        exec(compile(file.text, module.__file__, "exec", dont_inherit=True), vars(module))  # noqa: S102 - what it is for
        return _game_in(module)
    except (Exception, SystemExit) as problem:
        del sys.modules[module.__name__]
        if isinstance(problem, LeagueError):
            raise LeagueError(f"{place}: {problem}") from None
        raise LeagueError(f"{place}{_line(problem, module.__file__)}: {_cause(problem)}") from problem


def _game_in(module: ModuleType) -> type[Game]:
    """The one game that a module defines; bases of it do not count."""
    defined = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Game) and value.__module__ == module.__name__
    ]
    games = [rules for rules in dict.fromkeys(defined) if not any(rules in other.__mro__[1:] for other in defined)]
    if len(games) != 1:
        names = ", ".join(rules.__name__ for rules in games) or "none"
        raise LeagueError(f"expected one class derived from league.Game, found {names}.")
    (rules,) = games
    if isabstract(rules):
        missing = ", ".join(sorted(rules.__abstractmethods__))
        raise LeagueError(f"expected all methods of a game in class {rules.__name__}, found none called {missing}.")
    for attribute in ("name", "title", "player_counts", "deal_type", "view_type"):
        if not hasattr(rules, attribute):
            raise LeagueError(f"expected {attribute} in class {rules.__name__}, found none.")
    if not (isinstance(rules.name, str) and NAME.fullmatch(rules.name)):
        raise LeagueError(f"expected the name of a game to have {NAME_RULE}, found {rules.name!r}.")
    return rules


def _record(rules: type[Game]) -> None:
    assert rules.file
    record = _record_of(rules.file.hash)
    with suppress(OSError):  # then the file must be named again to see its games again
        record.parent.mkdir(parents=True, exist_ok=True)
        record.touch()


def _record_of(source: str) -> Path:
    """The empty file that marks a text as run on this machine."""
    return cache_folder() / "games" / source


def _text(path: Path) -> str:
    if not os.path.exists(path):
        beside = sorted(path.parent.glob("*.py")) if os.path.isdir(path.parent) else []
        raise LeagueError(f"There is no game file '{safe(str(path))}'.{nearest_file(path, beside)}")
    try:
        return read_bytes(path, MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line, what = not_utf8(problem)
        raise LeagueError(f"{shown_path(path)}:{line}: {what}") from None


def _line(problem: BaseException, filename: str) -> str:
    """':12' for the line of the file that a problem comes from, if it is known."""
    if isinstance(problem, SyntaxError) and problem.filename == filename:
        return f":{problem.lineno}"
    lines = [frame.lineno for frame in extract_tb(problem.__traceback__) if frame.filename == filename]
    return f":{lines[-1]}" if lines else ""


def _cause(problem: BaseException) -> str:
    if isinstance(problem, SyntaxError):
        return f"expected Python, found a syntax error: {problem.msg}."
    return safe(f"the file cannot be run: {type(problem).__name__}: {problem}".removesuffix(": ")) + "."
