"""Commands about the results of a league: `compare`, `export`, `faults`, `history`, `page` and `serve`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from league.cli import complete
from league.cli.options import FILE, FOLDER, json_option, league_argument, parts, sandbox_option, whole
from league.cli.output import print_json, tell, tell_tail
from league.errors import LeagueError, did_you_mean
from league.tools.text import columns, counted, first_few, fitted_table, listed, safe, shown_path
from league.values.block import Fault
from league.values.settings import PERCENT, Isolation

if TYPE_CHECKING:
    from league.results.history import HistoryEntry


@click.command("compare")
@league_argument
@click.argument("a", shell_complete=complete.entrants)
@click.argument("b", shell_complete=complete.entrants)
@parts
@json_option()
def compare_command(
    folder: Path, a: str, b: str, *, only: tuple[str, ...], without: tuple[str, ...], as_json: bool
) -> None:
    """Compare the bots A and B in the league whose results are in DIR.

    Prints their difference in rating, the probability that A is better, how many more games would settle it, and how
    they did against each other by game, table size and seat. The interval of the difference allows for all other
    comparisons in the league, so it says the same as the places do.
    """
    from league.api.leagues import League
    from league.results.compare import describe

    comparison = League(folder).compare(a, b, only=only, without=without)
    if as_json:
        print_json(comparison)
    else:
        click.echo(describe(comparison, columns()))


@click.command("export")
@league_argument
@click.option(
    "--to",
    "path",
    required=True,
    type=FILE,
    help="A file that ends in .csv, in .jsonl, or in .parquet (which needs pyarrow).",
)
@click.option("--moves", is_flag=True, help="A row for each decision: what the bot saw and what it played.")
def export_command(folder: Path, path: Path, *, moves: bool) -> None:
    """Write every game of the league in DIR to a table, with a row for each seat of each game.

    With --moves it has a row for each decision, read from the stored moves: no bot runs. The table is ready for pandas,
    Polars, R and spreadsheets. docs/games.md describes its columns.

    \b
      league export results/quick --to games.csv
      league export results/quick --moves --to moves.parquet
    """
    from league.results.decisions import Decisions
    from league.results.export import write_games
    from league.results.queries import find
    from league.results.store import Store
    from league.results.stored_games import load_rules

    with Store.open(folder) as store:
        if moves:
            load_rules(store)
            decisions = Decisions(store)
            written = decisions.write(path)
            if left := decisions.without_moves:
                tell(f"league: {counted(left, 'game')} left out: their moves were not kept.", err=True)
        else:
            written = write_games(path, find(store))
        named = " It has the names of bots, which the page of this league hides." * store.settings().page.anonymous
    tell(f"{counted(written, 'row')} in {shown_path(path)}.{named}")


SHOWN = 20
"""Causes of each bot that are listed without --all."""


@click.command("faults")
@league_argument
@click.argument("bot", required=False, shell_complete=complete.entrants)
@click.option("--all", "everything", is_flag=True, help="List every fault, not just the first of each cause.")
def faults_command(folder: Path, bot: str | None, everything: bool) -> None:
    """List what bots did wrong in the league in DIR: how often, and the address of the first game with each fault.

    With BOT, it also prints the end of each traceback, and before it what the bot had printed in that game. `league
    replay DIR ADDRESS` shows the game of a fault.
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


SHOWN_LEADERS = 3
SHOWN_DIGITS = 8
"""Digits of the hashes of configs and bots."""


@click.command("history")
@league_argument
@click.option(
    "--bot", metavar="BOT", shell_complete=complete.entrants, help="The places, ratings and versions of this bot."
)
@json_option("As JSON, with all standings of every run.")
def history_command(folder: Path, bot: str | None, *, as_json: bool) -> None:
    """Show the standings after each finished run of the league in DIR, and what changed in the last one.

    A run that changes neither standings nor bots nor config adds nothing.
    """
    from league.results.history import change_lines, last_changes, read_history
    from league.results.store import Store

    with Store.open(folder) as store:
        entries = read_history(store)
        changed = last_changes(store)
    known = sorted({name for entry in entries for name in entry.versions})
    if bot is not None and bot not in known and entries:
        raise LeagueError(f"There is no bot {safe(bot)!r} in this history.{did_you_mean(bot, known)}")
    if as_json:
        print_json(entries if bot is None else [entry.of(bot) for entry in entries if bot in entry.versions])
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


HAND_OUT = "public"
"""The folder, inside the league's own, for pages to hand out."""


@click.command("page")
@league_argument
@click.option("--public", is_flag=True, help="Leave out tracebacks, printed text, source lines, config and seed.")
@click.option("--anonymous", is_flag=True, help="Also replace the names of bots by aliases that stay the same.")
@click.option("--title", metavar="TEXT", help="A title instead of the league's name.")
@click.option("--logo", metavar="TEXT", help="A line above the title, such as the name of a course.")
@click.option(
    "--to",
    "target",
    metavar="FOLDER",
    type=FOLDER,
    help="Where to write it.  [default: DIR, or DIR/public for a page to hand out]",
)
def page_command(
    folder: Path, *, public: bool, anonymous: bool, title: str | None, logo: str | None, target: Path | None
) -> None:
    """Write the standings page of the league in DIR, with its games to watch, as of now.

    A page to hand out is written to a folder of its own, with nothing else in it. The key of the aliases stays in DIR,
    as aliases.json. The config's `page` applies to every page; options add to it.
    """
    from msgspec.structs import replace

    from league.page import write_page
    from league.page.privacy import KEY
    from league.results.standings import Standings
    from league.results.store import Store

    with Store.open(folder) as store:
        asked = store.settings().page
        settings = replace(
            asked,
            public=public or asked.public,
            anonymous=anonymous or asked.anonymous,
            title=asked.title if title is None else title,
            logo=asked.logo if logo is None else logo,
        )
        if target is None:
            target = folder / HAND_OUT if public or anonymous else folder
        page = write_page(store, Standings.of(store), settings=settings, folder=target)
    tell(f"The standings are in {shown_path(page)}.")
    if settings.anonymous:
        tell(f"The key of the aliases is in {shown_path(folder / KEY)}: keep it to yourself.")


@click.command("serve")
@league_argument
@click.option("--port", type=whole(0, 65535), default=8642, help="0: any free port.")
@sandbox_option
def serve_command(folder: Path, port: int, isolation: Isolation) -> None:
    """Show the standings page of the league in DIR on this machine, live while it is being played.

    If DIR holds several leagues, such as results/, all of them are shown. Any game can be watched with a click.
    You can play against its bots too. Nothing is written, and only this machine can reach it. Ctrl-C stops it.
    """
    from league.page.server import PageServer

    server = PageServer(folder, port, isolation)
    click.echo(f"{shown_path(folder)} is at http://localhost:{server.port}/ (Ctrl-C stops the server).")
    try:
        server.run()
    finally:
        click.echo("\nleague: the server has stopped.", err=True)
