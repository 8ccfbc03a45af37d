"""`league standings`: the tables of a league, and what to know before believing them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from league.cli import complete
from league.cli.options import league_argument, parts
from league.cli.output import print_json, tell
from league.results.columns import SORTS, Line, data, sorted_lines
from league.tools.text import columns, fitted_table, safe

if TYPE_CHECKING:
    from league.results.milestones import Progress
    from league.results.standings import Standings


@click.command("standings")
@league_argument
@click.option(
    "--game",
    metavar="G",
    shell_complete=complete.contests,
    help="Only this game, or this contest (raj, raj-2p), instead of all together.",
)
@parts
@click.option("--sort", type=click.Choice(SORTS), default="place", help="The column to sort by.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["table", "csv", "json", "markdown"]),
    default="table",
    help="For reading, spreadsheets, programs or web pages.",
)
@click.option("--notices", "all_notices", is_flag=True, help="Print all notices.")
def command(
    folder: Path,
    *,
    game: str | None,
    only: tuple[str, ...],
    without: tuple[str, ...],
    sort: str,
    style: str,
    all_notices: bool,
) -> None:
    """Show the standings of the league whose results are in DIR.

    Without --game, all contests count together, each equally, and bots that do not play all of them come last.
    """
    from league.api.run import read_standings
    from league.results.report import notice_lines, story

    standings = read_standings(folder, only, without)
    contests = standings.chosen(game) if game else []
    tables = {contest.contest.key: contest.lines for contest in contests} or {"overall": standings.overall}
    tables = {key: sorted_lines(lines, sort) for key, lines in tables.items()}
    notices = [text for contest in contests for text in contest.notices] if contests else standings.notices
    progress = [] if only or without else _progress(folder, standings)
    if style != "table":
        _export(tables, notices, progress, style, points=bool(contests))
        return
    _show(tables, folder, sort)
    for contest in contests or standings.contests.values():
        for line in story(contest):
            tell(line)
    _show_progress(progress)
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


def _progress(folder: Path, standings: Standings) -> list[Progress]:
    """How far the bots are from the milestones of the league, if it has any."""
    from league.results.milestones import all_progress
    from league.results.store import Store

    with Store.open(folder) as store:
        milestones = store.settings().milestones
    return all_progress(standings, milestones) if milestones else []


def _show_progress(progress: list[Progress]) -> None:
    """A line for each bot: the milestones that it has, and what it is to the others."""
    if not progress:
        return
    click.echo("\nMilestones:")
    rows = []
    for bot in progress:
        reached = ", ".join(step.title for step in bot.steps if step.reached) or "-"
        missing = [step.about for step in bot.steps if not step.reached]
        rows.append((safe(bot.bot), f"{bot.points:g}", safe(reached), safe(missing[0]) if missing else "-"))
    click.echo(fitted_table(["bot", "points", "reached", "next"], rows, ["points"], most=columns()))
    click.echo()


def _export(
    tables: dict[str, list[Line]], notices: list[str], progress: list[Progress], style: str, *, points: bool
) -> None:
    from league.results.csvs import boards_frame, to_csv, to_markdown

    if style == "json":
        boards = {key: [data(line) for line in lines] for key, lines in tables.items()}
        shown_data: dict[str, object] = {"standings": boards, "notices": notices}
        if progress:
            shown_data["milestones"] = progress
        print_json(shown_data)
        return
    shown = boards_frame(tables, points=points)
    click.echo(to_csv(shown) if style == "csv" else to_markdown(shown), nl=style != "csv")
