"""`league history`: the standings after each finished run of a league."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from league.cli import complete
from league.cli.options import league_argument
from league.cli.output import tell
from league.tools.text import columns, first_few, fitted_table, safe, shown_path
from league.values.settings import PERCENT

if TYPE_CHECKING:
    from league.results.history import HistoryEntry

SHOWN_LEADERS = 3
SHOWN_DIGITS = 8
"""Digits of the hashes of configs and bots."""


@click.command("history")
@league_argument
@click.option(
    "--bot", metavar="BOT", shell_complete=complete.entrants, help="The places, ratings and versions of this bot."
)
@click.option("--json", "as_json", is_flag=True, help="As JSON, with all standings of every run.")
def command(folder: Path, bot: str | None, *, as_json: bool) -> None:
    """Show the standings after each finished run of the league in DIR, and what changed in the last one.

    A run that changes neither standings nor bots nor config adds nothing.
    """
    from league.errors import LeagueError, did_you_mean
    from league.results.history import change_lines, last_changes, read_history
    from league.results.store import Store

    with Store.open(folder) as store:
        entries = read_history(store)
        changed = last_changes(store)
    known = sorted({name for entry in entries for name in entry.versions})
    if bot is not None and bot not in known and entries:
        raise LeagueError(f"There is no bot {safe(bot)!r} in this history.{did_you_mean(bot, known)}")
    if as_json:
        _print_json(entries, bot)
        return
    if not entries:
        tell(f"No run of {shown_path(folder)} was finished yet.")
        return
    click.echo(_of_bot(entries, bot) if bot is not None else _of_league(entries))
    if changed is not None and bot is None:
        for line in change_lines(changed):
            tell(line)


def _of_league(entries: Sequence[HistoryEntry]) -> str:
    rows = [
        (number, _date(entry), f"{entry.games:,}", len(entry.versions), entry.config[:SHOWN_DIGITS], _leaders(entry))
        for number, entry in enumerate(entries, 1)
    ]
    header = ("run", "ended", "games", "bots", "config", "first overall")
    return fitted_table(header, rows, ("run", "games", "bots"), most=columns(), spare=("config",))


def _leaders(entry: HistoryEntry) -> str:
    board = entry.boards["overall"]
    first = [
        f"{name} {standing.shown_rating}" for name, standing in board.items() if standing.place.split("-")[0] == "1"
    ]
    return first_few(first, SHOWN_LEADERS, "or") or "-"


def _of_bot(entries: Sequence[HistoryEntry], bot: str) -> str:
    rows = [
        (
            number,
            _date(entry),
            entry.versions[bot][:SHOWN_DIGITS],
            key,
            standing.place,
            standing.shown_rating,
            standing.shown_interval,
            f"{standing.games:,}",
        )
        for number, entry in enumerate(entries, 1)
        if bot in entry.versions
        for key, board in entry.boards.items()
        for standing in [board.get(bot)]
        if standing is not None
    ]
    header = ("run", "ended", "version", "contest", "place", "rating", PERCENT, "games")
    return fitted_table(
        header, rows, ("run", "rating", PERCENT, "games"), most=columns(), spare=("version", "games", PERCENT)
    )


def _date(entry: HistoryEntry) -> str:
    return datetime.fromtimestamp(entry.ended).astimezone().strftime("%Y-%m-%d %H:%M")


def _print_json(entries: Sequence[HistoryEntry], bot: str | None) -> None:
    import msgspec

    chosen = entries if bot is None else [entry.of(bot) for entry in entries if bot in entry.versions]
    click.echo(msgspec.json.format(msgspec.json.encode(chosen), indent=2))
