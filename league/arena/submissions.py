"""What people hand in: receipts, the queue of checks, verdicts, and which version of a bot plays."""

# ruff: noqa: S608 - queries are put together from constants alone

from __future__ import annotations

import sqlite3
from hashlib import sha256
from typing import Any

import msgspec

from league.arena.access import Receipt, utc
from league.arena.database import RefusedError
from league.arena.people import Participants
from league.arena.records import ActiveVersion, CheckResult, Participant, Submission
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
            last = _as_submission(row) if row else None
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
        return _as_submission(db.execute(f"{_SUBMISSION} WHERE s.id = ?", (id_,)).fetchone())

    def _admitted(self, db: sqlite3.Connection, person: Participant, now: float) -> str:
        """The state of what is handed in now; raises `RefusedError` if it is not taken."""
        rules = self.rules
        if person.disqualified:
            raise RefusedError(f"Your bot is disqualified: {person.disqualified}. Ask the lecturer.")
        late = self._is_late(person, now)
        if late and (rules.late == "refuse" or rules.phase in ("final", "over")):
            raise RefusedError(f"{self._why_late(person, now)} Nothing was handed in.")
        hour_ago = now - HOUR
        times = db.execute(
            "SELECT received FROM submissions WHERE bot = ? AND received > ? ORDER BY received", (person.bot, hour_ago)
        ).fetchall()
        if len(times) >= rules.per_hour:
            wait = times[len(times) - rules.per_hour][0] - hour_ago
            limit = f"Expected at most {rules.per_hour} hand-ins an hour, and this is one more."
            raise RefusedError(f"{limit} Try again in {max(1, round(wait / 60))} min.", wait)
        return "late" if late else "waiting"

    def _is_late(self, person: Participant, now: float) -> bool:
        deadline = self.deadline_of(person)
        return self.rules.phase != "open" or (deadline is not None and now > deadline)

    def _why_late(self, person: Participant, now: float) -> str:
        deadline = self.deadline_of(person)
        if deadline is None or now <= deadline:
            return "The lecturer has closed the arena."
        return f"The deadline was {utc(deadline)}; now it is {utc(now)}."

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
        stored = [its for its in self.submissions(receipt.bot) if its.number == receipt.number]
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
            return [_as_submission(row) for row in self._rows(f"{_SUBMISSION} ORDER BY s.id DESC")]
        return [_as_submission(row) for row in self._rows(f"{_SUBMISSION} WHERE s.bot = ? ORDER BY s.id DESC", bot)]

    def submission(self, id_: int) -> Submission | None:
        """One of them."""
        row = self._row(f"{_SUBMISSION} WHERE s.id = ?", id_)
        return _as_submission(row) if row else None

    def content(self, submission: Submission) -> bytes:
        """What was handed in, as it came."""
        row = self._row("SELECT content FROM contents WHERE hash = ?", submission.hash)
        return bytes(row[0]) if row else b""

    def queue(self) -> list[Submission]:
        """What waits to be checked, in turns: first whose last check is longest ago, or who had none."""
        return [
            _as_submission(row)
            for row in self._rows(
                f"{_SUBMISSION} WHERE s.state = 'waiting' AND c.submission IS NULL"
                " ORDER BY (SELECT coalesce(max(k.ended), 0) FROM checks k"
                " JOIN submissions t ON t.id = k.submission WHERE t.bot = s.bot), s.id"
            )
        ]

    def attempt(self, submission: Submission) -> int:
        """Write down that a check begins; returns how many have begun before."""
        with self._transaction() as db:
            row = db.execute("SELECT count FROM attempts WHERE submission = ?", (submission.id,)).fetchone()
            before = int(row[0]) if row else 0
            db.execute("INSERT OR REPLACE INTO attempts VALUES (?, ?)", (submission.id, before + 1))
        return before

    def checked(self, check: CheckResult) -> None:
        """Keep a verdict. A bot that has passed plays from the next round on, unless a newer version does already."""
        row = self._row(f"{_SUBMISSION} WHERE s.id = ?", check.submission)
        if row is None:
            raise ArenaError(f"There is no hand-in {check.submission}.")
        submission = _as_submission(row)
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
            if self._is_late(owner, now):
                raise RefusedError(f"{self._why_late(owner, now)} The version that plays stays.")
            self._activate(db, submission, now)
            self._log(db, actor, "version", f"{submission.bot}: {submission.number}")

    def accept_late(self, submission: Submission, actor: str) -> None:
        """Let a late hand-in take its place in the queue after all."""
        if submission.state != "late":
            raise RefusedError(f"Version {submission.number} of {submission.bot} is not late.")
        if self.rules.phase in ("final", "over"):
            raise RefusedError("The final has its roster already. Nothing was changed.")
        with self._transaction() as db:
            db.execute("UPDATE submissions SET state = 'waiting' WHERE id = ?", (submission.id,))
            self._log(db, actor, "accept late", f"{submission.bot}: {submission.number}")

    def _activate(self, db: sqlite3.Connection, submission: Submission, moment: float) -> None:
        db.execute("INSERT INTO activations VALUES (NULL, ?, ?, ?)", (submission.bot, submission.id, moment))

    def active(self) -> dict[str, ActiveVersion]:
        """The versions that play, by bot; those of people who are disqualified, and benched ones, do not."""
        rows = self._rows(
            "SELECT a.bot, a.submission, s.hash, a.time FROM activations a JOIN submissions s ON s.id = a.submission"
            " WHERE a.id IN (SELECT max(id) FROM activations GROUP BY bot)"
            " AND a.submission NOT IN (SELECT submission FROM benched)"
            " AND NOT EXISTS (SELECT 1 FROM people p WHERE p.disqualified != '' AND a.bot ="
            " CASE WHEN p.team != '' THEN p.team ELSE p.alias END) ORDER BY a.bot"
        )
        return {bot: ActiveVersion(bot, submission, hash_, moment) for bot, submission, hash_, moment in rows}

    def playing_version(self, bot: str) -> ActiveVersion | None:
        """The version of a bot that plays, or would play if it were not benched."""
        row = self._row(
            "SELECT a.bot, a.submission, s.hash, a.time FROM activations a JOIN submissions s ON s.id = a.submission"
            " WHERE a.bot = ? ORDER BY a.id DESC LIMIT 1",
            bot,
        )
        return ActiveVersion(*row) if row else None

    def equal_files(self) -> list[list[Submission]]:
        """Hand-ins of different bots with the same content."""
        rows = self._rows(
            f"{_SUBMISSION} WHERE s.hash IN (SELECT hash FROM submissions GROUP BY hash HAVING count(DISTINCT bot) > 1)"
            " ORDER BY s.hash, s.id"
        )
        same: dict[str, list[Submission]] = {}
        for submission in map(_as_submission, rows):
            same.setdefault(submission.hash, []).append(submission)
        return list(same.values())


def _as_submission(row: Any) -> Submission:
    return Submission(*row)
