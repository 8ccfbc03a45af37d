"""`arena.db`: people, hand-ins with their content, verdicts, rounds with their rosters, and an audit log.

    with ArenaStore.open(folder) as arena:
        receipt = arena.hand_in(person, "amy.py", body)

What has been returned has been committed, with `synchronous = FULL`: a receipt survives kill -9 and a power cut. Each
process may write to its own tables alone, and SQLite refuses anything else.
"""

# ruff: noqa: S608 - queries are put together from constants alone

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from threading import RLock
from time import time
from typing import Any, Literal, Self

import msgspec

from league.arena.access import SESSION_DAYS, Receipt, code_hash, new_code, utc
from league.arena.records import (
    ActiveVersion,
    ArenaRules,
    AuditEntry,
    CheckResult,
    LadderRound,
    Participant,
    Phase,
    Practice,
    Rated,
    Role,
    Submission,
)
from league.errors import ArenaError
from league.tools.text import shown_path

FILE = "arena.db"
SCHEMA_VERSION = 1
APPLICATION_ID = 0x4C474152
"""'LGAR', which tells the file from a league's."""
BUSY_SECONDS = 20
HOUR, DAY = 3600.0, 86400.0
RULES = "rules"
_TABLES = {
    "meta": "key TEXT PRIMARY KEY, value TEXT NOT NULL",
    "people": (
        "id INTEGER PRIMARY KEY, name TEXT NOT NULL, alias TEXT NOT NULL, team TEXT NOT NULL, role TEXT NOT NULL,"
        " code BLOB UNIQUE, deadline REAL, hidden INT NOT NULL DEFAULT 0, disqualified TEXT NOT NULL DEFAULT ''"
    ),
    "sessions": "code BLOB PRIMARY KEY, person INT NOT NULL REFERENCES people, began REAL NOT NULL",
    "contents": "hash TEXT PRIMARY KEY, content BLOB NOT NULL",
    "submissions": (
        "id INTEGER PRIMARY KEY, bot TEXT NOT NULL, person INT NOT NULL REFERENCES people, hash TEXT NOT NULL,"
        " filename TEXT NOT NULL, size INT NOT NULL, received REAL NOT NULL, state TEXT NOT NULL, number INT NOT NULL"
    ),
    "checks": (
        "submission INTEGER PRIMARY KEY REFERENCES submissions, ended REAL NOT NULL, seconds REAL NOT NULL,"
        " passed INT NOT NULL, lines TEXT NOT NULL, verdict TEXT NOT NULL"
    ),
    # How often a check has begun: one that ended the checker itself has no verdict.
    "attempts": "submission INTEGER PRIMARY KEY REFERENCES submissions, count INT NOT NULL",
    # The newest activation of a bot says which of its versions plays.
    "activations": (
        "id INTEGER PRIMARY KEY, bot TEXT NOT NULL, submission INT NOT NULL REFERENCES submissions, time REAL NOT NULL"
    ),
    "rounds": "number INTEGER PRIMARY KEY, began REAL NOT NULL, ended REAL, roster TEXT NOT NULL",
    "ratings": (
        "round INT NOT NULL REFERENCES rounds, bot TEXT NOT NULL, hash TEXT NOT NULL, place TEXT NOT NULL,"
        " rating REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL, PRIMARY KEY (bot, round)"
    ),
    "benched": "submission INTEGER PRIMARY KEY REFERENCES submissions, time REAL NOT NULL, reason TEXT NOT NULL",
    "practice": (
        "id INTEGER PRIMARY KEY, bot TEXT NOT NULL, opponents TEXT NOT NULL, contest TEXT NOT NULL,"
        " requested REAL NOT NULL"
    ),
    "answers": "practice INTEGER PRIMARY KEY REFERENCES practice, ended REAL NOT NULL, answer TEXT NOT NULL",
    "audit": (
        "id INTEGER PRIMARY KEY, time REAL NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, about TEXT NOT NULL"
    ),
}
_INDEXES = (
    "CREATE UNIQUE INDEX people_alias ON people (alias COLLATE NOCASE)",
    "CREATE INDEX submissions_of_bot ON submissions (bot, id)",
    "CREATE INDEX activations_of_bot ON activations (bot, id)",
)
WRITES: dict[str, frozenset[str]] = {
    "web": frozenset(_TABLES),
    "checker": frozenset({"attempts", "checks", "activations", "answers"}),
    "player": frozenset({"rounds", "ratings", "benched", "meta"}),
}
"""What each process may write."""
_WRITING = (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE)
_CHANGING = (
    sqlite3.SQLITE_ALTER_TABLE,
    sqlite3.SQLITE_DROP_TABLE,
    sqlite3.SQLITE_CREATE_TABLE,
    sqlite3.SQLITE_CREATE_TRIGGER,
    sqlite3.SQLITE_DROP_INDEX,
    sqlite3.SQLITE_ATTACH,
)
Process = Literal["web", "checker", "player"]
_STATE = "CASE WHEN c.submission IS NULL THEN s.state WHEN c.passed THEN 'passed' ELSE 'failed' END"
_SUBMISSION = (
    f"SELECT s.id, s.bot, s.person, s.hash, s.filename, s.size, s.received, {_STATE}, s.number"
    " FROM submissions s LEFT JOIN checks c ON c.submission = s.id"
)
_PERSON = "SELECT id, name, alias, team, role, code IS NULL, deadline, hidden, disqualified FROM people"


