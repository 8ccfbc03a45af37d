"""Where results are kept: one SQLite file for each league.

A block that was committed survives whatever comes after. Only what was played is written. What of it counts follows
from the config and the bots, which are kept too, so that any game can be played again from its address. What is kept
of a game is how it ended and its moves, in a few bytes, so the file stays small.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple
from zlib import compress

import msgspec
from msgspec.structs import astuple, replace

from league.errors import DataError
from league.plan.coverage import Coverage
from league.plan.lineups import Lineup, Listed
from league.plan.pace import DEADLY, Pace
from league.plan.schedule import Plan, Portion, Span, counting_part, plan, secret_of, with_rounds
from league.results import untrusted
from league.results.database import GAME_FILE, LEFT_OUT, SECRET, Database, as_json, keep_files, only_listed
from league.results.outcomes import cut
from league.results.schema import LONGEST_VALUE, packed_lineup
from league.setup.bot_folder import BotFile
from league.setup.roster import Bot, Roster
from league.tools.seeds import Secret, drawn
from league.tools.text import counted
from league.values.block import Block, BlockResult, Entrant, Fault, Series, Terms, Unavailable, Usage, canonical, hashed
from league.values.settings import Config

DEALS = "deals"
OWN_DEALS, SHARED_DEALS = "own", "shared"
"""Whether every lineup has deals of its own; shared in leagues that began when nothing was noted."""
CHOSEN_ROUNDS = "chosen_rounds"
ROUNDS_ENDED = "rounds_ended"
"""The id of the league of which no further rounds will be chosen."""

_ADD_COSTS = """INSERT INTO costs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    games = games + excluded.games, decisions = decisions + excluded.decisions, seconds = seconds + excluded.seconds,
    overhead = overhead + excluded.overhead, starting = starting + excluded.starting,
    asleep = asleep + excluded.asleep, memory_mb = max(memory_mb, excluded.memory_mb),
    starts = starts + excluded.starts, deaths = deaths + excluded.deaths"""

_pack = msgspec.msgpack.Encoder().encode


class ChosenLineup(NamedTuple):
    """A lineup that a chosen round plays, and its deals."""

    contest: str
    """Its key."""
    lineup: tuple[Entrant, ...]
    deals: Span


class BlockRecord(NamedTuple):
    """All that is kept of the games of a block. Outcomes, faults and moves are those of the whole block."""

    block: Block
    span: Span
    """The deals that count."""
    outcomes: bytes
    """Packed."""
    faults: tuple[Fault, ...]
    moves: bytes = b""
    """Packed; empty if they were not kept, or not asked for."""


class Costs(NamedTuple):
    """What all games of a contest cost one bot."""

    contest: str
    """Its key."""
    entrant: Entrant
    games: int
    usage: Usage
    deaths: int
    """Faults for which its processes were replaced."""


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


class StoredLineups:
    """Finds the lineups of a plan by what the database has of them: ids of their terms and of their entrants."""

    def __init__(self, planned: Plan, terms_ids: Mapping[Terms, int], entrant_ids: Mapping[Entrant, int]) -> None:
        self._planned = planned.fixtures
        self.fixtures = {terms_ids.get(planned.terms(index)): index for index in range(len(planned.fixtures))}
        """By the id of its terms: the index of a fixture."""
        self._entrants = [
            {entrant_ids[entrant]: index for index, entrant in enumerate(fixture.entrants) if entrant in entrant_ids}
            for fixture in planned.fixtures
        ]
        """By fixture and id: the index of an entrant."""

    def lineup(self, fixture: int, packed: bytes) -> Lineup | None:
        """A lineup as indices of entrants; None if one of them does not take part."""
        entrants = self._entrants[fixture]
        try:
            return tuple([entrants[id_] for id_ in untrusted.lineup(packed, self._planned[fixture].contest.players)])
        except KeyError:
            return None

    def find(self, terms: int, packed: bytes) -> tuple[int, int] | None:
        """The index of the fixture that has a lineup, and the rank of the lineup; None if it is not in the plan."""
        fixture = self.fixtures.get(terms)
        lineup = None if fixture is None else self.lineup(fixture, packed)
        if fixture is None or lineup is None:
            return None
        rank = self._planned[fixture].lineups.rank(lineup)
        return None if rank is None else (fixture, rank)


StoredSeries = tuple[int, int, int, int]
"""Fixture, rank, rotation and row of a series that was played. Sorted, they are in canonical order."""


class Store(Database):
    """A league's results. `Store.create` is for the process that plays, `Store.open` for those that read."""

    def begin(
        self,
        config: Config,
        bots: Sequence[Bot],
        left_out: Mapping[str, str] | None = None,
        *,
        planned: Plan | None = None,
        chosen_rounds: bool = False,
        own_deals: bool = True,
    ) -> None:
        """Write down what the league is now. Results of what is no longer in its plan stay, but do not count.

        `left_out` has the files that are no bots: name to reason. `planned` is the plan of this config and these bots,
        if the caller has made it. With `chosen_rounds`, only the rounds that `record_round` is given belong to it.
        Whether lineups have their `own_deals` is decided when a league begins.
        """
        planned = planned or plan(config, Roster(tuple(bots)), self.secret() or drawn())
        is_new = self._remark("settings") is None
        planned = replace(planned, own_deals=own_deals if is_new else self.own_deals)
        facts = {
            "league": config.name,
            "config": config.text,
            "isolation": config.isolation,
            "settings": msgspec.json.encode(config, enc_hook=str).decode(),
            CHOSEN_ROUNDS: str(int(chosen_rounds)),
            LEFT_OUT: as_json(left_out or {}),
        }
        if is_new:
            facts[DEALS] = OWN_DEALS if own_deals else SHARED_DEALS
        with self._transaction() as db:
            db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", facts.items())
            for file in config.game_files():
                written = msgspec.json.encode(file).decode()
                db.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (f"{GAME_FILE}{file.hash}", written))
            db.execute("UPDATE bots SET present = 0")
            for bot in bots:
                keep_files(db, bot.files)
                db.execute(
                    "INSERT INTO bots VALUES (NULL, ?, ?, ?, 1, NULL)"
                    " ON CONFLICT DO UPDATE SET bot = excluded.bot, present = 1",
                    (bot.name, bot.hash, msgspec.msgpack.encode(only_listed(bot), enc_hook=str)),
                )
            if config.seed is None:
                db.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (SECRET, planned.seed))
            for index in range(len(planned.fixtures)):
                db.execute("INSERT OR IGNORE INTO terms VALUES (NULL, ?)", (canonical(planned.terms(index)),))
        self.refresh()
        self._settings, self._base_plan = config, planned
        self._bots = tuple(sorted(map(only_listed, bots), key=lambda bot: bot.name))

    def add(self, *results: BlockResult | Unavailable) -> None:
        """Keep the results of blocks: all of them or, if anything goes wrong, none."""
        self._refuse_vanished()
        with self._transaction() as db:
            for result in results:
                series = result.block.series
                terms = self._terms_ids[series.terms]
                row = (terms, self._lineup_bytes(series.lineup), series.rotation)
                if isinstance(result, Unavailable):
                    _add_unavailable(db, result, row)
                elif _add(db, result, row) and result.usage:
                    deaths = Counter(fault.bot for fault in result.faults if fault.kind in DEADLY)
                    db.executemany(
                        _ADD_COSTS,
                        [
                            (
                                terms,
                                self._entrant_ids[entrant],
                                result.block.games,
                                *astuple(used),
                                deaths[entrant.name],
                            )
                            for entrant, used in zip(series.lineup, result.usage, strict=True)
                        ],
                    )

    def unavailable(self) -> list[OpenMatches]:
        """Matches of the plan that are open because a bot could not be asked, by bot."""
        planned = self.plan()
        lineups = StoredLineups(planned, self._terms_ids, self._entrant_ids)
        open_matches: dict[str, OpenMatches] = {}
        with self._reading() as db:
            rows = db.execute(
                "SELECT terms, lineup, first, bot, cause, tries FROM unavailable"
                " ORDER BY bot, terms, lineup, rotation, first"
            )
            for terms, packed, first, bot, cause, tries in rows:
                place = lineups.find(terms, packed)
                if place is None:
                    continue
                fixture = planned.fixtures[place[0]]
                wanted = fixture.wanted(place[1])
                if wanted[0] <= first < wanted[1]:
                    name = untrusted.name(bot)
                    known = open_matches.get(name, OpenMatches(name, 0, 0, 0, untrusted.line(cause)))
                    open_matches[name] = known._replace(
                        matches=known.matches + 1,
                        games=known.games + fixture.contest.games_per_match,
                        tries=max(known.tries, int(untrusted.number(tries))),
                    )
        return [*open_matches.values()]

    def record_round(self, choices: Sequence[ChosenLineup]) -> None:
        """Write down the next round of a league whose rounds are chosen on the way; an empty one ends the league."""
        number = len(self.plan().chosen or ()) + 1
        ids = {terms.contest.key: self._terms_ids[terms] for terms in self._planned_terms()}
        with self._transaction() as db:
            db.executemany(
                "INSERT INTO rounds VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (self._league_id, number, ids[choice.contest], self._lineup_bytes(choice.lineup), *choice.deals)
                    for choice in choices
                ],
            )
            if not choices:
                db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (ROUNDS_ENDED, self._league_id))
        del self._plan

    def refresh(self) -> None:
        """Read config, bots and plan again when they are asked for: another process may be playing the league."""
        for name in ("_settings", "_bots", "_base_plan", "_plan", "_terms_ids", "_entrant_ids", "_league_id"):
            self.__dict__.pop(name, None)

    @property
    def own_deals(self) -> bool:
        """Whether every lineup has deals of its own; otherwise all lineups share theirs."""
        return self._remark(DEALS) == OWN_DEALS

    def plan(self) -> Plan:
        """What the league plays, from the config and the bots as they were last run."""
        return self._plan

    def plan_of(self, config: Config, bots: Sequence[Bot]) -> Plan:
        """What a config asks of these bots, with the rounds that were chosen for them if it leaves rounds to choice."""
        secret = self.secret() or 0
        planned = plan(config, Roster(tuple(bots)), secret, own_deals=self.own_deals)
        return planned if planned.chosen is None else self._with_chosen(planned, league_id(config, bots, secret))

    def coverage(self, planned: Plan | None = None) -> Coverage:
        """Which deals of the plan were played; or of another plan."""
        planned = planned or self.plan()
        coverage = Coverage(planned)
        places = {row: place for *place, row in self._stored_series(planned)}
        with self._reading() as db:
            for row, first, stop in db.execute("SELECT series, first, stop FROM blocks"):
                if row in places:
                    fixture, rank, rotation = places[row]
                    span = untrusted.span(first, stop, planned.fixtures[fixture].contest)
                    coverage.add(fixture, rank, rotation, span)
        return coverage

    def costs(self) -> list[Costs]:
        """What was ever played of the contests of the plan, as it cost each bot."""
        keys = {self._terms_ids.get(terms): terms.contest.key for terms in self._planned_terms()}
        entrants = {id_: entrant for entrant, id_ in self._entrant_ids.items()}
        with self._reading() as db:
            return [
                Costs(keys[terms], entrants[bot], *untrusted.costs(rest))
                for terms, bot, *rest in db.execute("SELECT * FROM costs ORDER BY terms, bot")
                if terms in keys and bot in entrants
            ]

    def pace(self) -> Pace:
        """What the games of each contest cost each bot."""
        pace = Pace()
        for cost in self.costs():
            pace.know(cost.contest, cost.entrant, cost.games, cost.usage.cost)
            pace.know_process(cost.entrant, cost.usage)
            if cost.deaths:
                pace.know_deaths([cost.entrant])
        return pace

    def seconds_by_bot(self) -> dict[str, float]:
        """Seconds that the games of each bot have kept a worker busy, in every version."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT name, sum(seconds + overhead + asleep) FROM costs JOIN bots ON id = costs.bot GROUP BY name"
            )
            return {name: untrusted.number(seconds) for name, seconds in rows}

    def results(self, series: Series | None = None) -> Iterator[BlockResult]:
        """Everything that counts, or that of one series, in canonical order; `faults` are read apart."""
        for block, part, columns in self._counting("tally, forfeits, outcomes", series):
            with self._reading():
                result = _result(block, columns)
                result = result if part == (block.first, block.stop) else cut(result, *part)
            yield result

    def results_after(self, block: int) -> Iterator[BlockResult]:
        """What was added after a block while the league was being played, with its faults, in the order of playing.

        A run plays only what is missing, so all of it counts.
        """
        planned = self.plan()
        lineups = StoredLineups(planned, self._terms_ids, self._entrant_ids)
        with self._reading() as db:
            rows = db.execute(
                "SELECT blocks.id, terms, lineup, rotation, first, stop, tally, forfeits, outcomes FROM blocks"
                " JOIN series ON series.id = series WHERE blocks.id > ? ORDER BY blocks.id",
                (block,),
            )
            for id_, terms, packed, rotation, first, stop, *columns in rows:
                number = lineups.fixtures[terms]
                fixture = planned.fixtures[number]
                entrants = tuple(fixture.entrants[bot] for bot in lineups.lineup(number, packed) or ())
                series = Series(fixture.contest, entrants, rotation, planned.seed, planned.limits, planned.own_deals)
                added = Block(series, *untrusted.span(first, stop, series.contest))
                yield _result(added, columns, self._faults_of(id_, added))

    def games_stored(self) -> int:
        """How many games are stored, those included that do not count."""
        return int(self._row("SELECT coalesce(sum(stop - first), 0) FROM blocks")[0])

    def last_block(self) -> int:
        """The number of the block that was added last."""
        return int(self._row("SELECT coalesce(max(id), 0) FROM blocks")[0])

    def records(
        self,
        series: Series | None = None,
        wanted: Callable[[Series], bool] = lambda _: True,
        deal: int | None = None,
        *,
        with_moves: bool = False,
    ) -> Iterator[BlockRecord]:
        """The blocks that count, in canonical order: of one series, or of those that are wanted.

        With a `deal` only the block that it is in.
        """
        at_fault = self._blocks_at_fault()
        for block, span, (id_, outcomes) in self._counting("blocks.id, outcomes", series, wanted):
            if deal is None or span[0] <= deal < span[1]:
                faults = self._faults_of(id_, block) if id_ in at_fault else ()
                yield BlockRecord(block, span, outcomes, faults, self._moves_of(id_) if with_moves else b"")

    def _moves_of(self, id_: int) -> bytes:
        with self._reading() as db:
            row = db.execute("SELECT moves FROM moves WHERE block = ?", (id_,)).fetchone()
        return row[0] if row else b""

    def faults(self, bot: str | None = None) -> Iterator[Fault]:
        """The faults in everything that counts, in canonical order."""
        at_fault = self._blocks_at_fault()
        for block, (first, stop), (id_,) in self._counting("blocks.id") if at_fault else ():
            if id_ in at_fault:
                for fault in self._faults_of(id_, block):
                    if first <= fault.deal < stop and bot in (None, fault.bot):
                        yield fault

    def _blocks_at_fault(self) -> set[int]:
        """The numbers of the blocks with faults."""
        with self._reading() as db:
            return {block for (block,) in db.execute("SELECT DISTINCT block FROM faults")}

    def _faults_of(self, id_: int, block: Block) -> tuple[Fault, ...]:
        """The faults in a block, in the order in which they happened."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT bot, address, kind, cause, text FROM faults JOIN tails ON tails.id = tail"
                " WHERE block = ? ORDER BY faults.rowid",
                (id_,),
            )
            return tuple(untrusted.fault(row, block) for row in rows)

    def bots(self) -> tuple[Bot, ...]:
        """The bots of the league as it is now, by name. Those that are to play need their files: `with_files`."""
        return self._bots

    def names(self) -> list[str]:
        """The names of all bots whose games can be asked for."""
        return [bot.name for bot in self.bots()]

    @cached_property
    def _bots(self) -> tuple[Bot, ...]:
        with self._reading() as db:
            rows = db.execute("SELECT bot, name, hash FROM bots WHERE present ORDER BY name")
            bots = tuple(untrusted.bot(*row) for row in rows)
            untrusted.expect(len({bot.name for bot in bots}) == len(bots), "expected each bot once, found one again")
            return bots

    def with_files(self, bots: Iterable[Bot]) -> tuple[Bot, ...]:
        """Bots of the league with the content of their files."""
        room = self.settings().folder_mb << 20
        return tuple(replace(bot, files=tuple(self._contents(bot.files, room))) for bot in bots)

    def _contents(self, files: Iterable[BotFile], room: int) -> Iterator[BotFile]:
        for file in files:
            with self._reading() as db:
                db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, room + LONGEST_VALUE)
                packed = self._row("SELECT content FROM files WHERE hash = ?", file.hash)[0]
                db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
                content = untrusted.content(packed, file.hash, room)
            room -= len(content)
            yield replace(file, content=content)

    def seasoned(self) -> set[Entrant]:
        """Everybody who has ever played a game of this league, in every version."""
        with self._reading() as db:
            rows = db.execute("SELECT name, hash FROM bots WHERE id IN (SELECT bot FROM costs)")
            return {Entrant(name, source) for name, source in rows}

    def settings(self) -> Config:
        """The config as it was run."""
        return self._settings

    @cached_property
    def _settings(self) -> Config:
        with self._reading():
            return untrusted.settings(self.meta("settings"))

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

    def played_series(self) -> Iterator[tuple[Series, Span]]:
        """Every series that has been played and counts, with the deals wanted of it, in canonical order."""
        planned = self.plan()
        for fixture, rank, rotation, _ in sorted(self._stored_series(planned)):
            yield planned.series(fixture, rank, rotation), planned.fixtures[fixture].wanted(rank)

    def _counting(
        self, columns: str, only: Series | None = None, wanted: Callable[[Series], bool] = lambda _: True
    ) -> Iterator[tuple[Block, Span, tuple[Any, ...]]]:
        """The blocks that count, in canonical order, each with the deals of it that do, and with these columns.

        They are those of one moment, whatever is added meanwhile.
        """
        planned = self.plan()
        last = self.last_block()
        for fixture, rank, rotation, row in sorted(self._stored_series(planned, only)):
            series = planned.series(fixture, rank, rotation)
            if wanted(series):
                yield from self._blocks_of(series, row, planned.fixtures[fixture].wanted(rank), columns, last)

    def _blocks_of(
        self, series: Series, row: int, deals: Span, columns: str, last: int
    ) -> Iterator[tuple[Block, Span, tuple[Any, ...]]]:
        """The blocks of a series that count if these deals are wanted, up to the block `last`."""
        index, end = deals
        with self._reading() as db:
            blocks = db.execute(
                f"SELECT first, stop, {columns} FROM blocks WHERE series = ? AND id <= ?"  # noqa: S608 - our own words
                " ORDER BY first, stop DESC",  # as `schedule.covering` goes through them
                (row, last),
            ).fetchall()
            spans = [untrusted.span(first, stop, series.contest) for first, stop, *_ in blocks]
        for span, (_, _, *values) in zip(spans, blocks, strict=True):
            if part := counting_part(span, index, end):
                yield Block(series, *span), part, tuple(values)
                index = part[1]

    def _stored_series(self, planned: Plan, only: Series | None = None) -> list[StoredSeries]:
        """The series that were played and are in a plan, or one of them, in any order."""
        lineups = StoredLineups(planned, self._terms_ids, self._entrant_ids)
        query, values = "SELECT id, terms, lineup, rotation FROM series", list[object]()
        if only is not None:
            query += " WHERE terms = ? AND lineup = ? AND rotation = ?"
            values = [self._terms_ids.get(only.terms), self._lineup_bytes(only.lineup), only.rotation]
        stored = []
        with self._reading() as db:
            for row, terms, packed, rotation in db.execute(query, values):
                if (fixture := lineups.fixtures.get(terms)) is not None:
                    untrusted.rotation(rotation, planned.fixtures[fixture].contest)
                    if (place := lineups.find(terms, packed)) is not None:
                        stored.append((*place, rotation, row))
        return stored

    @cached_property
    def _base_plan(self) -> Plan:
        """Without the rounds that were chosen."""
        return plan(self.settings(), Roster(self.bots()), self.secret() or 0, own_deals=self.own_deals)

    @cached_property
    def _plan(self) -> Plan:
        chosen = self._remark(CHOSEN_ROUNDS) == "1"
        return self._with_chosen(self._base_plan, self._league_id) if chosen else self._base_plan

    def _with_chosen(self, planned: Plan, league: str) -> Plan:
        """The plan that plays the rounds that were chosen for a league."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT number, terms, lineup, first, stop FROM rounds WHERE league = ? ORDER BY number, rowid",
                (league,),
            ).fetchall()
        lineups = StoredLineups(planned, self._terms_ids, self._entrant_ids)
        chosen: dict[int, list[tuple[int, Lineup, Span]]] = {}
        ended = self._remark(ROUNDS_ENDED) == league
        with self._reading():
            for number, terms, packed, first, stop in rows:
                untrusted.expect(terms in lineups.fixtures, "expected rounds of its contests, found others")
                fixture = lineups.fixtures[terms]
                lineup = lineups.lineup(fixture, packed)
                untrusted.expect(lineup and 0 <= first < stop, "expected rounds of its bots, found others")
                chosen.setdefault(number, []).append((fixture, lineup or (), (first, stop)))
            try:
                return _with_chosen(planned, [chosen[number] for number in sorted(chosen)], more=not ended)
            except ValueError as problem:
                raise DataError(str(problem)) from None

    @cached_property
    def _terms_ids(self) -> dict[Terms, int]:
        with self._reading() as db:
            return {untrusted.terms(written): id_ for id_, written in db.execute("SELECT id, terms FROM terms")}

    @cached_property
    def _entrant_ids(self) -> dict[Entrant, int]:
        with self._reading() as db:
            rows = db.execute("SELECT id, name, hash FROM bots")
            return {Entrant(name, source): id_ for id_, name, source in rows}

    @cached_property
    def _league_id(self) -> str:
        return league_id(self.settings(), self.bots(), self.secret() or 0)

    def _planned_terms(self) -> list[Terms]:
        """By fixture."""
        planned = self.plan()
        return [planned.terms(index) for index in range(len(planned.fixtures))]

    def _lineup_bytes(self, lineup: Sequence[Entrant]) -> bytes:
        return packed_lineup([self._entrant_ids[entrant] for entrant in lineup])


def league_id(config: Config, bots: Iterable[Bot], drawn_secret: Secret) -> str:
    """Of a config and bots, as far as they decide which rounds are chosen."""
    secret = secret_of(config, drawn_secret)
    entrants = tuple(bot.entrant() for bot in bots)
    chosen_by = () if config.settle is None else (config.settle, config.rating)
    return hashed((config.events, secret, config.limits, config.gauntlet, entrants, *chosen_by))


def _add(db: sqlite3.Connection, result: BlockResult, series: tuple[int, bytes, int]) -> bool:
    """Insert one block; False if it is there already."""
    block = result.block
    db.execute("INSERT OR IGNORE INTO series VALUES (NULL, ?, ?, ?)", series)
    packed = (compress(_pack(result.tally)), _pack(result.forfeits), result.outcomes)
    added = db.execute(
        "INSERT OR IGNORE INTO blocks SELECT NULL, id, ?, ?, ?, ?, ? FROM series"
        " WHERE terms = ? AND lineup = ? AND rotation = ?",
        (block.first, block.stop, *packed, *series),
    )
    db.execute(
        "DELETE FROM unavailable WHERE terms = ? AND lineup = ? AND rotation = ? AND ? <= first AND first < ?",
        (*series, block.first, block.stop),
    )
    if not added.rowcount:
        return False
    if result.moves:
        db.execute("INSERT INTO moves VALUES (?, ?)", (added.lastrowid, result.moves))
    for fault in result.faults:
        db.execute("INSERT OR IGNORE INTO tails (text) VALUES (?)", (fault.tail,))
        db.execute(
            "INSERT INTO faults SELECT ?, ?, ?, ?, ?, id FROM tails WHERE text = ?",
            (added.lastrowid, fault.bot, fault.address, fault.kind, fault.cause, fault.tail),
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


def _result(block: Block, columns: Sequence[bytes], faults: tuple[Fault, ...] = ()) -> BlockResult:
    """The result of a block from its row."""
    tally, forfeits, outcomes = columns
    return BlockResult(block, untrusted.tally(tally, block), faults, (), untrusted.forfeits(forfeits, block), outcomes)


def _with_chosen(planned: Plan, rounds: Sequence[Sequence[tuple[int, Lineup, Span]]], *, more: bool) -> Plan:
    """The plan that plays rounds of (fixture, lineup, deals), also of lineups that it would not have by itself."""
    fixtures = []
    for index, fixture in enumerate(planned.fixtures):
        lineups = sorted({lineup for chosen in rounds for of, lineup, _ in chosen if of == index})
        if any(fixture.lineups.rank(lineup) is None for lineup in lineups):
            fixture = replace(fixture, lineups=Listed(lineups))
        fixtures.append(fixture)
    portions = [
        [Portion(index, fixtures[index].lineups.rank(lineup) or 0, deals) for index, lineup, deals in chosen]
        for chosen in rounds
    ]
    return with_rounds(replace(planned, fixtures=tuple(fixtures)), portions, more=more)
