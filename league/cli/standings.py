"""`league standings`: the tables of a league, and what to know before believing them."""

from __future__ import annotations

from pathlib import Path

import click

from league.cli import complete
from league.cli.options import league_argument
from league.cli.tell import tell
from league.results.lines import SORTS, Line, data, sorted_lines
from league.tools.text import columns


@click.command("standings")
@league_argument
@click.option(
    "--game",
    metavar="G",
    shell_complete=complete.contests,
    help="Only this game, or this contest (raj, raj-2p), instead of all together.",
)
@click.option("--sort", type=click.Choice(SORTS), default="place", show_default=True, help="The column to sort by.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["table", "csv", "json", "markdown"]),
    default="table",
    show_default=True,
    help="For reading, spreadsheets, programs or web pages.",
)
@click.option("--notices", "all_notices", is_flag=True, help="Print all notices.")
def command(folder: Path, *, game: str | None, sort: str, style: str, all_notices: bool) -> None:
    """Show the standings of the league whose results are in DIR.

    Without --game, all contests count together, each equally, and bots that do not play all of them come last.
    """
    from league.api import read_standings
    from league.results.report import notice_lines, story

    standings = read_standings(folder)
    contests = standings.chosen(game) if game else []
    tables = {one.contest.key: one.lines for one in contests} or {"overall": standings.overall}
    tables = {key: sorted_lines(lines, sort) for key, lines in tables.items()}
    notices = [text for one in contests for text in one.notices] if contests else standings.notices
    if style != "table":
        _export(tables, notices, style, points=bool(contests))
        return
    _show(tables, folder, sort)
    for contest in contests or standings.contests.values():
        for line in story(contest):
            tell(line)
    for line in notice_lines(notices, folder, everything=all_notices):
        tell(line)


def _show(tables: dict[str, list[Line]], folder: Path, sort: str) -> None:
    from league.results.report import lines_table

    for key, lines in tables.items():
        if len(tables) > 1:
            click.echo(f"{key}\n")
        click.echo(lines_table(lines, folder, columns(), sort))
        if len(tables) > 1:
            click.echo()


def _export(tables: dict[str, list[Line]], notices: list[str], style: str, *, points: bool) -> None:
    from league.results.csvs import boards_frame, to_csv, to_markdown

    if style == "json":
        import msgspec

        boards = {key: [data(line) for line in lines] for key, lines in tables.items()}
        shown_data = {"standings": boards, "notices": notices}
        click.echo(msgspec.json.format(msgspec.json.encode(shown_data), indent=2))
        return
    shown = boards_frame(tables, points=points)
    click.echo(to_csv(shown) if style == "csv" else to_markdown(shown), nl=style != "csv")
