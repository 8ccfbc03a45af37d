"""`league similar`: which bots decide alike."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import click
import msgspec

from league.cli.options import league_argument, sandbox_option, whole
from league.cli.output import tell
from league.tools.bar import GamesBar
from league.tools.files import write_text
from league.tools.text import columns, fitted_table, safe, shown_path
from league.values.settings import Isolation

WHAT_IT_MEANS = (
    "Alike: equal decisions in the same positions with the same random numbers; usual: the same of all other pairs; "
    "only they: positions in which all others decided otherwise; text: equal parts of the sources, names left out. "
    "Bots with the same idea decide alike too: read the sources of the first pairs side by side before you judge."
)


@click.command("similar")
@league_argument
@click.option(
    "--roster", type=click.Path(path_type=Path), metavar="FILE", help="The people, as for `league collect`: adds names."
)
@click.option("--pairs", "most", default=20, show_default=True, type=whole(1), metavar="N", help="How many to show.")
@click.option(
    "--games", default=40, show_default=True, type=whole(1, 10_000), metavar="N", help="Of each contest, to ask about."
)
@click.option(
    "--to", "target", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write all pairs as CSV."
)
@sandbox_option
@click.option("--json", "as_json", is_flag=True, help="Print all pairs as JSON, for other programs.")
def command(
    folder: Path, roster: Path | None, most: int, games: int, target: Path | None, isolation: Isolation, as_json: bool
) -> None:
    """List the pairs of bots that decide alike in the league in DIR, the most alike first.

    All bots are asked in the same positions, taken from stored games, with the same random numbers. So copies are found
    that were renamed, reordered or written again in another language. It is no verdict.

    \b
      league similar results/class --roster people.csv
    """
    from league.course.similar import questions, similar
    from league.results.store import Store

    names = _names(roster)
    with (
        Store.open(folder) as store,
        closing(GamesBar(questions(store), desc="asked", unit=" bots", leave=False)) as bar,
    ):
        pairs = similar(store, isolation, games, bar.played)
    if target:
        import pandas as pd

        from league.results.csvs import to_csv

        write_text(target, to_csv(pd.DataFrame(msgspec.to_builtins(pairs))))
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(pairs), indent=2, ensure_ascii=False))
        return
    rows = [
        (
            *(safe(names.get(bot, bot)) for bot in (pair.a, pair.b)),
            *(f"{100 * share:.1f} %" for share in (pair.equal, pair.usual)),
            f"{pair.alone:,}",
            f"{pair.positions:,}",
            f"{100 * pair.text:.0f} %",
        )
        for pair in pairs[:most]
    ]
    numbers = ["alike", "usual", "only they", "positions", "text"]
    click.echo(fitted_table(["a", "b", *numbers], rows, numbers, most=columns()))
    tell(WHAT_IT_MEANS)
    if target:
        tell(f"All {len(pairs):,} pairs are in {shown_path(target)}.")


def _names(roster: Path | None) -> dict[str, str]:
    from league.course.people import read_people

    people = read_people(roster).people if roster else ()
    return {member.bot: f"{member.name} ({member.bot})" for member in people}
