"""`league compare`: whether one bot of a league is really better than another."""

from __future__ import annotations

from pathlib import Path

import click

from league.cli import complete
from league.cli.options import json_option, league_argument, parts
from league.cli.output import print_json
from league.tools.text import columns


@click.command("compare")
@league_argument
@click.argument("a", shell_complete=complete.entrants)
@click.argument("b", shell_complete=complete.entrants)
@parts
@json_option()
def command(folder: Path, a: str, b: str, *, only: tuple[str, ...], without: tuple[str, ...], as_json: bool) -> None:
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
