"""`league faults`: what bots did wrong."""

from __future__ import annotations

from pathlib import Path

import click

from league.errors import LeagueError, did_you_mean
from league.text import counted, listed, safe

SHOWN = 20
"""Faults that are listed, if not all are wanted."""


@click.command("faults")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("bot", required=False)
@click.option("--all", "everything", is_flag=True, help=f"List every fault, not just the first {SHOWN} of each bot.")
def command(folder: Path, bot: str | None, everything: bool) -> None:
    """List the faults in the league in DIR: game, kind and cause; with BOT, also the end of each traceback.

    `league replay DIR ADDRESS` shows the game of a fault.
    """
    from league.store import Store

    with Store.open(folder) as store:
        names = [known.name for known in store.bots()]
        if bot is not None and bot not in names:
            raise LeagueError(f"There is no bot {bot!r} in this league.{did_you_mean(bot, names)}")
        listing = Listing(tails=bot is not None, most=None if everything else SHOWN)
        for fault in store.faults(bot):
            listing.add(fault.bot, fault.kind, fault.address, fault.cause, fault.tail)
    listing.tell()


class Listing:
    """Faults by bot; beyond `most` of each they are only counted, so that memory stays flat."""

    def __init__(self, *, tails: bool, most: int | None) -> None:
        self._tails = tails
        self._most = most
        self._lines: dict[str, list[str]] = {}
        self._kinds: dict[str, dict[str, int]] = {}

    def add(self, bot: str, kind: str, address: str, cause: str, tail: str) -> None:
        """Take note of a fault."""
        kinds = self._kinds.setdefault(bot, {})
        kinds[kind] = kinds.get(kind, 0) + 1
        lines = self._lines.setdefault(bot, [])
        if self._most is not None and sum(kinds.values()) > self._most:
            return
        lines.append(safe(f"  {address}  {kind}: {cause}"))
        if self._tails:
            lines += [safe(f"      {line}") for line in tail.splitlines()]

    def tell(self) -> None:
        """Print everything, bots by name."""
        if not self._lines:
            click.echo("No faults.")
        for bot in sorted(self._lines):
            kinds = self._kinds[bot]
            total = sum(kinds.values())
            counts = listed([f"{count:,} {kind}" for kind, count in sorted(kinds.items())])
            click.echo(f"{safe(bot)}: {counted(total, 'fault')} ({counts})")
            click.echo("\n".join(self._lines[bot]))
            if self._most is not None and total > self._most:
                click.echo(f"  … and {total - self._most:,} more: --all lists them.")
