"""Commands about single games: `find` lists them or writes them to a table, `faults` says what went wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from league.analysis.blunders import GAMES
from league.cli import complete
from league.cli.options import (
    COUNT,
    FILE,
    filters,
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
from league.values.block import Fault

if TYPE_CHECKING:
    from league.results.find import Query
    from league.results.games import FoundGame
    from league.results.store import Store

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
@json_option("As JSON: a list of games, or of decisions.")
@click.option(
    "--to",
    "path",
    type=FILE,
    help="Write them to a table, a row for each seat of each game: .csv, .jsonl, or .parquet (which needs pyarrow).",
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
    from league.results.find import count
    from league.results.store import Store

    only_one(json=as_json, to=path)
    if moves:
        only_these("--moves, which has all decisions of a bot or of a game", "path", "moves", "bot", "game")
        if path is None:
            raise click.UsageError("--moves goes with --to FILE.")
        _write_moves(folder, path, bot, asked["game"])
        return
    query = query_of(bot, **asked)
    order = order_of(worst=worst, closest=closest, upsets=upsets)
    if blunders:
        if bot is None:
            raise click.UsageError("--blunders needs --bot: whose decisions?")
        only_one(blunders=blunders, to=path, upsets=upsets)
        _print_blunders(folder, query, worst, closest, games or GAMES, limit or SHOWN, as_json=as_json)
        return
    if games is not None:
        raise click.UsageError("--games goes with --blunders; --limit is how many games are listed.")
    with Store.open(folder) as store:
        if path:
            from league.results.export import frames, write

            _tell_written(write(path, frames(picked(store, query, order), limit)), path, store)
            return
        chosen = (part.game(row) for part in picked(store, query, order) for row in range(part.size))
        if as_json:
            print_list(_data(game, folder) for game in islice(chosen, limit))
        else:
            shown = list(islice(chosen, limit or (None if order else SHOWN)))
            left = 0 if limit or order or len(shown) < SHOWN else count(store, query) - SHOWN
            if not shown:
                tell(f"There are no {query}.")
                return
            click.echo(_table(shown, folder, columns()))
            if left:
                tell(f"… and {counted(left, 'game')} more: --limit, --json or --to FILE.")


def see(folder: Path, game: FoundGame) -> str:
    """The command that shows a game."""
    return f"league replay {shown_path(folder)} {game.address}"


def _table(games: Iterable[FoundGame], folder: Path, most: int | None) -> str:
    rows = [(see(folder, game), ", ".join(_seats(game))) for game in games]
    return Table.of(("see it by", "place, bot and points, by seat"), rows).text(most)


def _seats(game: FoundGame) -> Iterator[str]:
    for seat, bot in enumerate(game.bots):
        fault = " (forfeited)" if game.forfeits[seat] else " (at fault)" if game.faults[seat] else ""
        yield f"{game.ranks[seat] + 1}. {safe(bot)} {game.points[seat]}{fault}"


def _write_moves(folder: Path, path: Path, bot: str | None, game: str | None) -> None:
    """Write a row for each decision, read from the stored moves: no bot runs."""
    from league.results.decisions import Decisions
    from league.results.export import write
    from league.results.store import Store
    from league.results.stored_games import load_rules

    with Store.open(folder) as store:
        load_rules(store)
        decisions = Decisions(store, bot, game)
        _tell_written(write(path, decisions), path, store)
        if left := decisions.without_moves:
            tell(f"league: {counted(left, 'game')} left out: their moves were not kept.", err=True)


def _tell_written(rows: int, path: Path, store: Store) -> None:
    named = " It has the names of bots, which the page of this league hides." * store.settings().page.anonymous
    tell(f"{counted(rows, 'row')} in {shown_path(path)}.{named}")


def _data(game: FoundGame, folder: Path) -> dict[str, Any]:
    seats = zip(game.bots, game.versions, game.ranks, game.points, game.faults, game.forfeits, strict=True)
    return {
        "address": str(game.address),
        "contest": game.contest.key,
        "game": game.contest.game,
        "players": game.contest.players,
        "deal": game.deal,
        "rotation": game.address.rotation,
        "seats": [
            {"bot": bot, "version": version, "place": rank + 1, "points": points, "fault": fault, "forfeit": forfeit}
            for bot, version, rank, points, fault, forfeit in seats
        ],
        "see": see(folder, game),
    }


def _print_blunders(
    folder: Path, query: Query, worst: int | None, closest: int | None, games: int, limit: int, *, as_json: bool
) -> None:
    """The worst decisions of a bot, and what they were judged by."""
    from league.api.studies import blunders
    from league.cli.curve import ERRORS, shown_value

    searched = blunders(
        folder,
        query.bot or "",
        against=query.against,
        game=query.game,
        ended=query.ended,
        fault=query.fault,
        worst=worst,
        closest=closest,
        games=games,
        limit=limit,
    )
    shown = [
        (blunder, f"league replay {shown_path(folder)} {blunder.address} --step {blunder.step}")
        for blunder in searched.blunders
    ]
    if as_json:
        print_json([{**blunder._asdict(), "see": see} for blunder, see in shown])
    elif shown:
        rows = [
            (
                see,
                f"{shown_value(blunder.loss, blunder.unit)} ± {shown_value(ERRORS * blunder.error, blunder.unit)}",
                f"{blunder.played}: {shown_value(blunder.chance, blunder.unit)}",
                f"{blunder.better}: {shown_value(blunder.chance_of_better, blunder.unit)}",
            )
            for blunder, see in shown
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
    from league.results.store import Store

    with Store.open(folder) as store:
        names = [known.name for known in store.bots()]
        left_out = store.left_out()
        if bot is not None and bot not in names and bot in left_out:
            tell(f"{safe(bot)} was left out: {safe(left_out[bot])}")
            return
        if bot is not None and bot not in names:
            raise LeagueError(f"There is no bot {bot!r} in this league.{did_you_mean(bot, [*names, *left_out])}")
        if as_json:
            print_list(store.faults(bot))
            return
        kinds, causes = _counted(store.faults(bot))
        if not kinds:
            click.echo("No faults.")
        for reason in left_out.values() if bot is None else ():
            tell(f"left out: {safe(reason)}")
        for name in sorted(kinds):
            counts = listed([f"{count:,} {kind}" for kind, count in sorted(kinds[name].items())])
            tell(f"{safe(name)}: {counted(sum(kinds[name].values()), 'fault')} ({counts})")
            for count, first in list(causes[name].values())[:SHOWN]:
                _tell_fault(first, count, tail=bot is not None)
            if len(causes[name]) > SHOWN:
                click.echo(f"  … and {counted(len(causes[name]) - SHOWN, 'other cause')}: --json lists every fault.")


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
