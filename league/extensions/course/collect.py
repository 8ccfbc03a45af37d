"""Takes a class's hand-ins into the bots folder: one bot for each person, checked, the version before it kept.

The report that it leaves behind is what it remembers: a hand-in that was refused is not tried again until it changes.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import msgspec

from league.errors import LeagueError, RosterError
from league.extensions.course.handins import HandIn, HandInError, files_of_bot, load_files
from league.extensions.course.people import MOST_BYTES, Member, People
from league.setup.bot_folder import folder_hash
from league.setup.roster import Bot, load, places
from league.setup.versions import put
from league.tools.files import read_bytes
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


COLUMNS = Collected.__struct_fields__


class _Candidate(msgspec.Struct):
    """A hand-in that is new and can be read."""

    line: Collected
    bot: Bot
    time: float


def collect(
    people: People,
    handins: Iterable[HandIn],
    folder: Path,
    check: Check,
    *,
    deadline: datetime | None = None,
    before: dict[str, Collected] | None = None,
    folder_mb: int = FOLDER_MB,
    again: bool = False,
) -> list[Collected]:
    """Take everybody's newest hand-in into a bots folder, if it passes; a line for each person, then for strangers.

    `before` has the lines of the last time. What was refused then and has not changed is not checked again, unless
    `again`; who has nothing in this archive keeps their line. A bot may have `folder_mb` megabytes.
    """
    by_bot: dict[str, list[HandIn]] = {}
    strangers = []
    for handin in handins:
        person = people.owner(handin.owner, handin.ids)
        if person:
            by_bot.setdefault(person.bot, []).append(handin)
        else:
            unknown = "matches nobody in the roster, or several people"
            strangers.append(_line(handin.owner, "", "unknown", handin, 1, deadline, unknown))
    lines = []
    with TemporaryDirectory(prefix="league-handins-") as name:
        candidates = []
        for number, person in enumerate(people.people):
            theirs = by_bot.get(person.bot, [])
            place = Path(name) / str(number)
            line, candidate = _judged(person, theirs, place, folder, before or {}, deadline, folder_mb, again=again)
            lines.append(line)
            if candidate:
                candidates.append(candidate)
        verdicts = check([candidate.bot for candidate in candidates])
        for candidate, verdict in zip(candidates, verdicts, strict=True):
            if verdict["passed"]:
                put(candidate.bot, folder, replace=True, time=candidate.time)
                candidate.line.playing_late_hours = candidate.line.late_hours
                candidate.line.reason = " ".join(verdict["warnings"])
            else:
                candidate.line.status = "refused"
                candidate.line.reason = first_fault(verdict) or "it plays none of the league's contests."
    _find_equal(lines)
    return [*lines, *strangers]


def _line(
    name: str, bot: str, status: Status, handin: HandIn, attempts: int, deadline: datetime | None, reason: str = ""
) -> Collected:
    moment = datetime.fromtimestamp(handin.time).astimezone() if handin.time else None
    late = max(0.0, (moment - deadline).total_seconds() / 3600) if moment and deadline else 0.0
    return Collected(
        name=name,
        bot=bot,
        status=status,
        reason=reason or handin.problem,
        handed_in=moment.isoformat(timespec="seconds") if moment else "",
        late_hours=round(late, 2) or 0.01 * handin.late,  # where only the archive knows that it was late
        deadline=deadline.isoformat(timespec="minutes") if deadline else "",
        attempts=attempts,
        hash=folder_hash(handin.files) if handin.files else "",
    )


def _judged(
    person: Member,
    handins: Sequence[HandIn],
    place: Path,
    folder: Path,
    before: dict[str, Collected],
    deadline: datetime | None,
    folder_mb: int,
    *,
    again: bool = False,
) -> tuple[Collected, _Candidate | None]:
    """What is known about a person's hand-in before it is played, and the bot if it has to be."""
    known = before.get(person.bot)
    if not handins:
        return known or Collected(person.name, person.bot, "missing"), None
    newest = max(handins, key=lambda handin: (handin.attempt, handin.time))
    line = _line(person.name, person.bot, "refused", newest, len(handins), deadline)
    if known:
        line.playing_late_hours = known.playing_late_hours
    if known and known.hash == line.hash and (known.deadline or known.late_hours):
        # What was recorded about a hand-in never changes, whatever is asked for when it comes again.
        line.handed_in, line.late_hours, line.deadline = known.handed_in, known.late_hours, known.deadline
    if newest.problem:
        return line, None
    if not again and known and known.status == "refused" and known.hash == line.hash:
        line.reason = known.reason
        return line, None
    try:
        bot = load_files(files_of_bot(newest.files), place, person.bot, folder_mb)
    except (HandInError, RosterError) as problem:
        line.reason = safe(str(problem))
        return line, None
    there = places(person.bot, folder)
    if there and _hash_at(there[0], person.bot, folder_mb) == bot.hash:
        line.status = "unchanged"
        if known and known.hash == line.hash and known.status != "refused":
            line.reason = known.reason
        if known is None or known.hash == line.hash:
            line.playing_late_hours = line.late_hours
        return line, None
    line.status = "replaced" if there else "new"
    return line, _Candidate(line, bot, newest.time)


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


def _find_equal(lines: Sequence[Collected]) -> None:
    """Say who has handed in the same."""
    owners: dict[str, list[Collected]] = {}
    for line in lines:
        if line.hash:
            owners.setdefault(line.hash, []).append(line)
    for same in owners.values():
        for line in same:
            line.same_as = listed([other.name for other in same if other is not line])


def read_report(path: Path) -> dict[str, Collected]:
    """The lines of a report that was written before, by bot; none if there is no report yet."""
    if not os.path.exists(path):
        return {}
    text = read_bytes(path, MOST_BYTES).decode("utf-8-sig", errors="replace")
    rows = csv.DictReader(StringIO(text))
    if tuple(rows.fieldnames or ()) != COLUMNS:
        raise LeagueError(
            f"{shown_path(path)} is not a report of `league class collect`. Name another one with --report."
        )
    try:
        return {row["bot"]: msgspec.convert(row, Collected, strict=False) for row in rows}
    except msgspec.ValidationError as problem:
        hint = "Fix the line, or name another report with --report."
        raise LeagueError(f"{shown_path(path)}, before line {rows.line_num + 1}: {problem}. {hint}") from None
