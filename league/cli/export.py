"""`league export`: every game of a league as a table."""

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
    help="A file that ends in .csv, or in .parquet (which needs pyarrow).",
)
def command(folder: Path, path: Path) -> None:
    """Write every game of the league in DIR to a table, with a row for each seat of each game.

    The table is ready for pandas, Polars, R and spreadsheets. docs/games.md describes its columns.
    """
    from league.results.export import write_games
    from league.results.queries import find
    from league.results.store import Store

    with Store.open(folder) as store:
        written = write_games(path, find(store))
        named = " It has the names of bots, which the page of this league hides." * store.settings().page.anonymous
    tell(f"{counted(written, 'row')} in {shown_path(path)}.{named}")
