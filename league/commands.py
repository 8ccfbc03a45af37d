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
        "standings": Command("league.cli.standings:command", "Show the standings of a league."),
        "compare": Command("league.cli.results:compare_command", "Compare two bots: is one really better?"),
        "duel": Command("league.cli.duel:command", "Play two bots until it is settled which one is better."),
        "serve": Command("league.cli.results:serve_command", "Show the standings page on this machine, live."),
        "page": Command("league.cli.results:page_command", "Write the standings page, for yourself or to hand out."),
        "history": Command("league.cli.results:history_command", "Show the standings after each run of a league."),
        "verify": Command("league.cli.verify:verify_command", "Check a league that somebody else has played."),
        "audit": Command("league.cli.verify:audit_command", "Play games again to find nondeterministic bots."),
    },
    "Write bots": {
        "new": Command("league.cli.new:new_command", "Write a bot to start from."),
        "check": Command("league.cli.check:command", "Read a bot and try it against random ones."),
        "submit": Command("league.cli.submit:command", "Check a bot and copy it into the bots folder."),
        "bots": Command("league.cli.bots:command", "List the bots of a folder, and files that cannot play."),
        "games": Command("league.cli.games:games_command", "List the games with their players and options."),
        "new-game": Command("league.cli.new:new_game_command", "Write a game to start from."),
        "check-game": Command("league.cli.games:check_game_command", "Check the rules of a game at random."),
    },
    "Look at games": {
        "match": Command("league.cli.replay:match_command", "Play one game between bots and print it."),
        "play": Command("league.cli.play:command", "Play a game yourself against bots."),
        "find": Command("league.cli.find:command", "Find games of a league by how they ended."),
        "replay": Command("league.cli.replay:replay_command", "Show a game of a league again."),
        "what-if": Command("league.cli.what_if:command", "Play games of a league again with another version of a bot."),
        "faults": Command("league.cli.results:faults_command", "List what bots did wrong."),
        "export": Command("league.cli.results:export_command", "Write every game of a league to a table."),
    },
    "This machine": {
        "doctor": Command("league.cli.machine:doctor_command", "Check how well bots are confined on this machine."),
        "bench": Command("league.cli.machine:bench_command", "Measure how fast this machine plays."),
        "completion": Command("league.cli.machine:completion_command", "Print the completion script of a shell."),
    },
    "Extensions": {
        "arena": Command(
            "league.extensions.arena.commands:command", "Run an arena: people hand in over the web, a ladder plays on."
        ),
        "login": Command(
            "league.extensions.arena.author_commands:login_command",
            "Sign in at an arena, for `submit --to` and `status`.",
        ),
        "status": Command(
            "league.extensions.arena.author_commands:status_command", "Show how your bot does at an arena."
        ),
        "collect": Command(
            "league.extensions.course.commands:collect_command", "Take the hand-ins of a class into the bots folder."
        ),
        "grades": Command(
            "league.extensions.course.commands:grades_command", "Write a grade sheet from the standings of a league."
        ),
        "similar": Command("league.extensions.course.commands:similar_command", "List bots that decide alike."),
        "solve": Command("league.extensions.solver.commands:solve_command", "Solve a game exactly."),
        "exploit": Command(
            "league.extensions.solver.commands:exploit_command", "Measure what a perfect opponent gets against a bot."
        ),
    },
}
ENTRY_POINTS = "league.commands"
GAMES = {"openspiel": "league.extensions.openspiel.foreign"}
"""Modules with games of other projects, by what the names of these begin with: `openspiel:kuhn_poker`."""
EXECUTORS = {"dask": "league.extensions.dask.spec:DaskSpec"}
"""What can play a league beside the processes of this machine."""
KITS = "league.extensions.kits:KITS"
"""The languages other than Python that `league new --language` writes."""
KIT_FILES = "league.extensions.kits:kit_files"
"""What makes the files of a bot in one of them."""
HAND_IN = "league.extensions.arena.author_commands:hand_in"
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
