"""Plays the stored rounds of an arena again, in a fresh folder."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from league.extensions.arena.archive import backup, restore
from league.extensions.arena.ladder import Ladder
from league.extensions.arena.store import ArenaStore
from league.results.csvs import csv_texts
from league.results.standings import read_standings
from league.results.store import Store
from league.values.settings import Isolation, Stop


def never() -> bool:
    """Nobody asks to stop."""
    return False


def tables(folder: Path) -> dict[str, str]:
    [league] = (folder / "results").iterdir()
    return csv_texts(read_standings(league))


def replayed(arena: ArenaStore, place: Path) -> dict[str, str]:
    """The standings of a fresh league with the same secret, played by the stored rosters one after the other."""
    backup(arena.folder, place / "copy.zip")
    restore(place / "copy.zip", place / "copy")
    [league] = (arena.folder / "results").iterdir()
    with Store.open(league) as store:
        secret = store.secret()
    shutil.rmtree(place / "copy" / "results")
    fresh = place / "copy" / "results" / league.name
    Store.create(fresh).close()
    with closing(sqlite3.connect(fresh / "league.db")) as db, db:
        db.execute("INSERT INTO meta VALUES ('secret', ?)", (secret,))
    again = Ladder(place / "copy", 1, Isolation.TRUSTED)
    for part in arena.rounds():
        again._write_bots(part.roster)
        rounds = again._rounds_to_play(part.number, part.roster)
        assert rounds is not None
        again._played(part, place / "copy", Stop(rounds=rounds), never)
    again.close()
    return tables(place / "copy")
