"""What an author is told about their bot: a few sentences, and a page with milestones, faults, opponents and games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from league.analysis.rematch import as_played
from league.extensions.course.collect import line_in_source
from league.extensions.course.grades import Grade
from league.extensions.course.people import People
from league.games import replay
from league.page.inline import render_template, static
from league.results.csvs import PairLine, head_to_head
from league.results.find import Query, SortBy, top
from league.results.recorded import load_rules
from league.results.standings import Standings
from league.results.store import Store
from league.tools.files import make_folder, write_text
from league.tools.table import Table
from league.tools.text import counted
from league.values.block import FaultCause

OPPONENTS = 3
"""That are shown, those first against which a bot does worst."""
CAUSES = 5
_GAMES: tuple[tuple[SortBy, str], ...] = (
    ("worst", "worst result"),
    ("closest", "closest game"),
    ("best", "best result"),
)


class HardOpponent(msgspec.Struct, frozen=True):
    """How a bot did against another one."""

    bot: str
    contest: str
    score: float
    expected: float
    games: int


class ToldGame(msgspec.Struct, frozen=True):
    """A game, round by round."""

    why: str
    address: str
    points: str
    text: str
    """Empty if its moves were not kept."""


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


def write_feedback(folder: Path, store: Store, standings: Standings, grades: list[Grade]) -> list[Path]:
    """A page for each person who has a bot or has handed one in; returns where they are."""
    make_folder(folder)
    load_rules(store)
    pairs = head_to_head(standings).rows
    paths = []
    for grade in grades:
        if grade.line is None and not grade.refused:
            continue
        name = grade.member.bot
        page = render_template(
            "feedback.html.j2",
            [static("theme.js")],
            grade=grade,
            sentences=sentences(grade),
            opponents=hard_opponents(pairs, name),
            faults=fault_causes(store, name),
            games=list(_games(store, name)) if grade.line else [],
        )
        paths.append(folder / f"{name}.html")
        write_text(paths[-1], page)
    return paths


def hard_opponents(pairs: Sequence[PairLine], bot: str) -> list[HardOpponent]:
    """Those against whom a bot does worst, measured by what the ratings expect."""
    worse = [pair for pair in pairs if pair.bot == bot and pair.score < pair.expected]
    worst = sorted(worse, key=lambda pair: pair.score - pair.expected)[:OPPONENTS]
    return [
        HardOpponent(pair.opponent, f"{pair.game} for {pair.players}", pair.score, pair.expected, pair.games)
        for pair in worst
    ]


def fault_causes(store: Store, bot: str) -> list[FaultCause]:
    """The most frequent causes of its faults."""
    alike: dict[tuple[str, str], FaultCause] = {}
    for fault in store.faults(bot):
        line = line_in_source(fault.tail)
        first = FaultCause(0, fault.kind, fault.cause, line, fault.address, fault.tail)
        known = alike.get((fault.kind, fault.cause), first)
        alike[fault.kind, fault.cause] = msgspec.structs.replace(known, count=known.count + 1)
    return sorted(alike.values(), key=lambda cause: -cause.count)[:CAUSES]


def _games(store: Store, bot: str) -> Iterator[ToldGame]:
    """Three games that tell most about it, of its first contest."""
    seen = set()
    for by, why in _GAMES:
        for game in top(store, Query(bot=bot), by, 1)[:1]:
            address = str(game.address)
            if address not in seen:
                seen.add(address)
                shown = as_played(store, game)
                points = ", ".join(f"{name} {points}" for name, points in zip(game.bots, game.points, strict=True))
                yield ToldGame(why, address, points, replay.text(shown.replay) if shown else "")


FEEDBACK = "Feedback comments"
"""The column of Moodle's grading worksheet."""
DETAILS = (
    *("place", "rank", "rating", "low", "high", "best", "games", "faults"),
    *("milestones", "reached", "undecided", "late_days", "points", "grade"),
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
    return Table.of(headings, rows).csv()


def details_text(grades: Sequence[Grade], columns: Sequence[str] = ()) -> str:
    """All that is behind each grade, after these columns of the roster."""
    rows: list[list[object]] = []
    for grade in grades:
        line, member = grade.line, grade.member
        of_line = (
            [line.place, line.rank or "", *(f"{value:.4f}" for value in (line.rating, line.low, line.high, line.best))]
            if line
            else [""] * 6
        )
        played = [line.games, line.faults] if line else [0, 0]
        reached = "; ".join(step.title for step in grade.progress.steps if step.reached)
        undecided = "; ".join(f"{step.title} ({step.games or '?'} games)" for step in grade.undecided)
        end = [
            f"{grade.progress.points:g}",
            reached,
            undecided,
            grade.late_days,
            f"{grade.points:g}",
            f"{grade.grade:g}",
        ]
        own = [member.row.get(column, "") for column in columns]
        rows.append([member.name, *own, member.bot, *of_line, *played, *end])
    return Table.of(["name", *columns, "bot", *DETAILS], rows).csv()
