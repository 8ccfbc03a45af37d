"""The games, found in one place by name: four built-in ones, those that other packages add, and files.

A path names the game in a file: `./crown.py`. Its content is part of the identity of results (see `files`).

Another package adds a game by an entry point in the group `league.games`, named like the game:

    [project.entry-points."league.games"]
    goof = "my_package.goof:Goof"

Games of other projects are named by family and name, such as `openspiel:kuhn_poker`; each family is an extra.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from league.commands import GAMES as OTHER_PROJECTS
from league.errors import LeagueError, did_you_mean
from league.games import files
from league.games.contract import Game, Options
from league.tools.text import shown_path

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

BUILT_IN = {
    "braverats": "league.games.braverats:BraveRats",
    "cheese_rescue": "league.games.cheese_rescue:CheeseRescue",
    "magillat": "league.games.magillat:Magillat",
    "raj": "league.games.raj:Raj",
}
ENTRY_POINTS = "league.games"
_IMMODEST = re.compile(r"[/\\]|file|(?<![.\d])\d{4}|e\+", re.IGNORECASE)
"""What data may not give to another project's game: files, and numbers of four digits and more."""


def names() -> list[str]:
    """The built-in games and those that other packages add, sorted."""
    return sorted({*BUILT_IN, *(entry.name for entry in _entry_points())})


def _entry_points() -> EntryPoints:
    return _entry_points_in(tuple(sys.path))


@cache
def _entry_points_in(path: tuple[str, ...]) -> EntryPoints:
    """Looked up once: it reads a file of every package that is installed."""
    from importlib.metadata import entry_points  # slow to load, and bots' processes never need it

    return entry_points(group=ENTRY_POINTS)


def is_known(name: str) -> bool:
    """Whether a game of that name is installed, was loaded from a file, or may be another project's."""
    return in_family(name) or files.named(name) is not None or name in names()


def load(name_or_path: str) -> type[Game]:
    """The rules of that name, or in the file at that path, which is run: for what the user wrote, never for data."""
    return _of_file(name_or_path) if is_path(name_or_path) else find(name_or_path)


def find(name: str, source: str = "") -> type[Game]:
    """The rules called `name`. No file is run, so the name may come from data.

    `source` is the hash of a file that was loaded before: these very rules, though a later version has been loaded too.
    """
    if source:
        if version := files.known(source):
            return version
        raise LeagueError(f"Game {name!r} is a file of a user's own, and this version of it is not here ({source}).")
    if in_family(name):
        return _of_family(name)
    if is_path(name):
        hint = "A game's file is named on the command line or in a config; data cannot name it."
        raise LeagueError(f"Expected the name of a game, found the path {name!r}. {hint}")
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        rules: type[Game] = getattr(import_module(module), attribute)
        return rules
    for entry in _entry_points():
        if entry.name == name:
            try:
                return _checked(name, entry.value, entry.load())
            except LeagueError:
                raise
            except Exception as problem:  # another package's code may fail in any way
                cause = f"cannot be loaded ({type(problem).__name__}: {problem})"
                raise LeagueError(f"Game {name!r}: its entry point {entry.value} {cause}.") from problem
    if own := files.named(name):
        return own
    known = names()
    beside = f" Did you mean the file ./{name}.py?" if os.path.isfile(f"{name}.py") else did_you_mean(name, known)
    raise LeagueError(f"There is no game {name!r}; the games are {', '.join(known)}.{beside}")


def make(name_or_path: str, players: int | None = None, options: Mapping[str, object] | Options | None = None) -> Game:
    """The game that `load` loads, set up for a number of players (the fewest it takes, if left out) and options."""
    return load(name_or_path)(players, options)


def is_path(name: str) -> bool:
    """Whether a name is the path of a file, such as './crown.py'."""
    return not in_family(name) and (name.endswith(".py") or "/" in name or os.sep in name)


def in_family(name: str) -> bool:
    """Whether a name is that of another project's game, such as 'openspiel:kuhn_poker'."""
    family, colon, _ = name.partition(":")
    return bool(colon) and family in OTHER_PROJECTS


def refuse_immodest(name: str, options: Mapping[str, object]) -> None:
    """Raise `LeagueError` for another project's game whose parameters come from data, and name files or huge numbers.

    Our own games check their options, but other projects open whatever file and take whatever memory is asked for.
    """
    parameters = " ".join([name, *(f"{key}={value}" for key, value in options.items())])
    if in_family(name) and (odd := _IMMODEST.search(parameters)):
        where = parameters[max(odd.start() - 40, 0) : odd.end() + 40]
        hint = "Data may name no files and no large numbers for other projects; a config or command of yours may."
        raise LeagueError(f"Game {kind_of(name)!r} is asked for with {where!r}. {hint}")


def kind_of(name: str) -> str:
    """The name of a game without parameters: 'openspiel:goofspiel' for 'openspiel:goofspiel(num_cards=6)'."""
    return name.partition("(")[0] if in_family(name) else name


def _of_family(name: str) -> type[Game]:
    family, _, rest = name.partition(":")
    try:
        module = import_module(OTHER_PROJECTS[family])
    except ModuleNotFoundError as missing:
        package = str(missing.name).partition(".")[0]
        if package == "league":
            raise  # a bug in League, not a package that is missing
        raise LeagueError(
            f'Game {name!r} needs the package {package!r}: pip install "bot-league[{family}]"'
        ) from missing
    rules: type[Game] = module.find(rest)
    return rules


def _of_file(path: str) -> type[Game]:
    rules = files.load(Path(path))
    if rules.name in names():
        taken = f"its game is called {rules.name!r}, as one that is installed. Choose another name"
        raise LeagueError(f"{shown_path(Path(path))}: {taken}.")
    return rules


def _checked(name: str, value: str, loaded: object) -> type[Game]:
    if not (isinstance(loaded, type) and issubclass(loaded, Game)):
        raise LeagueError(
            f"Game {name!r}: the entry point {value} must name a class derived from league.games.contract.Game."
        )
    if loaded.name != name:
        raise LeagueError(f"Game {name!r}: the class behind its entry point {value} calls itself {loaded.name!r}.")
    return loaded
