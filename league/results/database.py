"""The database of a league: who may read and write it, and what it holds beside results.

That is the files of bots and games, the league's secret, when it was played, and its history.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from glob import escape, glob
from pathlib import Path
from time import time
from typing import Any, NamedTuple, Self
from zlib import compress

import msgspec
from msgspec.structs import replace

from league.errors import StoreError
from league.games.contract import GameFile
from league.results import untrusted
from league.results.lock import hold
from league.results.schema import FILE, check, connect, connect_for_writing, explained, has_no_tables
from league.setup.bot_folder import BotFile
from league.setup.roster import Bot
from league.tools.text import shown_path

LEFT_OUT = "left_out"
"""A JSON object of texts."""
SECRET = "secret"  # noqa: S105 - the key of the row, not its value; with a seed in the config, it follows
FORGOTTEN = "forgotten"
"""What is left of a bot's words."""
GAME_FILE = "game file "
"""What a key begins with that holds the file of a game, before the hash of its text."""


def secret_key(seed: int | None) -> str:
    """Under which key a league's secret is kept."""
    return SECRET if seed is None else f"{SECRET} of seed {seed}"


class Run(NamedTuple):
    """One call of `league run` that played something."""

    started: float
    ended: float | None
    """None: it is still going on, or it was cut off."""
    games: int
    workers: int


