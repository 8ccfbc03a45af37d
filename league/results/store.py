"""Where results are kept: one SQLite file for each league.

A block that was committed survives whatever comes after. Only what was played is written. What of it counts follows
from the config and the bots, which are kept too, so that any game can be played again from its address. What is kept
of a game is how it ended and its moves, in a few bytes, so the file stays small.
"""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from glob import escape, glob
from pathlib import Path
from time import time
from typing import Any, NamedTuple, Self
from zlib import compress

import msgspec
import numpy as np
from msgspec.structs import astuple, replace

from league.errors import DataError, StoreError
from league.games.contract import GameFile
from league.games.files import MAX_BYTES as LARGEST_GAME
from league.plan.costs import DEADLY, Cost, Costs
from league.plan.coverage import Coverage
from league.plan.lineups import Lineup
from league.plan.schedule import NO_DEALS, ChosenLineup, Fixture, Plan, Span, plan, secret_of, with_rounds
from league.rating.table import changes
from league.results import untrusted
from league.results.games import FORFEIT, KINDS, FoundGame, GameColumns, Selection, StoredBlocks, Wanted, checked_blocks
from league.results.lock import hold
from league.results.schema import FILE, LONGEST_VALUE, connect, explained, make, packed_lineup
from league.results.untrusted import MOST_DEALS, Time, expect
from league.setup.bot_folder import BotFile
from league.setup.roster import Bot, Roster
from league.tools.seeds import Secret
from league.tools.text import counted, shown_path
from league.values.block import Block, BlockResult, Count, Entrant, Fault, Series, Terms, Unavailable, canonical, hashed
from league.values.settings import Config

LEFT_OUT = "left_out"
"""The key of a JSON object of texts."""
CHOSEN_ROUNDS = "chosen_rounds"
FORGOTTEN = "forgotten"
"""What is left of a bot's words."""
AT_ONCE, ROWS = 2**17, 64
"""Games and blocks that are read at a time, so that memory stays flat."""
_ADD_COSTS = """INSERT INTO costs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    games = games + excluded.games, decisions = decisions + excluded.decisions, seconds = seconds + excluded.seconds,
    overhead = overhead + excluded.overhead, starting = starting + excluded.starting,
    asleep = asleep + excluded.asleep, memory_mb = max(memory_mb, excluded.memory_mb),
    starts = starts + excluded.starts, deaths = deaths + excluded.deaths"""


class Run(NamedTuple):
    """One call of `league run` that played something."""

    started: Time
    ended: Time | None
    """None: it is still going on, or it was cut off."""
    games: Count
    workers: Count


class OpenMatches(NamedTuple):
    """Matches of a league that are open because a bot could not be asked."""

    bot: str
    matches: int
    games: int
    tries: int
    """How often one of them was tried at most."""
    cause: str
    """What the bot said last in the first of them."""

    def __str__(self) -> str:
        """'open: 3 matches of nova, which could not be asked (HTTP 503; tried up to 4 times). They count for …'."""
        matches, tries = f"{self.matches:,} match{'' if self.matches == 1 else 'es'}", counted(self.tries, "time")
        why = f"({self.cause}; tried up to {tries})"
        return f"open: {matches} of {self.bot}, which could not be asked {why}. They count for nobody."


