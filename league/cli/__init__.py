"""The command line: `league COMMAND`. The module of a command is imported only when it is called."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from league import __version__
from league.cli import exits
from league.errors import LeagueError, did_you_mean

COMMANDS = {
    "arena": "Run an arena: people hand in over the web, a ladder plays on.",
    "audit": "Play games again to find bots that are not deterministic.",
    "bench": "Measure how fast this machine plays.",
    "bots": "List the bots of a folder, and files that cannot play.",
    "check": "Read a bot and try it against random ones.",
    "check-game": "Check the rules of a game, and play it at random.",
    "collect": "Take the hand-ins of a class into the bots folder.",
    "compare": "Compare two bots: is one really better?",
    "completion": "Print the completion script of a shell.",
    "doctor": "Check how well bots are confined on this machine.",
    "duel": "Play two bots until it is settled which one is better.",
    "exploit": "Measure what a perfect opponent gets against a bot.",
    "export": "Write every game of a league to a table.",
    "faults": "List what bots did wrong.",
    "find": "Find games of a league by how they ended.",
    "games": "List the games with their players and options.",
    "grades": "Write a grade sheet from the standings of a league.",
    "history": "Show the standings after each run of a league.",
    "init": "Write a folder to work in, with the shipped bots and configs.",
    "login": "Sign in at an arena, for `submit --to` and `status`.",
    "match": "Play one game between bots and print it.",
    "new": "Write a bot to start from.",
    "new-game": "Write a game to start from.",
    "page": "Write the standings page, for yourself or to hand out.",
    "play": "Play a game yourself against bots.",
    "replay": "Show a game of a league again.",
    "run": "Play a league, or what is missing of it.",
    "serve": "Show the standings page on this machine, live.",
    "similar": "List bots that decide alike.",
    "solve": "Solve a game exactly.",
    "standings": "Show the standings of a league.",
    "status": "Show how your bot does at an arena.",
    "submit": "Check a bot and copy it into the bots folder.",
    "verify": "Check a league that somebody else has played.",
    "what-if": "Play games of a league again with another version of a bot.",
}
"""What each command does, in a few words."""
SHARED_MODULES = {
    "author": ("login", "status"),
    "course": ("collect", "grades", "similar"),
    "games": ("check-game", "games"),
    "machine": ("bench", "completion", "doctor"),
    "new": ("new", "new-game"),
    "replay": ("match", "replay"),
    "results": ("compare", "export", "faults", "history", "page", "serve"),
    "solve": ("exploit", "solve"),
    "verify": ("audit", "verify"),
}
"""Modules of several commands, each as `NAME_command`; any other command is `league.cli.NAME.command`."""
PROGRAM = "league"
COMPLETE = "_LEAGUE_COMPLETE"
"""The environment variable by which a shell asks what can be completed."""


def load_command(name: str) -> click.Command:
    """The click command of a name in `COMMANDS`."""
    word = name.replace("-", "_")
    shared = next((module for module, names in SHARED_MODULES.items() if name in names), None)
    module = import_module(f"league.cli.{shared or word}")
    command: click.Command = getattr(module, f"{word}_command" if shared else "command")
    return command


class SuggestingGroup(click.Group):
    """Suggests a command for one that is misspelt."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            ctx.fail(f"No such command {args[0]!r}.{did_you_mean(args[0], known)}")
        return super().resolve_command(ctx, args)


class LazyGroup(SuggestingGroup):
    """Imports a command's module when the command is called: `league --help` stays quick."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with exits.broken_pipes_raised():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with exits.broken_pipes_raised():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True},
)
@click.version_option(__version__, "-V", "--version", prog_name=PROGRAM)
@click.pass_context
def league(ctx: click.Context) -> None:
    """Pit bots against each other at card games, and learn which one is really better."""
    if ctx.invoked_subcommand is None:
        from league.cli.output import tell

        tell(greeting())


def greeting() -> str:
    """What is in this folder, and what to do next."""
    leagues = sorted(path.parent.name for path in Path("results").glob("*/league.db"))
    configs = sorted(path.stem for path in Path("configs").glob("*.yaml"))
    lines = [f"League {__version__}: pit bots against each other at card games.", ""]
    if leagues:
        lines += [f"Leagues in results/: {', '.join(leagues)}.", ""]
        steps = [("league serve results", "see the standings in a browser"), ("league run", "play what is missing")]
    elif configs:
        lines += [f"Configs in configs/: {', '.join(configs)}.", ""]
        steps = [("league run", "play a first league, in well under a minute")]
    else:
        steps = [("league init && league run", "a folder to work in, and a first league")]
    steps += [
        ("league new mine --game raj", "write a bot to start from"),
        ("league match raj raj_habits random", "watch a game"),
        ("league --help", "all commands"),
    ]
    width = max(len(command) for command, _ in steps)
    return "\n".join([*lines, *(f"  {command:<{width}}   {what}" for command, what in steps)])


def main() -> None:
    """Run the command line; whatever happens, it ends with an exit code and never with a traceback."""
    exits.open_standard_streams()
    code = _run()
    exits.give_up_output()
    sys.exit(code)


def _run() -> int:
    """Run the command line; returns its exit code. A user's mistake is one clear line, and so is a bug."""
    try:
        if COMPLETE in os.environ:
            load_command("completion")  # which knows the shells
        code = league.main(prog_name=PROGRAM, complete_var=COMPLETE, standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.ClickException as problem:
        with suppress(OSError):  # of a standard error that is full or closed
            problem.show()
        return problem.exit_code
    except LeagueError as problem:
        exits.say(str(problem))
        return 1
    except (click.Abort, KeyboardInterrupt):
        return 130
    except Exception as problem:  # noqa: BLE001 - a bug of any kind
        if isinstance(problem, exits.ClosedPipeError | BrokenPipeError) and exits.reader_is_gone():
            return exits.PIPE_CLOSED
        if exits.is_about_output(problem):
            exits.say(f"The output cannot be written: {problem.strerror}.")
            return 1
        exits.report_bug(problem)
        return exits.BUG
