"""`league check`: what is wrong with a bot, before others find out."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from league.cli.options import isolation_option, tried_games
from league.cli.tell import tell
from league.errors import RosterError
from league.setup.roster import Bot, load, refuse_strangers
from league.tools.bar import GamesBar
from league.tools.text import counted, listed, safe, shorten, shown_path
from league.values.block import Fault, Limits
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.play.trial import Trial

_MOST_CAUSES = 5
_MOST_PRINTED = 5
"""Lines of what a bot prints that are shown."""
_PRINTED_COLUMNS = 100
_QUOTED = "    "


@click.command("check")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@tried_games
@isolation_option
@click.pass_context
def command(ctx: click.Context, files: tuple[Path, ...], names: tuple[str, ...], isolation: Isolation) -> None:
    """Read each bot, then let it play some games against random ones in everything it plays.

    Tells every kind of fault with its cause, what the bot prints, and whether it plays alike when it is told the
    same again. Exit code 0 if there is no fault, 1 if there is.
    """
    failed = [file for file in files if not _checked(file, isolation, names)]
    if failed:
        ctx.exit(1)


def passes(bot: Bot, isolation: Isolation, names: Sequence[str] = ()) -> bool:
    """Play a bot's trial games and tell how it did; True if it did nothing wrong."""
    from league.play.trial import games_of_trials, trials  # playing needs much that telling about a file does not

    for name in names:
        refuse_strangers(name, [bot])
    done = []
    with closing(GamesBar(games_of_trials(bot, names), desc=bot.name, leave=False)) as bar:
        for trial in trials(bot, isolation, Limits(), bar.played, names):
            done.append(trial)
            bar.clear()
            for line in (f"{bot.name} {_verdict(trial)}", *_causes(trial.faults)):
                _print(line)
    for line in (*_about_prints(bot, done), *_about_playing_alike(bot, done)):
        _print(line)
    return not any(trial.faults for trial in done)


def _print(line: str) -> None:
    """Sentences fit the terminal; what is quoted, and so stands further in, is left as it is."""
    if line.startswith(_QUOTED):
        click.echo(safe(line))
    else:
        tell(safe(line))


def _verdict(trial: Trial) -> str:
    """How a bot did at one game."""
    where = f"{counted(trial.games, 'game')} at tables of {listed([str(players) for players in trial.tables])}"
    if trial.not_loaded:
        return f"fails at {trial.game}: it cannot be loaded, so nothing else was tried."
    if trial.faults:
        return f"fails at {trial.game}: {counted(len(trial.faults), 'fault')} in {where}."
    pace = 1000 * trial.seconds / max(1, trial.decisions)
    return f"plays {trial.game}: {where}, no faults, {pace:.2g} ms a decision."


def _about_prints(bot: Bot, done: Sequence[Trial]) -> Iterator[str]:
    """How much a bot prints, how that begins, and how to see the rest."""
    printing = [trial for trial in done if trial.printed.size]
    if not printing:
        return
    size, games = sum(trial.printed.size for trial in printing), sum(trial.games for trial in printing)
    amount = f"{counted(size, 'byte')} in {counted(games, 'game')}"
    yield f"{bot.name} prints, which nobody sees in a league: {amount}. It begins:"
    lines = printing[0].printed.beginning.splitlines()
    for line in lines[:_MOST_PRINTED]:
        yield f"{_QUOTED}{shorten(line, _PRINTED_COLUMNS)}"
    table = [shown_path(bot.path)] * printing[0].tables[0]
    yield "  To see all of it:"
    yield f"{_QUOTED}league match {shlex.quote(printing[0].game)} {' '.join(table)} --isolation trusted"


def _about_playing_alike(bot: Bot, done: Sequence[Trial]) -> Iterator[str]:
    """One line for a bot whose results could not be had again."""
    from league.play.audit import ADVICE

    for reason in [trial.not_alike for trial in done if trial.not_alike][:1]:
        yield f"Warning: {bot.name} {reason}. {ADVICE[reason]}"


def _causes(faults: Sequence[Fault]) -> Iterator[str]:
    """How often there was each cause, with the end of its first traceback."""
    alike: dict[tuple[str, str], list[Fault]] = {}
    for fault in faults:
        alike.setdefault((fault.kind, fault.cause), []).append(fault)
    for (kind, cause), found in list(alike.items())[:_MOST_CAUSES]:
        often = "" if kind == "import" else f"{len(found):,}x "
        yield f"  {often}{kind}: {cause}"
        for line in found[0].tail.splitlines():
            yield f"  (the first time {line})" if kind == "illegal" else f"{_QUOTED}{line}"
    if len(alike) > _MOST_CAUSES:
        others = sum(map(len, list(alike.values())[_MOST_CAUSES:]))
        yield f"  and {counted(len(alike) - _MOST_CAUSES, 'other cause')} ({counted(others, 'fault')})."


def _checked(file: Path, isolation: Isolation, names: Sequence[str]) -> bool:
    try:
        bot = load(file)
    except RosterError as problem:
        tell(str(problem))
        return False
    return passes(bot, isolation, names)
