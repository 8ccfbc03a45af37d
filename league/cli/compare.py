"""`league compare`: whether one bot of a league is really better than another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from league.cli import complete
from league.cli.options import contest_option, json_option, league_argument, parts
from league.cli.output import print_json
from league.tools.text import columns


@click.command("compare")
@league_argument
@click.argument("a", shell_complete=complete.entrants)
@click.argument("b", shell_complete=complete.entrants)
@contest_option
@parts
@json_option()
def command(folder: Path, a: str, b: str, *, as_json: bool, **asked: Any) -> None:
    """Compare the bots A and B in the league whose results are in DIR.

    Prints who is better, or how many more games would tell, in the words and in the unit of `league duel`. Below are
    their difference in rating, and how they did against each other by game, table size and seat. The interval allows
    for all other comparisons in the league, so it says the same as the places do.

    \b
      league compare results/quick raj_nearest random --game raj-3p
    """
    from league.api.leagues import League
    from league.results.compare import describe

    comparison = League(folder).compare(a, b, **asked)
    if as_json:
        print_json(comparison)
    else:
        click.echo(describe(comparison, columns()))
