"""The database of a league as a file: its tables, its version, and what can be wrong with it."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from struct import pack
from zlib import error as ZlibError  # noqa: N812 - it has no better name of its own

import msgspec

from league.errors import DataError, StoreError
from league.tools import system
from league.tools.files import drafting
from league.tools.text import safe, shown_path

FILE = "league.db"
SCHEMA_VERSION = 1
APPLICATION_ID = 0x1EA60E
PAGE_BYTES = 16_384
"""The size of SQLite's pages. A block takes about 2 kB, and of pages of 4 kB nearly half would stay empty."""
BUSY_SECONDS = 10
"""How long to wait for another program that has the file locked."""
LONGEST_VALUE = 64 << 20
"""In bytes, of every value but the content of bots' files."""

TABLES = {
    "meta": "key TEXT PRIMARY KEY, value TEXT NOT NULL",
    # Of bots that are folders. Each content is kept once, however many bots and versions have it.
    "files": "hash TEXT PRIMARY KEY, content BLOB NOT NULL",
    # `erratic` says why a bot was found not to be deterministic.
    "bots": (
        "id INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, bot BLOB NOT NULL, present INT NOT NULL,"
        " erratic TEXT, UNIQUE (name, hash)"
    ),
    "terms": "id INTEGER PRIMARY KEY, terms TEXT NOT NULL UNIQUE",
    # What was played: a lineup is the ids of its bots, four bytes each. The deals of two blocks never overlap.
    "blocks": (
        "id INTEGER PRIMARY KEY, terms INT NOT NULL REFERENCES terms, lineup BLOB NOT NULL, rotation INT NOT NULL,"
        " first INT NOT NULL, stop INT NOT NULL, outcomes BLOB NOT NULL, UNIQUE (terms, lineup, rotation, first)"
    ),
    # Apart from the blocks, which are read much more often.
    "moves": "block INTEGER PRIMARY KEY REFERENCES blocks, moves BLOB NOT NULL",
    # A game that was forfeited after too many faults in its match is one of the kind 'forfeit'.
    "faults": (
        "block INT NOT NULL REFERENCES blocks, deal INT NOT NULL, bot INT NOT NULL REFERENCES bots,"
        " kind TEXT NOT NULL, cause TEXT NOT NULL, tail INT NOT NULL REFERENCES tails"
    ),
    "tails": "id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE",
    # What the games of a contest cost each bot, summed up; of memory, what a process had at most.
    "costs": (
        "terms INT NOT NULL REFERENCES terms, bot INT NOT NULL REFERENCES bots, games INT NOT NULL,"
        " decisions INT NOT NULL, seconds REAL NOT NULL, overhead REAL NOT NULL, starting REAL NOT NULL,"
        " asleep REAL NOT NULL, memory_mb INT NOT NULL, starts REAL NOT NULL, deaths INT NOT NULL,"
        " PRIMARY KEY (terms, bot)"
    ),
    # Matches that are open because a bot could not be asked, how often that was tried, and what it said last.
    "unavailable": (
        "terms INT NOT NULL REFERENCES terms, lineup BLOB NOT NULL, rotation INT NOT NULL, first INT NOT NULL,"
        " bot TEXT NOT NULL, cause TEXT NOT NULL, tries INT NOT NULL, PRIMARY KEY (terms, lineup, rotation, first)"
    ),
    # Rounds that were chosen by results: `league` is a hash of the config and the bots that they belong to.
    # What is chosen is JSON: a list of fixtures, lineups and deals. An empty one says that the league has ended.
    "rounds": "league TEXT NOT NULL, number INT NOT NULL, chosen TEXT NOT NULL, PRIMARY KEY (league, number)",
    # `standings` is empty if they were as after the run before.
    "runs": (
        "id INTEGER PRIMARY KEY, started REAL NOT NULL, ended REAL, games INT NOT NULL, workers INT NOT NULL,"
        " standings TEXT"
    ),
}
"""By name: the columns."""
FAULTS_OF_BLOCK = "CREATE INDEX faults_of_block ON faults (block)"


