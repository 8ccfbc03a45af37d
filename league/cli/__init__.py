"""The command line: `league COMMAND`. Each command is a module of its own, imported only when it is called."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from league import __version__
from league.errors import LeagueError

COMMANDS = {
    "bots": "league.cli.bots",
    "check": "league.cli.check",
    "games": "league.cli.games",
    "match": "league.cli.match",
    "new": "league.cli.new",
    "play": "league.cli.play",
    "replay": "league.cli.replay",
    "run": "league.cli.run",
    "submit": "league.cli.submit",
}
"""Command name to the module that holds it, as a click command called `command`."""


class LazyGroup(click.Group):
    """Imports a command's module when the command is asked for: `league --help` stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name]).command
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="league")
def league() -> None:
    """Pit bots against each other at card games, and learn which one is really better."""


def main() -> None:
    """Run the command line; a user's mistake is one clear line and exit code 1, never a traceback."""
    try:
        code = league(standalone_mode=False)
    except click.ClickException as problem:
        problem.show()
        sys.exit(problem.exit_code)
    except LeagueError as problem:
        click.echo(f"league: {problem}", err=True)
        sys.exit(1)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output went away, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)
