"""The work of a league as workers ask for it: sittings, round after round; nothing is listed ahead.

A sitting has blocks of one contest whose bots meet often, as many as take some seconds: starting the bots is then paid
once for many opponents. Before that, bots whose speed is not known play a few games. Lineups with bots that are costly
to start, such as those in a virtual machine, are gathered and played at the end of the round, in longer sittings.

Some bots play apart: those that are much slower than the others, to play or to be loaded, and those whose processes
die. Nobody waits for them: their games get at most a part of the time as long as there is anything else to play, and a
round goes on without them. So a league of many bots is not held up by one.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from math import ceil, comb, factorial, floor, inf

from league.plan.coverage import Coverage, merged
from league.plan.draft import MOST_GAMES, MOST_HOSTS, Draft
from league.plan.lineups import Lineup, gathered
from league.plan.pace import SECONDS, Pace
from league.plan.rounds import EqualRound, Round
from league.plan.schedule import Plan, Portion, Span, gaps
from league.values.block import Block, Entrant, Series, Sitting

FEWEST_SECONDS = 0.25
"""A round should have a sitting for each worker, as long as none is shorter than this: all end together."""
EASILY_LONGER = 0.2
"""A batch that takes this much longer than a sitting should is not divided."""
NEARLY_ALL = 0.9
"""If a sitting has room for more than this part of the bots, all are in it."""
APART_SHARE = 0.3
"""The part of the time that goes to bots that play apart, as long as others have something to play."""
MOST_RETRIES = 3
"""How often a match for which a bot could not be asked is tried again in one run."""
MOST_GATHERED = 4096
"""Lineups of a contest that wait for others with bots that are costly to start."""
TRIED_BEFORE = 8
MOST_TRIED = 16
"""As many lineups of bots that are not known play their first games in one sitting as there are this many bots that are
known, divided by how many of these play apart, but no more than that: where some are slow, others do not wait for them.
"""
UNKNOWN_SHARE = 0.1
"""As long as the speed of more than this part of the bots is not known, nothing but their first games is played."""


class Feed:
    """What is missing of a league, as sittings for some workers.

    `memory_mb` is what the hosts of one sitting may need together. `apart_seconds` is how long each bot that plays
    apart may go on when the others have played all of theirs: what is left then stays open.
    """

    def __init__(
        self,
        coverage: Coverage,
        pace: Pace,
        workers: int = 1,
        memory_mb: float = inf,
        apart_seconds: float = inf,
    ) -> None:
        self._coverage = coverage
        self._pace = pace
        self._workers = workers
        self._seconds = SECONDS
        """That a sitting of this round may take."""
        self._memory_mb = memory_mb
        self._under_way: dict[Block, tuple[int, int]] = {}
        """Fixture and rank of the blocks that were handed out."""
        self._spans: dict[Series, list[Span]] = {}
        """Their deals, and those that are not to be handed out with others."""
        self._open: dict[Series, list[Span]] = {}
        """Matches for which a bot could not be asked, and which will be tried again."""
        self._tries: Counter[tuple[Series, int]] = Counter()
        """How often each was tried without success, by its first deal."""
        self._places: dict[Series, tuple[int, int]] = {}
        """Their fixture and rank."""
        self._given_up: set[Series] = set()
        """What could not be played is not tried again."""
        self._apart: deque[Portion] = deque()
        """What bots that play apart may not have played yet."""
        self._has_unknown = False
        """Whether some of it is there because it is not known how slow a bot is."""
        self._apart_under_way: set[Block] = set()
        self._apart_seconds = apart_seconds
        self._apart_spent: dict[Entrant, float] = {}
        """Seconds that bots which play apart have had on their own."""
        self._put_off: list[Portion] = []
        """What is left of bots that have had all of theirs."""
        self._costly: dict[int, list[Portion]] = {}
        """By fixture: lineups of this round with bots that are costly to start."""
        self._credit = 0.0
        """Seconds that they may take now."""

    def sittings(self, rounds: Iterable[Round]) -> Iterator[Sitting | None]:
        """What is missing of each round; None as long as nothing can be handed out until another result has come."""
        self._apart.clear()  # what is missing is found again, perhaps in another plan
        self._put_off.clear()
        self._costly.clear()
        self._release_open()
        for round_ in rounds:
            yield from self._probes(round_)
            while self.is_waiting and self.knows_too_few:
                yield None
            later: list[Portion] = []
            for batch in round_.batches(self._plan, self._batch_sizes(round_)):
                yield from self._together(batch, later)
            yield from self._costly_together()
            yield from self._end_of_batches()
            self._apart.extend(later)
            self._has_unknown |= bool(later)
            yield from self._no_longer_apart()
            yield from self._end_of_batches()
            if not isinstance(round_, EqualRound):
                yield from self._all_apart()  # results decide what comes next, so they must be complete
        yield from self._all_apart()

    @property
    def is_waiting(self) -> bool:
        """Whether blocks that were handed out are under way."""
        return bool(self._under_way)

    def held_up(self) -> dict[str, int]:
        """Games that were postponed because of bots that play apart, by their names."""
        games: Counter[str] = Counter()
        for portion in chain(self._apart, self._put_off):
            missing = self._coverage.missing_games(portion)
            for entrant in self._slow_bots(portion):
                games[entrant.name] += missing
        return {name: count for name, count in games.most_common() if count}

    def unavailable(self, block: Block) -> None:
        """Matches that were handed out do not count: they are tried again after all others, a few times."""
        series, per_match = block.series, block.series.contest.games_per_match
        self._places[series] = self._forget(block)
        for first in range(block.first, block.stop, per_match):
            match = first, min(first + per_match, block.stop)
            self._spans.setdefault(series, []).append(match)
            self._tries[series, first] += 1
            if self._tries[series, first] <= MOST_RETRIES:
                self._open.setdefault(series, []).append(match)

    def take_back(self, handed_out: Sitting | Draft) -> None:
        """What was handed out is not played after all."""
        for block in handed_out.blocks:
            self._forget(block)

    def over(self, block: Block, *, played: bool) -> None:
        """A block that was handed out is over; if it could not be played, its series is given up."""
        fixture, rank = self._forget(block)
        if played:
            self._coverage.add(fixture, rank, block.series.rotation, (block.first, block.stop))
        else:
            self._given_up.add(block.series)

    @property
    def _plan(self) -> Plan:
        return self._coverage.plan

    @property
    def knows_too_few(self) -> bool:
        """Whether it is worth waiting until more is known about the speed of the bots."""
        every = sum(len(fixture.entrants) for fixture in self._plan.fixtures)
        enough = max(*(fixture.contest.players for fixture in self._plan.fixtures), int(UNKNOWN_SHARE * every))
        unknown = chain.from_iterable(map(self._pace.unknown, self._plan.fixtures))
        return next(islice(unknown, enough, None), None) is not None  # of very many bots, only so many are looked at

    def _is_unknown(self, portion: Portion) -> bool:
        key = self._plan.fixtures[portion.fixture].contest.key
        return not all(self._pace.knows(key, entrant) for entrant in self._plan.lineup(*portion[:2]))

    def _batch_sizes(self, round_: Round) -> dict[int, int]:
        """By fixture: how many bots should meet in one sitting, as many as have played in the time of one."""
        missing = round_.missing(self._coverage)
        costs = [self._pace.game_seconds(fixture, together=True) or 0.0 for fixture in self._plan.fixtures]
        total = sum(games * seconds for games, seconds in zip(missing, costs, strict=True))
        self._seconds = min(max(total / self._workers, FEWEST_SECONDS), SECONDS)
        sizes = {}
        for number, (fixture, games, seconds) in enumerate(zip(self._plan.fixtures, missing, costs, strict=True)):
            players = fixture.contest.players
            most_games = min(self._seconds / seconds, MOST_GAMES) if seconds else MOST_GAMES
            lineups = most_games * max(fixture.lineup_count, 1) / max(games, 1)
            every = comb(len(fixture.entrants), players)
            if fixture.lineup_count == every:
                bots = round(players * lineups ** (1 / players))
            else:  # of a sample, only a part is among the lineups of some bots
                bots = round((lineups * factorial(players) * every / max(fixture.lineup_count, 1)) ** (1 / players))
            if bots > NEARLY_ALL * len(fixture.entrants) or not isinstance(round_, EqualRound):
                bots = len(fixture.entrants)
            sizes[number] = max(min(bots, MOST_HOSTS // players), players) if self._plan.own_deals else players
        return sizes

    def _probes(self, round_: Round) -> Iterator[Sitting]:
        """A few games of each bot that has not been seen playing, in sittings of their own."""
        drafts: dict[int, Draft] = {}
        try:
            for number, block in self._first_blocks(round_):
                full = None
                if number in drafts and not self._may_try(number, drafts[number], block):
                    full = drafts.pop(number)
                drafts.setdefault(number, Draft(self._pace, self._memory_mb)).add(block)
                if full is not None:
                    yield self._apart_sitting(*full.blocks)
            while drafts:
                yield self._apart_sitting(*drafts.popitem()[1].blocks)
        finally:  # nobody may want more
            for draft in drafts.values():
                self.take_back(draft)

    def _may_try(self, number: int, draft: Draft, block: Block) -> bool:
        """Whether a block of a fixture may be played together with others that have bots which are not known."""
        key = self._plan.fixtures[number].contest.key
        known = [entrant for entrant in self._plan.fixtures[number].entrants if self._pace.knows(key, entrant)]
        apart = sum(self._pace.is_apart(key, entrant) for entrant in known)
        most = min(max(len(known) // TRIED_BEFORE // (apart + 1), 1), MOST_TRIED)
        return len(draft.blocks) < most and draft.has_room_for(block)

    def _first_blocks(self, round_: Round) -> Iterator[tuple[int, Block]]:
        """A block for each bot that has not been seen playing, with its fixture; two of them may share one."""
        plan = self._plan
        asked = {(block.series.contest.key, entrant) for block in self._under_way for entrant in block.series.lineup}
        unknown = [
            {entrant for entrant in self._pace.unknown(fixture) if (fixture.contest.key, entrant) not in asked}
            for fixture in plan.fixtures
        ]
        alone = {number: fixture.contest.players for number, fixture in enumerate(plan.fixtures)}
        first_turns = sum(map(len, unknown))
        for most_known in (0, max(alone.values())):  # at first only lineups in which nobody is known
            batches = chain.from_iterable(round_.batches(plan, alone)) if any(unknown) else ()
            for portion in batches if most_known else islice(batches, first_turns):
                lineup = plan.lineup(*portion[:2])
                strangers = unknown[portion.fixture].intersection(lineup)
                if strangers and len(lineup) - len(strangers) <= most_known:
                    unknown[portion.fixture] -= strangers
                    if block := next(self._missing(portion), None):
                        yield portion.fixture, block
                if not any(unknown):
                    break

    def _together(self, batch: list[Portion], later: list[Portion] | None = None) -> Iterator[Sitting]:
        """The missing blocks of a batch in as few sittings as possible; what has to wait is put off."""
        plan = self._plan
        number = batch[0].fixture
        key = plan.fixtures[number].contest.key
        ready = []
        costly = self._costly.setdefault(number, [])
        for portion in batch:
            lineup = plan.lineup(*portion[:2])
            if any(self._pace.is_apart(key, entrant) for entrant in lineup):
                self._apart.append(portion)
            elif later is not None and self._is_unknown(portion):
                later.append(portion)
            elif plan.own_deals and any(map(self._pace.is_costly_to_start, lineup)):
                costly.append(portion)
            else:
                ready.append(portion)
        yield from self._in_sittings(ready, self._seconds)
        if len(costly) > MOST_GATHERED:
            yield from self._costly_together()

    def _costly_together(self) -> Iterator[Sitting]:
        """The lineups with bots that are costly to start, in longer sittings."""
        gathered_before, self._costly = self._costly, {}
        for number, portions in gathered_before.items():
            fixture = self._plan.fixtures[number]
            by_lineup: dict[Lineup, list[Portion]] = {}
            for portion in portions:
                by_lineup.setdefault(fixture.lineups[portion.rank], []).append(portion)
            for batch in gathered(by_lineup, MOST_HOSTS // fixture.contest.players):
                ready = [portion for lineup in batch for portion in by_lineup[lineup]]
                entrants = {entrant for portion in ready for entrant in self._plan.lineup(*portion[:2])}
                long = self._pace.long_sitting(entrants, fixture.contest.players)
                share = self._missing_work(ready)[0] / self._workers
                yield from self._in_sittings(ready, max(self._seconds, min(long, share)))

    def _in_sittings(self, ready: Sequence[Portion], most_seconds: float) -> Iterator[Sitting]:
        """The missing blocks of some lineups, in sittings that take about so long at most.

        Rotations share no hosts. So they are divided first, and have sittings in turns: where two workers take turns
        too, each host is started once.
        """
        if not ready:
            yield from self._some_apart()
            return
        seconds, games = self._missing_work(ready)
        sittings = max(ceil(max(seconds / most_seconds - EASILY_LONGER, games / MOST_GAMES)), 1)
        players = self._plan.fixtures[ready[0].fixture].contest.players
        parts = min(sittings, players)
        each = ceil(sittings / parts)
        streams = deque(self._divided(ready, range(part, players, parts), each) for part in range(parts))
        while streams:
            stream = streams.popleft()
            if (sitting := next(stream, None)) is not None:
                yield sitting
                streams.append(stream)

    def _divided(self, ready: Sequence[Portion], rotations: Sequence[int], sittings: int) -> Iterator[Sitting]:
        """The missing blocks of some lineups in some rotations, in about so many sittings."""
        seconds, games = self._missing_work(ready, rotations)
        draft = Draft(self._pace, self._memory_mb)
        handed_out, sitting = 0.0, 1
        try:
            for block in chain.from_iterable(self._missing(portion, rotations) for portion in ready):
                part = self._pace.block_seconds(block) / seconds if seconds else block.games / games
                full = None
                if not draft.has_room_for(block) or handed_out + part / 2 > sitting / sittings:
                    full, draft = draft, Draft(self._pace, self._memory_mb)
                    sitting = floor((handed_out + part / 2) * sittings) + 1
                draft.add(block)
                handed_out += part
                if full is not None:
                    yield from self._handed_out(full)
            full, draft = draft, Draft(self._pace, self._memory_mb)
            yield from self._handed_out(full)
        finally:  # nobody may want more
            self.take_back(draft)

    def _missing_work(self, portions: Iterable[Portion], rotations: Sequence[int] = ()) -> tuple[float, int]:
        """Seconds and games that are missing of some portions, in these rotations or in all."""
        seconds, games = 0.0, 0
        for fixture, rank, deals in portions:
            for rotation in rotations or range(self._plan.fixtures[fixture].contest.players):
                missing = self._coverage.missing(fixture, rank, rotation, deals)
                blocks = [Block(self._plan.series(fixture, rank, rotation), *span) for span in missing]
                seconds += sum(map(self._pace.block_seconds, blocks))
                games += sum(block.games for block in blocks)
        return seconds, games

    def _handed_out(self, draft: Draft) -> Iterator[Sitting]:
        if draft.blocks:
            self._credit += draft.seconds * APART_SHARE / (1 - APART_SHARE)
            yield Sitting(tuple(draft.blocks))
        yield from self._some_apart()

    def _end_of_batches(self) -> Iterator[Sitting | None]:
        """Wait for what is under way, without that which is apart: a round goes on without it."""
        while len(self._under_way) > len(self._apart_under_way):
            yield from self._some_apart()
            yield None

    def _some_apart(self) -> Iterator[Sitting]:
        """What bots that play apart may play now, within their credit."""
        most = max(int(APART_SHARE * self._workers), 1) if self._credit < inf else inf
        while self._apart and len(self._apart_under_way) < most:
            if self.is_waiting and self._is_unknown(self._apart[0]):
                return  # its first games are under way, and tell how many it should play at once
            if self._credit == inf and self._has_had_its_time(self._apart[0]):
                self._put_off.append(self._apart.popleft())
                continue
            block = next(self._missing(self._apart[0]), None)
            if block is None:
                self._apart.popleft()
                continue
            seconds = self._pace.alone_seconds(block)
            if seconds > self._credit:
                self._forget(block)
                return
            if self._credit == inf:
                for entrant in self._slow_bots(self._apart[0]):
                    self._apart_spent[entrant] = self._apart_spent.get(entrant, 0.0) + seconds
            self._credit -= seconds
            yield self._apart_sitting(block)

    def _has_had_its_time(self, portion: Portion) -> bool:
        return any(self._apart_spent.get(entrant, 0.0) >= self._apart_seconds for entrant in self._slow_bots(portion))

    def _slow_bots(self, portion: Portion) -> list[Entrant]:
        """Those bots of its lineup that play apart."""
        key = self._plan.fixtures[portion.fixture].contest.key
        return [entrant for entrant in self._plan.lineup(*portion[:2]) if self._pace.is_apart(key, entrant)]

    def _no_longer_apart(self) -> Iterator[Sitting]:
        """What was put off because of bots that turned out to be like the others."""
        every, self._apart = self._apart, deque()
        self._has_unknown = False
        ready: dict[int, list[Portion]] = {}
        for portion in every:
            is_apart = bool(self._slow_bots(portion))
            is_unknown = not is_apart and self._is_unknown(portion)
            self._has_unknown |= is_unknown
            if is_apart or is_unknown:
                self._apart.append(portion)
            else:
                ready.setdefault(portion.fixture, []).append(portion)
        for batch in ready.values():
            yield from self._together(batch)
        yield from self._costly_together()

    def _apart_sitting(self, *blocks: Block) -> Sitting:
        self._apart_under_way.update(blocks)
        return Sitting(blocks, is_apart=True)

    def _all_apart(self) -> Iterator[Sitting | None]:
        """All that bots that play apart have left."""
        while self._apart or self.is_waiting:
            if self._has_unknown:
                yield from self._no_longer_apart()
            if not (self._has_unknown and self.is_waiting):
                self._credit = inf
            yield from self._some_apart()
            self._credit = min(self._credit, 0.0)
            if self.is_waiting:
                yield None
        yield from self._until_none_is_open()

    def _until_none_is_open(self) -> Iterator[Sitting | None]:
        while self._open:
            yield from self._once_more()
            while self.is_waiting:
                yield None

    def _once_more(self) -> Iterator[Sitting]:
        """Matches for which a bot could not be asked."""
        retries = self._release_open()
        contests = {series.contest.key: series.contest for series in retries}
        for contest in contests.values():
            draft = Draft(self._pace, self._memory_mb, self._seconds)
            for series in [series for series in retries if series.contest == contest]:
                for first, stop in merged(retries[series]):
                    for block in self._pace.cut(series, first, stop):
                        self._hand_out(block, self._places[series])
                        if not draft.has_room_for(block):
                            yield Sitting(tuple(draft.blocks))
                            draft = Draft(self._pace, self._memory_mb, self._seconds)
                        draft.add(block)
            yield Sitting(tuple(draft.blocks))

    def _release_open(self) -> dict[Series, list[Span]]:
        """The matches that will be tried again; they may be handed out again."""
        retries, self._open = self._open, {}
        for series, matches in retries.items():
            self._spans[series] = [span for span in self._spans[series] if span not in matches]
        return retries

    def _missing(self, portion: Portion, rotations: Sequence[int] = ()) -> Iterator[Block]:
        """What is missing of a portion, in these rotations or in all, and not under way; it counts as handed out."""
        fixture, rank, deals = portion
        for rotation in rotations or range(self._plan.fixtures[fixture].contest.players):
            series = self._plan.series(fixture, rank, rotation)
            if series in self._given_up:
                continue
            for span in self._coverage.missing(fixture, rank, rotation, deals):
                for first, stop in gaps(span, self._spans.get(series, ())):
                    for block in self._pace.cut(series, first, stop):
                        self._hand_out(block, (fixture, rank))
                        yield block

    def _hand_out(self, block: Block, place: tuple[int, int]) -> None:
        self._under_way[block] = place
        self._spans.setdefault(block.series, []).append((block.first, block.stop))

    def _forget(self, block: Block) -> tuple[int, int]:
        """A block, or a part of one, is no longer under way; returns its fixture and rank."""
        series, deals = block.series, (block.first, block.stop)
        spans = self._spans[series]
        whole = next(span for span in spans if span[0] <= block.first and block.stop <= span[1])
        spans.remove(whole)
        handed_out = Block(series, *whole)
        place = self._under_way.pop(handed_out)
        for span in gaps(whole, (deals,)):
            self._hand_out(Block(series, *span), place)
            if handed_out in self._apart_under_way:
                self._apart_under_way.add(Block(series, *span))
        self._apart_under_way.discard(handed_out)
        if not spans:
            del self._spans[series]
        return place
