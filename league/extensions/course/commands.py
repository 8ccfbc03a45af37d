"""`league class`: collect the hand-ins of a class, write its grades, find bots that are similar."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from league.cli import SuggestingGroup, complete
from league.cli.check import terms_of, verdicts_of
from league.cli.options import (
    FILE,
    FOLDER,
    PATH,
    Decorator,
    config_for_trials,
    isolation_for_trials,
    json_option,
    league_argument,
    sandbox_option,
    whole,
    workers_option,
)
from league.cli.output import print_json, prints_apart, refuse_unwritable, tell
from league.errors import LeagueError
from league.tools.bar import counting_bar
from league.tools.files import make_folder, write_text
from league.tools.text import columns, counted, listed, shown_path
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.values.settings import Config


@click.group("class", cls=SuggestingGroup)
def command() -> None:
    """Collect the hand-ins of a class, write its grades, find bots that are similar.

    \b
      league class collect Exercise1.zip --roster people.csv --config configs/class.yaml
      league class grades results/class --roster people.csv

    docs/tutorial-class.md tells the whole story.
    """


def _moment(ctx: click.Context, parameter: click.Parameter, text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text).astimezone() if text else None
    except ValueError:
        raise click.BadParameter(f"expected a time such as '2026-11-20 23:59', found {text!r}.") from None


def _roster(about: str, *, required: bool = True) -> Decorator:
    return click.option("--roster", required=required, type=PATH, metavar="FILE", help=about)


@command.command("collect", short_help="Take hand-ins into the bots folder.")
@click.argument("source", type=PATH)
@_roster("The people, as CSV: a column 'name' (or 'first name' and 'last name'), and perhaps 'id', 'username', 'bot'.")
@click.option(
    "--to",
    "folder",
    metavar="DIR",
    type=PATH,
    shell_complete=complete.folders,
    help="The bots folder.  [default: the one that CONFIG names]",
)
@config_for_trials
@click.option("--deadline", callback=_moment, metavar="TIME", help="Says who is late: '2026-11-20 23:59'.")
@click.option("--report", default="handins.csv", type=FILE, help="Where the report goes; a page is written next to it.")
@click.option("--again", is_flag=True, help="Check refused hand-ins again, even if they have not changed.")
@isolation_for_trials
@workers_option
@json_option("Print the report as JSON, for other programs.")
def collect_command(
    source: Path,
    roster: Path,
    folder: Path | None,
    config: Path | None,
    report: Path,
    isolation: Isolation | None,
    workers: int | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Take the hand-ins of a class into the bots folder: one bot for each person, checked like `league submit` does.

    SOURCE is an archive as Moodle or Canvas gives it, or a folder with a folder, a clone, a file or a .zip for each
    person. Called again with a newer archive, it takes only what is new, and keeps former versions.

    \b
      league class collect Exercise1.zip --roster people.csv --config configs/class.yaml
      league class collect clones/ --roster people.csv --to students --deadline '2026-11-20 23:59'

    The report says of each person: new, replaced, unchanged, refused and why, or missing; who was late, whose files
    are the same, and which hand-ins belong to nobody.
    """
    from league.extensions.course.collect import collect, read_report, remarks, report_table
    from league.extensions.course.handins import read_handins
    from league.extensions.course.people import read_people
    from league.page.inline import render_template, static

    terms = terms_of(config, isolation, of_others=True)
    folder = folder or _folder_of(terms.league)
    make_folder(folder)
    people = read_people(roster)
    before = read_report(report)
    refuse_unwritable(report)  # before all bots are checked
    handins = read_handins(source, terms.folder_mb)
    with prints_apart(as_json):
        lines = collect(
            people,
            handins,
            folder,
            lambda bots: verdicts_of(bots, terms, workers, quiet=True),
            before=before,
            folder_mb=terms.folder_mb,
            **asked,
        )
    table = report_table(lines)
    counts = Counter(line.status for line in lines)
    write_text(report, table.csv())
    page = render_template("handins.html.j2", [static("theme.js")], table=table, counts=counts)
    write_text(report.with_suffix(".html"), page)
    if as_json:
        print_json(table.json())
        return
    in_folder = counts["new"] + counts["replaced"] + counts["unchanged"]
    tell(
        f"{in_folder} of {len(people.people):,} people have their newest hand-in in {shown_path(folder)}: "
        f"{counts['new']} new, {counts['replaced']} replaced, {counts['unchanged']} unchanged."
    )
    noted = [line for line in lines if remarks(line) or line.status == "missing"]
    if noted:
        click.echo(report_table(noted).text(columns()))
    if people.notice:
        tell(people.notice)
    tell(f"Report: {shown_path(report)} and {shown_path(report.with_suffix('.html'))}")


def _folder_of(league: Config | None) -> Path:
    """The one folder of bots that the config of a league names."""
    if league is None:
        raise click.UsageError("Say where the bots go: --config of their league, or --to DIR.")
    folders = [entry for entry in league.bots if not entry.endswith((".py", ".toml"))]
    if len(folders) != 1:
        found = listed(folders) or "none"
        raise LeagueError(f"Expected one folder of bots in the config, found {found}. Name one with --to.")
    return league.base / folders[0]


