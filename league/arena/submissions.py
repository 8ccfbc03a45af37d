"""What people hand in: receipts, the queue of checks, verdicts, and which version of a bot plays."""

# ruff: noqa: S608 - queries are put together from constants alone

from __future__ import annotations

import sqlite3
from hashlib import sha256
from itertools import groupby
from operator import attrgetter
from typing import Any

import msgspec

from league.arena.access import Receipt, utc
from league.arena.database import RefusedError
from league.arena.people import Participants
from league.arena.records import CheckResult, Participant, Submission
from league.errors import ArenaError

HOUR = 3600.0
CAUTION = 1.5
"""Times for verdicts are announced with this much in reserve."""
_STATE = "CASE WHEN c.submission IS NULL THEN s.state WHEN c.passed THEN 'passed' ELSE 'failed' END"
_SUBMISSION = (
    f"SELECT s.id, s.bot, s.person, s.hash, s.filename, s.size, s.received, {_STATE}, s.number"
    " FROM submissions s LEFT JOIN checks c ON c.submission = s.id"
)


class Submissions(Participants):
    """Every version of every bot."""

    def hand_in(self, person: Participant, filename: str, body: bytes) -> Receipt:
        """Keep what somebody has handed in; what is returned has been committed.

        The same content again gives the same receipt, if it is what they handed in last.
        """
        hash_ = sha256(body).hexdigest()
        with self._transaction() as db:
            row = db.execute(f"{_SUBMISSION} WHERE s.bot = ? ORDER BY s.id DESC LIMIT 1", (person.bot,)).fetchone()
            last = Submission(*row) if row else None
            if last is None or last.hash != hash_:
                last = self._add(db, person, filename, body, hash_, last.number if last else 0)
        return self.receipt(last)

    def _add(
        self, db: sqlite3.Connection, person: Participant, filename: str, body: bytes, hash_: str, number: int
    ) -> Submission:
        now = self._clock()
        state = self._admitted(db, person, now)
        if state == "waiting":
            db.execute(
                "UPDATE submissions SET state = 'replaced' WHERE bot = ? AND state = 'waiting'"
                " AND id NOT IN (SELECT submission FROM checks)",
                (person.bot,),
            )
        db.execute("INSERT OR IGNORE INTO contents VALUES (?, ?)", (hash_, body))
        row = (person.bot, person.id, hash_, filename, len(body), now, state, number + 1)
        id_ = db.execute("INSERT INTO submissions VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", row).lastrowid
        return Submission(*db.execute(f"{_SUBMISSION} WHERE s.id = ?", (id_,)).fetchone())

    def _admitted(self, db: sqlite3.Connection, person: Participant, now: float) -> str:
        """The state of what is handed in now; raises `RefusedError` if it is not taken."""
        rules = self.rules
        if person.disqualified:
            raise RefusedError(f"Your bot is disqualified: {person.disqualified}. Ask the lecturer.")
        late = self._why_late(person, now)
        if late and (rules.late == "refuse" or rules.phase in ("final", "over")):
            raise RefusedError(f"{late} Nothing was handed in.")
        hour_ago = now - HOUR
        times = db.execute(
            "SELECT received FROM submissions WHERE bot = ? AND received > ? ORDER BY received", (person.bot, hour_ago)
        ).fetchall()
        if len(times) >= rules.per_hour:
            wait = times[len(times) - rules.per_hour][0] - hour_ago
            limit = f"Expected at most {rules.per_hour} hand-ins an hour, and this is one more."
            raise RefusedError(f"{limit} Try again in {max(1, round(wait / 60))} min.", wait)
        return "late" if late else "waiting"

    def _why_late(self, person: Participant, now: float) -> str:
        """Why it is too late for somebody to hand in; empty if it is not."""
        deadline = self.deadline_of(person)
        if deadline is not None and now > deadline:
            return f"The deadline was {utc(deadline)}; now it is {utc(now)}."
        return "" if self.rules.phase == "open" else "The lecturer has closed the arena."

    def receipt(self, submission: Submission) -> Receipt:
        """The receipt of something that was handed in."""
        unsigned = Receipt(
            arena=self.fact("name"),
            bot=submission.bot,
            number=submission.number,
            filename=submission.filename,
            size=submission.size,
            hash=submission.hash,
            received=utc(submission.received),
        )
        return unsigned.signed(self.receipt_key)

    def confirm(self, receipt: Receipt) -> str:
        """A sentence about a receipt that this arena has issued; raises `RefusedError` for any other."""
        if not receipt.is_genuine(self.receipt_key):
            raise RefusedError("This receipt was not issued by this arena, or it was changed afterwards.")
        stored = [version for version in self.submissions(receipt.bot) if version.number == receipt.number]
        if not stored or self.receipt(stored[0]).hash != receipt.hash:
            raise RefusedError(f"It is genuine, but version {receipt.number} of {receipt.bot} is not stored here.")
        kept = "It is stored as it came." if self.content(stored[0]) else "Its content was erased since."
        return (
            f"This receipt is genuine: version {receipt.number} of {receipt.bot} was received at {receipt.received}, "
            f"{receipt.size:,} bytes with the SHA-256 {receipt.hash}. {kept}"
        )

    @property
    def receipt_key(self) -> bytes:
        """What receipts are signed with."""
        return bytes.fromhex(self.fact("receipt_key"))

    def submissions(self, bot: str | None = None) -> list[Submission]:
        """All that was handed in, or of one bot, the newest first."""
        if bot is None:
            return self._submissions("ORDER BY s.id DESC")
        return self._submissions("WHERE s.bot = ? ORDER BY s.id DESC", bot)

    def submission(self, id_: int) -> Submission | None:
        """One of them."""
        return next(iter(self._submissions("WHERE s.id = ?", id_)), None)

    def _submissions(self, which: str, *values: Any) -> list[Submission]:
        return [Submission(*row) for row in self._rows(f"{_SUBMISSION} {which}", *values)]

    def content(self, submission: Submission) -> bytes:
        """What was handed in, as it came."""
        row = self._row("SELECT content FROM contents WHERE hash = ?", submission.hash)
        return bytes(row[0]) if row else b""

    def queue(self) -> list[Submission]:
        """What waits to be checked, in turns: first whose last check is longest ago, or who had none."""
        return self._submissions(
            "WHERE s.state = 'waiting' AND c.submission IS NULL ORDER BY (SELECT coalesce(max(k.ended), 0)"
            " FROM checks k JOIN submissions t ON t.id = k.submission WHERE t.bot = s.bot), s.id"
        )

    def attempt(self, submission: Submission) -> int:
        """Write down that a check begins; returns how many have begun before."""
        with self._transaction() as db:
            row = db.execute("SELECT count FROM attempts WHERE submission = ?", (submission.id,)).fetchone()
            before = int(row[0]) if row else 0
            db.execute("INSERT OR REPLACE INTO attempts VALUES (?, ?)", (submission.id, before + 1))
        return before

    def checked(self, check: CheckResult) -> None:
        """Keep a verdict. A bot that has passed plays from the next round on, unless a newer version does already."""
        submission = self.submission(check.submission)
        if submission is None:
            raise ArenaError(f"There is no hand-in {check.submission}.")
        lines, verdict = msgspec.json.encode(check.lines).decode(), msgspec.json.encode(check.verdict).decode()
        values = (check.submission, check.ended, check.seconds, check.passed, lines, verdict)
        with self._transaction() as db:
            db.execute("INSERT OR REPLACE INTO checks VALUES (?, ?, ?, ?, ?, ?)", values)
            newer = db.execute(
                "SELECT 1 FROM activations WHERE bot = ? AND submission > ?", (submission.bot, submission.id)
            ).fetchone()
            if check.passed and not newer:
                self._activate(db, submission, check.ended)

    def check_of(self, submission: int) -> CheckResult | None:
        """The verdict of a hand-in, if it has one."""
        row = self._row("SELECT * FROM checks WHERE submission = ?", submission)
        if row is None:
            return None
        id_, ended, seconds, passed, lines, verdict = row
        texts = msgspec.json.decode(lines, type=tuple[str, ...])
        return CheckResult(id_, ended, seconds, bool(passed), texts, msgspec.json.decode(verdict))

    def seconds_of_checks(self) -> list[float]:
        """How long the last checks took, at most 20 of them."""
        return [seconds for (seconds,) in self._rows("SELECT seconds FROM checks ORDER BY ended DESC LIMIT 20")]

    def seconds_until_verdict(self, place: int) -> float | None:
        """How long somebody at this place of the queue waits at most, by the last checks; None if there were none.

        Checks take longer when the machine gets more to do, and whoever had no check yet may go before.
        """
        lately = self.seconds_of_checks()
        return CAUTION * place * sum(lately) / len(lately) + max(lately) if lately else None

    def play_version(self, submission: Submission, actor: str) -> None:
        """Let another version of a bot play, one that has passed; possible until the deadline of who handed it in."""
        if submission.state != "passed":
            raise RefusedError(f"Version {submission.number} has not passed its check, so it cannot play.")
        with self._transaction() as db:
            owner, now = self._person(db, submission.person), self._clock()
            if late := self._why_late(owner, now):
                raise RefusedError(f"{late} The version that plays stays.")
            self._activate(db, submission, now)
            self._log(db, actor, "version", f"{submission.bot}: {submission.number}")

    def accept_late(self, submission: Submission, actor: str) -> None:
        """Let a late hand-in take its place in the queue."""
        if submission.state != "late":
            raise RefusedError(f"Version {submission.number} of {submission.bot} is not late.")
        if self.rules.phase in ("final", "over"):
            raise RefusedError("The final has its roster already. Nothing was changed.")
        with self._transaction() as db:
            db.execute("UPDATE submissions SET state = 'waiting' WHERE id = ?", (submission.id,))
            self._log(db, actor, "accept late", f"{submission.bot}: {submission.number}")

    def _activate(self, db: sqlite3.Connection, submission: Submission, moment: float) -> None:
        db.execute("INSERT INTO activations VALUES (NULL, ?, ?, ?)", (submission.bot, submission.id, moment))

    def active(self) -> dict[str, Submission]:
        """The versions that play, by bot; those of people who are disqualified, and benched ones, do not."""
        submissions = self._submissions(
            "WHERE s.id IN (SELECT submission FROM activations"
            " WHERE id IN (SELECT max(id) FROM activations GROUP BY bot))"
            " AND s.id NOT IN (SELECT submission FROM benched)"
            " AND NOT EXISTS (SELECT 1 FROM people p WHERE p.disqualified != '' AND s.bot ="
            " CASE WHEN p.team != '' THEN p.team ELSE p.alias END) ORDER BY s.bot"
        )
        return {submission.bot: submission for submission in submissions}

    def playing_version(self, bot: str) -> Submission | None:
        """The version of a bot that plays, or would play if it were not benched."""
        newest = "SELECT submission FROM activations WHERE bot = ? ORDER BY id DESC LIMIT 1"
        return next(iter(self._submissions(f"WHERE s.id = ({newest})", bot)), None)

    def equal_files(self) -> list[list[Submission]]:
        """Hand-ins of different bots with the same content."""
        shared = "SELECT hash FROM submissions GROUP BY hash HAVING count(DISTINCT bot) > 1"
        submissions = self._submissions(f"WHERE s.hash IN ({shared}) ORDER BY s.hash, s.id")
        return [list(same) for _, same in groupby(submissions, attrgetter("hash"))]
