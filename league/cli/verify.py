"""`league verify`: plays games of a league again and counts everything again, to check it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from msgspec.structs import asdict

from league.cli.options import SEED, json_option, league_argument, sandbox_option
from league.cli.output import print_json, tell
from league.tools.text import safe
from league.values.settings import Isolation


class Share(click.ParamType):  # type: ignore[type-arg] # generic in newer versions only
    """A part of a whole, such as 1% or 0.01."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        text = str(value).strip()
        try:
            share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            share = -1.0
        if not 0 < share <= 1:
            self.fail(f"expected a share above 0 and up to 100%, such as 1% or 0.01, found {safe(text)!r}.", param, ctx)
        return share


@click.command("verify")
@league_argument
@click.option(
    "--share",
    type=Share(),
    default="1%",
    metavar="P",
    help="How many of the games are played again; at least 100 games are.",
)
@click.option("--seed", type=SEED, help="Plays the games again that this number chooses.  [default: drawn at random]")
@sandbox_option
@json_option("Print what was found as JSON.")
@click.pass_context
def command(
    ctx: click.Context, folder: Path, share: float, seed: int | None, isolation: Isolation, *, as_json: bool
) -> None:
    """Check the league in DIR: play a share of it again, and count everything again.

    A random share of its games is played again, with the bots that are kept in DIR and in the sandbox, and must end as
    it did. All tallies are counted again from the stored outcomes, and the CSV files written again must have the same
    bytes. Pages are not compared: write them again with `league standings DIR --page`.

    Before that, each bot plays some of its games alone in a new process. A bot that chooses differently is not
    deterministic: it remembers other games, looks at the clock or draws other random numbers than those of `table.rng`.
    Its results are not reproducible, so it is named, with the game, the step and both of its moves.

    The exit code is 1 if anything differs, or if a bot is not deterministic.

    \b
      league verify results/theirs
      league verify results/theirs --share 10% --seed 7
    """
    from league.api.studies import verify

    verified = verify(folder, share=share, seed=seed, isolation=isolation)
    if as_json:
        print_json(asdict(verified) | {"findings": [finding._asdict() for finding in verified.findings]})
    else:
        tell(str(verified))
    if verified.findings or not verified.good:
        ctx.exit(1)
