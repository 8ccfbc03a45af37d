"""The command line: `league COMMAND`. The module of a command is imported only when it is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress

import click

from league import __version__
from league.cli import exits
from league.commands import RENAMED, SECTIONS, added, commands, is_here, load_command
from league.errors import LeagueError, did_you_mean

PROGRAM = "league"
COMPLETE = "_LEAGUE_COMPLETE"
"""The environment variable by which a shell asks what can be completed."""


class SuggestingGroup(click.Group):
    """Suggests a command for one that is misspelt, and answers an old name with the new one."""

    renamed: Mapping[str, str] = {}

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        asked = args and not args[0].startswith("-") and not ctx.resilient_parsing
        if asked and self.get_command(ctx, args[0]) is None:
            if new := self.renamed.get(args[0]):
                raise LeagueError(f"`{ctx.command_path} {args[0]}` is now `{ctx.command_path} {new}`.")
            ctx.fail(f"No such command {args[0]!r}.{did_you_mean(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)


class LazyGroup(SuggestingGroup):
    """Imports a command's module when the command is called: `league --help` stays quick."""

    renamed = RENAMED

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*commands(), *added()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load_command(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections = {
            title: [(name, one.about) for name, one in section.items() if is_here(one.place)]
            for title, section in SECTIONS.items()
        }
        sections["Of other packages"] = [(name, f"from {entry.value}") for name, entry in added().items()]
        for title, lines in sections.items():
            if lines:
                with formatter.section(title):
                    formatter.write_dl(lines)


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

        tell(GREETING)


GREETING = f"""\
League {__version__}: pit bots against each other at card games.

  league init && league run            a folder to work in, and a first league
  league serve results                 see the standings in a browser
  league new mine --game raj           write a bot to start from
  league match raj raj_habits random   watch a game
  league --help                        all commands"""


def main() -> None:
    """Run the command line; whatever happens, it ends with an exit code and never with a traceback."""
    exits.open_standard_streams()
    code = _run(sys.argv[1:])
    exits.give_up_output()
    sys.exit(code)


def _run(words: list[str]) -> int:
    """Run a command; returns its exit code. A user's mistake is one clear line, and so is a bug."""
    try:
        if COMPLETE in os.environ:
            league.main(words, PROGRAM, COMPLETE)
        with league.make_context(PROGRAM, words) as context:
            league.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as problem:
        with suppress(OSError):  # of a standard error that is full or closed
            problem.show()
        return problem.exit_code
    except LeagueError as problem:
        exits.say(str(problem))
        return 1
    except (click.Abort, KeyboardInterrupt, EOFError):
        return 130
    except BrokenPipeError as problem:
        return exits.PIPE_CLOSED if exits.reader_is_gone() else exits.report_bug(problem)
    except Exception as problem:  # noqa: BLE001 - a bug of any kind
        if not exits.is_about_output(problem):
            return exits.report_bug(problem)
        exits.say(f"The output cannot be written: {problem.strerror}.")
        return 1
    return 0
