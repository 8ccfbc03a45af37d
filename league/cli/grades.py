"""`league grades`: from the standings of a league to a grade sheet, with feedback for everybody."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.core import ParameterSource

from league.cli.options import league_argument
from league.cli.output import tell
from league.tools.files import write_text
from league.tools.text import counted, shown_path


@click.command("grades")
@league_argument
@click.option(
    "--roster",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The people, as for `league collect`: the grading worksheet of Moodle, the export of Canvas, or any CSV.",
)
@click.option(
    "--scheme", type=click.Path(path_type=Path), metavar="FILE", help="How grades are made.  [default: milestones]"
)
@click.option(
    "--handins",
    default="handins.csv",
    show_default=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The report of `league collect`, which knows who was late; left out if there is none.",
)
@click.option(
    "--to",
    "target",
    default="grades.csv",
    show_default=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The grade sheet; a file with all that is behind each grade is written beside it.",
)
@click.option("--column", default="Grade", show_default=True, metavar="NAME", help="The heading of the grades.")
@click.option(
    "--feedback",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write a page for each person there.",
)
def command(
    folder: Path, roster: Path, scheme: Path | None, handins: Path, target: Path, column: str, feedback: Path | None
) -> None:
    """Write the grades of the people in a roster, from the standings of the league in DIR.

    \b
      league grades results/class --roster people.csv
      league grades results/class --roster people.csv --scheme scheme.yaml --feedback feedback

    The grade sheet has the columns of the roster, with the grades in one of them, so that Moodle and Canvas import it
    as it is. Without a scheme, a grade is the sum of the points of the milestones that a bot has reached.
    """
    from league.course.collect import read_report
    from league.course.feedback import write_feedback
    from league.course.grades import Scheme, grades, read_scheme
    from league.course.people import read_people
    from league.course.sheets import details_text, sheet_text
    from league.errors import LeagueError
    from league.results.standings import Standings
    from league.results.store import Store

    people = read_people(roster)
    how = read_scheme(scheme) if scheme else Scheme()
    if (
        not os.path.exists(handins)
        and click.get_current_context().get_parameter_source("handins") is not ParameterSource.DEFAULT
    ):
        raise LeagueError(f"There is no file '{shown_path(handins)}'. `league collect` writes it.")
    late = read_report(handins)
    with Store.open(folder) as store:
        milestones = store.settings().milestones
        if scheme is None and not milestones:
            hint = "Add milestones to its config, or give a formula with --scheme."
            raise LeagueError(f"The league in {shown_path(folder)} has no milestones. {hint}")
        standings = Standings.of(store)
        given = grades(people, standings, milestones, how, late)
        write_text(target, sheet_text(people, given, column))
        details = target.with_name(f"{target.stem}-details.csv")
        write_text(details, details_text(given))
        pages = write_feedback(feedback, store, standings, given) if feedback else []
    without = [grade.member.name for grade in given if grade.line is None]
    tell(f"{counted(len(given), 'grade')} in {shown_path(target)}, what is behind them in {shown_path(details)}.")
    if without:
        tell(f"No bot in the league: {', '.join(without)}.")
    if pages and feedback:
        tell(f"{counted(len(pages), 'page')} of feedback in {shown_path(feedback)}.")