def connect(path: Path, *, read_only: bool = True) -> sqlite3.Connection:
    """Open a database of this version. It may come from a stranger: nothing in it can call functions or write.

    To read one in a folder that cannot be written to, SQLite would make a log, unless it is opened as immutable.
    """
    at_rest = read_only and not os.access(path.parent, os.W_OK) and not os.path.exists(f"{path}-wal")
    uri = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rw'}{'&immutable=1' * at_rest}"
    with explained(path), ExitStack() as opened:
        connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
        opened.callback(connection.close)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute(f"PRAGMA query_only = {read_only}")
        check(connection, path)
        if not read_only:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            for file in (path, *map(Path, (f"{path}-wal", f"{path}-shm"))):
                with suppress(OSError):  # not there, or another user's
                    if os.stat(file).st_mode & 0o077:
                        file.chmod(0o600)
        opened.pop_all()
        return connection


def make(path: Path) -> None:
    """Make a database without results that only its owner can read.

    It is written beside its place, so it is whole or not there, and what a process that was killed meanwhile has left
    behind is removed.
    """
    for left_behind in (*path.parent.glob(f".{path.name}.*"), *map(Path, (f"{path}-journal", f"{path}-wal"))):
        left_behind.unlink(missing_ok=True)
    with explained(path), drafting(path) as draft:
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | system.CLOEXEC, 0o600))
        with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
            connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            marks = (f"PRAGMA user_version = {SCHEMA_VERSION}", f"PRAGMA application_id = {APPLICATION_ID}")
            connection.executescript(";\n".join(("BEGIN", *_statements().values(), *marks, "COMMIT;")))


def check(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is not ours, of another version, or damaged. Nothing is written to it."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION_ID:
        raise StoreError(f"{shown_path(path)} is not a league's database. Nothing was changed; choose another folder.")
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"{shown_path(path)} was written by another version of League (schema {version}, expected"
            f" {SCHEMA_VERSION}). Nothing was changed; use that version, or play the league again in another folder by"
            " --results."
        )
    _check_tables(connection)
    verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        raise StoreError(_damaged(path, verdict))
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)


def _statements() -> dict[str, str]:
    """What made the tables and indexes, by name."""
    tables = {name: f"CREATE TABLE {name} ({columns}) STRICT" for name, columns in TABLES.items()}
    return tables | {"faults_of_block": FAULTS_OF_BLOCK}


def _check_tables(connection: sqlite3.Connection) -> None:
    """Refuse a database with other tables than ours: a view, a trigger or a computed column would run with our queries.

    What SQLite adds for keys (`sqlite_autoindex_…`) has no statement.
    """
    expected = {name: _normal(statement) for name, statement in _statements().items()}
    rows = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL LIMIT 100").fetchall()
    stored = {str(name): _normal(str(statement)) for name, statement in rows}
    for name in sorted({*stored, *expected}):
        if stored.get(name) != expected.get(name):
            raise DataError(f"the table {safe(name[:40])!r} is not as it was made")


def _normal(statement: str) -> str:
    """A statement without spaces and quotes, as SQLite's own tools may write it."""
    return re.sub(r'[\s"]', "", statement)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn an error of SQLite, or a value that cannot be read, into one clear line."""
    try:
        yield
    except (msgspec.DecodeError, UnicodeDecodeError, ZlibError, RecursionError, DataError) as problem:
        what = f"{shown_path(path)} holds what this version of League does not know ({safe(str(problem)[:300])})"
        raise StoreError(f"{what}. Nothing was changed; use the version that wrote it, or a newer one.") from None
    except sqlite3.Error as problem:
        code = (getattr(problem, "sqlite_errorcode", None) or 0) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            what = (
                f"The disk of {shown_path(path.parent)} is full: {path.name} cannot grow. All finished blocks are safe;"
            )
            raise StoreError(f"{what} make room and run the same command again.") from None
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreError(f"{shown_path(path)} is locked by another program. Close it and try again.") from None
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise StoreError(_damaged(path, str(problem))) from None
        what = f"{shown_path(path)} cannot be used: {problem}. All finished blocks are safe;"
        raise StoreError(f"{what} look at the disk and its permissions, then run the same command again.") from None


def packed_lineup(ids: Sequence[int]) -> bytes:
    """A lineup as it is stored."""
    return pack(f">{len(ids)}I", *ids)


def _damaged(path: Path, verdict: str) -> str:
    return (
        f"{shown_path(path)} is damaged ({verdict.splitlines()[-1]}). Nothing was changed;"
        " put back a copy, or move the folder away and run again."
    )
