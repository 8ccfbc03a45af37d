"""Grades as tables: the roster with a column of grades, and all that is behind each grade."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO

from league.course.feedback import sentences
from league.course.grades import Grade
from league.course.people import People
from league.results.csvs import no_formula

FEEDBACK = "Feedback comments"
"""The column of Moodle's grading worksheet."""
DETAILS = (
    *("place", "rank", "rating", "low", "high", "best", "games", "faults"),
    *("milestones", "reached", "late_days", "points", "grade"),
)


def sheet_text(people: People, grades: Sequence[Grade], column: str) -> str:
    """The roster as it is, with the grades."""
    headings = [*people.headings, *([column] if column not in people.headings else [])]
    rows = []
    for grade in grades:
        row = dict(grade.member.row) | {column: f"{grade.grade:g}"}
        if FEEDBACK in headings:
            row[FEEDBACK] = " ".join(sentences(grade))
        rows.append([row.get(heading, "") for heading in headings])
    return _csv([headings, *rows])


def details_text(grades: Sequence[Grade], columns: Sequence[str] = ()) -> str:
    """All that is behind each grade, after these columns of the roster."""
    rows: list[list[object]] = [["name", *columns, "bot", *DETAILS]]
    for grade in grades:
        line, member = grade.line, grade.member
        of_line = (
            [line.place, line.rank or "", *(f"{value:.4f}" for value in (line.rating, line.low, line.high, line.best))]
            if line
            else [""] * 6
        )
        played = [line.games, line.faults] if line else [0, 0]
        reached = "; ".join(step.title for step in grade.progress.steps if step.reached)
        end = [f"{grade.progress.points:g}", reached, grade.late_days, f"{grade.points:g}", f"{grade.grade:g}"]
        own = [member.row.get(column, "") for column in columns]
        rows.append([member.name, *own, member.bot, *of_line, *played, *end])
    return _csv(rows)


def _csv(rows: Sequence[Sequence[object]]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows([[no_formula(str(cell)) for cell in row] for row in rows])
    return text.getvalue()