class Store:
    """A league's results. `Store.create` is for the process that plays, `Store.open` for those that read."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, lock: int | None = None) -> None:
        self.folder = folder
        self._path = folder / FILE
        self._db = connection
        connection.create_function("in_places", 2, _in_places, deterministic=True)
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
        return cls(folder, connect(path))

    @classmethod
    def create(cls, folder: Path) -> Self:
        """Open a league's results for playing, made if they are not there; no other process may play meanwhile."""
        place, lock = f"The folder {shown_path(folder)}", None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = hold(folder)
            place = shown_path(folder / FILE)
            if not os.path.lexists(folder / FILE):
                make(folder / FILE)
            return cls(folder, connect(folder / FILE, read_only=False), lock)
        except BaseException as problem:
            if lock is not None:
                os.close(lock)
            if isinstance(problem, OSError):
                raise StoreError(f"{place} cannot be written: {problem.strerror}.") from None
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

    # What the league is.

    def begin(
        self,
        config: Config,
        bots: Sequence[Bot],
        left_out: Mapping[str, str] | None = None,
        *,
        chosen_rounds: bool = False,
    ) -> None:
        """Write down what the league is now. Results of what is no longer in its plan stay, but do not count.

        `left_out` has the files that are no bots: name to reason. With `chosen_rounds`, only the rounds that
        `record_round` is given belong to it.
        """
        planned = plan(config, Roster(tuple(bots)), self._secret(config))
        facts = {
            "settings": msgspec.json.encode(config, enc_hook=str).decode(),
            CHOSEN_ROUNDS: str(int(chosen_rounds)),
            LEFT_OUT: _as_json(left_out or {}),
        }
        with self._transaction() as db:
            # What is as it was is not written: a page that is newer than the results is up to date.
            db.executemany(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"
                " WHERE value IS NOT excluded.value",
                facts.items(),
            )
            gone = {*db.execute("SELECT name, hash FROM bots WHERE present")} - {(bot.name, bot.hash) for bot in bots}
            db.executemany("UPDATE bots SET present = 0 WHERE name = ? AND hash = ?", gone)
            for bot in bots:
                bare = replace(bot, files=tuple(replace(file, content=b"") for file in bot.files), made=())
                db.execute(
                    "INSERT INTO bots VALUES (NULL, ?, ?, ?, 1, NULL)"
                    " ON CONFLICT DO UPDATE SET bot = excluded.bot, present = 1"
                    " WHERE bot IS NOT excluded.bot OR NOT present",
                    (bot.name, bot.hash, msgspec.msgpack.encode(bare, enc_hook=str)),
                )
            contents = {file.hash: file.content for bot in bots for file in bot.files}
            contents |= {file.hash: file.text.encode() for file in config.game_files()}
            for digest in contents.keys() - {digest for (digest,) in db.execute("SELECT hash FROM files")}:
                db.execute("INSERT INTO files VALUES (?, ?)", (digest, compress(contents[digest])))
            db.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (_secret_key(config.seed), planned.seed))
            for index in range(len(planned.fixtures)):
                db.execute("INSERT OR IGNORE INTO terms VALUES (NULL, ?)", (canonical(planned.terms(index)),))
        self.refresh()
        self._base_plan = planned

    def refresh(self) -> None:
        """Read config, bots and plan again when they are asked for: another process may be playing the league."""
        for name in ("_settings", "_bots", "_base_plan", "_plan", "_terms_ids", "_entrant_ids"):
            self.__dict__.pop(name, None)

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        """All that is read in this context is as it was when it began."""
        with self._reading() as db:
            db.execute("BEGIN")
            try:
                self.refresh()
                yield
            finally:
                db.execute("COMMIT")

    def settings(self) -> Config:
        """The config as it was run."""
        return self._settings

    @cached_property
    def _settings(self) -> Config:
        with self._reading():
            return untrusted.settings(self._row("SELECT value FROM meta WHERE key = 'settings'")[0])

    def bots(self) -> tuple[Bot, ...]:
        """The bots of the league as it is now, by name. Those that are to play need their files: `with_files`."""
        return self._bots

    @cached_property
    def _bots(self) -> tuple[Bot, ...]:
        with self._reading() as db:
            rows = db.execute("SELECT bot, name, hash FROM bots WHERE present ORDER BY name")
            bots = tuple(untrusted.bot(*row) for row in rows)
            expect(len({bot.name for bot in bots}) == len(bots), "expected each bot once, found one again")
            return bots

    def with_files(self, bots: Iterable[Bot]) -> tuple[Bot, ...]:
        """Bots of the league with the content of their files."""
        room = self.settings().folder_mb << 20
        return tuple(replace(bot, files=tuple(self._contents(bot.files, room))) for bot in bots)

    def _contents(self, files: Iterable[BotFile], room: int) -> Iterator[BotFile]:
        for file in files:
            content = self._content(file.hash, room)
            room -= len(content)
            yield replace(file, content=content)

    def _content(self, digest: str, most: int) -> bytes:
        """The content of a file, if it is at most this many bytes."""
        with self._reading() as db:
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, most + LONGEST_VALUE)
            packed = self._row("SELECT content FROM files WHERE hash = ?", digest)[0]
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
            return untrusted.content(packed, digest, most)

    def game_files(self) -> tuple[GameFile, ...]:
        """The files of the games that the league plays now; nothing of them is run."""
        names = {contest.source: contest.game for contest in self.settings().contests() if contest.source}
        with self._reading():
            return tuple(GameFile(name, self._content(digest, LARGEST_GAME).decode()) for digest, name in names.items())

    def left_out(self) -> dict[str, str]:
        """The files that were no bots when it was last run: name to reason."""
        with self._reading():
            return untrusted.remarks(self._fact(LEFT_OUT) or "{}")

    def secret(self, seed: int | None = None) -> str | None:
        """The secret that was drawn for this league, or stretched from this seed of its config; None if none was."""
        known = self._fact(_secret_key(seed))
        return None if known is None else untrusted.secret(known)

    def _secret(self, config: Config) -> Secret:
        return self.secret(config.seed) or secret_of(config.seed)

    def remember_erratic(self, remarks: Mapping[Entrant, str]) -> None:
        """Write down which bots were found not to be deterministic."""
        rows = [(text, bot.name, bot.source) for bot, text in remarks.items()]
        with self._transaction() as db:
            db.executemany("UPDATE bots SET erratic = ? WHERE name = ? AND hash = ?", rows)

    def erratic(self) -> dict[str, str]:
        """The bots that were found not to be deterministic, as long as their files stay what they were."""
        with self._reading() as db:
            rows = db.execute("SELECT name, erratic FROM bots WHERE present AND erratic IS NOT NULL ORDER BY name")
            return {untrusted.name(name): untrusted.line(text) for name, text in rows}

    def forget(self, name: str) -> None:
        """Erase the source of a bot in all its versions, and all that it has said. Its results and moves stay.

        Then it can be shown, but never be played again. Other bots keep files that they have in common with it.
        """
        with self._transaction() as db:
            bots = [untrusted.bot(*row) for row in db.execute("SELECT bot, name, hash FROM bots")]
            kept = {file.hash for bot in bots if bot.name != name for file in bot.files}
            gone = {file.hash for bot in bots if bot.name == name for file in bot.files} - kept
            gone -= {terms.contest.source for terms in self._terms_ids}
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
            db.execute("UPDATE meta SET value = ? WHERE key = ?", (_as_json(others), LEFT_OUT))
        with self._reading() as db:
            db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 1)  # which is how SQLite writes the file again
            db.execute("VACUUM")  # else the bytes would stay in it
            db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        self.checkpoint()

    # What it plays.

    def plan(self) -> Plan:
        """What the league plays, from the config and the bots as they were last run."""
        return self._plan

    def plan_of(self, config: Config, bots: Sequence[Bot]) -> Plan:
        """What a config asks of these bots, with the rounds that were chosen for them if it leaves rounds to choice."""
        planned = plan(config, Roster(tuple(bots)), self._secret(config))
        return planned if planned.chosen is None else self._with_chosen(planned, league_id(config, planned.seed, bots))

    @cached_property
    def _base_plan(self) -> Plan:
        """Without the rounds that were chosen."""
        return plan(self.settings(), Roster(self.bots()), self._secret(self.settings()))

    @cached_property
    def _plan(self) -> Plan:
        chosen = self._fact(CHOSEN_ROUNDS) == "1"
        return self._with_chosen(self._base_plan, self._league_id) if chosen else self._base_plan

    @property
    def _league_id(self) -> str:
        return league_id(self.settings(), self._base_plan.seed, self.bots())

    def _with_chosen(self, planned: Plan, league: str) -> Plan:
        """The plan that plays the rounds that were chosen for a league, also of lineups that it has not by itself."""
        with self._reading() as db:
            rows = db.execute("SELECT chosen FROM rounds WHERE league = ? ORDER BY number", (league,))
            rounds = [untrusted.chosen_round(text, planned) for (text,) in rows]
            try:
                return with_rounds(planned, [chosen for chosen in rounds if chosen], more=all(rounds))
            except ValueError as problem:
                raise DataError(str(problem)) from None

    def record_round(self, choices: Sequence[ChosenLineup]) -> None:
        """Write down the next round of a league whose rounds are chosen on the way; an empty one ends the league."""
        row = self._league_id, len(self.plan().chosen or ()) + 1, msgspec.json.encode(choices, enc_hook=int).decode()
        with self._transaction() as db:
            db.execute("INSERT INTO rounds VALUES (?, ?, ?)", row)
        del self._plan

    @cached_property
    def _terms_ids(self) -> dict[Terms, int]:
        with self._reading() as db:
            return {untrusted.terms(written): id_ for id_, written in db.execute("SELECT id, terms FROM terms")}

    @cached_property
    def _entrant_ids(self) -> dict[Entrant, int]:
        with self._reading() as db:
            rows = db.execute("SELECT id, name, hash FROM bots")
            return {Entrant(name, source): id_ for id_, name, source in rows}

    def _places(self, entrants: Sequence[Entrant]) -> dict[int, int]:
        """By id: the index of an entrant among these, those that were never stored left out."""
        ids = self._entrant_ids
        return {ids[entrant]: place for place, entrant in enumerate(entrants) if entrant in ids}

    # What was played.

    def add(self, *results: BlockResult | Unavailable) -> None:
        """Keep the results of blocks: all of them or, if anything goes wrong, none."""
        self._refuse_vanished()
        with self._transaction() as db:
            for result in results:
                series = result.block.series
                terms = self._terms_ids[series.terms]
                ids = [self._entrant_ids[entrant] for entrant in series.lineup]
                row = (terms, packed_lineup(ids), series.rotation)
                if isinstance(result, Unavailable):
                    _add_unavailable(db, result, row)
                elif _add(db, result, row, ids):
                    deaths = Counter(fault.bot for fault in result.faults if fault.kind in DEADLY)
                    db.executemany(
                        _ADD_COSTS,
                        [
                            (terms, id_, result.block.games, *astuple(used), deaths[entrant.name])
                            for id_, entrant, used in zip(ids, series.lineup, result.usage, strict=False)
                        ],
                    )

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

    def counting(self, planned: Plan | None = None) -> list[Selection]:
        """The games that count: those of the plan, by fixture; or of another plan."""
        planned = planned or self.plan()
        return [
            Selection(planned.terms(number), fixture.entrants, partial(_wanted, fixture))
            for number, fixture in enumerate(planned.fixtures)
        ]

    def with_entrant(self, entrant: Entrant) -> list[Selection]:
        """All games of one version of a bot, with whatever versions it met, also those that count no longer."""
        bots = sorted(self._entrant_ids)
        if entrant not in self._entrant_ids:
            return []
        number = bots.index(entrant)
        every = (0, MOST_DEALS)
        return [
            Selection(terms, bots, lambda lineup: every if number in lineup else NO_DEALS) for terms in self._terms_ids
        ]

    def blocks(self, chosen: Selection, where: str = "TRUE", **values: int | bytes) -> Iterator[StoredBlocks]:
        """The blocks with games that are wanted, with their outcomes and whether there are faults in them.

        `where` leaves out other rows of the table.
        """
        columns = "stop, outcomes, id IN (SELECT block FROM faults) FROM blocks"
        return self._read(chosen, columns, where, **values)

    def _read(self, chosen: Selection, columns: str, where: str, **values: int | bytes) -> Iterator[StoredBlocks]:
        """Deals that are wanted of a table, in canonical order, with about `AT_ONCE` games at a time.

        `columns` are where the deals stop and whatever is wanted more, and the table.
        """
        places = self._places(chosen.bots)
        place_of = np.full(max(places, default=0) + 2, -1)
        place_of[[*places]] = [*places.values()]
        # Who came later may be earlier by name.
        order = "lineup" if sorted(places) == [*places] else "in_places(lineup, :places)"
        with self._reading() as db:
            rows = db.execute(
                f"SELECT rowid, lineup, rotation, first, {columns} WHERE terms = :terms AND ({where})"
                f" ORDER BY {order}, rotation, first",
                {"terms": self._terms_ids.get(chosen.terms, -1), "places": place_of.astype(">u4").tobytes(), **values},
            )
            for some in _in_parts(rows):
                checked = checked_blocks(chosen, place_of, some)
                if len(checked.id):
                    yield checked

    def _block_of(self, series: Series, deal: int) -> StoredBlocks | None:
        """The block in which a series plays a deal; None if that was not played."""
        ids = [self._entrant_ids.get(entrant, -1) for entrant in series.lineup]
        chosen = Selection(series.terms, series.lineup, lambda _: (deal, deal + 1))
        if -1 in ids:
            return None
        where = "lineup = :lineup AND rotation = :rotation"
        return next(self.blocks(chosen, where, lineup=packed_lineup(ids), rotation=series.rotation), None)

    def games(
        self, which: Iterable[Selection] | None = None, *, wanted: Wanted | None = None, block: int | None = None
    ) -> Iterator[GameColumns]:
        """The games that count, or others, in canonical order.

        `wanted` is asked about every contest with the names of a lineup; `block` is the number of the only block.
        """
        for chosen in self.counting() if which is None else which:
            lineups = chosen if wanted is None else chosen.only(wanted)
            for some in self.blocks(lineups) if block is None else self.blocks(lineups, "id = :id", id=block):
                yield self._games_in(some)

    def game_at(self, series: Series, deal: int) -> FoundGame | None:
        """How a series plays a deal; None if that was not played."""
        found = self._block_of(series, deal)
        return None if found is None else self._games_in(found).game(0)

    def _games_in(self, some: StoredBlocks) -> GameColumns:
        with self._reading():
            return some.games((row, deal, place, kind) for row, deal, place, kind, _, _ in self.faults_in(some))

    def record_of(self, series: Series, deal: int) -> BlockResult | None:
        """The block that a game is in, with its faults and moves; None if it was not played."""
        found = self._block_of(series, deal)
        if found is None:
            return None
        with self._reading() as db:
            moves = db.execute("SELECT moves FROM moves WHERE block = ?", (int(found.id[0]),)).fetchone()
        faults = tuple([fault for _, fault in self._faults_of(found)])
        return BlockResult(found.block(0), found.more[0][0], faults, moves=moves[0] if moves else b"")

    def faults(self, bot: str | None = None) -> Iterator[Fault]:
        """The faults in everything that counts, in canonical order."""
        for chosen in self.counting():
            for some in self.blocks(chosen, "id IN (SELECT block FROM faults)"):
                for row, fault in self._faults_of(some):
                    low, high = some.wanted[row]
                    if low <= fault.deal < high and bot in (None, fault.bot):
                        yield fault

    def _faults_of(self, some: StoredBlocks) -> Iterator[tuple[int, Fault]]:
        """The faults in some blocks, each with the row of its block."""
        for row, deal, place, kind, cause, tail in self.faults_in(some):
            if kind != FORFEIT:
                series = some.block(row).series
                yield row, Fault(series.lineup[place].name, str(series.address(deal)), kind, cause, tail)  # type: ignore[arg-type]

    def faults_in(self, some: StoredBlocks) -> Iterator[tuple[int, int, int, str, str, str]]:
        """The faults and forfeits in some blocks: the row of the block, the deal, the bot's place, and what it was."""
        places = self._places(some.bots)
        with self._reading() as db:
            for row in np.flatnonzero(some.more[1]).tolist():
                first, stop, lineup = some.first[row], some.stop[row], some.lineup[row].tolist()
                rows = db.execute(
                    "SELECT deal, bot, kind, cause, text FROM faults JOIN tails ON tails.id = tail"
                    " WHERE block = ? ORDER BY faults.rowid",
                    (int(some.id[row]),),
                )
                for deal, bot, *what in rows:
                    expected = first <= deal < stop and places.get(bot) in lineup and what[0] in KINDS
                    expect(expected, "expected faults of bots at the table, found others")
                    yield row, deal, lineup.index(places[bot]), *what

    def coverage(self, planned: Plan | None = None) -> Coverage:
        """Which deals of the plan were played; or of another plan."""
        planned = planned or self.plan()
        coverage = Coverage(planned)
        for number, chosen in enumerate(self.counting(planned)):
            rank_of = planned.fixtures[number].lineups.rank
            for some in self.blocks(chosen):
                begins = changes(np.column_stack([some.lineup, some.rotation]))
                begins[1:] |= some.first[1:] != some.stop[:-1]
                starts = np.flatnonzero(begins)
                stops = some.stop[np.append(starts[1:], len(begins)) - 1]
                columns = some.lineup[starts], some.rotation[starts], some.first[starts], stops
                for lineup, rotation, first, stop in zip(*(column.tolist() for column in columns), strict=True):
                    coverage.add(number, rank_of((*lineup,)) or 0, rotation, (first, stop))
        return coverage

    def games_stored(self) -> int:
        """How many games are stored, those included that do not count."""
        return int(self._row("SELECT coalesce(sum(stop - first), 0) FROM blocks")[0])

    def unavailable(self) -> list[OpenMatches]:
        """Matches of the plan that are open because a bot could not be asked, by bot."""
        open_matches: dict[str, OpenMatches] = {}
        for match, bot, cause, tries in sorted(self._open(), key=lambda found: found[1]):
            known = open_matches.get(bot, OpenMatches(bot, 0, 0, 0, cause))
            games = known.games + match.games
            open_matches[bot] = known._replace(matches=known.matches + 1, games=games, tries=max(known.tries, tries))
        return [*open_matches.values()]

    def tries(self) -> dict[tuple[Series, int], int]:
        """How often each of these matches was tried, by its series and its first deal."""
        return {(match.series, match.first): tries for match, _, _, tries in self._open()}

    def _open(self) -> Iterator[tuple[Block, str, str, int]]:
        """Matches of the plan for which a bot could not be asked: who it was, why, and how often it was tried."""
        for chosen in self.counting():
            stop = f"first + {chosen.terms.contest.games_per_match}"
            for some in self._read(chosen, f"{stop}, bot, cause, tries FROM unavailable", "TRUE"):
                for row, (bot, cause, tries) in enumerate(zip(*some.more, strict=True)):
                    yield some.block(row), untrusted.name(bot), untrusted.line(cause), int(untrusted.number(tries))

    def costs(self, workers: int = 1) -> Costs:
        """What was ever played of each contest, as it cost each bot, and how long that took by the clock."""
        costs, work = Costs(workers), 0.0
        contests = {id_: terms.contest.key for terms, id_ in self._terms_ids.items()}
        entrants = {id_: entrant for entrant, id_ in self._entrant_ids.items()}
        with self._reading() as db:
            for terms, bot, *rest in db.execute("SELECT * FROM costs ORDER BY terms, bot"):
                games, used, deaths = untrusted.costs(rest)
                work += used.cost + used.starting
                if terms in contests and bot in entrants:
                    known = costs.of(contests[terms], entrants[bot]) or Cost()
                    every = Cost(known.games + games, known.usage.plus(used), known.died or deaths > 0)
                    costs.know(contests[terms], entrants[bot], every)
        clock = sum((run.ended - run.started) * run.workers for run in self.runs() if run.ended is not None)
        if work and clock:
            costs.took(1.0, clock / work)
        return costs

    # When it was played.

    def run_started(self, workers: int) -> int:
        """Write down that playing begins; returns the number of the run."""
        with self._transaction() as db:
            added = db.execute("INSERT INTO runs VALUES (NULL, ?, NULL, 0, ?, NULL)", (time(), workers))
            return int(added.lastrowid or 0)

    def run_ended(self, run: int, games: int) -> None:
        """Write down that playing is over."""
        with self._transaction() as db:
            db.execute("UPDATE runs SET ended = ?, games = ? WHERE id = ?", (time(), games, run))

    def runs(self) -> list[Run]:
        """When it was played."""
        with self._reading() as db:
            rows = db.execute("SELECT started, ended, games, workers FROM runs ORDER BY id").fetchall()
            return msgspec.convert(rows, list[Run])

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

    # The file.

    def _fact(self, key: str) -> str | None:
        with self._reading() as db:
            row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else None

    def _row(self, query: str, *parameters: str) -> Any:
        with self._reading() as db:
            row = db.execute(query, parameters).fetchone()
        if row is None:
            raise StoreError(f"{shown_path(self._path)} is incomplete: run the league again to mend it.")
        return row

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with explained(self._path):
            yield self._db

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with explained(self._path), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            yield self._db


