"""Commands about games of a league: `find` lists them or writes them to a table, `faults` says what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from league.analysis.blunders import GAMES
from league.cli import complete
from league.cli.options import (
    COUNT,
    FILE,
    chosen_by,
    filters,
    goes_with,
    json_option,
    league_argument,
    only_one,
    only_these,
    order_of,
    picked,
    query_of,
)
from league.cli.output import print_json, print_list, tell, tell_tail
from league.errors import LeagueError, did_you_mean
from league.tools.table import Table
from league.tools.text import columns, counted, listed, safe, shown_path

if TYPE_CHECKING:
    from league.results.find import Query
    from league.results.games import FoundGame
    from league.results.store import Store
    from league.values.block import Fault

SHOWN = 20
"""Games that are printed without --limit, and causes of the faults of each bot."""


@click.command("find")
@league_argument
@click.option("--bot", metavar="BOT", shell_complete=complete.entrants, help="Only games of this bot.")
@filters
@click.option("--worst", type=COUNT, help="The N worst games of --bot in each contest, by place, then points.")
@click.option("--closest", type=COUNT, help="The N closest games of each contest, by points.")
@click.option("--upsets", type=COUNT, help="The N games of each contest whose loser is rated highest above the winner.")
@click.option(
    "--blunders",
    is_flag=True,
    help="Not games, but the decisions of --bot after which its chance to win fell most, from random playouts.",
)
@click.option(
    "--games",
    type=COUNT,
    help=f"How many games to look at for --blunders, spread evenly over those wanted.  [default: {GAMES}]",
)
@click.option(
    "--limit",
    type=COUNT,
    help=f"At most N games, or N decisions.  [default: {SHOWN}, or all games with --json and --to]",
)
@json_option("As JSON: a list of the rows that --to writes, or of decisions.")
@click.option(
    "--to",
    "path",
    type=FILE,
    help="Write them to a table: .csv, .jsonl, or .parquet (which needs pyarrow). It has a row for each seat of each "
    "game, or with --bot for that of this bot.",
)
@click.option("--moves", is_flag=True, help="With --to: a row for each decision, what the bot saw and what it played.")
def find_command(
    folder: Path,
    bot: str | None,
    *,
    worst: int | None,
    closest: int | None,
    upsets: int | None,
    blunders: bool,
    games: int | None,
    limit: int | None,
    as_json: bool,
    path: Path | None,
    moves: bool,
    **asked: Any,
) -> None:
    """Find games of the league in DIR by how they ended, without playing them again.

    With --to they are written to a table for pandas, Polars, R or a spreadsheet: all games, or those that are asked
    for. docs/games.md describes its columns.

    \b
      league find results/quick --bot amy --lost --against bob
      league find results/quick --bot amy --worst 5
      league find results/quick --bot amy --lost --blunders
      league find results/quick --to games.csv
      league find results/quick --bot amy --to moves.parquet --moves
    """
    from league.results.export import Decisions, frames, write
    from league.results.find import count
    from league.results.recorded import load_rules
    from league.results.store import Store

    only_one(json=as_json, to=path, blunders=blunders and path)
    goes_with("--to FILE", path, moves=moves)
    goes_with("--blunders; --limit is how many games are listed", blunders, games=games)
    query, order = query_of(bot, **asked), order_of(worst=worst, closest=closest, upsets=upsets)
    if blunders:
        only_one(blunders=blunders, upsets=upsets)
        _tell_blunders(folder, query, as_json, worst=worst, closest=closest, games=games or GAMES, limit=limit or SHOWN)
        return
    if moves:
        only_these("--moves, which has all decisions of a bot or of a game", "path", "moves", "bot", "game")
    with Store.open(folder) as store:
        if as_json:
            some = frames(picked(store, query, order), limit, bot)
            print_list(row for part in some for row in part.to_dict("records"))
        elif moves and path:
            load_rules(store)
            decisions = Decisions(store, bot, query.game)
            _tell_written(store, path, write(path, decisions))
            if left := decisions.without_moves:
                tell(f"league: {counted(left, 'game')} left out: their moves were not kept.", err=True)
        elif path:
            _tell_written(store, path, write(path, frames(picked(store, query, order), limit, bot)))
        else:
            found = (part.game(row) for part in picked(store, query, order) for row in range(part.size))
            shown = [*islice(found, limit or (None if order else SHOWN))]
            rows = [(f"league replay {shown_path(folder)} {game.address}", ", ".join(_seats(game))) for game in shown]
            if rows:
                click.echo(Table.of(("see it by", "place, bot and points, by seat"), rows).text(columns()))
            else:
                tell(f"There are no {query}.")
            if left := 0 if limit or order else count(store, query) - len(shown):
                tell(f"… and {counted(left, 'game')} more: --limit, --json or --to FILE.")


def _seats(game: FoundGame) -> Iterator[str]:
    for seat, bot in enumerate(game.bots):
        fault = " (forfeited)" if game.forfeits[seat] else " (at fault)" if game.faults[seat] else ""
        yield f"{game.ranks[seat] + 1}. {safe(bot)} {game.points[seat]}{fault}"


def _tell_written(store: Store, path: Path, rows: int) -> None:
    named = " It has the names of bots, which the page of this league hides." * store.settings().page.anonymous
    tell(f"{counted(rows, 'row')} in {shown_path(path)}.{named}")


def _tell_blunders(folder: Path, query: Query, as_json: bool, **how_many: Any) -> None:
    """The worst decisions of a bot, and what they were judged by."""
    from league.api.studies import blunders
    from league.cli.replay import ERRORS, shown_value

    if query.bot is None:
        raise click.UsageError("--blunders needs --bot: whose decisions?")
    searched = blunders(folder, query.bot, **chosen_by(query), **how_many)
    if as_json:
        print_json([one._asdict() for one in searched.blunders])
    elif searched.blunders:
        rows = [
            (
                f"league replay {shown_path(folder)} {one.address} --step {one.step}",
                f"{shown_value(one.loss, one.unit)} ± {shown_value(ERRORS * one.error, one.unit)}",
                f"{one.played}: {shown_value(one.chance, one.unit)}",
                f"{one.better}: {shown_value(one.chance_of_better, one.unit)}",
            )
            for one in searched.blunders
        ]
        click.echo(Table.of(("see it by", "lost", "played", "better"), rows, ("lost",)).text(columns()))
    for line in searched.notes or [f"There are no {query}."]:
        tell(line, err=as_json)


@click.command("faults")
@league_argument
@click.argument("bot", required=False, shell_complete=complete.entrants)
@json_option("As JSON: a list of every fault.")
def faults_command(folder: Path, bot: str | None, *, as_json: bool) -> None:
    """List what bots did wrong in the league in DIR: how often, and the address of the first game with each fault.

    With BOT, it also prints the end of each traceback, and before it what the bot had printed in that game. `league
    replay DIR ADDRESS` shows the game of a fault.
    """
    from league.results.report import fault_kinds
    from league.results.store import Store

    with Store.open(folder) as store:
        left_out = store.left_out()
        names = [*(known.name for known in store.bots()), *left_out]
        if bot is not None and bot not in names:
            raise LeagueError(f"There is no bot {safe(bot)!r} in this league.{did_you_mean(bot, names)}")
        if as_json:
            print_list(store.faults(bot))
            return
        causes = fault_kinds(store.faults(bot))
    for name, reason in left_out.items():
        if bot in (None, name):
            tell(f"left out: {safe(reason)}")
    if not causes and bot not in left_out:
        click.echo("No faults.")
    for name in sorted({fault.bot for fault, _ in causes}):
        own = [(fault, count) for fault, count in causes if fault.bot == name]
        kinds: Counter[str] = Counter()
        for fault, count in own:
            kinds[fault.kind] += count
        counts = listed([f"{count:,} {kind}" for kind, count in sorted(kinds.items())])
        tell(f"{safe(name)}: {counted(kinds.total(), 'fault')} ({counts})")
        for fault, count in own[:SHOWN]:
            _tell_fault(fault, count, tail=bot is not None)
        if len(own) > SHOWN:
            click.echo(f"  … and {counted(len(own) - SHOWN, 'other cause')}: --json lists every fault.")


def _tell_fault(fault: Fault, count: int, *, tail: bool) -> None:
    often, where = (f"{count:,}x ", f"first in {fault.address}") if count > 1 else ("", fault.address)
    tell(safe(f"  {often}{fault.kind}: {fault.cause} ({where})"))
    if tail:
        tell_tail(fault, "      ")
