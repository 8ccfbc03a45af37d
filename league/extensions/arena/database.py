"""`arena.db` itself: its tables, who may write which, transactions, facts, rules and the audit log.

What has been returned has been committed, with `synchronous = FULL`: a receipt survives kill -9 and a power cut. Each
process may write to its own tables alone, and SQLite refuses anything else.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from time import time
from typing import Any, Literal, Self, TypeVar
from weakref import finalize

import msgspec

from league.errors import ArenaError
from league.extensions.arena.records import ArenaRules, AuditEntry, utc
from league.tools.table import Table
from league.tools.text import shown_path

FILE = "arena.db"
SCHEMA_VERSION = 1
APPLICATION_ID = 0x4C474152
"""'LGAR', which tells the file from a league's."""
BUSY_SECONDS = 20
RULES = "rules"
_TABLES = {
    "meta": "key TEXT PRIMARY KEY, value TEXT NOT NULL",
    "people": (
        "id INTEGER PRIMARY KEY, name TEXT NOT NULL, alias TEXT NOT NULL, team TEXT NOT NULL, role TEXT NOT NULL,"
        " code BLOB UNIQUE, deadline REAL, disqualified TEXT NOT NULL DEFAULT ''"
    ),
    "sessions": "code BLOB PRIMARY KEY, person INT NOT NULL REFERENCES people, began REAL NOT NULL",
    "contents": "hash TEXT PRIMARY KEY, content BLOB NOT NULL",
    "submissions": (
        "id INTEGER PRIMARY KEY, bot TEXT NOT NULL, person INT NOT NULL REFERENCES people, hash TEXT NOT NULL,"
        " filename TEXT NOT NULL, size INT NOT NULL, received REAL NOT NULL, state TEXT NOT NULL, number INT NOT NULL"
    ),
    "checks": (
        "submission INTEGER PRIMARY KEY REFERENCES submissions, ended REAL NOT NULL, seconds REAL NOT NULL,"
        " passed INT NOT NULL, source TEXT NOT NULL, verdict TEXT NOT NULL"
    ),
    # How often a check has begun: one that ended the checker itself has no verdict.
    "attempts": "submission INTEGER PRIMARY KEY REFERENCES submissions, count INT NOT NULL",
    # The newest activation of a bot says which of its versions plays.
    "activations": (
        "id INTEGER PRIMARY KEY, bot TEXT NOT NULL, submission INT NOT NULL REFERENCES submissions, time REAL NOT NULL"
    ),
    "rounds": "number INTEGER PRIMARY KEY, began REAL NOT NULL, ended REAL, roster TEXT NOT NULL",
    "ratings": "round INT REFERENCES rounds, bot TEXT, report TEXT NOT NULL, PRIMARY KEY (bot, round)",
    "benched": "submission INTEGER PRIMARY KEY REFERENCES submissions, time REAL NOT NULL, reason TEXT NOT NULL",
    "audit": (
        "id INTEGER PRIMARY KEY, time REAL NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, about TEXT NOT NULL"
    ),
}
_INDEXES = (
    "CREATE UNIQUE INDEX people_alias ON people (alias COLLATE NOCASE)",
    "CREATE INDEX submissions_of_bot ON submissions (bot, id)",
    "CREATE INDEX ratings_after_round ON ratings (round)",
    "CREATE INDEX activations_of_bot ON activations (bot, id)",
)
WRITES: dict[ProcessRole, frozenset[str]] = {
    "web": frozenset(_TABLES),
    "checker": frozenset({"attempts", "checks", "activations"}),
    "player": frozenset({"rounds", "ratings", "benched", "meta"}),
}
"""What each process may write."""
ProcessRole = Literal["web", "checker", "player"]
T = TypeVar("T")


class RefusedError(ArenaError):
    """Why something is not taken or done, in words for whoever asked, and when to try again."""

    def __init__(self, why: str, retry_after: float | None = None) -> None:
        super().__init__(why)
        self.retry_after = retry_after


