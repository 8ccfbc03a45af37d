"""`arena.db` as one object: people, hand-ins with their content, rounds with their rosters.

with ArenaStore.open(folder) as arena:
    receipt = arena.hand_in(person, "amy.py", body)
"""

# ruff: noqa: S608 - queries are put together from constants alone

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from hashlib import sha256
from itertools import groupby
from operator import attrgetter
from typing import Any

import msgspec

from league.errors import ArenaError, did_you_mean
from league.extensions.arena.database import FILE, RULES, WRITES, ArenaDatabase, RefusedError, authorizer, explained
from league.extensions.arena.records import (
    SESSION_DAYS,
    LadderRound,
    Participant,
    Rated,
    Receipt,
    Role,
    Submission,
    code_hash,
    new_code,
    utc,
)

HOUR, DAY = 3600.0, 86400.0
_PERSON = "SELECT *, code IS NULL AS revoked FROM people"
_SUBMISSION = (  # the first of two columns with the same name counts
    "SELECT CASE WHEN c.submission IS NULL THEN s.state WHEN c.passed THEN 'passed' ELSE 'failed' END AS state, s.*,"
    " c.ended AS checked, coalesce(c.seconds, 0.0) AS seconds, coalesce(c.source, '') AS source,"
    " coalesce(c.verdict, '') AS verdict, coalesce(b.reason, '') AS benched FROM submissions s"
    " LEFT JOIN checks c ON c.submission = s.id LEFT JOIN benched b ON b.submission = s.id"
)


