"""`league bots`: who could play."""

from __future__ import annotations

from pathlib import Path

import click

from league.cli.tell import tell
from league.setup.roster import Bot, scan
from league.tools.text import columns, counted, fitted_table, shorten

_SUMMARY_WIDTH = 120


@click.command("bots")
@click.option("--bots", "folder", default="bots", show_default=True, metavar="DIR", help="Where the bots are.")
def command(folder: str) -> None:
    """List the bots: what they play, what they do, and what is wrong with those that cannot play.

    No bot is run for it. DIR may be a folder, a file or a glob in quotes.
    """
    roster = scan([folder], Path())
    if roster.bots:
        rows = [
            (bot.name, ", ".join(bot.games or ["every game"]), shorten(_about(bot), _SUMMARY_WIDTH))
            for bot in roster.bots
        ]
        click.echo(fitted_table(["bot", "games", "what it does"], rows, most=columns()))
    else:
        click.echo("No bots here. Begin one with: league new NAME --game GAME")
    if roster.broken:
        click.echo(f"\n{counted(len(roster.broken), 'file')} cannot play:")
        for broken in roster.broken:
            tell(f"  {broken}")


def _about(bot: Bot) -> str:
    return f"(baseline) {bot.summary}" if bot.baseline else bot.summary
