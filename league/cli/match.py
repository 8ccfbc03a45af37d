"""`league match`: one game between bots, printed round by round."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from league.cli import complete
from league.cli.options import SEED, bots_option, game_options, isolation_option
from league.cli.output import prints_apart, tell, tell_tail
from league.tools.text import safe
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.values.block import Fault


@click.command("match")
@click.argument("game", shell_complete=complete.games)
@click.argument("names", nargs=-1, required=True, metavar="BOT...", shell_complete=complete.bots)
@game_options
@click.option("--seed", default=0, show_default=True, type=SEED, metavar="N", help="Another seed, another deal.")
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
    """Play one GAME between bots, seated in the order given, and print it round by round.

    GAME is a name, or a file such as ./crown.py. A BOT is a path, or a name in --bots, in this folder or among the
    shipped bots. The same bot may sit at several seats, as random and random_2. What bots print is shown beside the
    rounds, unless they run in this process (--isolation trusted).

    \b
      league match raj random raj_nearest
      league match braverats random random --option mime=true --seed 7 --json
    """
    from league.api.tables import match

    with prints_apart() if as_json else nullcontext():
        played = match(game, names, options=options, seed=seed, bots_dir=bots_dir, isolation=isolation)
    if as_json:
        click.echo(played.to_json(), nl=False)
    else:
        tell(str(played))
    for fault in played.faults:
        tell_fault(fault)


def tell_fault(fault: Fault) -> None:
    """Print what a bot did wrong, with the end of the traceback."""
    tell(safe(f"{fault.bot} was at fault ({fault.kind}): {fault.cause}"), err=True)
    tell_tail(fault, "  ", err=True)