class ArenaStore(ArenaDatabase):
    """An open arena."""

    # People, who comes in, and deadlines

    def invite(self, people: Iterable[tuple[str, str, str, Role]], actor: str) -> list[tuple[Participant, str]]:
        """Add people, by name, alias, team and role; returns each with their new code, which is kept nowhere."""
        invited = []
        with self._transaction() as db:
            for name, alias, team, role in people:
                code = new_code()
                row = (name, alias, team, role, code_hash(code))
                try:
                    id_ = db.execute(
                        "INSERT INTO people (name, alias, team, role, code) VALUES (?, ?, ?, ?, ?)", row
                    ).lastrowid
                except sqlite3.IntegrityError:
                    raise ArenaError(f"The alias {alias!r} is taken. Nobody was invited; choose another one.") from None
                self.log(actor, "invite", f"{alias} ({role})")
                invited.append((self._person(id_), code))
        return invited

    def renew(self, person: Participant, actor: str) -> str:
        """A new code for somebody; the old one and all sessions end."""
        code = new_code()
        self._replace_code(person, code_hash(code), actor, "renew")
        return code

    def revoke(self, person: Participant, actor: str) -> None:
        """Let nobody in by this person's link any more."""
        self._replace_code(person, None, actor, "revoke")

    def _replace_code(self, person: Participant, code: bytes | None, actor: str, action: str) -> None:
        with self._transaction() as db:
            db.execute("UPDATE people SET code = ? WHERE id = ?", (code, person.id))
            db.execute("DELETE FROM sessions WHERE person = ?", (person.id,))
            self.log(actor, action, person.alias)

    def people(self) -> list[Participant]:
        """Everybody by alias, the staff last."""
        return self._records(Participant, f"{_PERSON} ORDER BY role != 'author', alias")

    def person_called(self, word: str) -> Participant:
        """Somebody by alias, or by name; raises `RefusedError` if nobody or several are called so."""
        people = self.people()
        called = [person for person in people if person.alias.casefold() == word.casefold()]
        called = called or [person for person in people if person.name.casefold() == word.casefold()]
        if len(called) == 1:
            return called[0]
        if called:
            aliases = ", ".join(person.alias for person in called)
            raise RefusedError(f"Several people are called {word!r}. Name one by alias: {aliases}.")
        raise RefusedError(f"Nobody is called {word!r}.{did_you_mean(word, [person.alias for person in people])}")

    def change_person(self, person: Participant, actor: str, **changes: Any) -> None:
        """Change `deadline`, `disqualified`, `name` or `alias` of somebody."""
        with self._transaction() as db:
            for column, value in changes.items():
                db.execute(f"UPDATE people SET {column} = ? WHERE id = ?", (value, person.id))
            about = ", ".join(f"{column}: {value}" for column, value in changes.items())
            self.log(actor, "person", f"{person.alias}: {about}")

    def forget(self, person: Participant, actor: str, *, sources: bool) -> None:
        """Erase somebody's name and link and, with `sources`, all versions of their bot and what was said of them."""
        kept_by_others = "SELECT hash FROM submissions WHERE bot != :bot"
        of_bot = "SELECT id FROM submissions WHERE bot = :bot"
        changes = [
            "UPDATE people SET name = alias, code = NULL WHERE id = :id",
            "UPDATE people SET disqualified = :gone WHERE id = :id AND disqualified != ''",
            "DELETE FROM sessions WHERE person = :id",
            "UPDATE submissions SET filename = :gone WHERE person = :id",
            "UPDATE audit SET about = :alias || ': ' || :gone WHERE action = 'person' AND about LIKE :alias || ': %'",
        ]
        if sources:
            changes += [
                f"DELETE FROM contents WHERE hash IN (SELECT hash FROM submissions WHERE bot = :bot)"
                f" AND hash NOT IN ({kept_by_others})",
                f"UPDATE checks SET verdict = '' WHERE submission IN ({of_bot})",
                "UPDATE ratings SET report = json_remove(report, '$.causes') WHERE bot = :bot",  # what it has printed
            ]
        values = {"bot": person.bot, "gone": "forgotten", "id": person.id, "alias": person.alias}
        with self._transaction() as db:
            for change in changes:
                db.execute(change, values)
            self.log(actor, "forget", person.alias)
        with explained(self.folder / FILE), self._one_at_a_time:
            self._db.set_authorizer(None)  # it refuses the way in which SQLite writes the file again
            self._db.execute("VACUUM")  # else the bytes would stay in it
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            self._db.set_authorizer(authorizer(WRITES["web"]))

    def by_code(self, code: str) -> Participant | None:
        """Whose code this is."""
        return next(iter(self._records(Participant, f"{_PERSON} WHERE code = ?", code_hash(code))), None)

    def begin_session(self, person: Participant) -> str:
        """A code for the cookie of a browser."""
        code = new_code()
        with self._transaction() as db:
            db.execute("INSERT INTO sessions VALUES (?, ?, ?)", (code_hash(code), person.id, self.now()))
        return code

    def end_session(self, code: str) -> None:
        """Sign a browser out."""
        with self._transaction() as db:
            db.execute("DELETE FROM sessions WHERE code = ?", (code_hash(code),))

    def by_session(self, code: str) -> Participant | None:
        """Whose browser this is."""
        since = self.now() - SESSION_DAYS * DAY
        query = f"{_PERSON} WHERE code IS NOT NULL AND id = (SELECT person FROM sessions WHERE code = ? AND began > ?)"
        return next(iter(self._records(Participant, query, code_hash(code), since)), None)

    def set_deadline(self, actor: str, deadline: float | None, person: Participant | None = None) -> None:
        """Move everybody's deadline, or somebody's own; None takes it back.

        One that is over would close the arena at once, and for good, so it is refused.
        """
        if deadline is not None and deadline <= self.now():
            raise RefusedError(
                f"Expected a time to come, found {utc(deadline)}. To close the arena now, begin the final."
            )
        if person is None:
            self.change_rules(actor, deadline=deadline)
        else:
            self.change_person(person, actor, deadline=deadline)

    def deadline_of(self, person: Participant) -> float | None:
        """Until when somebody may hand in; None: there is no deadline yet."""
        return person.deadline if person.deadline is not None else self.rules.deadline

    def _person(self, id_: int | None) -> Participant:
        return self._records(Participant, f"{_PERSON} WHERE id = ?", id_)[0]

    # Hand-ins: receipts, the queue of checks, verdicts, and which version of a bot plays

    def hand_in(self, person: Participant, filename: str, body: bytes) -> Receipt:
        """Keep what somebody has handed in; what is returned has been committed.

        The same content again gives the same receipt, if it is what they handed in last.
        """
        hash_ = sha256(body).hexdigest()
        with self._transaction() as db:
            now = self.now()
            person = self._person(person.id)  # as they are now: a body may take its time to arrive
            last = next(iter(self._submissions("WHERE s.bot = ? ORDER BY s.id DESC LIMIT 1", person.bot)), None)
            if last and last.hash == hash_:
                return self.receipt(last)
            state, number = self._admitted(person, now), last.number + 1 if last else 1
            if state == "waiting":
                db.execute(
                    "UPDATE submissions SET state = 'replaced' WHERE bot = ? AND state = 'waiting'"
                    " AND id NOT IN (SELECT submission FROM checks)",
                    (person.bot,),
                )
            db.execute("INSERT OR IGNORE INTO contents VALUES (?, ?)", (hash_, body))
            row = (person.bot, person.id, hash_, filename, len(body), now, state, number)
            id_ = db.execute("INSERT INTO submissions VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", row).lastrowid
        return self.receipt(self._submissions("WHERE s.id = ?", id_)[0])

    def _admitted(self, person: Participant, now: float) -> str:
        """The state of what is handed in now; raises `RefusedError` if it is not taken."""
        rules = self.rules
        if person.revoked:
            raise RefusedError("Your link has ended. Nothing was handed in; ask the lecturer.")
        if person.disqualified:
            raise RefusedError(f"Your bot is disqualified: {person.disqualified}. Ask the lecturer.")
        late = self._why_late(person, now)
        if late and (rules.late == "refuse" or rules.phase in ("final", "over")):
            raise RefusedError(f"{late} Nothing was handed in.")
        query = "SELECT received FROM submissions WHERE bot = ? AND received > ? ORDER BY received DESC"
        lately = self._rows(query, person.bot, now - HOUR)
        if len(lately) >= rules.per_hour:
            wait = lately[rules.per_hour - 1]["received"] + HOUR - now
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

    def _submissions(self, which: str, *values: Any) -> list[Submission]:
        return self._records(Submission, f"{_SUBMISSION} {which}", *values)

    def content(self, submission: Submission) -> bytes:
        """The body of a hand-in, as it came."""
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
            row = self._row("SELECT count FROM attempts WHERE submission = ?", submission.id)
            before = int(row[0]) if row else 0
            db.execute("INSERT OR REPLACE INTO attempts VALUES (?, ?)", (submission.id, before + 1))
        return before

    def checked(
        self, submission: Submission, verdict: str, *, passed: bool, source: str = "", seconds: float = 0.0
    ) -> None:
        """Keep a verdict. A bot that has passed plays from the next round on, unless a newer version does already."""
        values = (submission.id, self.now(), seconds, passed, source, verdict)
        with self._transaction() as db:
            db.execute("INSERT OR REPLACE INTO checks VALUES (?, ?, ?, ?, ?, ?)", values)
            newer = "SELECT 1 FROM activations WHERE bot = ? AND submission > ?"
            if passed and not self._row(newer, submission.bot, submission.id):
                self._activate(submission)

    def seconds_until_verdict(self, place: int) -> float | None:
        """How long somebody at this place of the queue waits at most, by the last checks; None if there were none.

        Checks take longer when the machine gets more to do, and whoever had no check yet may go before.
        """
        lately = [seconds for (seconds,) in self._rows("SELECT seconds FROM checks ORDER BY ended DESC LIMIT 20")]
        return 1.5 * place * sum(lately) / len(lately) + max(lately) if lately else None  # with something in reserve

    def play_version(self, submission: Submission, actor: str) -> None:
        """Let another version of a bot play, one that has passed; possible until the deadline of who handed it in."""
        if submission.state != "passed":
            raise RefusedError(f"Version {submission.number} has not passed its check, so it cannot play.")
        with self._transaction():
            if late := self._why_late(self._person(submission.person), self.now()):
                raise RefusedError(f"{late} The version that plays stays.")
            self._activate(submission)
            self.log(actor, "version", f"{submission.bot}: {submission.number}")

    def accept_late(self, submission: Submission, actor: str) -> None:
        """Let a late hand-in take its place in the queue."""
        with self._transaction() as db:
            db.execute("UPDATE submissions SET state = 'waiting' WHERE id = ?", (submission.id,))
            self.log(actor, "accept late", f"{submission.bot}: {submission.number}")

    def _activate(self, submission: Submission) -> None:
        values = (submission.bot, submission.id, self.now())
        self._db.execute("INSERT INTO activations VALUES (NULL, ?, ?, ?)", values)

    def chosen(self) -> dict[str, Submission]:
        """The versions that were activated last, by bot."""
        newest = "SELECT submission FROM activations WHERE id IN (SELECT max(id) FROM activations GROUP BY bot)"
        return {version.bot: version for version in self._submissions(f"WHERE s.id IN ({newest}) ORDER BY s.bot")}

    def active(self) -> dict[str, Submission]:
        """The versions that play, by bot; those of people who are disqualified, and benched ones, do not."""
        out = {person.bot for person in self.people() if person.disqualified}
        return {bot: one for bot, one in self.chosen().items() if not one.benched and bot not in out}

    def equal_files(self) -> list[list[Submission]]:
        """Hand-ins of different bots with the same content."""
        shared = "SELECT hash FROM submissions GROUP BY hash HAVING count(DISTINCT bot) > 1"
        submissions = self._submissions(f"WHERE s.hash IN ({shared}) ORDER BY s.hash, s.id")
        return [list(same) for _, same in groupby(submissions, attrgetter("hash"))]

    # The ladder

    def begin_round(self, roster: Mapping[str, str], **rules: Any) -> LadderRound:
        """Write down who plays in the next round, before it begins, and with it changes of the rules."""
        began = self.now()
        with self._transaction() as db:
            text = msgspec.json.encode(roster, order="sorted").decode()
            number = db.execute("INSERT INTO rounds VALUES (NULL, ?, NULL, ?)", (began, text)).lastrowid
            self.change_rules("", **rules)
        return LadderRound(number or 0, began, None, dict(roster))

    def end_round(self, part: LadderRound, told: Iterable[Rated] = ()) -> None:
        """Write down that a round is over, and what it came to; of earlier ones the ratings are kept alone."""
        rows = [(one.round, one.bot, msgspec.json.encode(one).decode()) for one in told]
        with self._transaction() as db:
            db.execute(
                "UPDATE ratings SET report = json_remove(report, '$.causes', '$.milestones')"
                " WHERE round = (SELECT max(round) FROM ratings)"
            )
            db.executemany("INSERT OR REPLACE INTO ratings VALUES (?, ?, ?)", rows)
            db.execute("UPDATE rounds SET ended = ? WHERE number = ?", (self.now(), part.number))

    def rounds(self) -> list[LadderRound]:
        """All rounds, the oldest first."""
        return [_as_round(row) for row in self._rows("SELECT * FROM rounds ORDER BY number")]

    def ratings(self, bot: str) -> list[Rated]:
        """A bot after each round, the newest first."""
        rows = self._rows("SELECT report FROM ratings WHERE bot = ? ORDER BY round DESC", bot)
        return [msgspec.json.decode(text, type=Rated) for (text,) in rows]

    def ratings_after(self, number: int | None = None) -> dict[str, Rated]:
        """All bots after a round, or after the newest one that has come to something."""
        newest = "SELECT max(round) FROM ratings"
        rows = self._rows(f"SELECT bot, report FROM ratings WHERE round = coalesce(?, ({newest}))", number)
        return {bot: msgspec.json.decode(text, type=Rated) for bot, text in rows}

    def last_round(self) -> LadderRound | None:
        """The newest one."""
        row = self._row("SELECT * FROM rounds ORDER BY number DESC LIMIT 1")
        return _as_round(row) if row else None

    def round_before(self) -> tuple[int, str]:
        """The round with which the newest one is compared, and when that was: a day ago, or else the first one."""
        row = self._row("SELECT max(number) FROM rounds WHERE ended < ?", self.now() - DAY)
        return (int(row[0]), "a day ago") if row[0] else (1, "after the first round")

    def bench(self, submission: int, reason: str) -> None:
        """Let a version play no more."""
        with self._transaction() as db:
            db.execute("INSERT OR IGNORE INTO benched VALUES (?, ?, ?)", (submission, self.now(), reason))

    def mark(self) -> str:
        """What changes whenever something is handed in, checked, played or decided."""
        row = self._row(
            "SELECT (SELECT count(*) FROM submissions), (SELECT count(*) FROM checks),"
            " (SELECT count(*) FROM activations), (SELECT count(*) + count(ended) FROM rounds),"
            " (SELECT value FROM meta WHERE key = ?)",
            RULES,
        )
        return sha256(repr(tuple(row)).encode()).hexdigest()[:16]


def _as_round(row: Any) -> LadderRound:
    number, began, ended, roster = row
    return LadderRound(number, began, ended, msgspec.json.decode(roster, type=dict[str, str]))
