"""`league find`: games of a league, by how they ended."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from league.analysis.blunders import GAMES
from league.cli import complete
from league.cli.options import COUNT, filters, json_option, league_argument, only_one, order_of, picked, query_of
from league.cli.output import print_json, tell
from league.tools.text import columns, counted, fitted_table, safe, shown_path

if TYPE_CHECKING:
    from league.results.queries import FoundGame, Query

SHOWN = 20
"""Games that are printed without --limit."""


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
    help=f"At most N games, or N decisions.  [default: {SHOWN}, or all games with --json or --csv]",
)
@json_option("As JSON: a list of games, or of decisions.")
@click.option("--csv", "as_csv", is_flag=True, help="As CSV: a row for each seat of each game, like `league export`.")
def command(
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
    as_csv: bool,
    **asked: Any,
) -> None:
    """Find games of the league in DIR by how they ended, without playing them again.

    \b
      league find results/quick --bot amy --lost --against bob
      league find results/quick --bot amy --worst 5
      league find results/quick --fault --csv
      league find results/quick --bot amy --lost --blunders
    """
    from league.results.queries import count
    from league.results.store import Store

    only_one(json=as_json, csv=as_csv)
    query = query_of(bot, **asked)
    order = order_of(worst=worst, closest=closest, upsets=upsets)
    if blunders:
        if bot is None:
            raise click.UsageError("--blunders needs --bot: whose decisions?")
        only_one(blunders=blunders, csv=as_csv, upsets=upsets)
        _print_blunders(folder, query, worst, closest, games or GAMES, limit or SHOWN, as_json=as_json)
        return
    if games is not None:
        raise click.UsageError("--games goes with --blunders; --limit is how many games are listed.")
    with Store.open(folder) as store:
        chosen = iter(picked(store, query, order))
        if as_json:
            _print_json(islice(chosen, limit), folder)
        elif as_csv:
            from league.results.export import COLUMNS, rows, write_csv

            write_csv(sys.stdout, COLUMNS, rows(islice(chosen, limit)))
        else:
            shown = list(islice(chosen, limit or (None if order else SHOWN)))
            left = 0 if limit or order or len(shown) < SHOWN else count(store, query) - SHOWN
            if not shown:
                tell(f"There are no {query}.")
                return
            click.echo(_table(shown, folder, columns()))
            if left:
                tell(f"… and {counted(left, 'game')} more: --limit, --json or --csv.")


def see(folder: Path, game: FoundGame) -> str:
    """The command that shows a game."""
    return f"league replay {shown_path(folder)} {game.address}"


def _table(games: Iterable[FoundGame], folder: Path, most: int | None) -> str:
    rows = [(see(folder, game), ", ".join(_seats(game))) for game in games]
    return fitted_table(("see it by", "place, bot and points, by seat"), rows, most=most)


def _seats(game: FoundGame) -> Iterator[str]:
    for seat, bot in enumerate(game.bots):
        fault = " (forfeited)" if game.forfeits[seat] else " (at fault)" if game.faults[seat] else ""
        yield f"{game.ranks[seat] + 1}. {safe(bot)} {game.points[seat]}{fault}"


def _print_json(games: Iterable[FoundGame], folder: Path) -> None:
    """A list, printed game by game."""
    import msgspec

    before = "[\n"
    for game in games:
        click.echo(f"{before}  {msgspec.json.encode(_data(game, folder)).decode()}", nl=False)
        before = ",\n"
    click.echo("[]" if before == "[\n" else "\n]")


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
        click.echo(fitted_table(("see it by", "lost", "played", "better"), rows, ("lost",), most=columns()))
    for line in searched.notes or [f"There are no {query}."]:
        tell(line, err=as_json)
