"""`league submit`: bring a bot into the folder from which a league takes them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import click

from league.cli.check import passes
from league.cli.options import isolation_option, tried_games
from league.cli.tell import tell
from league.errors import RosterError
from league.setup.roster import SUFFIXES, Bot, load
from league.tools.files import write_bytes
from league.tools.text import safe, shown_path
from league.values.settings import Isolation


@click.command("submit")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "folder",
    default="bots",
    show_default=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Where to.",
)
@click.option("--replace", is_flag=True, help="Take the place of an earlier version.")
@tried_games
@isolation_option
@click.pass_context
def command(
    ctx: click.Context, file: Path, folder: Path, replace: bool, names: tuple[str, ...], isolation: Isolation
) -> None:
    """Check a bot as `league check` does and, if nothing is wrong with it, copy it into the bots folder."""
    bot = load(file)
    refuse_clash(bot, folder, replace)
    if not passes(bot, isolation, names):
        tell(f"{shown_path(file)} was not submitted.", err=True)
        ctx.exit(1)
    place(bot, folder, replace)
    tell(f"{safe(bot.path.name)} is in {shown_path(folder)} now, as the bot '{bot.name}'.")
    tell("The next `league run` of a config that takes its bots from there plays its games, and no others again.")


def refuse_clash(bot: Bot, folder: Path, replace: bool) -> None:
    """Raise `RosterError` if the folder cannot take this bot."""
    if not os.path.isdir(folder):
        raise RosterError(f"There is no folder '{safe(str(folder))}' to submit to. Name another one by --to.")
    for suffix in SUFFIXES:
        there = folder / f"{bot.name}{suffix}"
        if not there.exists():
            continue
        if there.samefile(bot.path):
            raise RosterError(f"{shown_path(there)} is in that folder already; there is nothing to submit.")
        if suffix != bot.path.suffix:
            raise RosterError(f"The name '{bot.name}' is taken by {shown_path(there)}. Rename your file.")
        if not replace:
            hint = "Rename your file, or take its place by --replace."
            raise RosterError(f"The name '{bot.name}' is taken by {shown_path(there)}. {hint}")


def place(bot: Bot, folder: Path, replace: bool) -> None:
    """Copy a bot and the files of its command into a folder; the bot's own file comes last, whole or not at all."""
    try:
        for file in bot.companions:
            target = folder / file.relative_to(bot.path.parent)
            content = file.read_bytes()
            if target.is_file() and target.read_bytes() == content:
                continue  # several bots may share a file
            target.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(target, content, replace=replace)
            shutil.copymode(file, target)
        write_bytes(folder / f"{bot.name}{bot.path.suffix}", bot.source, replace=replace)
    except FileExistsError as problem:
        raise RosterError(f"{shown_path(Path(problem.filename2))} is there already. Replace it by --replace.") from None
    except OSError as problem:
        raise RosterError(f"{shown_path(folder)} cannot be written to: {problem.strerror}.") from None