class RefusedError(ArenaError):
    """Why something is not taken or done, in words for whoever asked, and when to try again."""

    def __init__(self, why: str, retry_after: float | None = None) -> None:
        super().__init__(why)
        self.retry_after = retry_after


class ArenaStore:
    """An open arena. Threads may share it: one statement runs at a time."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, clock: Callable[[], float] = time) -> None:
        self.folder = folder
        self._db = connection
        self._clock = clock
        self._one_at_a_time = RLock()

    @classmethod
    def create(cls, folder: Path, facts: Mapping[str, str]) -> Self:
        """Make a new arena in a folder that has none, with facts that never change."""
        path = folder / FILE
        if os.path.lexists(path):
            raise ArenaError(f"There is an arena in {shown_path(folder)} already.")
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        with _explained(path):
            connection = _connect(path)
            _set_up(connection)
            tables = [f"CREATE TABLE {name} ({columns}) STRICT" for name, columns in _TABLES.items()]
            marks = [f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {SCHEMA_VERSION}"]
            connection.executescript(";\n".join(("BEGIN", *tables, *_INDEXES, *marks, "COMMIT;")))
            arena = cls(folder, connection)
            with arena._transaction() as db:
                db.executemany("INSERT INTO meta VALUES (?, ?)", [*facts.items(), (RULES, "{}")])
        return arena

    @classmethod
    def open(cls, folder: Path, process: Process = "web", clock: Callable[[], float] = time) -> Self:
        """Open an arena for one of its processes."""
        path = folder / FILE
        if not os.path.isfile(path):
            hint = "Make one: league arena init DIR --config CONFIG."
            raise ArenaError(f"There is no arena in {shown_path(folder)} (expected a file {FILE}). {hint}")
        connection = _connect(path)
        try:
            with _explained(path):
                _refuse_others(connection, path)
                _set_up(connection)
                connection.set_authorizer(_authorizer(WRITES[process]))
        except BaseException:
            connection.close()
            raise
        return cls(folder, connection, clock)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Facts and rules

    def fact(self, key: str) -> str:
        """A fact that was given to `create`, or by `set_fact`; empty if there is none."""
        row = self._row("SELECT value FROM meta WHERE key = ?", key)
        return str(row[0]) if row else ""

    def set_fact(self, key: str, value: str) -> None:
        """Write a fact down."""
        with self._transaction() as db:
            db.execute(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (key, value)
            )

    @property
    def rules(self) -> ArenaRules:
        """What the lecturer has decided."""
        return msgspec.json.decode(self.fact(RULES), type=ArenaRules)

    def change_rules(self, actor: str, **changes: Any) -> ArenaRules:
        """Decide something else; it is written to the audit log."""
        with self._transaction() as db:
            rules = self._replace_rules(db, changes)
            self._log(db, actor, "rules", ", ".join(f"{key}: {value}" for key, value in changes.items()))
        return rules

    def set_deadline(self, actor: str, deadline: float | None, person: Participant | None = None) -> None:
        """Move everybody's deadline, or somebody's own; None takes it back.

        One that is over would close the arena at once, and for good, so it is refused.
        """
        if self.rules.phase != "open":
            raise RefusedError("The arena is closed, so its deadline cannot be moved any more.")
        if deadline is not None and deadline <= self._clock():
            raise RefusedError(
                f"Expected a time to come, found {utc(deadline)}. To close the arena now, begin the final."
            )
        if person is None:
            self.change_rules(actor, deadline=deadline)
        else:
            self.change_person(person, actor, deadline=deadline)

    def set_phase(self, phase: Phase) -> None:
        """Go on to the next part of the arena's life, as time demands it."""
        with self._transaction() as db:
            self._replace_rules(db, {"phase": phase})

    def _replace_rules(self, db: sqlite3.Connection, changes: Mapping[str, Any]) -> ArenaRules:
        """Read and write in one transaction: another process may change another rule at the same time."""
        rules = msgspec.structs.replace(self.rules, **changes)
        db.execute("UPDATE meta SET value = ? WHERE key = ?", (msgspec.json.encode(rules).decode(), RULES))
        return rules

    def now(self) -> float:
        """The arena's time, in seconds since 1970."""
        return self._clock()

    # People

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
                self._log(db, actor, "invite", f"{alias} ({role})")
                invited.append((self._person(db, int(id_ or 0)), code))
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
            self._log(db, actor, action, person.alias)

    def people(self) -> list[Participant]:
        """Everybody, staff first, then by alias."""
        rows = self._rows(f"{_PERSON} ORDER BY role = 'author', alias")
        return [_as_person(row) for row in rows]

    def person_called(self, word: str) -> Participant:
        """Somebody by alias, or by name; raises `RefusedError` if nobody or several are called so."""
        people = self.people()
        called = [person for person in people if person.alias.casefold() == word.casefold()]
        called = called or [person for person in people if person.name.casefold() == word.casefold()]
        if len(called) == 1:
            return called[0]
        from league.errors import did_you_mean

        if called:
            raise RefusedError(f"Several people are called {word!r}. Name one by alias: {_listed(called)}.")
        raise RefusedError(f"Nobody is called {word!r}.{did_you_mean(word, [person.alias for person in people])}")

    def change_person(self, person: Participant, actor: str, **changes: Any) -> None:
        """Change `deadline`, `hidden`, `disqualified`, `name` or `alias` of somebody."""
        with self._transaction() as db:
            for column, value in changes.items():
                if column not in ("deadline", "hidden", "disqualified", "name", "alias", "team"):
                    raise ValueError(f"people have no {column} that can be changed")
                db.execute(f"UPDATE people SET {column} = ? WHERE id = ?", (value, person.id))
            about = ", ".join(f"{column}: {value}" for column, value in changes.items())
            self._log(db, actor, "person", f"{person.alias}: {about}")

    def forget(self, person: Participant, actor: str, *, sources: bool) -> None:
        """Erase somebody's name and link and, with `sources`, all versions of their bot and what was said of them."""
        kept_by_others = "SELECT hash FROM submissions WHERE bot != :bot"
        of_bot = "SELECT id FROM submissions WHERE bot = :bot"
        practice = "SELECT id FROM practice WHERE bot = :bot OR opponents LIKE '%' || json_quote(:bot) || '%'"
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
                f"UPDATE checks SET lines = '[]', verdict = '{{}}' WHERE submission IN ({of_bot})",
                f"UPDATE answers SET answer = '{{}}' WHERE practice IN ({practice})",
            ]
        values = {"bot": person.bot, "gone": "forgotten", "id": person.id, "alias": person.alias}
        with self._transaction() as db:
            for change in changes:
                db.execute(change, values)
            self._log(db, actor, "forget", person.alias)
        with _explained(self.folder / FILE), self._one_at_a_time:
            self._db.set_authorizer(None)  # it refuses the way in which SQLite writes the file again
            self._db.execute("VACUUM")  # else the bytes would stay in it
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            self._db.set_authorizer(_authorizer(WRITES["web"]))

    def by_code(self, code: str) -> Participant | None:
        """Whose code this is."""
        row = self._row(f"{_PERSON} WHERE code = ?", code_hash(code))
        return _as_person(row) if row else None

    def begin_session(self, person: Participant) -> str:
        """A code for the cookie of a browser."""
        code = new_code()
        with self._transaction() as db:
            db.execute("INSERT INTO sessions VALUES (?, ?, ?)", (code_hash(code), person.id, self._clock()))
        return code

    def end_session(self, code: str) -> None:
        """Sign a browser out."""
        with self._transaction() as db:
            db.execute("DELETE FROM sessions WHERE code = ?", (code_hash(code),))

    def by_session(self, code: str) -> Participant | None:
        """Whose browser this is."""
        since = self._clock() - SESSION_DAYS * DAY
        row = self._row(
            f"{_PERSON} WHERE code IS NOT NULL AND id = (SELECT person FROM sessions WHERE code = ? AND began > ?)",
            code_hash(code),
            since,
        )
        return _as_person(row) if row else None

    # Hand-ins

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

    def deadline_of(self, person: Participant) -> float | None:
        """Until when somebody may hand in; None: there is no deadline yet."""
        return person.deadline if person.deadline is not None else self.rules.deadline

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

    def hidden_bots(self) -> set[str]:
        """The bots that other authors may neither watch nor practise against."""
        return {person.bot for person in self.people() if person.hidden}

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

    # The ladder

    def begin_round(self, roster: Mapping[str, str]) -> LadderRound:
        """Write down who plays in the next round, before it begins."""
        began = self._clock()
        with self._transaction() as db:
            number = int(db.execute("SELECT coalesce(max(number), 0) + 1 FROM rounds").fetchone()[0])
            text = msgspec.json.encode(roster, order="sorted").decode()
            db.execute("INSERT INTO rounds VALUES (?, ?, NULL, ?)", (number, began, text))
        return LadderRound(number, began, None, dict(roster))

    def end_round(self, number: int, ratings: Iterable[Rated] = ()) -> None:
        """Write down that a round is over, and what it came to."""
        with self._transaction() as db:
            rows = [msgspec.structs.astuple(rated) for rated in ratings]
            db.executemany("INSERT OR REPLACE INTO ratings VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            db.execute("UPDATE rounds SET ended = ? WHERE number = ?", (self._clock(), number))

    def rounds(self) -> list[LadderRound]:
        """All rounds, the oldest first."""
        rows = self._rows("SELECT number, began, ended, roster FROM rounds ORDER BY number")
        return [_as_round(row) for row in rows]

    def ratings(self, bot: str) -> list[Rated]:
        """A bot after each round, the newest first."""
        return [Rated(*row) for row in self._rows("SELECT * FROM ratings WHERE bot = ? ORDER BY round DESC", bot)]

    def last_round(self) -> LadderRound | None:
        """The newest one."""
        row = self._row("SELECT number, began, ended, roster FROM rounds ORDER BY number DESC LIMIT 1")
        return _as_round(row) if row else None

    def bench(self, submission: int, reason: str) -> None:
        """Let a version play no more."""
        with self._transaction() as db:
            db.execute("INSERT OR IGNORE INTO benched VALUES (?, ?, ?)", (submission, self._clock(), reason))

    def benched(self) -> dict[int, str]:
        """The versions that play no more, and why."""
        return dict(self._rows("SELECT submission, reason FROM benched"))

    def mark(self) -> str:
        """What changes whenever something is handed in, checked, played or decided."""
        row = self._row(
            "SELECT (SELECT count(*) FROM submissions), (SELECT count(*) FROM checks),"
            " (SELECT count(*) FROM activations), (SELECT count(*) + count(ended) FROM rounds),"
            " (SELECT count(*) FROM answers), (SELECT value FROM meta WHERE key = ?)",
            RULES,
        )
        return sha256(repr(row).encode()).hexdigest()[:16]

    # Practice

    def request_practice(self, person: Participant, opponents: Sequence[str], contest: str) -> int:
        """Ask for a few games that do not count; returns the number of the request."""
        now, rules = self._clock(), self.rules
        with self._transaction() as db:
            today = db.execute(
                "SELECT requested FROM practice WHERE bot = ? AND requested > ? ORDER BY requested",
                (person.bot, now - DAY),
            ).fetchall()
            if len(today) >= rules.practice_per_day:
                wait = today[len(today) - rules.practice_per_day][0] - (now - DAY)
                limit = f"Expected at most {rules.practice_per_day} practice games a day, and this is one more."
                raise RefusedError(f"{limit} Try again in {max(1, round(wait / 60))} min.", wait)
            row = (person.bot, msgspec.json.encode(opponents).decode(), contest, now)
            return int(db.execute("INSERT INTO practice VALUES (NULL, ?, ?, ?, ?)", row).lastrowid or 0)

    def practices(self, bot: str | None = None, *, waiting: bool = False, most: int = 20) -> list[Practice]:
        """Practice games, the newest first; with `waiting`, only those without an answer, the oldest first."""
        where = " WHERE (? IS NULL OR p.bot = ?)" + (" AND a.practice IS NULL" if waiting else "")
        order = "ASC" if waiting else "DESC"
        rows = self._rows(
            "SELECT p.id, p.bot, p.opponents, p.contest, p.requested, a.ended, a.answer FROM practice p"
            f" LEFT JOIN answers a ON a.practice = p.id{where} ORDER BY p.id {order} LIMIT ?",
            bot,
            bot,
            most,
        )
        return [
            Practice(
                id_,
                owner,
                tuple(msgspec.json.decode(opponents)),
                contest,
                requested,
                ended,
                msgspec.json.decode(answer) if answer else {},
            )
            for id_, owner, opponents, contest, requested, ended, answer in rows
        ]

    def answer_practice(self, practice: int, answer: Mapping[str, Any]) -> None:
        """Keep what practice games came to."""
        with self._transaction() as db:
            text = msgspec.json.encode(answer).decode()
            db.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", (practice, self._clock(), text))

    # The log

    def log(self, actor: str, action: str, about: str = "") -> None:
        """Write a line of the audit log."""
        with self._transaction() as db:
            self._log(db, actor, action, about)

    def audit(self, most: int = 200) -> list[AuditEntry]:
        """The newest lines of the audit log, the newest first."""
        rows = self._rows("SELECT time, actor, action, about FROM audit ORDER BY id DESC LIMIT ?", most)
        return [AuditEntry(*row) for row in rows]

    def backup(self, target: Path) -> None:
        """Write a copy of this moment, also while the arena runs."""
        if os.path.lexists(target):
            raise ArenaError(f"{shown_path(target)} exists already. Name another file.")
        with _explained(target), self._one_at_a_time:
            os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            copy = sqlite3.connect(target)
            try:
                self._db.backup(copy)
            finally:
                copy.close()

    def _log(self, db: sqlite3.Connection, actor: str, action: str, about: str) -> None:
        db.execute("INSERT INTO audit VALUES (NULL, ?, ?, ?, ?)", (self._clock(), actor, action, about))

    def _person(self, db: sqlite3.Connection, id_: int) -> Participant:
        return _as_person(db.execute(f"{_PERSON} WHERE id = ?", (id_,)).fetchone())

    def _rows(self, query: str, *values: Any) -> list[Any]:
        with _explained(self.folder / FILE), self._one_at_a_time:
            return self._db.execute(query, values).fetchall()

    def _row(self, query: str, *values: Any) -> Any:
        with _explained(self.folder / FILE), self._one_at_a_time:
            return self._db.execute(query, values).fetchone()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with _explained(self.folder / FILE), self._one_at_a_time:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)


