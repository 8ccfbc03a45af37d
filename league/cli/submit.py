"""`league submit`: copy a bot into the bots folder, or restore a former version."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from league.cli import complete
from league.cli.check import TrialTerms, load_for, terms_of, verdicts_of
from league.cli.options import PATH, config_for_trials, isolation_for_trials, tried_games, whole, workers_option
from league.cli.output import tell
from league.commands import HAND_IN, load
from league.errors import RosterError
from league.setup.bot_paths import places
from league.setup.roster import Bot, scan
from league.setup.versions import Version, bring_back, put
from league.tools.text import counted, listed, safe, shown_path
from league.values.settings import NAME_RULE, SAFE_NAME, Isolation


@click.command("submit")
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="FILE...")
@click.option(
    "--to",
    "target",
    default="bots",
    metavar="DIR|URL",
    shell_complete=complete.folders,
    help="The bots folder, or the address of an arena.",
)
@click.option("--as", "name", metavar="NAME", help="Call the bot this, whatever its file is called.")
@click.option("--replace", is_flag=True, help="Replace an earlier version, which is kept.")
@click.option("--restore", type=whole(1), help="Instead, restore version N of the bot called FILE.")
@config_for_trials
@tried_games
@isolation_for_trials
@workers_option
@click.pass_context
def command(
    ctx: click.Context,
    files: tuple[Path, ...],
    target: str,
    name: str | None,
    replace: bool,
    restore: int | None,
    config: Path | None,
    names: tuple[str, ...],
    isolation: Isolation | None,
    workers: int | None,
) -> None:
    """Check bots, files or folders, like `league check`, and copy those that pass into the bots folder.

    \b
      league submit amy.py
      league submit handin/* --config configs/class.yaml
      league submit bot.py --as amy    bot.py alone; for all that is in a folder, name the folder
      league submit amy --replace      the folder amy; the bot amy that was there becomes its version 1
      league submit amy --restore 1    which is now restored
      league submit amy.py --to https://arena.example.org    hands it in at an arena, after `league arena login`
    """
    if target.startswith(("http://", "https://")):
        if name or replace or restore is not None or len(files) > 1:
            raise click.UsageError("At an arena, one bot is handed in, without --as, --replace and --restore.")
        load(HAND_IN)(ctx, target, files[0])
        return
    folder = Path(target)
    if not os.path.isdir(folder):
        raise RosterError(f"There is no folder '{safe(str(folder))}' to submit to. Name another one with --to.")
    if len(files) > 1 and (name is not None or restore is not None):
        option = "--as" if name is not None else "--restore"
        raise click.UsageError(f"{option} takes one bot, found {len(files)}.")
    if name == "":
        raise RosterError(f"--as: expected a bot's name of {NAME_RULE}, found ''.")
    if restore is not None:
        _restore(str(files[0]), restore, folder)
        return
    terms = terms_of(config, isolation)._replace(games=names)
    bots, refused = _readable(files, folder, terms, name or "", replace)
    verdicts = verdicts_of(bots, terms, workers)
    for bot, verdict in zip(bots, verdicts, strict=True):
        if verdict["passed"]:
            _put(bot, folder, replace)
        else:
            refused.append(bot.path)
            tell(f"{shown_path(bot.path)} was not submitted.", err=True)
    if len(files) > 1:
        submitted = len(files) - len(refused)
        tell(f"{submitted} of {len(files):,} bots {'was' if submitted == 1 else 'were'} submitted.")
    if len(refused) < len(files):
        tell("The next `league run` with this folder plays their games and keeps all others.")
    if refused:
        ctx.exit(1)


def _readable(
    files: Sequence[Path], folder: Path, terms: TrialTerms, name: str, replace: bool
) -> tuple[list[Bot], list[Path]]:
    """The bots that can be read and whose names are free, and the other files, each of which is reported."""
    bots: dict[str, Bot] = {}
    refused = []
    for file in files:
        try:
            bot = load_for(file, terms, name)
            if bot.name in bots:
                both = f"{shown_path(bots[bot.name].path)} and {shown_path(bot.path)}"
                raise RosterError(f"Two bots are called {bot.name!r}: {both}. Submit one of them with --as NAME.")
            refuse_clash(bot, folder, replace)
            bots[bot.name] = bot
        except RosterError as problem:
            if len(files) == 1:
                raise
            refused.append(file)
            tell(str(problem), err=True)
    return [*bots.values()], refused


def _put(bot: Bot, folder: Path, replace: bool) -> None:
    others = scan([str(folder)], Path()).bots
    twins = [other.name for other in others if other.name != bot.name and other.hash == bot.hash]
    kept = put(bot, folder, replace=replace)
    what = f" ({counted(len(bot.files), 'file')})" if bot.files else ""
    target = bot.name if bot.files else f"{bot.name}{bot.path.suffix}"
    tell(f"{target}{what} is in {shown_path(folder)} now, as the bot '{bot.name}'.{_about(kept)}")
    if twins:
        tell(f"Note: it has the same content as {listed(twins)}.")


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
