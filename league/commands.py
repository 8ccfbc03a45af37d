"""All commands of League in one table, by the section of `league --help` that lists them, and what extensions add.

An extension is a folder in `league/extensions/`. The core knows of it what this table says, imports none, and works
without them. Another package adds a command by an entry point, whose value is a click command:

    [project.entry-points."league.commands"]
    clash = "my_package.clash:command"
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from league.errors import LeagueError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    import click


class Command(NamedTuple):
    """Where a command is, and what `league --help` says about it."""

    place: str
    about: str


SECTIONS: Mapping[str, Mapping[str, Command]] = {
    "Play a league": {
        "init": Command("league.cli.init:command", "Write a folder to work in, with the shipped bots and configs."),
        "run": Command("league.cli.run:command", "Play a league, or what is missing of it."),
        "standings": Command(
            "league.cli.standings:standings_command", "Show the standings of a league, or write its page."
        ),
        "compare": Command("league.cli.compare:compare_command", "Compare two bots: is one really better?"),
        "duel": Command("league.cli.compare:duel_command", "Play two bots until it is settled which one is better."),
        "serve": Command("league.cli.standings:serve_command", "Show the standings page on this machine, live."),
        "verify": Command("league.cli.verify:command", "Check a league: play a share of it again, count all again."),
    },
    "Write bots": {
        "new": Command("league.cli.new:command", "Write a bot to start from, or a game."),
        "check": Command("league.cli.check:command", "Try a bot against random ones, or check a game."),
        "submit": Command("league.cli.bots:submit_command", "Check a bot and copy it into the bots folder."),
        "bots": Command("league.cli.bots:bots_command", "List the bots of a folder, and files that cannot play."),
        "games": Command("league.cli.games:command", "List the games with their players and options."),
    },
    "Look at games": {
        "match": Command("league.cli.replay:match_command", "Play one game between bots and print it."),
        "play": Command("league.cli.play:command", "Play a game yourself against bots."),
        "find": Command("league.cli.find:find_command", "Find games of a league, or write them to a table."),
        "replay": Command("league.cli.replay:replay_command", "Show a game again, or with another version of a bot."),
        "faults": Command("league.cli.find:faults_command", "List what bots did wrong."),
    },
    "This machine": {
        "doctor": Command(
            "league.cli.machine:doctor_command", "Check how well bots are confined here, and how fast they play."
        ),
        "completion": Command("league.cli.machine:completion_command", "Print the completion script of a shell."),
    },
    "Extensions": {
        "arena": Command(
            "league.extensions.arena.commands:command", "Run an arena: people hand in over the web, a ladder plays on."
        ),
        "class": Command(
            "league.extensions.course.commands:command",
            "Collect the hand-ins of a class, write its grades, find copies.",
        ),
        "solve": Command(
            "league.extensions.solver.commands:command", "Solve a game exactly, or measure a bot against perfect play."
        ),
    },
}
RENAMED = {
    "what-if": "replay DIR --with BOT=NEW",
    "audit": "verify DIR",
    "export": "find DIR --to FILE",
    "page": "standings DIR --page",
    "history": "standings DIR --history",
    "new-game": "new NAME --rules",
    "check-game": "check FILE",
    "bench": "doctor --speed",
    "exploit": "solve GAME BOT",
    **{name: f"arena {name}" for name in ("login", "status")},
    **{name: f"class {name}" for name in ("collect", "grades", "similar")},
}
"""Commands of before 1.0, and what does the same now."""
ENTRY_POINTS = "league.commands"
GAMES = {"openspiel": "league.extensions.openspiel.foreign"}
"""Modules with games of other projects, by what the names of these begin with: `openspiel:kuhn_poker`."""
EXECUTORS = {
    "local": "league.play.executors.local:local_executor",
    "dask": "league.extensions.dask.executor:dask_executor",
}
"""What can play a league: processes of this machine, or a cluster."""
KITS = "league.extensions.kits:KITS"
"""The languages other than Python that `league new --language` writes."""
KIT_FILES = "league.extensions.kits:kit_files"
"""What makes the files of a bot in one of them."""
HAND_IN = "league.extensions.arena.client:hand_in"
"""What `league submit --to URL` does."""
NAMES = dict.fromkeys(("exploit", "solve"), "league.extensions.solver.studies")
"""What `import league` offers of extensions."""

_OF_EXTENSIONS = "league.extensions."
_FOLDER = os.path.join(os.path.dirname(__file__), "extensions")


def is_here(place: str) -> bool:
    """Whether a place of this table can be loaded: an extension may have been removed."""
    name = place.removeprefix(_OF_EXTENSIONS).replace(":", ".").partition(".")[0]
    return not place.startswith(_OF_EXTENSIONS) or os.path.isdir(os.path.join(_FOLDER, name))


def load(place: str) -> Any:
    """What is at `module:name`."""
    if not is_here(place):
        raise LeagueError(f"This installation of League has no {place.partition(':')[0]}.")
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def executors() -> list[str]:
    """The names of what can play a league here."""
    return [name for name, place in EXECUTORS.items() if is_here(place)]


def commands() -> dict[str, Command]:
    """The commands of League, by name."""
    return {name: one for section in SECTIONS.values() for name, one in section.items() if is_here(one.place)}


@cache
def added() -> Mapping[str, EntryPoint]:
    """The commands that other packages add, by name."""
    from importlib.metadata import entry_points  # slow to load

    return {entry.name: entry for entry in sorted(entry_points(group=ENTRY_POINTS))}


def load_command(name: str) -> click.Command | None:
    """The click command of that name; None if there is none."""
    command: click.Command
    if own := commands().get(name):
        command = load(own.place)
        return command
    if name not in added():
        return None
    try:
        command = added()[name].load()
    except Exception as problem:  # another package's code may fail in any way
        cause = f"{type(problem).__name__}: {problem}"
        raise LeagueError(f"The command {name!r}, of another package, cannot be loaded ({cause}).") from problem
    return command
