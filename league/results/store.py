"""Where results are kept: one SQLite file for each league, one transaction for each block.

A block that was committed survives whatever comes after. What is kept of a game is how it ended, in a few bytes, so the
file stays small; the sources of the bots are kept too, so that any game can be played again from its address.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from glob import escape, glob
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from time import sleep, time
from typing import Any, NamedTuple
from zlib import compress, decompress

import msgspec
from msgspec.structs import replace

from league.errors import StoreError
from league.games.contract import GameFile
from league.plan.schedule import Plan, Span, counting_part
from league.results.outcomes import cut
from league.setup.bot_folder import BotFile
from league.setup.roster import Bot
from league.tools.seeds import drawn
from league.tools.text import shown_path
from league.values.block import Block, BlockResult, Entrant, Fault, Series, Tally, Usage
from league.values.settings import Config

FILE = "league.db"
LOCK = "league.lock"
SCHEMA_VERSION = 4
"""4 brought the files of bots that are folders, 3 the history, 2 ids that survive upgrades and the outcome of every
game. 1 has no outcomes, so it cannot be migrated."""
HISTORY = "CREATE TABLE history (id INTEGER PRIMARY KEY, entry BLOB NOT NULL) STRICT"
FILES = "CREATE TABLE files (hash TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT"
MIGRATIONS: dict[int, Callable[[sqlite3.Connection], object]] = {
    2: lambda db: db.execute(HISTORY),
    3: lambda db: db.execute(FILES),
}
"""From an older schema to the next one, where that is possible; all that are needed run in one transaction."""
APPLICATION_ID = 0x1EA60E
PAGE_BYTES = 16_384
"""Of SQLite's pages. A block takes about 2 kB, and of pages of 4 kB nearly half would stay empty."""
BUSY_SECONDS = 10
"""How long to wait for another program that has the file locked."""
GLANCE_SECONDS = 0.05
"""How long, at the very most, somebody takes to look whether a folder is being played."""

SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE entrants (name TEXT, hash TEXT, bot BLOB NOT NULL, present INT NOT NULL, PRIMARY KEY (name, hash)) STRICT;
{FILES};
CREATE TABLE series (id TEXT PRIMARY KEY, position INT NOT NULL, deals INT NOT NULL, series BLOB NOT NULL) STRICT;
CREATE TABLE blocks (
  id INTEGER PRIMARY KEY, series TEXT NOT NULL REFERENCES series, first INT NOT NULL, stop INT NOT NULL,
  tally BLOB NOT NULL, usage BLOB NOT NULL, forfeits BLOB NOT NULL, outcomes BLOB NOT NULL,
  UNIQUE (series, first, stop)
) STRICT;
CREATE TABLE tails (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE faults (
  block INT NOT NULL REFERENCES blocks, bot TEXT NOT NULL, address TEXT NOT NULL, kind TEXT NOT NULL,
  cause TEXT NOT NULL, tail INT NOT NULL REFERENCES tails
) STRICT;
CREATE INDEX faults_of_block ON faults (block);
CREATE TABLE runs (
  id INTEGER PRIMARY KEY, started REAL NOT NULL, ended REAL, games INT NOT NULL, workers INT NOT NULL
) STRICT;
{HISTORY};
PRAGMA user_version = {SCHEMA_VERSION};
PRAGMA application_id = {APPLICATION_ID};
"""

LEFT_OUT, ERRATIC = "left_out", "erratic"
"""Facts about bots, each a JSON object of texts."""
SECRET = "secret"  # noqa: S105 - the key of the row, not its value
GAME_FILE = "game file "
"""What a key begins with that holds the file of a game, before the hash of its text."""

_pack = msgspec.msgpack.Encoder().encode
_series = msgspec.msgpack.Decoder(Series)
_tally = msgspec.msgpack.Decoder(Tally)
_usage = msgspec.msgpack.Decoder(tuple[Usage, ...])
_forfeits = msgspec.msgpack.Decoder(tuple[int, ...])


class Run(NamedTuple):
    """One call of `league run` that played something."""

    started: float
    ended: float | None
    """None: it is still going on, or it was cut off."""
    games: int
    workers: int


class Planned(NamedTuple):
    """A series that counts."""

    id: str
    """As it is stored; it is never computed from a series that was read."""
    series: Series
    deals: int
    """That it is to play."""


class Counted(NamedTuple):
    """The deals of a stored block that count."""

    series: Series
    span: Span
    outcomes: bytes
    """Of the whole block, packed."""
    first: int
    """The deal that the packed outcomes begin with."""
    at_fault: frozenset[tuple[int, str]]
    """Deals and the bots at fault in them."""


class Store:
    """A league's results. `Store.create` for the one who plays, `Store.open` for those who read."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, lock: int | None = None) -> None:
        self.folder = folder
        self._db = connection
        self._lock = lock
        file = os.stat(folder / FILE)
        self._file = file.st_dev, file.st_ino
        """Which file it is, whatever its name."""

    @classmethod
    def open(cls, folder: Path) -> Store:
        """Open a league's results for reading, also while it is being played."""
        path = folder / FILE
        if not os.path.isfile(path):  # unlike Path.is_file, also False where one may not look
            hint = " Play one first: league run CONFIG."
            for place in (folder, folder.parent, folder.parent / "results"):  # whichever of them was left out, or wrong
                if there := sorted(glob(os.path.join(escape(str(place)), "*", FILE))):
                    hint = f" Leagues near it: {', '.join(shown_path(Path(file).parent) for file in there)}."
                    break
            raise StoreError(f"There are no results in {shown_path(folder)} (expected a file {FILE}).{hint}")
        connection = _connect(path, read_only=True)
        try:
            with _explained(path):
                if _check(connection, path) < SCHEMA_VERSION:
                    cls.create(folder).close()  # which migrates it
        except BaseException:
            connection.close()
            raise
        return cls(folder, connection)

    @classmethod
    def create(cls, folder: Path) -> Store:
        """Open a league's results for playing, made if they are not there; nobody else may play meanwhile."""
        path = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = _hold(folder)
        except OSError as problem:
            raise StoreError(f"The folder {shown_path(folder)} cannot be written: {problem.strerror}.") from None
        connection = _connect(path, read_only=False)
        try:
            with _explained(path):
                if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                    _migrate(connection, _check(connection, path))
                connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")  # of a new file; an old one keeps its own
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                if not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                    connection.executescript(f"BEGIN; {SCHEMA} COMMIT;")
        except BaseException:
            connection.close()
            os.close(lock)
            raise
        return cls(folder, connection, lock)

    @property
    def private_descriptors(self) -> tuple[int, ...]:
        """File descriptors that no child process may keep."""
        return () if self._lock is None else (self._lock,)

    def close(self) -> None:
        """Let go of the file, and of the right to play."""
        self._db.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self, config: Config, plan: Plan, bots: Iterable[Bot], left_out: Mapping[str, str] | None = None) -> None:
        """Write down what the league is now. Results of what is no longer in the plan stay, but do not count.

        `left_out` has the files that are no bots: name to reason.
        """
        with self._transaction() as db:
            for key, value in (("league", config.name), ("config", config.text), ("isolation", config.isolation)):
                db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
            db.execute("INSERT OR REPLACE INTO meta VALUES ('settings', ?)", (_settings(config),))
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (LEFT_OUT, _json(left_out or {})))
            for file in config.game_files():
                db.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (f"{GAME_FILE}{file.hash}", _game_file(file)))
            db.execute("UPDATE entrants SET present = 0")
            for bot in bots:
                _keep_files(db, bot.files)
                db.execute(
                    "INSERT INTO entrants VALUES (?, ?, ?, 1)"
                    " ON CONFLICT DO UPDATE SET bot = excluded.bot, present = 1",
                    (bot.name, bot.hash, msgspec.msgpack.encode(_only_listed(bot), enc_hook=str)),
                )
            db.execute("UPDATE series SET deals = 0 WHERE deals")
            db.executemany(
                "INSERT INTO series VALUES (?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET deals = excluded.deals, position = excluded.position",
                ((one.id, at, deals, _pack(one)) for at, (one, deals) in enumerate(plan.series())),
            )

    def checkpoint(self) -> None:
        """Move everything into the main file: closing the store then changes no file of results any more."""
        with self._reading() as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def run_started(self, workers: int) -> int:
        """Write down that playing begins; gives the number of the run."""
        with self._transaction() as db:
            return int(db.execute("INSERT INTO runs VALUES (NULL, ?, NULL, 0, ?)", (time(), workers)).lastrowid or 0)

    def run_ended(self, run: int, games: int) -> None:
        """Write down that playing is over."""
        with self._transaction() as db:
            db.execute("UPDATE runs SET ended = ?, games = ? WHERE id = ?", (time(), games, run))

    def add(self, result: BlockResult) -> None:
        """Keep the result of a block: all of it or, if anything goes wrong, nothing."""
        self._refuse_vanished()
        block = result.block
        packed = (compress(_pack(result.tally)), _pack(result.usage), _pack(result.forfeits), result.outcomes)
        with self._transaction() as db:
            added = db.execute(
                "INSERT OR IGNORE INTO blocks VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)",
                (block.series.id, block.first, block.stop, *packed),
            )
            for fault in result.faults if added.rowcount else ():
                db.execute("INSERT OR IGNORE INTO tails (text) VALUES (?)", (fault.tail,))
                db.execute(
                    "INSERT INTO faults SELECT ?, ?, ?, ?, ?, id FROM tails WHERE text = ?",
                    (added.lastrowid, fault.bot, fault.address, fault.kind, fault.cause, fault.tail),
                )

    def spans(self) -> dict[str, list[Span]]:
        """The deals that are there for each series, by its id."""
        found: dict[str, list[Span]] = {}
        with self._reading() as db:
            for series, first, stop in db.execute("SELECT series, first, stop FROM blocks"):
                found.setdefault(series, []).append((first, stop))
        return found

    def results(self, series: str | None = None) -> Iterator[BlockResult]:
        """Everything that counts, or that of the series with this id, in canonical order; `faults` are read apart."""
        for block, part, columns in self._counting("tally, usage, forfeits, outcomes", series):
            tally, usage, forfeits, outcomes = columns
            decoded = _tally.decode(decompress(tally)), (), _usage.decode(usage), _forfeits.decode(forfeits)
            result = BlockResult(block, *decoded, outcomes)
            yield result if part == (block.first, block.stop) else cut(result, *part)

    def counted(self, wanted: Callable[[Series], bool] = lambda _: True) -> Iterator[Counted]:
        """How every game that counts ended, in canonical order, for the series that are wanted."""
        at_fault = self._blocks_at_fault()
        for block, span, (id_, outcomes) in self._counting("blocks.id, outcomes"):
            if wanted(block.series):
                faults = self._faults_of(id_, span) if id_ in at_fault else ()
                found = frozenset((fault.deal, fault.bot) for fault in faults)
                yield Counted(block.series, span, outcomes, block.first, found)

    def faults(self, bot: str | None = None) -> Iterator[Fault]:
        """The faults in everything that counts, in canonical order."""
        at_fault = self._blocks_at_fault()
        for _, span, (id_,) in self._counting("blocks.id") if at_fault else ():
            if id_ in at_fault:
                yield from (fault for fault in self._faults_of(id_, span) if bot in (None, fault.bot))

    def _blocks_at_fault(self) -> set[int]:
        """The numbers of the blocks with faults."""
        with self._reading() as db:
            return {block for (block,) in db.execute("SELECT DISTINCT block FROM faults")}

    def _faults_of(self, block: int, span: Span) -> list[Fault]:
        """The faults in some deals of a block, in the order in which they happened."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT bot, address, kind, cause, text FROM faults JOIN tails ON tails.id = tail"
                " WHERE block = ? ORDER BY faults.rowid",
                (block,),
            )
            faults = [Fault(*row) for row in rows]
        return [fault for fault in faults if span[0] <= fault.deal < span[1]]

    def plan(self) -> list[Planned]:
        """Every series that counts, in canonical order."""
        with self._reading() as db:
            rows = db.execute("SELECT id, series, deals FROM series WHERE deals ORDER BY position")
            return [Planned(id_, _series.decode(series), deals) for id_, series, deals in rows]

    def bots(self) -> list[Bot]:
        """The bots of the league as it is now, by name. Those that are to play need their files: `with_files`."""
        with self._reading() as db:
            rows = db.execute("SELECT bot FROM entrants WHERE present ORDER BY name")
            return [msgspec.msgpack.decode(row[0], type=Bot, dec_hook=lambda kind, text: kind(text)) for row in rows]

    def with_files(self, bots: Iterable[Bot]) -> tuple[Bot, ...]:
        """Bots of the league with the content of their files."""
        return tuple(replace(bot, files=tuple(map(self._with_content, bot.files))) for bot in bots)

    def _with_content(self, file: BotFile) -> BotFile:
        packed = self._row("SELECT content FROM files WHERE hash = ?", file.hash)[0]
        return replace(file, content=decompress(packed))

    def entrants(self) -> set[Entrant]:
        """Everybody who has ever played in this league, in every version."""
        with self._reading() as db:
            return {Entrant(name, source) for name, source in db.execute("SELECT name, hash FROM entrants")}

    def game_files(self) -> tuple[GameFile, ...]:
        """The files of games that were ever played in this league, by hash."""
        with self._reading() as db:
            rows = db.execute("SELECT value FROM meta WHERE key GLOB ? ORDER BY key", (f"{GAME_FILE}*",)).fetchall()
            return tuple(msgspec.json.decode(value, type=GameFile) for (value,) in rows)

    def settings(self) -> Config:
        """The config as it was run."""
        with self._reading():
            return msgspec.json.decode(self.meta("settings"), type=Config, dec_hook=lambda kind, text: kind(text))

    def secret(self) -> str | None:
        """The secret that was drawn for this league; None if its config has always had a seed."""
        return self._remark(SECRET)

    def draw_secret(self) -> str:
        """The secret of this league, drawn now if it has none yet."""
        with self._transaction() as db:
            db.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (SECRET, drawn()))
        return self.meta(SECRET)

    def meta(self, key: str) -> str:
        """A fact about the league: its 'league' (name), 'config' (text), 'isolation'."""
        return str(self._row("SELECT value FROM meta WHERE key = ?", key)[0])

    def left_out(self) -> dict[str, str]:
        """The files that were no bots when it was last run: name to reason."""
        return self._remarks(LEFT_OUT)

    def remember_erratic(self, remarks: Mapping[Entrant, str]) -> None:
        """Write down which bots were seen not to be deterministic."""
        known = self._remarks(ERRATIC) | {f"{bot.name} {bot.source}": text for bot, text in remarks.items()}
        with self._transaction() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (ERRATIC, _json(known)))

    def erratic(self) -> dict[str, str]:
        """The bots that were seen not to be deterministic, as long as their files stay what they were."""
        known = self._remarks(ERRATIC)
        found = {bot.name: known.get(f"{bot.name} {bot.hash}") for bot in self.bots()}
        return {name: text for name, text in found.items() if text}

    def _remarks(self, key: str) -> dict[str, str]:
        text = self._remark(key)
        return msgspec.json.decode(text, type=dict[str, str]) if text else {}

    def _remark(self, key: str) -> str | None:
        with self._reading() as db:
            row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else None

    def runs(self) -> list[Run]:
        """When it was played."""
        with self._reading() as db:
            return [Run(*row) for row in db.execute("SELECT started, ended, games, workers FROM runs ORDER BY id")]

    def remember(self, entry: bytes) -> None:
        """Append an entry to the history."""
        with self._transaction() as db:
            db.execute("INSERT INTO history VALUES (NULL, ?)", (entry,))

    def history(self) -> list[bytes]:
        """The entries of the history, the oldest first; `league.results.history` reads them."""
        with self._reading() as db:
            return [entry for (entry,) in db.execute("SELECT entry FROM history ORDER BY id")]

    def _counting(self, columns: str, only: str | None = None) -> Iterator[tuple[Block, Span, tuple[Any, ...]]]:
        """The blocks that count, in canonical order, each with the deals of it that do, and with these columns."""
        with self._reading() as db:
            rows = db.execute(
                f"SELECT position, deals, series.series, first, stop, {columns} FROM series"  # noqa: S608 - our own words
                " JOIN blocks ON blocks.series = series.id WHERE deals AND series.id = coalesce(?, series.id)"
                " ORDER BY position, first, stop DESC",  # as `schedule.covering` goes through them
                (only,),
            )
            for _, of_one in groupby(rows, key=itemgetter(0)):
                series, at = None, 0
                for _, deals, packed, first, stop, *values in of_one:
                    if part := counting_part((first, stop), at, deals):
                        series = series or _series.decode(packed)
                        yield Block(series, first, stop), part, tuple(values)
                        at = part[1]

    def _row(self, query: str, *parameters: str) -> Any:
        with self._reading() as db:
            row = db.execute(query, parameters).fetchone()
        if row is None:
            raise StoreError(f"{shown_path(self.folder / FILE)} is incomplete: run the league again to mend it.")
        return row

    def _refuse_vanished(self) -> None:
        """What is written into a file that has lost its name is lost: SQLite goes on without a word."""
        path = self.folder / FILE
        try:
            found = os.stat(path)
        except OSError:
            found = None
        if found is None or (found.st_dev, found.st_ino) != self._file:
            raise StoreError(
                f"{shown_path(path)} has vanished while the league was being played: somebody has moved, replaced or"
                " deleted it. Nothing more was played; put it back, or run the same command again to begin anew."
            )

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with _explained(self.folder / FILE):
            yield self._db

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with _explained(self.folder / FILE), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            yield self._db


def is_being_played(folder: Path) -> bool:
    """Whether a run has the right to play in a folder now; one that was killed has lost it."""
    try:
        lock = os.open(folder / LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def last_change(folder: Path) -> float:
    """When results were last written into a folder, as its files tell; 0 if there are none."""
    newest = 0.0
    for name in (FILE, f"{FILE}-wal"):
        with suppress(OSError):
            found = os.stat(folder / name)
            if found.st_size:  # readers leave an empty log behind
                newest = max(newest, found.st_mtime)
    return newest


def _keep_files(db: sqlite3.Connection, files: Iterable[BotFile]) -> None:
    """Keep the content of files, each once, however many bots and versions have it."""
    for file in files:
        if not db.execute("SELECT 1 FROM files WHERE hash = ?", (file.hash,)).fetchone():
            db.execute("INSERT INTO files VALUES (?, ?)", (file.hash, compress(file.content)))


def _only_listed(bot: Bot) -> Bot:
    """A bot without the content of its files, which is kept apart."""
    return replace(bot, files=tuple(replace(file, content=b"") for file in bot.files))


def _json(texts: Mapping[str, str]) -> str:
    return msgspec.json.encode(texts, order="sorted").decode()


def _game_file(file: GameFile) -> str:
    return msgspec.json.encode(file).decode()


def _settings(config: Config) -> str:
    return msgspec.json.encode(config, enc_hook=str).decode()


def _connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    mode = "rwc" if not read_only else "ro&immutable=1" if _is_at_rest(path) else "ro"
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    with _explained(path):
        return sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)


def _is_at_rest(path: Path) -> bool:
    """Whether nobody can be writing to a database: its folder cannot be written, and it has no log beside it.

    SQLite would make a log to read it. Without one, it must be told that nothing changes.
    """
    return not os.access(path.parent, os.W_OK) and not os.path.exists(f"{path}-wal")


def _check(connection: sqlite3.Connection, path: Path) -> int:
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
    verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        raise StoreError(_damaged(path, verdict))
    return int(version)


def _migrate(connection: sqlite3.Connection, version: int) -> None:
    """Lead a file of an older schema to this one: wholly or, if anything goes wrong, not at all."""
    if version < SCHEMA_VERSION:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            for older in range(version, SCHEMA_VERSION):
                MIGRATIONS[older](connection)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what SQLite says, or a value that cannot be read, into one clear line."""
    try:
        yield
    except msgspec.DecodeError as problem:
        what = f"{shown_path(path)} holds what this version of League does not know ({problem})"
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


def _damaged(path: Path, verdict: str) -> str:
    return (
        f"{shown_path(path)} is damaged ({verdict.splitlines()[-1]}). Nothing was changed;"
        " put back a copy, or move the folder away and run again."
    )


def _hold(folder: Path) -> int:
    """Take the right to play in a folder, or tell who has it. The system gives it back however the holder ends."""
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        _lock_unless_held(lock)
    except BlockingIOError:
        holder = os.read(lock, 200).decode(errors="replace").strip() or "another process"
        os.close(lock)
        raise StoreError(
            f"{shown_path(folder)} is being played by {holder}. Wait for it, or play in another folder by --results."
        ) from None
    os.ftruncate(lock, 0)
    os.write(lock, f"process {os.getpid()} on {os.uname().nodename}\n".encode())
    return lock


def _lock_unless_held(lock: int) -> None:
    """Somebody who only looks (`is_being_played`) is gone at the second try."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sleep(GLANCE_SECONDS)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
