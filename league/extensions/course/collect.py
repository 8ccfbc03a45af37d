"""Takes a class's hand-ins into the bots folder: one bot for each person, checked, the version before it kept.

The report that it leaves behind is what it remembers: a hand-in that was refused is not tried again until it changes.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from league.errors import LeagueError, RosterError
from league.extensions.course.handins import HandIn, HandInError, files_of_bot, load_files
from league.extensions.course.people import MOST_BYTES, People
from league.setup.bot_folder import folder_hash
from league.setup.roster import Bot, load, places
from league.setup.versions import put
from league.tools.files import read_bytes
from league.tools.table import Column, Table
from league.tools.text import listed, safe, shown_path
from league.values.settings import FOLDER_MB

Status = Literal["new", "replaced", "unchanged", "refused", "missing", "unknown"]
Check = Callable[[Sequence[Bot]], Sequence[dict[str, Any]]]
"""Tries bots, and returns a verdict for each."""
_LINE = re.compile(r'File "[^"]*", line (\d+)')


class Collected(msgspec.Struct):
    """What became of one person's hand-in, or of one that is nobody's."""

    name: str
    bot: str
    status: Status
    reason: str = ""
    """Why it was refused, or what to know about it: that it sleeps, say. In words for its author."""
    handed_in: str = ""
    late_hours: float = 0.0
    deadline: str = ""
    """By which that was counted; empty: none was given."""
    attempts: int = 0
    same_as: str = ""
    """People who have handed in the same."""
    hash: str = ""
    """The hash of what was handed in."""
    playing_late_hours: float = 0.0
    """How late the hand-in is that plays, which is an earlier one if the newest was refused: what grades count."""


def report_table(lines: Sequence[Collected]) -> Table:
    """The report: in its file, for programs, on its page and in a terminal."""
    files = ("csv", "json")
    return Table(
        [
            Column("name"),
            Column("bot", where=(*files, "html")),
            Column("status"),
            Column("reason", where=files),
            Column("handed_in", shown=lambda line: line.handed_in.replace("T", " ")[:16], where=(*files, "html")),
            *(Column(name, where=files) for name in ("late_hours", "deadline")),
            Column("attempts", spec="d", where=(*files, "html")),
            *(Column(name, where=files) for name in ("same_as", "hash", "playing_late_hours")),
            Column("what to know", remarks, where=("text", "html")),
        ],
        lines,
    )


def remarks(line: Collected) -> str:
    """What a lecturer should know about a hand-in."""
    remarks = [line.reason]
    if line.late_hours:
        remarks.append(f"late by {line.late_hours:.1f} h" if line.late_hours >= 0.05 else "late")
    if line.same_as:
        remarks.append(f"the same as {line.same_as}")
    return "; ".join(filter(None, remarks))


def collect(
    people: People,
    handins: Iterable[HandIn],
    folder: Path,
    check: Check,
    *,
    deadline: datetime | None = None,
    before: Mapping[str, Collected] | None = None,
    folder_mb: int = FOLDER_MB,
    again: bool = False,
) -> list[Collected]:
    """Take everybody's newest hand-in into a bots folder, if it passes; a line for each person, then for strangers.

    `before` has the lines of the last time. What was refused then and has not changed is not checked again, unless
    `again`; who has nothing in this archive keeps their line. A bot may have `folder_mb` megabytes.
    """
    by_bot: dict[str, list[HandIn]] = {}
    lines, strangers = [], []
    for handin in handins:
        if person := people.owner(handin.owner, handin.ids):
            by_bot.setdefault(person.bot, []).append(handin)
        else:
            stranger = _line(handin.owner, "", handin, deadline)
            stranger.status, stranger.reason = "unknown", "matches nobody in the roster, or several people"
            strangers.append(stranger)
    with TemporaryDirectory(prefix="league-handins-") as place:
        tried: list[tuple[Collected, Bot, float]] = []
        for person in people.people:
            known, theirs = (before or {}).get(person.bot), by_bot.get(person.bot)
            if not theirs:
                if known and known.status in ("new", "replaced"):
                    known.status = "unchanged"
                lines.append(known or Collected(person.name, person.bot, "missing"))
                continue
            newest = _as_bot(max(theirs, key=lambda handin: (handin.attempt, handin.time)))
            line = _line(person.name, person.bot, newest, deadline, known)
            line.attempts = len(theirs)
            lines.append(line)
            was_refused = known is not None and known.hash == line.hash and known.status == "refused"
            if newest.problem or (was_refused and not again):
                continue
            try:
                bot = load_files(newest.files, Path(place) / person.bot, person.bot, folder_mb)
            except RosterError as problem:
                line.reason = safe(str(problem))
                continue
            there = places(person.bot, folder)
            if there and _hash_at(there[0], person.bot, folder_mb) == bot.hash:
                line.status = "unchanged"
                line.reason = "" if was_refused else line.reason
                if known is None or known.hash == line.hash:
                    line.playing_late_hours = line.late_hours
            else:
                line.status = "replaced" if there else "new"
                tried.append((line, bot, newest.time))
        for (line, bot, time), verdict in zip(tried, check([bot for _, bot, _ in tried]), strict=True):
            if verdict["passed"]:
                put(bot, folder, replace=True, time=time)
                line.playing_late_hours = line.late_hours
                line.reason = " ".join(verdict["warnings"])
            else:
                line.status = "refused"
                line.reason = first_fault(verdict) or "it plays none of the league's contests."
    for line in lines:
        line.same_as = listed([other.name for other in lines if other is not line and line.hash == other.hash != ""])
    return [*lines, *strangers]


def _as_bot(handin: HandIn) -> HandIn:
    """With the files of the bot, or why it is none: the same bot under another name has the same files."""
    try:
        return handin if handin.problem else replace(handin, files=files_of_bot(handin.files))
    except HandInError as problem:
        return replace(handin, problem=safe(str(problem)))


def _line(name: str, bot: str, handin: HandIn, deadline: datetime | None, known: Collected | None = None) -> Collected:
    """What is known about a hand-in before it is tried. What was recorded about the same one before never changes."""
    moment = datetime.fromtimestamp(handin.time).astimezone() if handin.time else None
    late = max(0.0, (moment - deadline).total_seconds() / 3600) if moment and deadline else 0.0
    line = Collected(
        name=name,
        bot=bot,
        status="refused",
        reason=handin.problem,
        handed_in=moment.isoformat(timespec="seconds") if moment else "",
        late_hours=round(late, 2) or 0.01 * handin.late,  # where only the archive knows that it was late
        deadline=deadline.isoformat(timespec="minutes") if deadline else "",
        attempts=1,
        hash=folder_hash(handin.files) if handin.files else "",
        playing_late_hours=known.playing_late_hours if known else 0.0,
    )
    if known and known.hash == line.hash:
        line.reason = line.reason or known.reason
        if known.deadline or known.late_hours:
            line.handed_in, line.late_hours, line.deadline = known.handed_in, known.late_hours, known.deadline
    return line


def _hash_at(path: Path, name: str, folder_mb: int) -> str:
    try:
        return load(path, folder_mb=folder_mb, name=name).hash
    except RosterError:
        return ""


def first_fault(verdict: dict[str, Any]) -> str:
    """The first thing that is wrong with a bot, with its line in the source if there is one."""
    for trial in verdict["trials"]:
        for fault in trial["faults"]:
            line = line_in_source(fault["tail"])
            where = f" (line {line})" if line else ""
            return f"{trial['game']}: {fault['kind']}: {fault['cause']}{where}"
    return ""


def line_in_source(tail: str) -> str:
    """The number of the line that a fault comes from, by the end of its traceback; empty if that has none."""
    return next(reversed(_LINE.findall(tail)), "")


def read_report(path: Path) -> dict[str, Collected]:
    """The lines of a report that was written before, by bot; none if there is no report yet."""
    if not os.path.exists(path):
        return {}
    text = read_bytes(path, MOST_BYTES).decode("utf-8-sig", errors="replace")
    rows = csv.DictReader(StringIO(text))
    if tuple(rows.fieldnames or ()) != Collected.__struct_fields__:
        raise LeagueError(
            f"{shown_path(path)} is not a report of `league class collect`. Name another one with --report."
        )
    try:
        return {row["bot"]: msgspec.convert(row, Collected, strict=False) for row in rows}
    except msgspec.ValidationError as problem:
        hint = "Fix the line, or name another report with --report."
        raise LeagueError(f"{shown_path(path)}, before line {rows.line_num + 1}: {problem}. {hint}") from None
