"""`league match`: one game between some bots, told round by round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from league.cli.options import SEED, bots_option, game_options, isolation_option
from league.cli.tell import tell, tell_tail
from league.tools.text import safe
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.values.block import Fault


@click.command("match")
@click.argument("game")
@click.argument("names", nargs=-1, required=True, metavar="BOT...")
@game_options
@click.option("--seed", default=0, show_default=True, type=SEED, metavar="N", help="Another seed is another deal.")
@click.option("--json", "as_json", is_flag=True, help="Print the replay as JSON.")
@bots_option
@isolation_option
def command(
    game: str,
    names: tuple[str, ...],
    options: dict[str, object],
    seed: int,
    as_json: bool,
    bots_dir: str,
    isolation: Isolation,
) -> None:
    """Play one GAME between bots, who sit in the order given, and tell it round by round.

    A BOT is a path, or a name in --bots; the same one may sit at several seats, and is called random, random_2 then.

    \b
      league match raj random raj_nearest
      league match braverats random random --option mime=true --seed 7 --json
    """
    from league import games
    from league.games import replay
    from league.play.rematch import play_once
    from league.setup.roster import find, refuse_strangers, told_apart
    from league.values.block import Limits

    rules = games.make(game, len(names), options)
    bots = told_apart(find(name, bots_dir) for name in names)
    refuse_strangers(rules.name, rules.players, bots)
    shown = play_once(rules, bots, seed, isolation, Limits())
    if as_json:
        click.echo(replay.write(shown.replay), nl=False)
    else:
        tell(replay.text(shown.replay).rstrip("\n"))
    for fault in shown.faults:
        tell_fault(fault)


def tell_fault(fault: Fault) -> None:
    """Who did what wrong, with the end of the traceback."""
    tell(safe(f"{fault.bot} was at fault ({fault.kind}): {fault.cause}"), err=True)
    tell_tail(fault, "  ", err=True)
