"""`league bots`: who could play."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import click

from league.cli import complete
from league.cli.output import tell
from league.errors import RosterError
from league.setup.roster import Bot, Roster, load, scan
from league.setup.versions import former
from league.tools.files import shipped
from league.tools.table import Table
from league.tools.text import columns, counted, listed, shorten

_SUMMARY_WIDTH = 120
_HASH_WIDTH = 8


@click.command("bots")
@click.option(
    "--bots",
    "folder",
    metavar="DIR",
    shell_complete=complete.folders,
    help="Where the bots are.  [default: bots, or the shipped bots if there is no such folder]",
)
@click.option("--versions", is_flag=True, help="List the former versions of bots, for `league submit --restore`.")
def command(folder: str | None, versions: bool) -> None:
    """List the bots: what they play, what they do, and what is wrong with files that cannot play.

    No bot is run. DIR may be a folder, a file or a quoted glob.
    """
    if folder is None and not os.path.lexists("bots"):
        folder = str(shipped("bots"))
        tell("There is no folder bots here. These are the shipped bots, which can be named anywhere.", err=True)
    roster = scan([folder or "bots"], Path())
    if versions:
        _list_versions(roster)
        return
    if roster.bots:
        _list_bots(roster)
    else:
        click.echo("No bots here. Write one with: league new NAME --game GAME")
    for same in roster.copies():
        tell(f"\nThe same content: {listed([bot.name for bot in same])}.")
    if roster.broken:
        click.echo(f"\n{counted(len(roster.broken), 'file')} cannot play:")
        for broken in roster.broken:
            tell(f"  {broken}")


def _list_bots(roster: Roster) -> None:
    kept = [len(former(bot.name, bot.path.parent)) for bot in roster.bots]
    rows = [
        (bot.name, _plays(bot), *([count or "-"] if any(kept) else []), shorten(_about(bot), _SUMMARY_WIDTH))
        for bot, count in zip(roster.bots, kept, strict=True)
    ]
    header = ["bot", "games", *(["versions"] if any(kept) else []), "what it does"]
    click.echo(Table.of(header, rows, ["versions"]).text(columns()))


def _plays(bot: Bot) -> str:
    names = ", ".join(bot.games or ["every game"])
    return names if bot.players is None else f"{names} ({listed([str(count) for count in bot.players], 'or')} players)"


def _list_versions(roster: Roster) -> None:
    rows = [row for bot in roster.bots for row in _versions(bot)]
    if rows:
        click.echo(Table.of(["bot", "version", "of", "hash", "what it does"], rows, ["version"]).text(columns()))
    else:
        click.echo("No former versions. `league submit --replace` keeps them.")


def _versions(bot: Bot) -> Iterator[tuple[object, ...]]:
    """The former versions of a bot, and the one that plays now; nothing if there is no other."""
    versions = former(bot.name, bot.path.parent)
    for version in versions:
        try:
            bot_then = load(version.path)
        except RosterError as problem:
            yield (bot.name, version.number, "-", "-", str(problem))
        else:
            yield _version_row(bot.name, version.number, bot_then)
    if versions:
        yield _version_row(bot.name, "now", bot)


def _version_row(name: str, number: object, bot: Bot) -> tuple[object, ...]:
    main = bot.path / ("bot.toml" if bot.command else "bot.py") if bot.files else bot.path
    written = date.fromtimestamp(os.path.getmtime(main))
    return name, number, written, bot.hash[:_HASH_WIDTH], shorten(bot.summary, _SUMMARY_WIDTH)


def _about(bot: Bot) -> str:
    return f"(baseline) {bot.summary}" if bot.baseline else bot.summary