def league_id(config: Config, secret: Secret, bots: Iterable[Bot]) -> str:
    """The id of a config and bots, as far as they decide which rounds are chosen."""
    entrants = tuple(bot.entrant() for bot in bots)
    chosen_by = () if config.settle is None else (config.settle, config.rating)
    return hashed((config.events, secret, config.limits, config.gauntlet, config.luck_follows, entrants, *chosen_by))


def _secret_key(seed: int | None) -> str:
    """Under which key a league's secret is kept."""
    return "secret" if seed is None else f"secret of seed {seed}"


def _as_json(texts: Mapping[str, str]) -> str:
    """Remarks as they are stored."""
    return msgspec.json.encode(texts, order="sorted").decode()


def _in_places(lineup: bytes, places: bytes) -> bytes:
    """A lineup of places instead of ids; each number has four bytes. Bots without a place come last."""
    return b"".join([places[4 * id_ : 4 * id_ + 4] or places[-4:] for id_ in untrusted.lineup(lineup)])


def _in_parts(rows: sqlite3.Cursor) -> Iterator[list[tuple[Any, ...]]]:
    """Rows of blocks, some at a time."""
    some: list[tuple[Any, ...]] = []
    games = 0
    while more := rows.fetchmany(min(AT_ONCE, ROWS)):
        some += more
        games += sum([row[4] - row[3] for row in more])
        if games >= AT_ONCE:
            yield some
            some, games = [], 0
    if some:
        yield some