def _refuse_others(connection: sqlite3.Connection, path: Path) -> None:
    """Raise `ArenaError` for a database that is no arena's, or of another version, before it is changed."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION_ID:
        raise ArenaError(f"{shown_path(path)} is not an arena's database. Nothing was changed.")
    if version != SCHEMA_VERSION:
        expected = f"schema {version}, expected {SCHEMA_VERSION}"
        raise ArenaError(f"{shown_path(path)} was written by another version of League ({expected}).")


def _set_up(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA trusted_schema = OFF")


def _authorizer(tables: frozenset[str]) -> Callable[..., int]:
    def allowed(action: int, table: str | None, *_: object) -> int:
        if action in _CHANGING or (action in _WRITING and table not in tables):
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK

    return allowed


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn an error of SQLite into one clear line."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except (sqlite3.Error, msgspec.DecodeError) as problem:
        code = (getattr(problem, "sqlite_errorcode", None) or 0) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            raise ArenaError(f"The disk of {shown_path(path.parent)} is full. Make room and try again.") from None
        raise ArenaError(f"{shown_path(path)} cannot be used: {problem}.") from None


def _as_person(row: Any) -> Participant:
    id_, name, alias, team, role, revoked, deadline, hidden, disqualified = row
    return Participant(id_, name, alias, team, role, bool(revoked), deadline, bool(hidden), disqualified)


def _as_submission(row: Any) -> Submission:
    return Submission(*row)


def _as_round(row: Any) -> LadderRound:
    number, began, ended, roster = row
    return LadderRound(number, began, ended, msgspec.json.decode(roster, type=dict[str, str]))


def _listed(people: Iterable[Participant]) -> str:
    return ", ".join(person.alias for person in people)
