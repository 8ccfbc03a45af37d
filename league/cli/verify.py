"""`league verify`: plays games of a league again and counts everything again, to check it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click
from msgspec import Meta
from msgspec.structs import asdict

from league.cli.options import SEED, Value, json_option, league_argument, sandbox_option
from league.cli.output import print_json, tell
from league.values.settings import Isolation


def share_in(text: str) -> float | None:
    """The share in '1%' or '0.01'; None if it is none."""
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        return None
    return share if 0 < share <= 1 else None


SHARE = "a share above 0 and up to 100%, such as 1% or 0.01"
Share = Annotated[float, Meta(extra={"parse": share_in, "words": SHARE})]


@click.command("verify")
@league_argument
@click.option(
    "--share",
    type=Value(Share, "P"),
    default="1%",
    help="How many of the matches are played again, at least 100.",
)
@click.option("--seed", type=SEED, help="Choose the matches by this number.  [default: drawn at random]")
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
    from league.analysis.verify import verify

    verified = verify(folder, share=share, seed=seed, isolation=isolation)
    if as_json:
        print_json(asdict(verified) | {"findings": [finding._asdict() for finding in verified.findings]})
    else:
        tell(str(verified))
    if verified.findings or not verified.good:
        ctx.exit(1)
