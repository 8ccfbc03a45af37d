"""`league faults`: what bots did wrong."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from league.cli import complete
from league.cli.options import league_argument
from league.cli.output import tell, tell_tail
from league.errors import LeagueError, did_you_mean
from league.tools.text import counted, listed, safe
from league.values.block import Fault

SHOWN = 20
"""Causes of each bot that are listed without --all."""


@click.command("faults")
@league_argument
@click.argument("bot", required=False, shell_complete=complete.entrants)
@click.option("--all", "everything", is_flag=True, help="List every fault, not just the first of each cause.")
def command(folder: Path, bot: str | None, everything: bool) -> None:
    """List what bots did wrong in the league in DIR: how often, and the address of the first game with each fault.

    With BOT, it also prints the end of each traceback. `league replay DIR ADDRESS` shows the game of a fault.
    """
    from league.results.store import Store

    with Store.open(folder) as store:
        names = [known.name for known in store.bots()]
        left_out = store.left_out()
        if bot is not None and bot not in names and bot in left_out:
            tell(f"{safe(bot)} was left out: {safe(left_out[bot])}")
            return
        if bot is not None and bot not in names:
            raise LeagueError(f"There is no bot {bot!r} in this league.{did_you_mean(bot, [*names, *left_out])}")
        kinds, causes = _counted(store.faults(bot))
        if not kinds:
            click.echo("No faults.")
        for reason in left_out.values() if bot is None else ():
            tell(f"left out: {safe(reason)}")
        for name in sorted(kinds):
            counts = listed([f"{count:,} {kind}" for kind, count in sorted(kinds[name].items())])
            tell(f"{safe(name)}: {counted(sum(kinds[name].values()), 'fault')} ({counts})")
            if everything:
                for fault in store.faults(name):
                    _tell_fault(fault, tail=bot is not None)
                continue
            for count, first in list(causes[name].values())[:SHOWN]:
                _tell_fault(first, count, tail=bot is not None)
            if len(causes[name]) > SHOWN:
                click.echo(f"  … and {counted(len(causes[name]) - SHOWN, 'other cause')}: --all lists every fault.")


Causes = dict[tuple[str, str, str], tuple[int, Fault]]


def _counted(faults: Iterable[Fault]) -> tuple[dict[str, dict[str, int]], dict[str, Causes]]:
    """By bot: how many of each kind; and by contest, kind and cause how many, and the first."""
    kinds: dict[str, dict[str, int]] = {}
    causes: dict[str, Causes] = {}
    for fault in faults:
        of_bot = kinds.setdefault(fault.bot, {})
        of_bot[fault.kind] = of_bot.get(fault.kind, 0) + 1
        alike = causes.setdefault(fault.bot, {})
        key = (fault.address.partition(":")[0], fault.kind, fault.cause)
        count, first = alike.get(key, (0, fault))
        alike[key] = (count + 1, first)
    return kinds, causes


def _tell_fault(fault: Fault, count: int = 1, *, tail: bool) -> None:
    often, where = (f"{count:,}x ", f"first in {fault.address}") if count > 1 else ("", fault.address)
    tell(safe(f"  {often}{fault.kind}: {fault.cause} ({where})"))
    if tail:
        tell_tail(fault, "      ")
