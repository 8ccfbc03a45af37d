"""What outlasts an arena: backups, its records as plain files, and what is left of people who are forgotten."""

from __future__ import annotations

import os
import shutil
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from league.errors import ArenaError, StoreError
from league.extensions.arena.database import BUSY_SECONDS, FILE
from league.extensions.arena.folder import BOTS, CONFIG, FINAL, RESULTS
from league.extensions.arena.records import Participant
from league.extensions.arena.store import ArenaStore
from league.results.schema import FILE as LEAGUE_FILE
from league.tools.files import drafting, make_folder
from league.tools.text import safe, shown_path

_SUFFIXES = (".py", ".toml", ".zip")


@contextmanager
def _new_archive(target: Path) -> Iterator[zipfile.ZipFile]:
    """A .zip that is there when it is whole, for its owner alone, and never in the place of another file."""
    with drafting(target, replace=False) as draft:
        draft.touch(0o600)
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
            yield archive


def backup(folder: Path, target: Path) -> None:
    """Write everything that an arena needs into one .zip, also while it runs.

    The arena's database comes first: a round that it calls finished is then complete in the league's. The bots that
    play are written again before each round.
    """
    with _new_archive(target) as archive, TemporaryDirectory(prefix=".league-", dir=target.parent) as place:
        archive.write(_copied(folder / FILE, Path(place)), FILE)
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            passing = (
                inside.parts[0] == BOTS or path.name.startswith((FILE, f"{LEAGUE_FILE}-")) or path.suffix == ".log"
            )
            if path.is_file() and not passing and not any(part.startswith(".") for part in inside.parts):
                with suppress(FileNotFoundError):  # reports are renewed meanwhile
                    archive.write(_copied(path, Path(place)) if path.name == LEAGUE_FILE else path, inside)


def _copied(path: Path, place: Path) -> Path:
    """A copy of a database as it is at this moment."""
    copy = place / "copy.db"
    copy.unlink(missing_ok=True)
    uri = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with (
            closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
    except sqlite3.Error as problem:
        raise ArenaError(f"{shown_path(path)} cannot be backed up: {problem}.") from None
    return copy


def restore(source: Path, folder: Path) -> None:
    """Make the arena of a backup again, in a folder that is empty or not there."""
    if os.path.lexists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
        raise ArenaError(f"Expected an empty folder, found {shown_path(folder)} with files in it. Nothing was changed.")
    if not os.path.isfile(source):
        raise ArenaError(f"There is no backup '{safe(str(source))}'.")
    make_folder(folder.absolute().parent)
    with TemporaryDirectory(prefix=".league-restore-", dir=folder.absolute().parent) as name:
        fresh = Path(name) / "arena"
        fresh.mkdir(0o700)
        try:
            with zipfile.ZipFile(source) as archive:
                archive.extractall(fresh)  # no path leads out of it
        except OSError as problem:
            raise ArenaError(f"{shown_path(source)} cannot be restored: {problem.strerror}.") from None
        except Exception as problem:  # noqa: BLE001 - what is damaged fails in many ways
            raise ArenaError(f"{shown_path(source)} is no backup of an arena: {safe(str(problem))}.") from None
        if not (fresh / CONFIG).is_file():
            raise ArenaError(f"{shown_path(source)} is no backup of an arena: expected a file {CONFIG} in it.")
        ArenaStore.open(fresh).close()
        if os.path.isdir(folder):
            folder.rmdir()
        fresh.rename(folder)


def export(folder: Path, target: Path) -> None:
    """Write an arena's records into one .zip, for whoever must keep them: each table, and every version as a file."""
    with ArenaStore.open(folder) as arena, _new_archive(target) as archive:
        for name, table in arena.records().items():
            archive.writestr(f"{name}.csv", table.csv())
        for submission in arena.submissions():
            suffix = Path(submission.filename).suffix.lower()
            name = f"{submission.number:04}{suffix if suffix in _SUFFIXES else '.bin'}"
            if content := arena.content(submission):
                archive.writestr(f"versions/{submission.bot}/{name}", content)


def forget(arena: ArenaStore, person: Participant, actor: str) -> bool:
    """After the final: replace somebody's name by their alias, and the sources of their bot by their hashes.

    Receipts, rosters, standings and moves stay, so that the final can still be shown, but not be played again. Returns
    whether the sources were erased: a team's stay until the last of its people is forgotten.
    """
    team = [other for other in arena.people() if other.bot == person.bot and other.id != person.id]
    alone = all(other.is_forgotten for other in team)
    arena.forget(person, actor, sources=alone)
    if alone:
        for place in (arena.folder, arena.folder / FINAL):
            for database in sorted(place.glob(f"{RESULTS}/*/{LEAGUE_FILE}")):
                _forget_in(database.parent, person.bot)
            _remove_bot(place / BOTS, person.bot)
    return alone


def _forget_in(league: Path, bot: str) -> None:
    """Erase a bot's sources in a league's results, and write its pages again, which may quote it."""
    from league.page.reports import write_reports
    from league.results.standings import Standings
    from league.results.store import Store

    with Store.create(league) as store:
        store.forget(bot)
        write_reports(store, Standings.of(store))


def _remove_bot(folder: Path, name: str) -> None:
    try:
        if (folder / name).is_dir():
            shutil.rmtree(folder / name)
        for suffix in _SUFFIXES:
            (folder / f"{name}{suffix}").unlink(missing_ok=True)
    except OSError as problem:
        raise StoreError(f"{shown_path(folder / name)} cannot be removed: {problem.strerror}.") from None
