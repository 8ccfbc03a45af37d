"""Options that several commands share, so that they are called and behave the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from league.config import Isolation

bots_option = click.option(
    "--bots", "bots_dir", default="bots", show_default=True, metavar="DIR", help="Where bots are found by name."
)
isolation_option = click.option(
    "--isolation",
    type=click.Choice(get_args(Isolation)),
    default="sandbox",
    show_default=True,
    help="How bots are held: confined, in processes of their own, or not at all.",
)
results_option = click.option(
    "--results",
    default="results",
    show_default=True,
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where league folders live.",
)
