"""Commands about this machine: `doctor`, and `completion` for its shell."""

from __future__ import annotations

import textwrap
from contextlib import closing
from time import perf_counter

import click
from click.shell_completion import get_completion_class

from league.cli import COMPLETE, PROGRAM, complete
from league.cli.options import goes_with
from league.cli.output import tell
from league.tools.text import columns
from league.values.settings import Isolation

_COLUMNS = 100
"""The width of advice where there is no terminal."""
BLOCK_GAMES = 256
SECONDS = 1.0
"""That are measured for each game and level."""


@click.command("doctor")
@click.option("--speed", is_flag=True, help="Measure instead how many games a second one core plays.")
@click.option(
    "--game",
    "wanted",
    multiple=True,
    metavar="G",
    shell_complete=complete.games,
    help="With --speed: only this game; repeatable.  [default: all]",
)
@click.pass_context
def doctor_command(ctx: click.Context, speed: bool, wanted: tuple[str, ...]) -> None:
    """Check by trying how well bots are confined on this machine, and say what to do about each gap.

    The exit code is 1 if there is no sandbox. Other gaps are reported, but do not weaken it.

    With --speed, random bots play each game at each level of isolation: games a second on one core and, in brackets,
    microseconds a decision, overhead included.
    """
    from league.hosts.doctor import SANDBOX, examine

    goes_with("--speed", speed, game=wanted)
    if speed:
        _tell_speed(wanted)
        return
    held = False
    most = min(columns() or _COLUMNS, _COLUMNS)
    for check in examine():
        held |= check.good and check.what.startswith(SANDBOX)
        tell(f"{'ok ' if check.good else 'GAP'}  {check.what}: {check.found}")
        if check.remedy:
            click.echo(textwrap.fill(check.remedy, most, initial_indent="     ", subsequent_indent="     "))
    click.echo("Bots can be confined here." if held else "There is no sandbox here: see the gaps above.")
    if not held:
        ctx.exit(1)


def _tell_speed(wanted: tuple[str, ...]) -> None:
    """Print how many games a second one core plays, with random bots, at each level of isolation."""
    from league import games
    from league.tools.table import Table

    header = ("game", "players", *reversed(Isolation))
    rows = []
    for name in wanted or games.names():
        counts = games.load(name).player_counts
        for players in dict.fromkeys((counts[0], counts[-1])):
            rows.append((name, str(players), *(_measured(name, players, level) for level in reversed(Isolation))))
    click.echo(Table.of(header, rows, header[1:]).text())


def _measured(game: str, players: int, isolation: Isolation) -> str:
    from league.analysis.bot_check import random_bots
    from league.errors import IsolationError
    from league.games import make
    from league.play.worker import Team, Worker
    from league.values.block import Block, Series
    from league.values.settings import Contest, Limits

    bots = random_bots(players)
    lineup = tuple(bot.entrant() for bot in bots)
    series = Series(Contest.of(make(game, players)), lineup, 0, 0, Limits(), luck_follows="seed")
    played = decisions = 0
    try:
        with closing(Worker(Team(bots, isolation, Limits()))) as worker:
            worker.play(Block(series, 0, 1))  # starting up is not what is measured
            started = perf_counter()
            while perf_counter() - started < SECONDS:
                result = worker.play(Block(series, played, played + BLOCK_GAMES))
                played += BLOCK_GAMES
                decisions += sum(usage.decisions for usage in result.usage)
            took = perf_counter() - started
    except IsolationError:
        return "not here"
    return f"{played / took:,.0f}/s ({1e6 * took / decisions:.1f} µs)"


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> None:
    """Print what SHELL needs to complete what you type.

    \b
    bash:  league completion bash >> ~/.bashrc
    zsh:   league completion zsh >> ~/.zshrc
    fish:  league completion fish >> ~/.config/fish/config.fish

    Zsh needs a line `autoload -Uz compinit && compinit` before that. In a new shell, the Tab key then completes
    commands, options, games, bots, configs, leagues, and the bots of a league.
    """
    shell_type = get_completion_class(shell)
    assert shell_type is not None
    group = click.get_current_context().find_root().command
    click.echo(shell_type(group, {}, PROGRAM, COMPLETE).source())
