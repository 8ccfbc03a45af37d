"""Commands about a folder of bots: `bots` lists who could play, `submit` checks a bot and copies it there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import click

from league.cli import complete
from league.cli.check import TrialTerms, load_for, terms_of, verdicts_of
from league.cli.options import PATH, config_for_trials, isolation_for_trials, tried_games, whole, workers_option
from league.cli.output import tell
from league.commands import HAND_IN
from league.commands import load as load_extension
from league.errors import RosterError
from league.setup.roster import Bot, Roster, load, places, scan
from league.setup.versions import Version, bring_back, former, put
from league.tools.files import shipped
from league.tools.table import Table
from league.tools.text import columns, counted, listed, safe, shorten, shown_path
from league.values.settings import NAME_RULE, SAFE_NAME

_SUMMARY_WIDTH = 120


@click.command("bots")
@click.option(
    "--bots",
    "folder",
    metavar="DIR",
    shell_complete=complete.folders,
    help="Where the bots are.  [default: bots, or the shipped bots if there is no such folder]",
)
@click.option("--versions", is_flag=True, help="List the former versions of bots, for `league submit --restore`.")
def bots_command(folder: str | None, versions: bool) -> None:
    """List the bots: what they play, what they do, and what is wrong with files that cannot play.

    No bot is run. DIR may be a folder, a file or a quoted glob.
    """
    if folder is None and not os.path.lexists("bots"):
        folder = str(shipped("bots"))
        tell("There is no folder bots here. These are the shipped bots, which can be named anywhere.", err=True)
    roster = scan([folder or "bots"], Path())
    if versions:
        rows = [row for bot in roster.bots for row in _versions(bot)]
        table = Table.of(["bot", "version", "of", "hash", "what it does"], rows, ["version"]).text(columns())
        click.echo(table if rows else "No former versions. `league submit --replace` keeps them.")
        return
    click.echo(_table(roster) if roster.bots else "No bots here. Write one with: league new NAME --game GAME")
    for same in roster.copies():
        tell(f"\nThe same content: {listed([bot.name for bot in same])}.")
    if roster.broken:
        click.echo(f"\n{counted(len(roster.broken), 'file')} cannot play:")
        for broken in roster.broken:
            tell(f"  {broken}")


def _table(roster: Roster) -> str:
    rows = []
    for bot in roster.bots:
        plays = ", ".join(bot.games or ["every game"])
        if bot.players is not None:
            plays += f" ({listed([str(count) for count in bot.players], 'or')} players)"
        about = f"(baseline) {bot.summary}" if bot.baseline else bot.summary
        rows.append((bot.name, plays, shorten(about, _SUMMARY_WIDTH)))
    return Table.of(["bot", "games", "what it does"], rows).text(columns())


def _versions(bot: Bot) -> Iterator[tuple[object, ...]]:
    """A row for each former version of a bot, and one for that which plays now; none if there is no other."""
    versions = former(bot.name, bot.path.parent)
    for version in versions:
        try:
            yield _version_row(bot.name, version.number, load(version.path))
        except RosterError as problem:
            yield (bot.name, version.number, "-", "-", str(problem))
    if versions:
        yield _version_row(bot.name, "now", bot)


def _version_row(name: str, number: object, bot: Bot) -> tuple[object, ...]:
    main = bot.path / ("bot.toml" if bot.command else "bot.py") if bot.files else bot.path
    written = date.fromtimestamp(os.path.getmtime(main))
    return name, number, written, bot.hash[:8], shorten(bot.summary, _SUMMARY_WIDTH)


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
@click.option("--as", "name", metavar="NAME", help="The name of the bot, instead of that of its file.")
@click.option("--replace", is_flag=True, help="Replace an earlier version; it is kept.")
@click.option("--restore", type=whole(1), help="Instead, restore version N of the bot called FILE.")
@config_for_trials
@tried_games
@isolation_for_trials
@workers_option
@click.pass_context
def submit_command(
    ctx: click.Context,
    /,
    files: tuple[Path, ...],
    target: str,
    name: str | None,
    replace: bool,
    restore: int | None,
    workers: int | None,
    **asked: Any,
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
        load_extension(HAND_IN)(ctx, target, files[0])
        return
    folder = Path(target)
    if not os.path.isdir(folder):
        raise RosterError(f"There is no folder '{safe(target)}' to submit to. Name another one with --to.")
    if len(files) > 1 and (name is not None or restore is not None):
        option = "--as" if name is not None else "--restore"
        raise click.UsageError(f"{option} takes one bot, found {len(files)}.")
    if name == "":
        raise RosterError(f"--as: expected a bot's name of {NAME_RULE}, found ''.")
    if restore is not None:
        _restore(str(files[0]), restore, folder)
        return
    terms = terms_of(**asked)
    bots = _readable(files, folder, terms, name or "", replace)
    submitted = 0
    for bot, verdict in zip(bots, verdicts_of(bots, terms, workers), strict=True):
        if verdict["passed"]:
            submitted += 1
            _put(bot, folder, replace)
        else:
            tell(f"{shown_path(bot.path)} was not submitted.", err=True)
    if len(files) > 1:
        tell(f"{submitted} of {len(files):,} bots {'was' if submitted == 1 else 'were'} submitted.")
    if submitted:
        tell("The next `league run` with this folder plays their games and keeps all others.")
    if submitted < len(files):
        ctx.exit(1)


def _readable(files: Sequence[Path], folder: Path, terms: TrialTerms, name: str, replace: bool) -> list[Bot]:
    """The bots that can be read and whose names are free; the other files are reported."""
    bots: dict[str, Bot] = {}
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
            tell(str(problem), err=True)
    return [*bots.values()]


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
