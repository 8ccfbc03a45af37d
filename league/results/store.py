"""Where results are kept: one SQLite file for each league.

A block that was committed survives whatever comes after. Only what was played is written. What of it counts follows
from the config and the bots, which are kept too, so that any game can be played again from its address. What is kept
of a game is how it ended and its moves, in a few bytes, so the file stays small.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import astuple, replace

from league.errors import DataError
from league.plan.costs import DEADLY, Cost, Costs
from league.plan.coverage import Coverage
from league.plan.lineups import Lineup, Listed
from league.plan.schedule import NO_DEALS, Fixture, Plan, Portion, Span, plan, secret_of, with_rounds
from league.rating.table import changes
from league.results import untrusted
from league.results.blocks import FORFEIT, Selection, StoredBlocks, wanted_blocks
from league.results.database import GAME_FILE, LEFT_OUT, Database, as_json, keep_files, only_listed, secret_key
from league.results.schema import LONGEST_VALUE, packed_lineup
from league.results.untrusted import MOST_DEALS, expect
from league.setup.bot_folder import BotFile
from league.setup.roster import Bot, Roster
from league.tools.seeds import Secret
from league.tools.text import counted
from league.values.block import (
    Block,
    BlockResult,
    Entrant,
    Fault,
    Series,
    Terms,
    Unavailable,
    canonical,
    hashed,
)
from league.values.settings import Config, Contest

CHOSEN_ROUNDS = "chosen_rounds"
ROUNDS_ENDED = "rounds_ended"
"""The id of the league of which no further rounds will be chosen."""
AT_ONCE = 2**17
"""Games that are read at a time, so that memory stays flat."""
_ADD_COSTS = """INSERT INTO costs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    games = games + excluded.games, decisions = decisions + excluded.decisions, seconds = seconds + excluded.seconds,
    overhead = overhead + excluded.overhead, starting = starting + excluded.starting,
    asleep = asleep + excluded.asleep, memory_mb = max(memory_mb, excluded.memory_mb),
    starts = starts + excluded.starts, deaths = deaths + excluded.deaths"""


class ChosenLineup(NamedTuple):
    """A lineup that a chosen round plays, and its deals."""

    contest: str
    """Its key."""
    lineup: tuple[Entrant, ...]
    deals: Span


class BlockRecord(NamedTuple):
    """All that is kept of the games of a block. Outcomes, faults and moves are those of the whole block."""

    result: BlockResult
    """Without usage, and without moves if they were not kept, or not asked for."""
    span: Span
    """The deals that count."""

    @property
    def block(self) -> Block:
        """What was played."""
        return self.result.block


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
    ) -> None:
        """Write down what the league is now. Results of what is no longer in its plan stay, but do not count.

        `left_out` has the files that are no bots: name to reason. `planned` is the plan of this config and these bots,
        if the caller has made it. With `chosen_rounds`, only the rounds that `record_round` is given belong to it.
        """
        planned = planned or plan(config, Roster(tuple(bots)), self._secret(config))
        facts = {
            "league": config.name,
            "config": config.text,
            "isolation": config.isolation,
            "settings": msgspec.json.encode(config, enc_hook=str).decode(),
            CHOSEN_ROUNDS: str(int(chosen_rounds)),
            LEFT_OUT: as_json(left_out or {}),
        }
        with self._transaction() as db:
            # What is as it was is not written: a page that is newer than the results is up to date.
            db.executemany(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"
                " WHERE value IS NOT excluded.value",
                facts.items(),
            )
            for file in config.game_files():
                written = msgspec.json.encode(file).decode()
                db.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (f"{GAME_FILE}{file.hash}", written))
            gone = {*db.execute("SELECT name, hash FROM bots WHERE present")} - {(bot.name, bot.hash) for bot in bots}
            db.executemany("UPDATE bots SET present = 0 WHERE name = ? AND hash = ?", gone)
            for bot in bots:
                keep_files(db, bot.files)
                db.execute(
                    "INSERT INTO bots VALUES (NULL, ?, ?, ?, 1, NULL)"
                    " ON CONFLICT DO UPDATE SET bot = excluded.bot, present = 1"
                    " WHERE bot IS NOT excluded.bot OR NOT present",
                    (bot.name, bot.hash, msgspec.msgpack.encode(only_listed(bot), enc_hook=str)),
                )
            db.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (secret_key(config.seed), planned.seed))
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

    def unavailable(self) -> list[OpenMatches]:
        """Matches of the plan that are open because a bot could not be asked, by bot."""
        open_matches: dict[str, OpenMatches] = {}
        for series, _, bot, cause, tries in sorted(self._open(), key=lambda match: match[2]):
            known = open_matches.get(bot, OpenMatches(bot, 0, 0, 0, cause))
            games = known.games + series.contest.games_per_match
            open_matches[bot] = known._replace(matches=known.matches + 1, games=games, tries=max(known.tries, tries))
        return [*open_matches.values()]

    def tries(self) -> dict[tuple[Series, int], int]:
        """How often each of these matches was tried, by its series and its first deal."""
        return {(series, first): tries for series, first, _, _, tries in self._open()}

    def _open(self) -> list[tuple[Series, int, str, str, int]]:
        """Matches of the plan for which a bot could not be asked: their first deal, who it was, why, and the tries."""
        planned, found = self.plan(), []
        fixtures = self._fixtures(planned)
        with self._reading() as db:
            rows = db.execute("SELECT * FROM unavailable ORDER BY terms, lineup, rotation, first")
            for terms, packed, rotation, first, bot, cause, tries in rows:
                if terms not in fixtures:
                    continue
                number, fixture = fixtures[terms]
                lineup = self._lineup(fixture, packed) or ()
                low, high = _wanted(fixture, lineup) if lineup else NO_DEALS
                if low <= first < high:
                    entrants = tuple([fixture.entrants[index] for index in lineup])
                    series = planned.terms(number).series(entrants, int(rotation))
                    who, why = untrusted.name(bot), untrusted.line(cause)
                    found.append((series, int(first), who, why, int(untrusted.number(tries))))
        return found

    def record_round(self, choices: Sequence[ChosenLineup]) -> None:
        """Write down the next round of a league whose rounds are chosen on the way; an empty one ends the league."""
        number = len(self.plan().chosen or ()) + 1
        ids = {fixture.contest.key: id_ for id_, (_, fixture) in self._fixtures(self.plan()).items()}
        rows = []
        for choice in choices:
            lineup = packed_lineup([self._entrant_ids[entrant] for entrant in choice.lineup])
            rows.append((self._league_id, number, ids[choice.contest], lineup, *choice.deals))
        with self._transaction() as db:
            db.executemany("INSERT INTO rounds VALUES (?, ?, ?, ?, ?, ?)", rows)
            if not rows:
                db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (ROUNDS_ENDED, self._league_id))
        del self._plan

    def refresh(self) -> None:
        """Read config, bots and plan again when they are asked for: another process may be playing the league."""
        for name in ("_settings", "_bots", "_base_plan", "_plan", "_terms_ids", "_entrant_ids", "_league_id"):
            self.__dict__.pop(name, None)

    def plan(self) -> Plan:
        """What the league plays, from the config and the bots as they were last run."""
        return self._plan

    def plan_of(self, config: Config, bots: Sequence[Bot]) -> Plan:
        """What a config asks of these bots, with the rounds that were chosen for them if it leaves rounds to choice."""
        secret = self._secret(config)
        planned = plan(config, Roster(tuple(bots)), secret)
        return planned if planned.chosen is None else self._with_chosen(planned, league_id(config, bots, secret))

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

    def counting(self, planned: Plan | None = None) -> list[Selection]:
        """The games that count: those of the plan, by fixture."""
        planned = planned or self.plan()
        return [
            Selection(planned.terms(number), fixture.entrants, partial(_wanted, fixture))
            for number, fixture in enumerate(planned.fixtures)
        ]

    def with_entrant(self, entrant: Entrant) -> list[Selection]:
        """All games of one version of a bot, with whatever versions it met."""
        bots = sorted(self._entrant_ids)
        if entrant not in self._entrant_ids:
            return []
        number = bots.index(entrant)
        every = (0, MOST_DEALS)
        return [
            Selection(terms, bots, lambda lineup: every if number in lineup else NO_DEALS) for terms in self._terms_ids
        ]

    def blocks(
        self,
        chosen: Selection,
        *,
        outcomes: bool = False,
        last: int | None = None,
        deal: int | None = None,
    ) -> Iterator[StoredBlocks]:
        """The blocks with games that are wanted, in canonical order, with at most `AT_ONCE` games at a time.

        Blocks that were added after the one with the number `last` are left out. With a `deal` only blocks that have
        it.
        """
        places = self._places(chosen.bots)
        conditions = ["terms = ?", "id <= ?"]
        values: list[int | bytes] = [self._terms_ids.get(chosen.terms, -1), self.last_block() if last is None else last]
        if chosen.alone is not None:
            ids = {place: id_ for id_, place in places.items()}
            conditions.append("lineup = ?")
            values.append(packed_lineup([ids[bot] for bot in chosen.alone]))
        if deal is not None:
            conditions.append("first <= ? AND stop > ?")
            values += [deal, deal]
        order = "lineup"
        if sorted(places) != [*places]:  # who came later may be earlier by name
            order = "in_places(lineup)"

        def in_places(packed: bytes) -> bytes:
            ids = untrusted.lineup(packed, len(packed) // 4)
            return packed_lineup([places.get(id_, len(places)) for id_ in ids])

        with self._reading() as db:
            db.create_function("in_places", 1, in_places, deterministic=True)
            rows = db.execute(
                f"SELECT id, lineup, rotation, first, stop{', outcomes' * outcomes} FROM blocks"  # noqa: S608 - ours
                f" WHERE {' AND '.join(conditions)} ORDER BY {order}, rotation, first",
                values,
            )
            some: list[tuple[Any, ...]] = []
            games = 0
            for row in rows:
                games += row[4] - row[3]
                if some and (games > AT_ONCE or len(some) == AT_ONCE):
                    yield from wanted_blocks(chosen, places, some)
                    some, games = [], row[4] - row[3]
                some.append(row)
            if some:
                yield from wanted_blocks(chosen, places, some)

    def games_stored(self) -> int:
        """How many games are stored, those included that do not count."""
        return int(self._row("SELECT coalesce(sum(stop - first), 0) FROM blocks")[0])

    def last_block(self) -> int:
        """The number of the block that was added last."""
        return int(self._row("SELECT coalesce(max(id), 0) FROM blocks")[0])

    def records(
        self,
        wanted: Callable[[Contest, Sequence[str]], bool] = lambda *_: True,
        *,
        with_moves: bool = False,
    ) -> Iterator[BlockRecord]:
        """The blocks that count, in canonical order, of the contests and lineups (by their names) that are wanted."""
        for chosen in self.counting():
            yield from self._records(chosen.only(wanted), with_moves=with_moves)

    def record_of(self, series: Series, deal: int) -> BlockResult | None:
        """The block that a game is in, with its moves; None if it was not played."""
        if not {*series.lineup} <= {*self._entrant_ids}:
            return None
        alone = Selection(series.terms, series.lineup, lambda _: (0, MOST_DEALS), tuple(range(len(series.lineup))))
        found = self._records(alone, with_moves=True, deal=deal)
        return next((record.result for record in found if record.block.series == series), None)

    def _records(self, chosen: Selection, *, with_moves: bool, deal: int | None = None) -> Iterator[BlockRecord]:
        at_fault = self.blocks_at_fault()
        for some in self.blocks(chosen, outcomes=True, deal=deal):
            for row, (id_, span) in enumerate(zip(some.id.tolist(), some.spans, strict=True)):
                block = some.block(row)
                faults, forfeits = self.faults_in(id_, block) if id_ in at_fault else ((), ())
                moves = b""
                if with_moves:
                    with self._reading() as db:
                        kept = db.execute("SELECT moves FROM moves WHERE block = ?", (id_,)).fetchone()
                        moves = kept[0] if kept else b""
                yield BlockRecord(BlockResult(block, some.outcomes[row], faults, (), forfeits, moves), span)

    def faults(self, bot: str | None = None) -> Iterator[Fault]:
        """The faults in everything that counts, in canonical order."""
        at_fault = self.blocks_at_fault()
        for chosen in self.counting() if at_fault else ():
            for some in self.blocks(chosen):
                for row, (id_, (first, stop)) in enumerate(zip(some.id.tolist(), some.spans, strict=True)):
                    for fault in self.faults_in(id_, some.block(row))[0] if id_ in at_fault else ():
                        if first <= fault.deal < stop and bot in (None, fault.bot):
                            yield fault

    def blocks_at_fault(self) -> set[int]:
        """The numbers of the blocks with faults."""
        with self._reading() as db:
            return {block for (block,) in db.execute("SELECT DISTINCT block FROM faults")}

    def faults_in(self, id_: int, block: Block) -> tuple[tuple[Fault, ...], tuple[tuple[int, int], ...]]:
        """The faults in a block, as they happened; and each forfeited game: its deal, and the bot's place."""
        places = self._places(block.series.lineup)
        faults, forfeits = [], []
        with self._reading() as db:
            rows = db.execute(
                "SELECT deal, bot, kind, cause, text FROM faults JOIN tails ON tails.id = tail"
                " WHERE block = ? ORDER BY faults.rowid",
                (id_,),
            )
            for deal, bot, kind, *words in rows:
                expected = block.first <= deal < block.stop and bot in places
                expect(expected, "expected faults of bots at the table, found others")
                if kind == FORFEIT:
                    forfeits.append((deal, places[bot]))
                else:
                    name = block.series.lineup[places[bot]].name
                    faults.append(untrusted.fault(name, block.series, deal, kind, *words))
        return tuple(faults), tuple(forfeits)

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
            with self._reading() as db:
                db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, room + LONGEST_VALUE)
                packed = self._row("SELECT content FROM files WHERE hash = ?", file.hash)[0]
                db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
                content = untrusted.content(packed, file.hash, room)
            room -= len(content)
            yield replace(file, content=content)

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
        for chosen in self.counting():
            before = None
            for some in self.blocks(chosen):
                for row in np.flatnonzero(changes(np.column_stack([some.lineup, some.rotation]))).tolist():
                    series = some.series(row)
                    if series != before:
                        yield series, (*some.wanted[row].tolist(),)
                    before = series

    @cached_property
    def _base_plan(self) -> Plan:
        """Without the rounds that were chosen."""
        return plan(self.settings(), Roster(self.bots()), self._secret(self.settings()))

    @cached_property
    def _plan(self) -> Plan:
        chosen = self._remark(CHOSEN_ROUNDS) == "1"
        return self._with_chosen(self._base_plan, self._league_id) if chosen else self._base_plan

    def _with_chosen(self, planned: Plan, league: str) -> Plan:
        """The plan that plays the rounds that were chosen for a league, also of lineups that it has not by itself."""
        contests, fixtures = self._fixtures(planned), list(planned.fixtures)
        rounds: dict[int, list[tuple[int, Lineup, Span]]] = {}
        with self._reading() as db:
            rows = db.execute(
                "SELECT number, terms, lineup, first, stop FROM rounds WHERE league = ? ORDER BY number, rowid",
                (league,),
            )
            for number, terms, packed, first, stop in rows:
                expect(terms in contests, "expected rounds of its contests, found others")
                at, fixture = contests[terms]
                lineup = self._lineup(fixture, packed)
                expect(lineup and 0 <= first < stop, "expected rounds of its bots, found others")
                rounds.setdefault(number, []).append((at, lineup or (), (first, stop)))
            for index, fixture in enumerate(fixtures):
                lineups = sorted({lineup for chosen in rounds.values() for at, lineup, _ in chosen if at == index})
                if any(fixture.lineups.rank(lineup) is None for lineup in lineups):
                    fixtures[index] = replace(fixture, lineups=Listed(lineups))
            portions = [
                [Portion(at, fixtures[at].lineups.rank(lineup) or 0, deals) for at, lineup, deals in rounds[number]]
                for number in sorted(rounds)
            ]
            try:
                more = self._remark(ROUNDS_ENDED) != league
                return with_rounds(replace(planned, fixtures=tuple(fixtures)), portions, more=more)
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

    def _fixtures(self, planned: Plan) -> dict[int | None, tuple[int, Fixture]]:
        """The fixtures of a plan with their indices, by the id of their terms."""
        return {self._terms_ids.get(planned.terms(at)): (at, fixture) for at, fixture in enumerate(planned.fixtures)}

    def _lineup(self, fixture: Fixture, packed: bytes) -> Lineup | None:
        """A lineup as indices of a fixture's bots; None if one of them does not take part."""
        places, ids = self._places(fixture.entrants), untrusted.lineup(packed, fixture.contest.players)
        return tuple([places[id_] for id_ in ids]) if places.keys() >= {*ids} else None

    def _places(self, entrants: Sequence[Entrant]) -> dict[int, int]:
        """By id: the index of an entrant among these, those that were never stored left out."""
        ids = self._entrant_ids
        return {ids[entrant]: place for place, entrant in enumerate(entrants) if entrant in ids}

    @cached_property
    def _league_id(self) -> str:
        return league_id(self.settings(), self.bots(), self._secret(self.settings()))

    def _secret(self, config: Config) -> Secret:
        return self.secret(config.seed) or secret_of(config.seed)


def league_id(config: Config, bots: Iterable[Bot], secret: Secret) -> str:
    """The id of a config and bots, as far as they decide which rounds are chosen."""
    entrants = tuple(bot.entrant() for bot in bots)
    chosen_by = () if config.settle is None else (config.settle, config.rating)
    return hashed((config.events, secret, config.limits, config.gauntlet, config.luck_follows, entrants, *chosen_by))


def _wanted(fixture: Fixture, lineup: Lineup | None) -> Span:
    """The deals that a fixture wants of a lineup."""
    rank = None if lineup is None else fixture.lineups.rank(lineup)
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
