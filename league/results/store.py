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
from typing import Any, NamedTuple, get_args

import msgspec
from msgspec.structs import astuple, replace

from league.errors import DataError
from league.plan.coverage import Coverage
from league.plan.lineups import Lineup, Listed
from league.plan.pace import DEADLY, Pace
from league.plan.schedule import NO_DEALS, Fixture, Plan, Portion, Span, plan, secret_of, with_rounds
from league.results import untrusted
from league.results.database import GAME_FILE, LEFT_OUT, SECRET, Database, as_json, keep_files, only_listed
from league.results.schema import LONGEST_VALUE, packed_lineup
from league.setup.bot_folder import BotFile
from league.setup.roster import Bot, Roster
from league.tools.seeds import Secret, drawn
from league.tools.text import counted
from league.values.block import (
    Block,
    BlockResult,
    Entrant,
    Fault,
    FaultKind,
    Series,
    Terms,
    Unavailable,
    Usage,
    canonical,
    hashed,
)
from league.values.settings import Config, Contest

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

FORFEIT = "forfeit"
KINDS = (*sorted(get_args(FaultKind)), FORFEIT)
"""The kinds of faults, as they are stored: a game that was forfeited after too many faults in its match is one too."""


class ChosenLineup(NamedTuple):
    """A lineup that a chosen round plays, and its deals."""

    contest: str
    """Its key."""
    lineup: tuple[Entrant, ...]
    deals: Span


class Selection(NamedTuple):
    """Games of one contest that are wanted."""

    terms: Terms
    bots: Sequence[Entrant]
    """Whose indices a lineup has, in the order in which lineups are sorted."""
    deals: Callable[[Lineup], Span]
    """The deals that are wanted of a lineup; `NO_DEALS` if it is none of these."""
    alone: Lineup | None = None
    """The only lineup, if there is but one."""

    def only(self, wanted: Callable[[Contest, Sequence[str]], bool]) -> Selection:
        """The lineups among them that are wanted, by the contest and the names."""

        def deals(lineup: Lineup) -> Span:
            names = [self.bots[bot].name for bot in lineup]
            return self.deals(lineup) if wanted(self.terms.contest, names) else NO_DEALS

        return self._replace(deals=deals)


