"""Commands about games: `games` lists them, `check-game` checks one."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

import click
import msgspec

from league import games
from league.cli import complete
from league.cli.options import isolation_option, whole
from league.cli.output import tell
from league.errors import LeagueError
from league.games.contract import Game, plain
from league.games.guide import guide, members
from league.tools.reading import describe
from league.tools.text import columns, counted, listed, safe, shown_path
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.testing import Report

_WIDTH = 116
"""The width of lines, unless the terminal is narrower."""


@click.command("games")
@click.argument("name", required=False, metavar="[GAME]", shell_complete=complete.games)
@click.option(
    "--to",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="With a league's folder as GAME: write its games that are files to DIR, without running them.",
)
def games_command(name: str | None, folder: Path | None) -> None:
    """List the games with their players and options; with GAME, print all that its bots should know.

    GAME is a name, or a file such as ./crown.py.
    """
    most = columns()
    if folder is not None:
        _save(name, folder)
    elif name is None:
        click.echo("\n\n".join(summary(games.find(known), most) for known in games.names()))
        click.echo("\n`league games GAME` describes one of them.")
    else:
        rules = games.load(name)
        click.echo("\n".join([summary(rules, most), "", *map(safe, guide(rules(), most))]))


def _save(league: str | None, folder: Path) -> None:
    """Write the files of the games that are stored with a league."""
    from league.results.store import Store
    from league.results.stored_games import write_kept_games

    if league is None:
        raise click.UsageError("--to needs the folder of a league: league games results/NAME --to DIR")
    with Store.open(Path(league)) as store:
        written = write_kept_games(store, folder)
    for path in written:
        tell(f"Wrote {shown_path(path)}.")
    if not written:
        tell("This league plays no games that are files.")


def summary(rules: type[Game], most: int | None = None) -> str:
    """Name, players and options of a game, each option with its meaning, values and default."""
    counts = rules.player_counts
    players = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    points = ", points count" if rules().counts == "points" else ""
    lines = [f"{rules.name}: {rules.title}, {players} players{points}"]
    usual = plain(rules.options_type())
    meanings = dict(members(rules.options_type)) if usual else {}
    for field in msgspec.structs.fields(rules.options_type):
        meaning = " ".join(meanings.get(field.name, "").split())
        choice = f"{describe(field.type)}; {_worded(usual[field.name])} if left out."
        lines += wrap(f"  {field.name}: {choice} {meaning}", min(most or _WIDTH, _WIDTH), subsequent_indent="      ")
    return "\n".join(lines)


def _worded(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(str, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


@click.command("check-game")
@click.argument("name", metavar="GAME", shell_complete=complete.games)
@click.option(
    "--playings",
    default=2,
    type=whole(1, 10_000),
    help="How many games to check step by step, for each number of players and choice of options.",
)
@isolation_option
@click.pass_context
def check_game_command(ctx: click.Context, name: str, playings: int, isolation: Isolation) -> None:
    """Check the rules of GAME, a file such as ./crown.py or a name: play at random, and check each step.

    The check covers turns and legal moves, copies, views that hide what a seat cannot know, replays, `imagine`, ranks
    and texts, with all numbers of players and options. Then random bots play it as in a league. The first mistake is
    reported with its place and what to do. The exit code is 0 without mistakes, 1 otherwise.
    """
    from league.testing import ContractError, check_game

    rules = games.load(name)
    try:
        report = check_game(rules, playings=playings)
    except ContractError as problem:
        for line in str(problem).splitlines():
            tell(safe(line))
        ctx.exit(1)
    for line in _findings(rules, report):
        tell(safe(line))
    for players in rules.player_counts:
        _try_out(rules(players), isolation)
    sizes = listed([str(players) for players in rules.player_counts])
    tell(f"{rules.name} can be played: random bots did so at tables of {sizes}.")


def _findings(rules: type[Game], report: Report) -> list[str]:
    setups = counted(report.setups, "setup")
    facts = [
        f"{rules.name} keeps the contract: {counted(report.playings, 'playing')} in {setups}, "
        f"{counted(report.decisions, 'decision')} checked."
    ]
    if report.hidden:
        hidden = listed(sorted(report.hidden))
        facts.append(
            f"Hidden from some seat: {hidden}. The rest is open; what should not be must be dealt again in redeal()."
        )
    else:
        facts.append("Nothing is hidden from any seat; what should be must be dealt again in redeal().")
    return facts


def _try_out(game: Game, isolation: Isolation) -> None:
    """One game between random bots, which need the rules in processes of their own."""
    from league.analysis.bot_check import random_bots
    from league.analysis.rematch import play_once
    from league.values.settings import Limits

    for fault in play_once(game, random_bots(game.players), 0, isolation, Limits()).faults:
        raise LeagueError(f"{game.name} cannot be played by a bot ({fault.kind}): {fault.cause}")
