"""`league page`: write the standings page of a league again, for yourself or to hand out."""

from __future__ import annotations

from pathlib import Path

import click

from league.cli.options import league_argument
from league.cli.output import tell
from league.tools.text import shown_path

HAND_OUT = "public"
"""The folder, inside the league's own, for pages to hand out."""


@click.command("page")
@league_argument
@click.option("--public", is_flag=True, help="Leave out tracebacks, printed text, source lines, config and seed.")
@click.option("--anonymous", is_flag=True, help="Also replace the names of bots by aliases that stay the same.")
@click.option("--title", metavar="TEXT", help="A title instead of the league's name.")
@click.option("--logo", metavar="TEXT", help="A line above the title, such as the name of a course.")
@click.option(
    "--to",
    "target",
    metavar="FOLDER",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where to write it.  [default: DIR, or DIR/public for a page to hand out]",
)
def command(
    folder: Path, *, public: bool, anonymous: bool, title: str | None, logo: str | None, target: Path | None
) -> None:
    """Write the standings page of the league in DIR, with its games to watch, as of now.

    A page to hand out is written to a folder of its own, with nothing else in it. The key of the aliases stays in DIR,
    as aliases.json. The config's `page` applies to every page; options add to it.
    """
    from msgspec.structs import replace

    from league.page import write_page
    from league.page.privacy import KEY
    from league.results.standings import Standings
    from league.results.store import Store

    with Store.open(folder) as store:
        asked = store.settings().page
        settings = replace(
            asked,
            public=public or asked.public,
            anonymous=anonymous or asked.anonymous,
            title=asked.title if title is None else title,
            logo=asked.logo if logo is None else logo,
        )
        if target is None:
            target = folder / HAND_OUT if public or anonymous else folder
        page = write_page(store, Standings.of(store), settings=settings, folder=target)
    tell(f"The standings are in {shown_path(page)}.")
    if settings.anonymous:
        tell(f"The key of the aliases is in {shown_path(folder / KEY)}: keep it to yourself.")
