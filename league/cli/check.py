"""`league check`: what is wrong with a bot, before others find out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from league.block import Fault, Limits
from league.cli.options import isolation_option
from league.cli.tell import tell
from league.config import Isolation
from league.errors import RosterError
from league.roster import Bot, load
from league.text import counted, listed, safe

_MOST_CAUSES = 5


@click.command("check")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@isolation_option
@click.pass_context
def command(ctx: click.Context, files: tuple[Path, ...], isolation: Isolation) -> None:
    """Read each bot, then let it play some games against random ones in everything it plays.

    Tells every kind of fault with its cause. Exit code 0 if there is none, 1 if there is.
    """
    failed = [file for file in files if not _checked(file, isolation)]
    if failed:
        ctx.exit(1)


def passes(bot: Bot, isolation: Isolation) -> bool:
    """Play a bot's trial games and tell how it did; True if it did nothing wrong."""
    from league.trial import trials  # playing needs much that telling about a file does not

    limits = Limits()
    right = True
    for trial in trials(bot, isolation, limits):
        where = f"{counted(trial.games, 'game')} at tables of {listed([str(players) for players in trial.tables])}"
        if not trial.faults:
            pace = 1000 * trial.seconds / max(1, trial.decisions)
            tell(f"{bot.name} plays {trial.game}: {where}, no faults, {pace:.2g} ms a decision.")
            continue
        right = False
        tell(f"{bot.name} fails at {trial.game}: {counted(len(trial.faults), 'fault')} in {where}.")
        _tell(trial.faults)
    return right


def _tell(faults: Sequence[Fault]) -> None:
    """The first fault of each cause, with the end of its traceback."""
    first: dict[tuple[str, str], Fault] = {}
    for fault in faults:
        first.setdefault((fault.kind, fault.cause), fault)
    for fault in list(first.values())[:_MOST_CAUSES]:
        tell(f"  {fault.kind}: {safe(fault.cause)}")
        for line in fault.tail.splitlines():
            click.echo(f"    {safe(line)}")
    if len(first) > _MOST_CAUSES:
        click.echo(f"  and {counted(len(first) - _MOST_CAUSES, 'other cause')}.")


def _checked(file: Path, isolation: Isolation) -> bool:
    try:
        bot = load(file)
    except RosterError as problem:
        tell(str(problem))
        return False
    return passes(bot, isolation)
