"""`league submit`: copy a bot into the bots folder, or restore a former version."""

from __future__ import annotations

import os
from pathlib import Path

import click

from league.cli.check import TrialTerms, verdict_of
from league.cli.options import isolation_option, tried_games, whole
from league.cli.output import tell
from league.errors import RosterError
from league.setup.bot_paths import places
from league.setup.roster import Bot, load, scan
from league.setup.versions import Version, bring_back, put
from league.tools.text import counted, listed, safe, shown_path
from league.values.settings import NAME_RULE, SAFE_NAME, Isolation


@click.command("submit")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "folder",
    default="bots",
    show_default=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The bots folder.",
)
@click.option("--replace", is_flag=True, help="Replace an earlier version, which is kept.")
@click.option("--restore", type=whole(1), metavar="N", help="Instead, restore version N of the bot called FILE.")
@tried_games
@isolation_option
@click.pass_context
def command(
    ctx: click.Context,
    file: Path,
    folder: Path,
    replace: bool,
    restore: int | None,
    names: tuple[str, ...],
    isolation: Isolation,
) -> None:
    """Check a bot, a file or a folder, like `league check`, and copy it into the bots folder if it passes.

    \b
      league submit amy.py
      league submit amy --replace      the folder amy; the bot amy that was there becomes its version 1
      league submit amy --restore 1    which is now restored
    """
    if not os.path.isdir(folder):
        raise RosterError(f"There is no folder '{safe(str(folder))}' to submit to. Name another one with --to.")
    if restore is not None:
        _restore(str(file), restore, folder)
        return
    bot = load(file)
    refuse_clash(bot, folder, replace)
    others = [other for other in scan([str(folder)], Path()).bots if other.name != bot.name]
    twins = [other.name for other in others if other.hash == bot.hash]
    if not verdict_of(bot, TrialTerms(isolation, games=names))["passed"]:
        tell(f"{shown_path(file)} was not submitted.", err=True)
        ctx.exit(1)
    kept = put(bot, folder, replace=replace)
    what = f" ({counted(len(bot.files), 'file')})" if bot.files else ""
    tell(f"{safe(bot.path.name)}{what} is in {shown_path(folder)} now, as the bot '{bot.name}'.{_about(kept)}")
    if twins:
        tell(f"Note: it has the same content as {listed(twins)}.")
    tell("The next `league run` with this folder plays its games and keeps all others.")


def refuse_clash(bot: Bot, folder: Path, replace: bool) -> None:
    """Raise `RosterError` if the folder cannot take this bot."""
    for there in places(bot.name, folder):
        if there.exists() and there.samefile(bot.path):
            raise RosterError(f"{shown_path(there)} is in that folder already; there is nothing to submit.")
        if not replace:
            hint = "Rename yours, or replace it with --replace."
            raise RosterError(f"The name '{bot.name}' is taken by {shown_path(there)}. {hint}")
    if os.path.lexists(folder / bot.name) and not places(bot.name, folder):
        raise RosterError(f"The name '{bot.name}' is taken by {shown_path(folder / bot.name)}. Rename yours.")


def _restore(name: str, number: int, folder: Path) -> None:
    if not SAFE_NAME.fullmatch(name):
        raise RosterError(f"Expected a bot's name of {NAME_RULE}, found {name!r}.")
    kept = bring_back(name, number, folder)
    tell(f"The bot '{name}' in {shown_path(folder)} is version {number} again.{_about(kept)}")


def _about(kept: Version | None) -> str:
    return f" The bot before it is kept as version {kept.number}." if kept else ""
