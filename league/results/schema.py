"""The database of a league as a file: its tables, its version, and what can be wrong with it."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from struct import pack
from zlib import error as ZlibError  # noqa: N812 - it has no better name of its own

import msgspec

from league.errors import DataError, StoreError
from league.tools import system
from league.tools.files import drafting
from league.tools.text import safe, shown_path
from league.values.block import Entrant, Series, Usage

FILE = "league.db"
SCHEMA_VERSION = 7
"""7 brought matches that are open because a bot could not be asked, 6 the moves of every game, 5 series without a plan,
the bots' pace and chosen rounds, 4 the files of bots that are folders, 3 the history, 2 the outcome of every game. 1
has no outcomes, so it cannot be migrated."""
APPLICATION_ID = 0x1EA60E
PAGE_BYTES = 16_384
"""Of SQLite's pages. A block takes about 2 kB, and of pages of 4 kB nearly half would stay empty."""
BUSY_SECONDS = 10
"""How long to wait for another program that has the file locked."""
LONGEST_VALUE = 64 << 20
"""In bytes, of every value but the content of bots' files."""

TABLES = {
    "meta": "key TEXT PRIMARY KEY, value TEXT NOT NULL",
    "entrants": (
        "id INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, bot BLOB NOT NULL, present INT NOT NULL,"
        " UNIQUE (name, hash)"
    ),
    "files": "hash TEXT PRIMARY KEY, content BLOB NOT NULL",
    "terms": "id INTEGER PRIMARY KEY, terms BLOB NOT NULL",
    # Of what was played: a lineup is the ids of its entrants, four bytes each.
    "series": (
        "id INTEGER PRIMARY KEY, terms INT NOT NULL REFERENCES terms, lineup BLOB NOT NULL, rotation INT NOT NULL,"
        " UNIQUE (terms, lineup, rotation)"
    ),
    "blocks": (
        "id INTEGER PRIMARY KEY, series INT NOT NULL REFERENCES series, first INT NOT NULL, stop INT NOT NULL,"
        " tally BLOB NOT NULL, usage BLOB NOT NULL, forfeits BLOB NOT NULL, outcomes BLOB NOT NULL,"
        " UNIQUE (series, first, stop)"
    ),
    # Apart from the blocks, which are read much more often.
    "moves": "block INTEGER PRIMARY KEY REFERENCES blocks, moves BLOB NOT NULL",
    # Matches that are open because a bot could not be asked, how often that was tried, and what it said last.
    "unavailable": (
        "terms INT NOT NULL REFERENCES terms, lineup BLOB NOT NULL, rotation INT NOT NULL, first INT NOT NULL,"
        " bot TEXT NOT NULL, cause TEXT NOT NULL, tries INT NOT NULL, PRIMARY KEY (terms, lineup, rotation, first)"
    ),
    # What the games of a contest cost each bot, summed up.
    "pace": (
        "terms INT NOT NULL REFERENCES terms, entrant INT NOT NULL REFERENCES entrants, games INT NOT NULL,"
        " seconds REAL NOT NULL, PRIMARY KEY (terms, entrant)"
    ),
    # Rounds that were chosen by results: `league` is a hash of the config and the bots that they belong to.
    "rounds": (
        "league TEXT NOT NULL, number INT NOT NULL, terms INT NOT NULL REFERENCES terms, lineup BLOB NOT NULL,"
        " first INT NOT NULL, stop INT NOT NULL"
    ),
    "tails": "id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE",
    "faults": (
        "block INT NOT NULL REFERENCES blocks, bot TEXT NOT NULL, address TEXT NOT NULL, kind TEXT NOT NULL,"
        " cause TEXT NOT NULL, tail INT NOT NULL REFERENCES tails"
    ),
    "runs": "id INTEGER PRIMARY KEY, started REAL NOT NULL, ended REAL, games INT NOT NULL, workers INT NOT NULL",
    "history": "id INTEGER PRIMARY KEY, entry BLOB NOT NULL",
}
"""By name: the columns."""
INDEXES = (
    "CREATE INDEX faults_of_block ON faults (block)",
    "CREATE INDEX rounds_of_league ON rounds (league, number)",
)
BEFORE_5 = {
    "entrants": "name TEXT, hash TEXT, bot BLOB NOT NULL, present INT NOT NULL, PRIMARY KEY (name, hash)",
    "series": "id TEXT PRIMARY KEY, position INT NOT NULL, deals INT NOT NULL, series BLOB NOT NULL",
    "blocks": TABLES["blocks"].replace("series INT", "series TEXT"),
}
"""The tables that were others up to schema 4."""
NEW_IN = {"history": 3, "files": 4, "terms": 5, "pace": 5, "rounds": 5, "moves": 6, "unavailable": 7}
"""The schema that brought a table; all others were always there."""


def connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """Open a database. It may come from a stranger: nothing in it can call functions or write."""
    mode = "rw" if not read_only else "ro&immutable=1" if _is_at_rest(path) else "ro"
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    with explained(path):
        connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        if read_only:
            connection.execute("PRAGMA query_only = ON")
        return connection


def connect_for_writing(path: Path) -> sqlite3.Connection:
    """Open a database of this version, made or migrated first if need be. The caller holds the lock of the folder."""
    if not os.path.lexists(path):
        _make(path)
    connection = connect(path, read_only=False)
    try:
        with explained(path):
            if _has_no_tables(connection):
                connection.close()
                _make(path)
                connection = connect(path, read_only=False)
            migrate(connection, check(connection, path))
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
        for file in (path, *map(Path, (f"{path}-wal", f"{path}-shm"))):
            with suppress(OSError):  # not there, or another user's
                if os.stat(file).st_mode & 0o077:
                    file.chmod(0o600)
    except BaseException:
        connection.close()
        raise
    return connection


def _has_no_tables(connection: sqlite3.Connection) -> bool:
    """Whether nothing was ever written into a database."""
    return not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]


def _make(path: Path) -> None:
    """Make a database without results that only its owner can read.

    It is written beside its place, so it is whole or not there, and what a process that was killed meanwhile has left
    behind is removed.
    """
    for left_behind in (*path.parent.glob(f".{path.name}.*"), *map(Path, (f"{path}-journal", f"{path}-wal"))):
        left_behind.unlink(missing_ok=True)
    with explained(path), drafting(path) as draft:
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | system.CLOEXEC, 0o600))
        with closing(connect(draft, read_only=False)) as connection:
            connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            connection.execute("PRAGMA journal_mode = WAL")
            create = [*map(_create, TABLES), *INDEXES]
            marks = (f"PRAGMA user_version = {SCHEMA_VERSION}", f"PRAGMA application_id = {APPLICATION_ID}")
            connection.executescript(";\n".join(("BEGIN", *create, *marks, "COMMIT;")))


def _is_at_rest(path: Path) -> bool:
    """Whether a database cannot be written to: its folder is read-only, and it has no log beside it.

    To read it, SQLite would make a log, unless it is opened as immutable.
    """
    return not os.access(path.parent, os.W_OK) and not os.path.exists(f"{path}-wal")


