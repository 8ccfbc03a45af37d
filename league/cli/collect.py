"""`league collect`: take a class's hand-ins, as Moodle or Canvas gives them, into the bots folder."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from league.cli.check import terms_of, verdicts_of
from league.cli.options import LEVELS, config_for_trials, into_option, isolation_or, workers_option
from league.cli.output import prints_apart, tell
from league.errors import LeagueError
from league.tools.files import make_folder, write_text
from league.tools.text import columns, fitted_table, safe, shown_path
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.course.collect import Collected


class Moment(click.ParamType):  # type: ignore[type-arg] # generic in newer versions only
    """A day and a time of day."""

    name = "a time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        try:
            return datetime.fromisoformat(str(value)).astimezone()
        except ValueError:
            self.fail(f"expected a time such as '2026-11-20 23:59', found {value!r}.", param, ctx)


@click.command("collect")
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "--roster",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The people, as CSV: a column 'name' (or 'first name' and 'last name'), and perhaps 'id', 'username', 'bot'.",
)
@into_option
@config_for_trials
@click.option("--deadline", type=Moment(), metavar="TIME", help="Says who is late: '2026-11-20 23:59'.")
@click.option(
    "--report",
    default="handins.csv",
    show_default=True,
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where the report goes; a page is written beside it.",
)
@click.option("--again", is_flag=True, help="Check what was refused before again, even if it has not changed.")
@isolation_or(f"{LEVELS}  [default: sandbox, or CONFIG's]")
@workers_option
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON, for other programs.")
def command(
    source: Path,
    roster: Path,
    folder: Path,
    config: Path | None,
    deadline: datetime | None,
    report: Path,
    again: bool,
    isolation: Isolation | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Take the hand-ins of a class into the bots folder: one bot for each person, checked like `league submit` does.

    SOURCE is an archive as Moodle or Canvas gives it, or a folder with a folder, a clone, a file or a .zip for each
    person. Called again with a newer archive, it takes only what is new, and keeps former versions.

    \b
      league collect Exercise1.zip --roster people.csv --config configs/class.yaml
      league collect clones/ --roster people.csv --deadline '2026-11-20 23:59'

    The report says of each person: new, replaced, unchanged, refused and why, or missing; who was late, whose files
    are the same, and which hand-ins belong to nobody.
    """
    from league.course.collect import collect, read_report
    from league.course.handins import read_handins
    from league.course.people import read_people

    make_folder(folder)  # first: the config may name it
    terms = terms_of(config, isolation, of_others=True)
    people = read_people(roster)
    before = {} if again else read_report(report)
    if not os.path.isdir(report.parent):  # before all bots are checked
        raise LeagueError(f"{shown_path(report)} cannot be written: there is no folder {shown_path(report.parent)}.")
    handins = read_handins(source, terms.folder_mb)
    cores = workers or os.cpu_count() or 1
    with prints_apart() if as_json else nullcontext():
        lines = collect(
            people,
            handins,
            folder,
            lambda bots: verdicts_of(bots, terms, cores, quiet=True),
            deadline=deadline,
            before=before,
            folder_mb=terms.folder_mb,
        )
    _write_report(report, lines)
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(lines), indent=2, ensure_ascii=False))
    else:
        _tell(lines, folder, report)


def _write_report(path: Path, lines: Sequence[Collected]) -> None:
    import pandas as pd

    from league.course.collect import COLUMNS
    from league.page.inline import render_template, static
    from league.results.csvs import to_csv

    write_text(path, to_csv(pd.DataFrame(msgspec.to_builtins(lines), columns=list(COLUMNS))))
    page = render_template("handins.html.j2", [static("theme.js")], lines=lines, counts=_counts(lines))
    write_text(path.with_suffix(".html"), page)


def _counts(lines: Sequence[Collected]) -> dict[str, int]:
    words = ("new", "replaced", "unchanged", "refused", "missing", "unknown")
    return {word: sum(line.status == word for line in lines) for word in words}


def _tell(lines: Sequence[Collected], folder: Path, report: Path) -> None:
    counts = _counts(lines)
    in_folder = counts["new"] + counts["replaced"] + counts["unchanged"]
    people = len(lines) - counts["unknown"]
    tell(
        f"{in_folder} of {people:,} people have their newest hand-in in {shown_path(folder)}: "
        f"{counts['new']} new, {counts['replaced']} replaced, {counts['unchanged']} unchanged."
    )
    noted = [(line.name, line.status, _remarks(line)) for line in lines if _remarks(line) or line.status == "missing"]
    if noted:
        rows = [tuple(map(safe, row)) for row in noted]
        click.echo(fitted_table(["name", "status", "what to know"], rows, [], most=columns()))
    tell(f"Report: {shown_path(report)} and {shown_path(report.with_suffix('.html'))}")


def _remarks(line: Collected) -> str:
    """What a lecturer should know about a hand-in."""
    remarks = [line.reason]
    if line.late_hours:
        remarks.append(f"late by {line.late_hours:.1f} h" if line.late_hours >= 0.05 else "late")
    if line.same_as:
        remarks.append(f"the same as {line.same_as}")
    return "; ".join(filter(None, remarks))