class ArenaDatabase:
    """An open `arena.db`. Threads may share it: one statement runs at a time."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, clock: Callable[[], float] = time) -> None:
        self.folder = folder
        self.now = clock
        """The arena's time, in seconds since 1970."""
        self._db = connection
        self._one_at_a_time = RLock()
        finalize(self, connection.close).atexit = False  # Python 3.13 warns if nobody does it

    @classmethod
    def create(cls, folder: Path, facts: Mapping[str, str]) -> Self:
        """Make a new arena in a folder that has none, with facts that never change."""
        path = folder / FILE
        if os.path.lexists(path):
            raise ArenaError(f"There is an arena in {shown_path(folder)} already.")
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        with explained(path):
            connection = _connect(path)
            tables = [f"CREATE TABLE {name} ({columns}) STRICT" for name, columns in _TABLES.items()]
            marks = [f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {SCHEMA_VERSION}"]
            connection.executescript(";\n".join(("BEGIN", *tables, *_INDEXES, *marks, "COMMIT;")))
            connection.executemany("INSERT INTO meta VALUES (?, ?)", [*facts.items(), (RULES, "{}")])
            connection.close()
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path, process: ProcessRole = "web", clock: Callable[[], float] = time) -> Self:
        """Open an arena for one of its processes."""
        path = folder / FILE
        if not os.path.isfile(path):
            hint = "Make one: league arena init DIR --config CONFIG."
            raise ArenaError(f"There is no arena in {shown_path(folder)} (expected a file {FILE}). {hint}")
        connection = _connect(path)
        try:
            with explained(path):
                _refuse_others(connection, path)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA foreign_keys = ON")
                connection.execute("PRAGMA trusted_schema = OFF")
                connection.set_authorizer(authorizer(WRITES[process]))
        except BaseException:
            connection.close()
            raise
        return cls(folder, connection, clock)

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
        """Decide something else. It is written to the audit log, unless it is only time that demands it: no actor."""
        with self._transaction() as db:
            rules = msgspec.structs.replace(self.rules, **changes)  # another process may have changed another rule
            db.execute("UPDATE meta SET value = ? WHERE key = ?", (msgspec.json.encode(rules).decode(), RULES))
            told = {key: utc(value) if isinstance(value, float) else value for key, value in changes.items()}
            if actor:
                self.log(actor, "rules", ", ".join(f"{key}: {value}" for key, value in told.items()))
        return rules

    def log(self, actor: str, action: str, about: str = "") -> None:
        """Write a line of the audit log."""
        with self._transaction() as db:
            db.execute("INSERT INTO audit VALUES (NULL, ?, ?, ?, ?)", (self.now(), actor, action, about))

    def audit(self, most: int = 200) -> list[AuditEntry]:
        """The newest lines of the audit log, the newest first."""
        return self._records(AuditEntry, "SELECT * FROM audit ORDER BY id DESC LIMIT ?", most)

    def records(self) -> dict[str, Table]:
        """All that is worth keeping, table by table."""
        tables = {}
        for name in ("people", "submissions", "checks", "activations", "rounds", "ratings", "benched", "audit"):
            columns = [row["name"] for row in self._rows(f"PRAGMA table_info({name})")]
            kept = [column for column in columns if column != "code"]  # which lets people in
            rows = self._rows(f"SELECT {', '.join(kept)} FROM {name}")  # noqa: S608 - our own words
            tables[name] = Table.of(kept, [tuple(row) for row in rows])
        return tables

    def _rows(self, query: str, *values: Any) -> list[Any]:
        with explained(self.folder / FILE), self._one_at_a_time:
            return self._db.execute(query, values).fetchall()

    def _row(self, query: str, *values: Any) -> Any:
        return next(iter(self._rows(query, *values)), None)

    def _records(self, kind: type[T], query: str, *values: Any) -> list[T]:
        """Rows as records, whose fields are called as the columns."""
        rows = self._rows(query, *values)
        return [msgspec.convert(dict(row), kind, strict=False) for row in rows]

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All that is written inside, or nothing; one inside another is a part of it."""
        with explained(self.folder / FILE), self._one_at_a_time:
            if self._db.in_transaction:
                yield self._db
                return
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    return connection


def _refuse_others(connection: sqlite3.Connection, path: Path) -> None:
    """Raise `ArenaError` for a database that is no arena's, or of another version, before it is changed."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION_ID:
        raise ArenaError(f"{shown_path(path)} is not an arena's database. Nothing was changed.")
    if version != SCHEMA_VERSION:
        expected = f"schema {version}, expected {SCHEMA_VERSION}"
        raise ArenaError(f"{shown_path(path)} was written by another version of League ({expected}).")


def authorizer(tables: frozenset[str]) -> Callable[..., int]:
    """Lets a connection read all tables, and write to these alone."""
    reading = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION}
    reading |= {sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_PRAGMA}
    writing = {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE}

    def allowed(action: int, table: str | None, *_: object) -> int:
        good = action in reading or (action in writing and table in tables)
        return sqlite3.SQLITE_OK if good else sqlite3.SQLITE_DENY

    return allowed


@contextmanager
def explained(path: Path) -> Iterator[None]:
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
