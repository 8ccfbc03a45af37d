"""`league verify`: whether a league was played as its folder says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from league.cli.options import SEED, league_argument, sandbox_option
from league.cli.output import tell
from league.tools.bar import GamesBar
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
    show_default=True,
    metavar="P",
    help="How many of the games are played again; at least 100 games are.",
)
@click.option(
    "--seed", type=SEED, metavar="N", help="Plays the games again that this number chooses.  [default: drawn at random]"
)
@sandbox_option
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
@click.pass_context
def command(
    ctx: click.Context, folder: Path, share: float, seed: int | None, isolation: Isolation, *, as_json: bool
) -> None:
    """Check the league in DIR, which somebody else has played: believe no folder, check it.

    A random share of its games is played again, with the bots that are kept in DIR and in the sandbox, and must end as
    it did. All tallies, ratings, CSV files and the numbers of the page are computed again from the stored outcomes. The
    exit code is 1 if anything differs.

    \b
      league verify results/theirs
      league verify results/theirs --share 10% --seed 7
    """
    from league.api.studies import verify

    bar = GamesBar(None, leave=False)

    def on_games(games: int, of: int) -> None:
        bar.expect(of)
        bar.played(games)

    try:
        verified = verify(folder, share=share, seed=seed, isolation=isolation, on_games=on_games)
    finally:
        bar.close()
    if as_json:
        import msgspec

        click.echo(msgspec.json.format(msgspec.json.encode(verified)).decode())
    else:
        tell(verified.proven)
        for sentence in verified.changed:
            tell(f"Changed: {safe(sentence)}.")
        for note in verified.notes:
            tell(f"Note: {safe(note)}.")
        if not verified.changed:
            tell("Tallies, ratings and files are what the outcomes give.")
        tell(f"The same games are played again with --seed {verified.seed}.")
    if not verified.good:
        ctx.exit(1)