StoredBlock = tuple[Any, ...]
"""Number, lineup, deals wanted of it, rotation, first deal, stop, and what else was asked for."""


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
                ids = [self._entrant_ids[entrant] for entrant in series.lineup]
                row = (terms, packed_lineup(ids), series.rotation)
                if isinstance(result, Unavailable):
                    _add_unavailable(db, result, row)
                elif _add(db, result, row, ids) and result.usage:
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
        for number, chosen in enumerate(self.counting(planned)):
            lineup, rank = None, None
            for _, members, _, rotation, first, stop in self.blocks(chosen):
                if members != lineup:
                    lineup, rank = members, planned.fixtures[number].lineups.rank(members)
                with self._reading():
                    untrusted.rotation(rotation, chosen.terms.contest)
                    span = untrusted.span(first, stop, chosen.terms.contest)
                coverage.add(number, rank or 0, rotation, span)
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
        every = (0, untrusted.MOST_DEALS)
        return [
            Selection(terms, bots, lambda lineup: every if number in lineup else NO_DEALS) for terms in self._terms_ids
        ]

    def blocks(
        self, chosen: Selection, columns: str = "", *, since: int = 0, last: int | None = None, deal: int | None = None
    ) -> Iterator[StoredBlock]:
        """The blocks with games that are wanted, in canonical order, up to the block `last`, with these columns."""
        ids = [self._entrant_ids.get(entrant, -1) for entrant in chosen.bots]
        places = {id_: place for place, id_ in enumerate(ids) if id_ >= 0}
        players = chosen.terms.contest.players

        def in_places(packed: bytes) -> bytes:
            return packed_lineup([places.get(id_, len(ids)) for id_ in untrusted.lineup(packed, len(packed) // 4)])

        conditions = ["terms = ?", "id > ?", "id <= ?"]
        values: list[int | bytes] = [self._terms_ids.get(chosen.terms, -1), since]
        values.append(self.last_block() if last is None else last)
        if chosen.alone is not None:
            conditions.append("lineup = ?")
            values.append(packed_lineup([ids[bot] for bot in chosen.alone]))
        if deal is not None:
            conditions.append("first <= ? AND stop > ?")
            values += [deal, deal]
        order = "lineup" if sorted(ids) == ids else "in_places(lineup)"  # who came later may be earlier by name
        lineup: Lineup | None
        packed, lineup, deals = b"", None, NO_DEALS
        with self._reading() as db:
            db.create_function("in_places", 1, in_places, deterministic=True)
            rows = db.execute(
                f"SELECT id, rotation, first, stop, lineup{columns and ', '}{columns} FROM blocks"  # noqa: S608 - ours
                f" WHERE {' AND '.join(conditions)} ORDER BY {order}, rotation, first",
                values,
            )
            for id_, rotation, first, stop, stored, *others in rows:
                if stored != packed:
                    packed = stored
                    members = [places.get(id_, -1) for id_ in untrusted.lineup(packed, players)]
                    lineup, deals = tuple(members), NO_DEALS if -1 in members else chosen.deals(tuple(members))
                if first < deals[1] and deals[0] < stop:
                    yield id_, lineup, deals, rotation, first, stop, *others

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
        lineup = tuple(range(len(series.lineup)))
        alone = Selection(series.terms, series.lineup, lambda _: (0, untrusted.MOST_DEALS), lineup)
        found = self._records(alone, with_moves=True, deal=deal) if {*series.lineup} <= {*self._entrant_ids} else ()
        return next((record.result for record in found if record.block.series == series), None)

    def _records(self, chosen: Selection, *, with_moves: bool, deal: int | None = None) -> Iterator[BlockRecord]:
        contest, at_fault = chosen.terms.contest, self.blocks_at_fault()
        for id_, lineup, wanted, rotation, first, stop, outcomes in self.blocks(chosen, "outcomes", deal=deal):
            with self._reading() as db:
                span = untrusted.span(first, stop, contest)
                entrants = tuple([chosen.bots[bot] for bot in lineup])
                terms = chosen.terms
                turned = untrusted.rotation(rotation, contest)
                series = Series(contest, entrants, turned, terms.seed, terms.limits, terms.own_deals)
                faults = self._faults_of(id_, series, span) if id_ in at_fault else ()
                known = self.faults_in(id_, entrants, span) if id_ in at_fault else []
                forfeits = tuple([(deal, place) for deal, place, kind in known if kind == FORFEIT])
                row = db.execute("SELECT moves FROM moves WHERE block = ?", (id_,)).fetchone() if with_moves else None
            result = BlockResult(Block(series, *span), outcomes, faults, (), forfeits, row[0] if row else b"")
            yield BlockRecord(result, (max(span[0], wanted[0]), min(span[1], wanted[1])))

    def faults(self, bot: str | None = None) -> Iterator[Fault]:
        """The faults in everything that counts, in canonical order."""
        at_fault = self.blocks_at_fault()
        for chosen in self.counting() if at_fault else ():
            for id_, lineup, wanted, rotation, first, stop in self.blocks(chosen):
                if id_ in at_fault:
                    with self._reading():
                        span = untrusted.span(first, stop, chosen.terms.contest)
                        entrants = tuple([chosen.bots[bot] for bot in lineup])
                        terms = chosen.terms
                        series = Series(terms.contest, entrants, rotation, terms.seed, terms.limits, terms.own_deals)
                        faults = self._faults_of(id_, series, span)
                    for fault in faults:
                        if wanted[0] <= fault.deal < wanted[1] and bot in (None, fault.bot):
                            yield fault

    def blocks_at_fault(self) -> set[int]:
        """The numbers of the blocks with faults."""
        with self._reading() as db:
            return {block for (block,) in db.execute("SELECT DISTINCT block FROM faults")}

    def faults_in(self, block: int, lineup: Sequence[Entrant], span: Span) -> list[tuple[int, int, str]]:
        """The deal, the place in the lineup and the kind of each fault in a block, and of each forfeited game."""
        places = {self._entrant_ids[entrant]: place for place, entrant in enumerate(lineup)}
        with self._reading() as db:
            rows = db.execute("SELECT deal, bot, kind FROM faults WHERE block = ? ORDER BY rowid", (block,)).fetchall()
            for deal, bot, kind in rows:
                expected = span[0] <= deal < span[1] and bot in places and kind in KINDS
                untrusted.expect(expected, "expected faults of bots at the table, found others")
            return [(deal, places[bot], kind) for deal, bot, kind in rows]

    def _faults_of(self, id_: int, series: Series, span: Span) -> tuple[Fault, ...]:
        """The faults in a block, in the order in which they happened."""
        names = {self._entrant_ids[entrant]: entrant.name for entrant in series.lineup}
        with self._reading() as db:
            rows = db.execute(
                "SELECT deal, bot, kind, cause, text FROM faults JOIN tails ON tails.id = tail"
                " WHERE block = ? AND kind != ? ORDER BY faults.rowid",
                (id_, FORFEIT),
            ).fetchall()
            expected = all(span[0] <= deal < span[1] and bot in names for deal, bot, *_ in rows)
            untrusted.expect(expected, "expected faults of bots at the table, found others")
            return tuple([untrusted.fault(names[bot], series, deal, *told) for deal, bot, *told in rows])

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
        for chosen in self.counting():
            played: tuple[Lineup, int] | None = None
            for _, lineup, wanted, rotation, *_ in self.blocks(chosen):
                if played != (lineup, rotation):
                    played = lineup, rotation
                    with self._reading():
                        turned = untrusted.rotation(rotation, chosen.terms.contest)
                    terms, entrants = chosen.terms, tuple([chosen.bots[bot] for bot in lineup])
                    yield Series(terms.contest, entrants, turned, terms.seed, terms.limits, terms.own_deals), wanted

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
    """The id of a config and bots, as far as they decide which rounds are chosen."""
    secret = secret_of(config, drawn_secret)
    entrants = tuple(bot.entrant() for bot in bots)
    chosen_by = () if config.settle is None else (config.settle, config.rating)
    return hashed((config.events, secret, config.limits, config.gauntlet, entrants, *chosen_by))


def _wanted(fixture: Fixture, lineup: Lineup) -> Span:
    """The deals that a fixture wants of a lineup."""
    rank = fixture.lineups.rank(lineup)
    return NO_DEALS if rank is None else fixture.wanted(rank)


def _add(db: sqlite3.Connection, result: BlockResult, series: tuple[int, bytes, int], ids: Sequence[int]) -> bool:
    """Insert one block; False if deals of it are there already: nothing of it is kept then."""
    block = result.block
    of_series = "terms = ?1 AND lineup = ?2 AND rotation = ?3"
    db.execute(
        f"DELETE FROM unavailable WHERE {of_series} AND ?4 <= first AND first < ?5",  # noqa: S608 - our own words
        (*series, block.first, block.stop),
    )
    added = db.execute(
        "INSERT INTO blocks SELECT NULL, ?1, ?2, ?3, ?4, ?5, ?6 WHERE ?4 >= coalesce("  # noqa: S608 - our own words
        f"(SELECT stop FROM blocks WHERE {of_series} AND first < ?5 ORDER BY first DESC LIMIT 1), 0)",
        (*series, block.first, block.stop, result.outcomes),
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