@command.command("grades", short_help="Write a grade sheet from the standings.")
@league_argument
@_roster("The people, as for `class collect`: the grading worksheet of Moodle, the export of Canvas, or any CSV.")
@click.option("--scheme", type=PATH, metavar="FILE", help="How grades are made.  [default: milestones]")
@click.option(
    "--handins",
    type=PATH,
    metavar="FILE",
    help="The report of `league class collect`, which knows who was late; left out if there is none."
    "  [default: handins.csv]",
)
@click.option(
    "--to",
    "target",
    default="grades.csv",
    type=FILE,
    help="The grade sheet; a file with the details of each grade is written next to it.",
)
@click.option("--column", default="Grade", metavar="NAME", help="The heading of the grades.")
@click.option(
    "--provisional", is_flag=True, help="Write grades although games are missing or do not decide a milestone."
)
@click.option("--feedback", type=FOLDER, metavar="DIR", help="Write a page for each person there.")
def grades_command(
    folder: Path,
    roster: Path,
    scheme: Path | None,
    handins: Path | None,
    target: Path,
    column: str,
    provisional: bool,
    feedback: Path | None,
) -> None:
    """Write the grades of the people in a roster, from the standings of the league in DIR.

    \b
      league class grades results/class --roster people.csv
      league class grades results/class --roster people.csv --scheme scheme.yaml --feedback feedback

    The grade sheet has the columns of the roster, with the grades in one of them, so that Moodle and Canvas import it
    as it is. Without a scheme, a grade is the sum of the points of the milestones that a bot has reached.

    A milestone is reached, not reached or undecided. While one is undecided or games of the league are missing, nothing
    is written: `league run CONFIG --until-decided` plays more. In provisional grades, an undecided milestone counts as
    not reached.
    """
    from league.extensions.course.collect import read_report
    from league.extensions.course.feedback import details_text, sheet_text, write_feedback
    from league.extensions.course.grades import Scheme, doubts, grades, read_scheme
    from league.extensions.course.people import read_people
    from league.results.standings import Standings
    from league.results.store import Store

    people = read_people(roster)
    grading = read_scheme(scheme) if scheme else Scheme()
    if handins and not handins.exists():
        raise LeagueError(f"There is no file '{shown_path(handins)}'. `league class collect` writes it.")
    report = read_report(handins or Path("handins.csv"))
    late = {bot: line.playing_late_hours for bot, line in report.items()}
    refused = {bot: line.reason for bot, line in report.items() if line.status == "refused"}
    refuse_unwritable(target)
    if feedback:
        make_folder(feedback)
    with Store.open(folder) as store:
        milestones = store.settings().milestones
        if scheme is None and not milestones:
            hint = "Add milestones to its config, or give a formula with --scheme."
            raise LeagueError(f"The league in {shown_path(folder)} has no milestones. {hint}")
        standings = Standings.of(store)
        graded = grades(people, standings, milestones, grading, late, refused)
        open_points = doubts(standings, graded)
        if open_points and not provisional:
            hint = "`league run CONFIG --until-decided` plays more; --provisional writes grades as they are now."
            raise LeagueError(f"{' '.join(open_points)} {hint}")
        write_text(target, sheet_text(people, graded, column))
        details = target.with_name(f"{target.stem}-details.csv")
        write_text(details, details_text(graded))
        pages = write_feedback(feedback, store, standings, graded) if feedback else 0
    without = [grade.member.name for grade in graded if grade.line is None]
    for doubt in open_points:
        tell(f"These grades are provisional. {doubt}")
    tell(f"{counted(len(graded), 'grade')} in {shown_path(target)}, the details in {shown_path(details)}.")
    if without:
        tell(f"No bot in the league: {', '.join(without)}.")
    if people.notice:
        tell(people.notice)
    if pages and feedback:
        tell(f"{counted(pages, 'page')} of feedback in {shown_path(feedback)}.")


@command.command("similar", short_help="List bots that decide alike.")
@league_argument
@_roster("The people, as for `league class collect`: adds names.", required=False)
@click.option("--pairs", "most", default=20, type=whole(1), help="How many to show.")
@click.option("--games", default=40, type=whole(1, 10_000), help="Games of each contest to ask about.")
@click.option("--to", "target", type=FILE, help="Write all pairs as CSV.")
@sandbox_option
@json_option("Print all pairs as JSON, for other programs.")
def similar_command(
    folder: Path, roster: Path | None, most: int, games: int, target: Path | None, isolation: Isolation, as_json: bool
) -> None:
    """List the pairs of bots that decide alike in the league in DIR, the most alike first.

    All bots are asked in the same positions, taken from stored games, with the same random numbers. So copies are found
    that were renamed, reordered or written again in another language. It is no verdict.

    \b
      league class similar results/class --roster people.csv
    """
    from league.extensions.course.people import read_people
    from league.extensions.course.similar import pair_table, questions, similar
    from league.results.store import Store

    people = read_people(roster).people if roster else ()
    with (
        Store.open(folder) as store,
        counting_bar("asked", "bots") as (on_size, on_bot),
    ):
        on_size(questions(store))
        pairs = similar(store, isolation, games, on_bot)
    if target:
        write_text(target, pair_table(pairs).csv())
    if as_json:
        print_json(pairs)
        return
    names = {member.bot: f"{member.name} ({member.bot})" for member in people}
    click.echo(pair_table(pairs[:most], names).text(columns()))
    tell(
        "Alike: equal decisions in the same positions with the same random numbers; usual: the same of all other "
        "pairs; only they: positions in which all others decided differently. Bots with the same idea decide alike "
        "too: read the sources of the first pairs side by side before you judge."
    )
    if target:
        tell(f"All {len(pairs):,} pairs are in {shown_path(target)}.")
