"""`league compare`: whether A is really better than B."""

from __future__ import annotations

from pathlib import Path

import click

from league.cli import complete
from league.cli.options import league_argument, parts
from league.tools.text import columns


@click.command("compare")
@league_argument
@click.argument("a", metavar="A", shell_complete=complete.entrants)
@click.argument("b", metavar="B", shell_complete=complete.entrants)
@parts
@click.option("--json", "as_json", is_flag=True, help="As JSON, for programs.")
def command(folder: Path, a: str, b: str, *, only: tuple[str, ...], without: tuple[str, ...], as_json: bool) -> None:
    """Compare the bots A and B in the league whose results are in DIR.

    Prints their difference in rating, the probability that A is better, how many more games would settle it, and how
    they did against each other by game, table size and seat. The interval of the difference allows for all other
    comparisons in the league, so it says the same as the places do.
    """
    import msgspec

    from league.api.leagues import League
    from league.results.compare import describe

    comparison = League(folder).compare(a, b, only=only, without=without)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(comparison), indent=2))
    else:
        click.echo(describe(comparison, columns()))
