"""What an author is told about their bot: a few sentences, and a page with milestones, faults, opponents and games."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from league.extensions.course.collect import line_in_source
from league.extensions.course.grades import Grade
from league.extensions.course.people import People
from league.games import replay
from league.page.inline import render_template, static
from league.results.csvs import PairLine, head_to_head
from league.results.find import Query, SortBy, top
from league.results.recorded import load_rules, recorded
from league.results.standings import Standings
from league.results.store import Store
from league.tools.files import make_folder, write_text
from league.tools.table import Column, Table
from league.tools.text import counted
from league.values.block import FaultCause


def sentences(grade: Grade) -> list[str]:
    """What to know about a bot, in a few sentences."""
    line = grade.line
    if line is None:
        reason = f": your hand-in was refused. {grade.refused}" if grade.refused else "."
        return [f"You have no bot in the league{reason}"]
    told = []
    if grade.refused:
        told.append(f"Your newest hand-in was refused, so the one before it plays. {grade.refused}")
    if line.has_place:
        place = f"shares places {line.place.replace('-', ' to ')}" if "-" in line.place else f"is in place {line.place}"
        rating = f"{line.rating:.2f} ({line.low:.2f} … {line.high:.2f})"
        told.append(f"Your bot {line.bot} {place}, with a rating of {rating}.")
        if line.best >= 0.01:
            told.append(f"The chance that it is the best is {100 * line.best:.0f} %.")
    else:
        told.append(
            f"Your bot {line.bot} has no place: it does not play every game of the league, or has not played yet."
        )
    told += [f"{step.title}: {step.state} ({step.about})." for step in grade.progress.steps]
    if line.faults:
        told.append(f"It made {counted(line.faults, 'fault')}.")
    if grade.late_days:
        told.append(f"It was handed in {counted(grade.late_days, 'day')} late.")
    return told


def write_feedback(folder: Path, store: Store, standings: Standings, grades: Sequence[Grade]) -> int:
    """A page for each person who has a bot or has handed one in; returns how many there are."""
    make_folder(folder)
    load_rules(store)
    pairs: list[PairLine] = sorted(head_to_head(standings).rows, key=lambda pair: pair.score - pair.expected)
    with_page = [grade for grade in grades if grade.line or grade.refused]
    for grade in with_page:
        name = grade.member.bot
        page = render_template(
            "feedback.html.j2",
            [static("theme.js")],
            grade=grade,
            sentences=sentences(grade),
            opponents=[pair for pair in pairs if pair.bot == name and pair.score < pair.expected][:3],
            faults=fault_causes(store, name),
            games=_games(store, name) if grade.line else [],
        )
        write_text(folder / f"{name}.html", page)
    return len(with_page)


def fault_causes(store: Store, bot: str) -> list[FaultCause]:
    """The most frequent causes of its faults."""
    alike: dict[tuple[str, str], FaultCause] = {}
    for fault in store.faults(bot):
        line = line_in_source(fault.tail)
        first = FaultCause(0, fault.kind, fault.cause, line, fault.address, fault.tail)
        known = alike.get((fault.kind, fault.cause), first)
        alike[fault.kind, fault.cause] = msgspec.structs.replace(known, count=known.count + 1)
    return sorted(alike.values(), key=lambda cause: -cause.count)[:5]


def _games(store: Store, bot: str) -> list[dict[str, str]]:
    """Up to three games that tell most about it, of its first contest: why, and each round by round."""
    told: dict[str, dict[str, str]] = {}
    orders: tuple[SortBy, ...] = ("worst", "closest", "best")
    for by in orders:
        for game in top(store, Query(bot=bot), by, 1)[:1]:
            points = ", ".join(f"{name} {points}" for name, points in zip(game.bots, game.points, strict=True))
            why = f"{by} {'game' if by == 'closest' else 'result'}: {points}"
            shown = recorded(store, game)
            text = replay.text(shown.replay) if shown else ""
            told.setdefault(str(game.address), {"why": why, "address": str(game.address), "text": text})
    return list(told.values())


FEEDBACK = "Feedback comments"
"""The column of Moodle's grading worksheet."""
OF_LINE = ("place", "rank", "rating", "low", "high", "best", "games", "faults")


def sheet_text(people: People, grades: Sequence[Grade], column: str) -> str:
    """The roster as it is, with the grades."""
    headings = [*people.headings, *([column] if column not in people.headings else [])]
    rows = []
    for grade in grades:
        row = dict(grade.member.row) | {column: f"{grade.grade:g}"}
        if FEEDBACK in headings:
            row[FEEDBACK] = " ".join(sentences(grade))
        rows.append([row.get(heading, "") for heading in headings])
    return Table.of(headings, rows).csv()


def details_text(grades: Sequence[Grade], of_roster: Sequence[str] = ()) -> str:
    """All that is behind each grade, after these columns of the roster; of people without a bot no line."""
    columns = [
        Column("name", "member.name"),
        *(Column(heading, partial(_cell, heading)) for heading in of_roster),
        Column("bot", "member.bot"),
        *(Column(name, partial(_of_line, name)) for name in OF_LINE),
        Column("milestones", lambda grade: f"{grade.progress.points:g}"),
        Column("reached", lambda grade: "; ".join(step.title for step in grade.progress.steps if step.reached)),
        Column("undecided", lambda grade: "; ".join(f"{s.title} ({s.games or '?'} games)" for s in grade.undecided)),
        Column("late_days"),
        Column("points", lambda grade: f"{grade.points:g}"),
        Column("grade", lambda grade: f"{grade.grade:g}"),
    ]
    return Table(columns, grades).csv()


def _cell(heading: str, grade: Grade) -> str:
    return grade.member.row.get(heading, "")


def _of_line(name: str, grade: Grade) -> Any:
    return getattr(grade.line, name, None)