def is_outdated(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether a database has to be made or migrated before it can be read: a kill may have left an empty file."""
    return _has_no_tables(connection) or check(connection, path) < SCHEMA_VERSION


def check(connection: sqlite3.Connection, path: Path) -> int:
    """Refuse a file that is not ours, of a schema that cannot be read, or damaged; returns its schema's version.

    Nothing is written to it.
    """
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION_ID:
        raise StoreError(f"{shown_path(path)} is not a league's database. Nothing was changed; choose another folder.")
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{shown_path(path)} was written by a newer League (schema {version}, expected {SCHEMA_VERSION})."
            " Nothing was changed; update League, or choose another folder by --results."
        )
    if not all(older in MIGRATIONS for older in range(version, SCHEMA_VERSION)):
        raise StoreError(
            f"{shown_path(path)} was written by an older League (schema {version}, expected {SCHEMA_VERSION})."
            " Nothing was changed; its results cannot be converted, so use that version, or play the league again in"
            " another folder by --results."
        )
    _check_tables(connection, int(version))
    verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        raise StoreError(_damaged(path, verdict))
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    return int(version)


def statements(version: int) -> dict[str, str]:
    """What made the tables and indexes of a schema, by name."""
    tables = {name: columns for name, columns in TABLES.items() if NEW_IN.get(name, 0) <= version}
    if version < NEW_IN["terms"]:
        tables |= BEFORE_5
    indexes = {index.split()[2]: index for index in INDEXES if index.split()[4] in tables}
    return {name: f"CREATE TABLE {name} ({columns}) STRICT" for name, columns in tables.items()} | indexes


def _check_tables(connection: sqlite3.Connection, version: int) -> None:
    """Refuse a database with other tables than ours: a view, a trigger or a computed column would run with our queries.

    What SQLite adds for keys (`sqlite_autoindex_…`) has no statement.
    """
    expected = {name: _normal(statement) for name, statement in statements(version).items()}
    rows = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL LIMIT 100").fetchall()
    stored = {str(name): _normal(str(statement)) for name, statement in rows}
    for name in [*stored, *expected]:
        if stored.get(name) != expected.get(name):
            what = "a changed" if name in stored and name in expected else "no" if name in expected else "an unknown"
            raise DataError(f"{what} table {safe(name[:40])!r}")


def _normal(statement: str) -> str:
    """A statement without spaces and quotes, and without what a column refers to: renaming tables changes that."""
    return re.sub(r'REFERENCES "?\w+"?|[\s"]', "", statement)


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring a file of an older schema to this one: completely or, if anything goes wrong, not at all."""
    if version < SCHEMA_VERSION:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            for older in range(version, SCHEMA_VERSION):
                MIGRATIONS[older](connection)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


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


def _create(table: str) -> str:
    return f"CREATE TABLE {table} ({TABLES[table]}) STRICT"


def _forget_the_plan(db: sqlite3.Connection) -> None:
    """From 4 to 5: a series was a row of the plan with all of its text, and is now a few numbers."""
    for table in ("entrants", "series", "blocks"):
        db.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    for table in ("entrants", "terms", "series", "blocks", "pace", "rounds"):
        db.execute(_create(table))
    db.execute(INDEXES[1])
    db.execute("INSERT INTO entrants SELECT NULL, name, hash, bot, present FROM old_entrants ORDER BY name, hash")
    entrants = {Entrant(name, source): id_ for id_, name, source in db.execute("SELECT id, name, hash FROM entrants")}
    terms: dict[bytes, int] = {}
    costs: dict[tuple[int, int], list[float]] = {}
    rows = db.execute("SELECT id, series FROM old_series WHERE id IN (SELECT series FROM old_blocks)").fetchall()
    for old, written in rows:
        series = msgspec.msgpack.decode(written, type=Series)
        of = msgspec.msgpack.encode(series.terms)
        if of not in terms:
            terms[of] = int(db.execute("INSERT INTO terms VALUES (NULL, ?)", (of,)).lastrowid or 0)
        ids = [entrants[entrant] for entrant in series.lineup]
        row = (terms[of], packed_lineup(ids), series.rotation)
        new = db.execute("INSERT INTO series VALUES (NULL, ?, ?, ?)", row).lastrowid
        db.execute(
            "INSERT INTO blocks SELECT id, ?, first, stop, tally, usage, forfeits, outcomes FROM old_blocks"
            " WHERE series = ?",
            (new, old),
        )
        for games, used in db.execute("SELECT stop - first, usage FROM old_blocks WHERE series = ?", (old,)):
            usage = msgspec.msgpack.decode(used, type=tuple[Usage, ...])
            for id_, spent in zip(ids, usage, strict=False):
                cost = costs.setdefault((terms[of], id_), [0, 0.0])
                cost[0] += games
                cost[1] += spent.seconds
    db.executemany("INSERT INTO pace VALUES (?, ?, ?, ?)", [(*key, int(games), s) for key, (games, s) in costs.items()])
    for table in ("blocks", "series", "entrants"):
        db.execute(f"DROP TABLE old_{table}")


MIGRATIONS: dict[int, Callable[[sqlite3.Connection], object]] = {
    2: lambda db: db.execute(_create("history")),
    3: lambda db: db.execute(_create("files")),
    4: _forget_the_plan,
    5: lambda db: db.execute(_create("moves")),
    6: lambda db: db.execute(_create("unavailable")),
}
"""From an older schema to the next one, where that is possible; all that are needed run in one transaction."""