def _wanted(fixture: Fixture, lineup: Lineup) -> Span:
    """The deals that a fixture wants of a lineup."""
    rank = fixture.lineups.rank(lineup)
    return NO_DEALS if rank is None else fixture.wanted(rank)


def _add(db: sqlite3.Connection, result: BlockResult, series: tuple[int, bytes, int], ids: Sequence[int]) -> bool:
    """Insert one block; False if deals of it are there already: nothing of it is kept then."""
    block = result.block
    terms, lineup, rotation = series
    row = {"terms": terms, "lineup": lineup, "rotation": rotation, "first": block.first, "stop": block.stop}
    of_series = "terms = :terms AND lineup = :lineup AND rotation = :rotation"
    db.execute(f"DELETE FROM unavailable WHERE {of_series} AND :first <= first AND first < :stop", row)  # noqa: S608 - ours
    added = db.execute(
        "INSERT INTO blocks SELECT NULL, :terms, :lineup, :rotation, :first, :stop, :outcomes"  # noqa: S608 - ours
        f" WHERE :first >= coalesce((SELECT stop FROM blocks WHERE {of_series} AND first < :stop"
        " ORDER BY first DESC LIMIT 1), 0)",
        {**row, "outcomes": result.outcomes},
    )
    if not added.rowcount:
        return False
    if result.moves:
        db.execute("INSERT INTO moves VALUES (?, ?)", (added.lastrowid, result.moves))
    by_name = {entrant.name: id_ for entrant, id_ in zip(block.series.lineup, ids, strict=True)}
    faults: list[tuple[int, int, str, str, str]]
    faults = [(fault.deal, by_name[fault.bot], fault.kind, fault.cause, fault.tail) for fault in result.faults]
    faults += [(deal, ids[place], FORFEIT, "", "") for deal, place in result.forfeits]
    for deal, bot, kind, cause, tail in faults:
        db.execute("INSERT OR IGNORE INTO tails (text) VALUES (?)", (tail,))
        db.execute(
            "INSERT INTO faults SELECT ?, ?, ?, ?, ?, id FROM tails WHERE text = ?",
            (added.lastrowid, deal, bot, kind, cause, tail),
        )
    return True


def _add_unavailable(db: sqlite3.Connection, result: Unavailable, series: tuple[int, bytes, int]) -> None:
    """Record every match of a block as open."""
    block = result.block
    matches = range(block.first, block.stop, block.series.contest.games_per_match)
    db.executemany(
        "INSERT INTO unavailable VALUES (?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO UPDATE"
        " SET bot = excluded.bot, cause = excluded.cause, tries = tries + 1",
        [(*series, first, result.bot, result.cause) for first in matches],
    )
