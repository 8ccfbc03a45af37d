"""`league export`: every game of a league, or every decision, as a table."""

from __future__ import annotations

from pathlib import Path

import click

from league.cli.options import league_argument
from league.cli.output import tell
from league.tools.text import counted, shown_path


@click.command("export")
@league_argument
@click.option(
    "--to",
    "path",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A file that ends in .csv, in .jsonl, or in .parquet (which needs pyarrow).",
)
@click.option("--moves", is_flag=True, help="A row for each decision: what the bot saw and what it played.")
def command(folder: Path, path: Path, *, moves: bool) -> None:
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
