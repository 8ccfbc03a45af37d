"""`league check-game`: what is wrong with a game, before it is played."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from league.cli import complete
from league.cli.options import isolation_option, whole
from league.cli.output import tell
from league.errors import LeagueError
from league.tools.text import counted, listed, safe
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.games.contract import Game
    from league.testing import Report


@click.command("check-game")
@click.argument("name", metavar="GAME", shell_complete=complete.games)
@click.option(
    "--playings",
    default=2,
    show_default=True,
    type=whole(1, 10_000),
    metavar="N",
    help="How many games to check step by step, for each number of players and choice of options.",
)
@isolation_option
@click.pass_context
def command(ctx: click.Context, name: str, playings: int, isolation: Isolation) -> None:
    """Check the rules of GAME, a file such as ./crown.py or a name: play at random, and check each step.

    The check covers turns and legal moves, copies, views that hide what a seat cannot know, replays, `imagine`, ranks
    and texts, with all numbers of players and options. Then random bots play it as in a league. The first mistake is
    reported with its place and what to do. The exit code is 0 without mistakes, 1 otherwise.
    """
    from league import games
    from league.testing import ContractError, check_game

    rules = games.load(name)
    try:
        report = check_game(rules, playings=playings)
    except ContractError as problem:
        tell(safe_lines(str(problem)))
        ctx.exit(1)
    for line in _findings(rules, report):
        tell(safe(line))
    for players in rules.player_counts:
        _try_out(rules(players), isolation)
    sizes = listed([str(players) for players in rules.player_counts])
    tell(f"{rules.name} can be played: random bots did so at tables of {sizes}.")


def safe_lines(text: str) -> str:
    """Text of several lines that is safe to print."""
    return "\n".join(safe(line) for line in text.splitlines())


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