class Database:
    """An open database. `create` is for the process that plays, `open` for those that read."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, lock: int | None = None) -> None:
        self.folder = folder
        self._path = folder / FILE
        self._db = connection
        self._lock = lock
        file = os.stat(self._path)
        self._file = file.st_dev, file.st_ino
        """Which file it is, whatever its name."""

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open a league's results for reading, also while it is being played."""
        path = folder / FILE
        if not os.path.isfile(path):  # unlike Path.is_file, also False where one may not look
            hint = " Play one first: league run CONFIG."
            for place in (folder, folder.parent, folder.parent / "results"):  # whichever of them was left out, or wrong
                if there := sorted(glob(os.path.join(escape(str(place)), "*", FILE))):
                    hint = f" Leagues near it: {', '.join(shown_path(Path(file).parent) for file in there)}."
                    break
            raise StoreError(f"There are no results in {shown_path(folder)} (expected a file {FILE}).{hint}")
        connection = connect(path, read_only=True)
        try:
            with explained(path):
                if has_no_tables(connection):  # a kill may have left an empty file
                    connection.close()
                    cls.create(folder).close()
                    connection = connect(path, read_only=True)
                check(connection, path)
        except BaseException:
            connection.close()
            raise
        return cls(folder, connection)

    @classmethod
    def create(cls, folder: Path) -> Self:
        """Open a league's results for playing, made if they are not there; no other process may play meanwhile."""
        path = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = hold(folder)
        except OSError as problem:
            raise StoreError(f"The folder {shown_path(folder)} cannot be written: {problem.strerror}.") from None
        try:
            return cls(folder, connect_for_writing(path), lock)
        except BaseException as problem:
            os.close(lock)
            if isinstance(problem, OSError):
                raise StoreError(f"{shown_path(path)} cannot be written: {problem.strerror}.") from None
            raise

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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def checkpoint(self) -> None:
        """Move everything into the main file: closing the store then changes no file of results any more."""
        with self._reading() as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def run_started(self, workers: int) -> int:
        """Write down that playing begins; returns the number of the run."""
        with self._transaction() as db:
            return int(
                db.execute("INSERT INTO runs VALUES (NULL, ?, NULL, 0, ?, NULL)", (time(), workers)).lastrowid or 0
            )

    def run_ended(self, run: int, games: int) -> None:
        """Write down that playing is over."""
        with self._transaction() as db:
            db.execute("UPDATE runs SET ended = ?, games = ? WHERE id = ?", (time(), games, run))

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        """All that is read in this context is as it was when it began."""
        with self._reading() as db:
            db.execute("BEGIN")
            try:
                yield
            finally:
                db.execute("COMMIT")

    def game_files(self) -> tuple[GameFile, ...]:
        """The files of games that were ever played in this league, by hash."""
        with self._reading() as db:
            rows = db.execute("SELECT value FROM meta WHERE key GLOB ? ORDER BY key", (f"{GAME_FILE}*",)).fetchall()
            return tuple(untrusted.game_file(value) for (value,) in rows)

    def secret(self, seed: int | None = None) -> str | None:
        """The secret that was drawn for this league, or stretched from this seed of its config; None if none was."""
        known = self._remark(secret_key(seed))
        return None if known is None else untrusted.secret(known)

    def meta(self, key: str) -> str:
        """A fact about the league: its 'league' (name), 'config' (text), 'isolation'."""
        return str(self._row("SELECT value FROM meta WHERE key = ?", key)[0])

    def left_out(self) -> dict[str, str]:
        """The files that were no bots when it was last run: name to reason."""
        text = self._remark(LEFT_OUT)
        with self._reading():
            return untrusted.remarks(text) if text else {}

    def _remark(self, key: str) -> str | None:
        with self._reading() as db:
            row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else None

    def runs(self) -> list[Run]:
        """When it was played."""
        with self._reading() as db:
            rows = db.execute("SELECT started, ended, games, workers FROM runs ORDER BY id").fetchall()
            for number in (number for row in rows for number in row if number is not None):
                untrusted.number(number, untrusted.LAST_TIME)
            return [Run(*row) for row in rows]

    def remember(self, standings: str) -> None:
        """Keep the standings after the last run; after one that played nothing, they are a run of their own."""
        with self._transaction() as db:
            last = "id = (SELECT max(id) FROM runs) AND standings IS NULL"
            if not db.execute(f"UPDATE runs SET standings = ? WHERE {last}", (standings,)).rowcount:  # noqa: S608 - ours
                now = time()
                db.execute("INSERT INTO runs VALUES (NULL, ?, ?, 0, 0, ?)", (now, now, standings))

    def history(self) -> list[str]:
        """The standings after each run that changed them, the oldest first; `league.results.history` reads them."""
        with self._reading() as db:
            rows = db.execute("SELECT standings FROM runs WHERE standings IS NOT NULL ORDER BY id")
            return [standings for (standings,) in rows]

    def forget(self, name: str) -> None:
        """Erase the source of a bot in all its versions, and all that it has said. Its results and moves stay.

        Then it can be shown, but never be played again. Other bots keep files that they have in common with it.
        """
        with self._transaction() as db:
            bots = [untrusted.bot(*row) for row in db.execute("SELECT bot, name, hash FROM bots")]
            kept = {file.hash for bot in bots if bot.name != name for file in bot.files}
            gone = {file.hash for bot in bots if bot.name == name for file in bot.files} - kept
            db.executemany("DELETE FROM files WHERE hash = ?", [(digest,) for digest in gone])
            for bot in bots:
                if bot.name == name:
                    bare = replace(bot, path=Path(name), source=b"", doc="", language="object", command=(), files=())
                    db.execute(
                        "UPDATE bots SET bot = ?, erratic = NULL WHERE name = ? AND hash = ?",
                        (msgspec.msgpack.encode(bare, enc_hook=str), name, bot.hash),
                    )
            db.execute("INSERT OR IGNORE INTO tails (text) VALUES ('')")
            db.execute(
                "UPDATE faults SET cause = ?, tail = (SELECT id FROM tails WHERE text = '')"
                " WHERE kind != 'forfeit' AND bot IN (SELECT id FROM bots WHERE name = ?)",
                (FORGOTTEN, name),
            )
            db.execute("DELETE FROM tails WHERE text != '' AND id NOT IN (SELECT tail FROM faults)")
            db.execute("UPDATE unavailable SET cause = ? WHERE bot = ?", (FORGOTTEN, name))
            others = {other: reason for other, reason in self.left_out().items() if other != name}
            db.execute("UPDATE meta SET value = ? WHERE key = ?", (as_json(others), LEFT_OUT))
        with self._reading() as db:
            db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 1)  # which is how SQLite writes the file again
            db.execute("VACUUM")  # else the bytes would stay in it
            db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        self.checkpoint()

    def _row(self, query: str, *parameters: str) -> Any:
        with self._reading() as db:
            row = db.execute(query, parameters).fetchone()
        if row is None:
            raise StoreError(f"{shown_path(self._path)} is incomplete: run the league again to mend it.")
        return row

    def _refuse_vanished(self) -> None:
        """What is written into a file that has lost its name is lost: SQLite goes on without a word."""
        try:
            file = os.stat(self._path)
        except OSError:
            file = None
        if file is None or (file.st_dev, file.st_ino) != self._file:
            raise StoreError(
                f"{shown_path(self._path)} has vanished while the league was being played: it was moved, replaced or"
                " deleted. Nothing more was played; put it back, or run the same command again to begin from the start."
            )

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with explained(self._path):
            yield self._db

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with explained(self._path), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            yield self._db


def keep_files(db: sqlite3.Connection, files: Iterable[BotFile]) -> None:
    """Keep the content of files, each once, however many bots and versions have it."""
    for file in files:
        if not db.execute("SELECT 1 FROM files WHERE hash = ?", (file.hash,)).fetchone():
            db.execute("INSERT INTO files VALUES (?, ?)", (file.hash, compress(file.content)))


def only_listed(bot: Bot) -> Bot:
    """A bot without the content of its files, which is kept apart."""
    return replace(bot, files=tuple(replace(file, content=b"") for file in bot.files), made=())


def as_json(texts: Mapping[str, str]) -> str:
    """Remarks as they are stored."""
    return msgspec.json.encode(texts, order="sorted").decode()
