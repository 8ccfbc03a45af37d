"""What is missing of the round under way, as sittings for workers, in two lanes.

A **lane** goes through the round and hands out what is missing. What it may not hand out yet it leaves behind, and when
something has changed it goes through the round again. So nothing is listed ahead, and what comes back unplayed is
simply missing again.

- The **usual lane** has everybody but slow bots. The round is over when it has nothing left and nothing under way.
- The **slow lane** has the tables of slow bots, in sittings of their own. It gets `SLOW_SHARE` of the time, and all
  workers when the usual lane is through with the last round.

A bot that has not played yet begins with a few games in a sitting of its own, and its other games wait for them, for
they show how many games it should play at once. If it cannot be loaded there, its tables are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import inf
from time import monotonic

from league.plan.costs import BLOCK_GAMES, LONGEST_SITTING, SITTING_SECONDS, STARTS_WORTH, Costs
from league.plan.coverage import Coverage
from league.plan.limit import Limit
from league.plan.rounds import Round
from league.plan.schedule import Portion, Span
from league.values.block import Abandoned, Block, BlockResult, Entrant, Series, Sitting, Unavailable
from league.values.settings import Stop

MOST_BOTS = 64
"""The most bots of a sitting: each has a process."""
MOST_GAMES = 4 * BLOCK_GAMES
SHORTEST, EASILY_LONGER = 0.25, 1.2
"""Seconds of a sitting at least. Where a round is short, each worker gets its share of it, or a little more."""
PATIENCE = 1.0
"""Seconds that others wait for the first games of a new bot."""
FEW = 0.05
"""While first games of more than this part of the bots are under way, nothing else is handed out: sittings would be
small, and bots would be started for them more often."""
SLOW_SHARE = 0.3
"""The part of the time that slow bots get as long as others have something to play."""
MOST_TRIES = 4
"""How often a match is tried in one run if a bot cannot be asked."""

Place = tuple[int, int, int]
"""The place of a series: its fixture, the rank of its lineup, its rotation."""


class Draft:
    """A sitting that is put together, and what is known of it until it has come back. Its blocks are taken."""

    def __init__(self, *, is_trial: bool, is_slow: bool, is_fresh: bool, is_last_try: bool) -> None:
        self.is_trial, self._is_apart = is_trial, is_trial or is_slow
        self._is_fresh, self._is_last_try = is_fresh, is_last_try
        self.places: dict[Block, Place] = {}
        self.bots: set[Entrant] = set()
        self.games = 0
        self.seconds = 0.0
        """That it is expected to take, at first without what it takes to start the bots."""
        self.since = inf
        self.is_late = False
        """Whether nobody waits for its first games any more."""

    def sitting(self) -> Sitting:
        """All that is in it."""
        return Sitting(tuple(self.places), self._is_apart, self._is_fresh, self._is_last_try)


class QueueLane:
    """A way through the round, again and again."""

    def __init__(self) -> None:
        self.again = False
        """Whether it has to go through the round once more."""
        self.going: Iterator[Draft] | None = None
        self.ready: Draft | None = None
        self.under_way: dict[Block, Draft] = {}
        self.seconds = 0.0
        """The work that it has had, and is expected to have with what is under way."""

    @property
    def is_through(self) -> bool:
        """Whether it has nothing to hand out before something else has come back."""
        return not self.again and self.going is None and self.ready is None

    @property
    def is_done(self) -> bool:
        """Whether nothing of it is left."""
        return self.is_through and not self.under_way


class Queue:
    """Hands out what is missing of one round after the other.

    `memory_mb` is what the processes of one sitting may need together. `slow_seconds` is how long each slow bot may go
    on when the others have played all of theirs: what is left then stays open. `tried` is how often matches were played
    in vain before, by series and first deal. In the last of `most_tries` a bot that is unavailable is at fault.
    """

    def __init__(
        self,
        coverage: Coverage,
        costs: Costs,
        limit: Limit | None = None,
        memory_mb: float = inf,
        slow_seconds: float = inf,
        clock: Callable[[], float] = monotonic,
        *,
        tried: Mapping[tuple[Series, int], int] | None = None,
        most_tries: float = inf,
    ) -> None:
        self._coverage, self._costs, self._limit = coverage, costs, limit or Limit(Stop())
        self._memory_mb, self._slow_seconds, self._clock = memory_mb, slow_seconds, clock
        self._usual, self._slow = self._lanes = QueueLane(), QueueLane()
        self._round: Round
        self._waits_for_slow = False
        self._missing: Sequence[int] = ()
        """Games of this round when it began, by fixture."""
        self._share = 0.0
        """Seconds that this round takes of the time of each worker."""
        self._slow_bots: set[tuple[str, Entrant]] = set()
        """By contest. Who is slow stays so to the end of the round."""
        self._alone: Counter[Entrant] = Counter()
        """Seconds that slow bots have had when nobody else had anything to play."""
        self._on_trial: dict[Entrant, Draft] = {}
        self._trials = 0
        self._tries, self._most_tries = Counter(tried), most_tries
        self._seen: set[Series] = set()
        """Series of which processes may have seen deals that are still missing."""
        self.unloadable: dict[Entrant, str] = {}
        """Bots that could not be loaded for their first games, and why."""

    def begin(self, round_: Round, *, waits_for_slow: bool = False) -> None:
        """Hand out this round from now on; it is over without the slow bots unless it `waits_for_slow` ones."""
        plan, costs = self._coverage.plan, self._costs
        self._round, self._waits_for_slow = round_, waits_for_slow
        keys = [(fixture.contest.key, entrant) for fixture in plan.fixtures for entrant in fixture.entrants]
        self._slow_bots = {key for key in keys if costs.is_slow(*key)}
        self._missing = round_.missing(self._coverage)
        self._go_again()

    def plan_again(self) -> None:
        """The coverage has another plan now, and nothing is under way."""
        self._usual, self._slow = self._lanes = QueueLane(), QueueLane()
        self.unloadable.clear()

    @property
    def is_over(self) -> bool:
        """Whether the round is: without slow bots, unless it waits for them, and without new ones that take long."""
        if self._waits_for_slow:
            return self._usual.is_done and self._slow.is_done
        if not self._usual.is_through:
            return False
        under_way = self._usual.under_way.values()
        return not under_way or (all(draft.is_late for draft in under_way) and self._can_others_play)

    @property
    def _can_others_play(self) -> bool:
        """Whether there is a table without slow bots, and without those who play their first games."""
        for fixture in self._coverage.plan.fixtures:
            key = fixture.contest.key
            late = [bot for bot in fixture.entrants if bot in self._on_trial or (key, bot) in self._slow_bots]
            if len(fixture.entrants) - len(late) >= fixture.contest.players:
                return True
        return False

    @property
    def is_waiting(self) -> bool:
        """Whether workers have sittings."""
        return any(lane.under_way for lane in self._lanes)

    def next(self) -> Sitting | None:
        """The next sitting; None if there is none to hand out before another one has come back."""
        late = [trial for trial in self._on_trial.values() if trial.since <= self._clock() - PATIENCE]
        if not all(trial.is_late for trial in late):
            self._go_again()
        for trial in late:
            trial.is_late = True
        for lane in self._lanes:
            self._get_ready(lane)
        lane = self._slow if self._slow.ready and self._may_be_slow(self._slow.ready) else self._usual
        draft, lane.ready = lane.ready, None
        if draft is None:
            return None
        draft.seconds, draft.since = self._expected(draft), self._clock()
        lane.seconds += draft.seconds
        lane.under_way.update(dict.fromkeys(draft.places, draft))
        return draft.sitting()

    def over(
        self, sitting: Sitting, results: Sequence[BlockResult | Unavailable | Abandoned]
    ) -> list[BlockResult | Unavailable]:
        """A sitting, or a part of one, has come back; returns the results that count."""
        places = {}
        for block in sitting.blocks:
            lane = self._usual if block in self._usual.under_way else self._slow
            draft = lane.under_way.pop(block)
            lane.seconds -= draft.seconds * block.games / draft.games
            place = places[block.series] = draft.places[block]
            self._coverage.free(*place, (block.first, block.stop))
            self._limit.games_left += block.games
            if draft.is_trial:
                for bot in block.series.lineup:
                    del self._on_trial[bot]
                self._go_again()
        counting: list[BlockResult | Unavailable] = []
        for result in results:
            place = places[result.block.series]
            if not isinstance(result, BlockResult):
                self._give_back(result, place)
            elif self._cannot_be_loaded(result):
                continue
            else:
                self._coverage.add(*place, (result.block.first, result.block.stop))
                self._limit.games_left -= result.block.games
                lane.seconds += self._learn(result)
            if not isinstance(result, Abandoned):
                counting.append(result)
        return counting

    def _give_back(self, result: Unavailable | Abandoned, place: Place) -> None:
        """Matches that do not count are missing again, for processes that have not seen them, but not for ever."""
        block, per_match = result.block, result.block.series.contest.games_per_match
        self._seen.add(block.series)
        for first in range(block.first, block.stop, per_match):
            self._tries[block.series, first] += 1
            if isinstance(result, Abandoned) or self._tries[block.series, first] % MOST_TRIES == 0:
                self._coverage.take(*place, (first, min(first + per_match, block.stop)))
        self._go_again()

    def _cannot_be_loaded(self, result: BlockResult) -> bool:
        """Whether a bot has shown in its first games that it cannot be loaded. They count for nobody."""
        causes = {fault.bot: fault.cause for fault in result.faults if fault.kind == "import"}
        lineup = result.block.series.lineup if causes else ()
        new = [bot for bot in lineup if bot.name in causes and not self._costs.knows(bot)]
        self.unloadable.update({bot: causes[bot.name] for bot in new})
        return bool(new)

    def _learn(self, result: BlockResult) -> float:
        """Take notice of what a block took; returns how many seconds that was."""
        key, lineup = result.block.series.contest.key, result.block.series.lineup
        self._costs.learn(result)
        if slow := {(key, bot) for bot in lineup if self._costs.is_slow(key, bot)} - self._slow_bots:
            self._slow_bots |= slow
            self._slow.again = True
        if self._is_slow_alone:
            self._alone.update(dict.fromkeys(self._slow_among(result.block.series), result.work))
        return result.work

    def _go_again(self) -> None:
        self._usual.again = self._slow.again = True

    @property
    def _is_slow_alone(self) -> bool:
        return self._waits_for_slow and self._usual.is_done

    def _may_be_slow(self, draft: Draft) -> bool:
        """Whether the slow lane may hand out a sitting now."""
        if self._is_slow_alone:
            return True
        sittings = len({id(draft) for draft in self._slow.under_way.values()})
        share = SLOW_SHARE / (1 - SLOW_SHARE) * self._usual.seconds
        has_time = self._slow.seconds + self._expected(draft) <= share
        return has_time and sittings < max(int(SLOW_SHARE * self._costs.workers), 1)

    def _expected(self, draft: Draft) -> float:
        key = next(iter(draft.places)).series.contest.key
        return draft.seconds + self._costs.start_seconds(key, draft.bots)

    def _get_ready(self, lane: QueueLane) -> None:
        """Have the next sitting of a lane ready, if there is one."""
        while lane.ready is None and not lane.is_through:
            if lane.going is None:
                lane.again, lane.going = False, self._pass(lane, self._round)
            whole = self._costs.expected(self._coverage.plan, self._missing, slow=False)
            self._share = whole.low if whole else 0.0
            lane.ready = next(lane.going, None)
            if lane.ready is None:
                lane.going = None

    def _pass(self, lane: QueueLane, round_: Round) -> Iterator[Draft]:
        """One way through a round. The contests take turns: the next is the one of which least was handed out."""
        if lane is self._slow and not self._slow_bots:
            return
        missing = round_.missing(self._coverage)
        ways = {number: self._way(lane, round_, number) for number, games in enumerate(missing) if games}
        done = dict.fromkeys(ways, 0.0)
        while ways:
            number = min(ways, key=done.__getitem__)
            draft = next(ways[number], None)
            if draft is None:
                del ways[number]
            else:
                done[number] += draft.games / missing[number]
                yield draft

    def _way(self, lane: QueueLane, round_: Round, number: int) -> Iterator[Draft]:
        """What is missing of one contest. A sitting has one rotation and the same slow bots at each of its tables.

        Whether a block may be handed out is decided when it is taken, and never before: nothing is known here after a
        `yield` that was known before it.
        """
        plan = self._coverage.plan
        fixture = plan.fixtures[number]
        for batch in round_.batches(plan, number, MOST_BOTS):
            yield from self._first_games(lane, batch)
            waited_for = [bot for bot in fixture.entrants if bot in self._on_trial and not self._on_trial[bot].is_late]
            drafts: dict[object, Draft] = {}
            for _, rank, deals in batch if len(waited_for) <= FEW * len(fixture.entrants) else ():
                for rotation in range(fixture.contest.players):
                    place = number, rank, rotation
                    while (block := self._next_block(lane, place, deals)) is not None:
                        slow, is_fresh = self._slow_among(block.series), self._is_fresh(block.series)
                        is_last = self._is_last_try(block.series, block.first)
                        kind = rotation, slow, is_fresh, is_last
                        full = drafts.pop(kind, None)
                        if full is not None and self._has_room(full, block):
                            drafts[kind], full = full, None
                        draft = Draft(is_trial=False, is_slow=bool(slow), is_fresh=is_fresh, is_last_try=is_last)
                        self._take(drafts.setdefault(kind, draft), block, place)
                        if full is not None:
                            yield full
            yield from drafts.values()

    def _first_games(self, lane: QueueLane, batch: Sequence[Portion]) -> Iterator[Draft]:
        """First games of the new bots of a batch, in all rotations by turns: their processes play on in these."""
        number, plan = batch[0].fixture, self._coverage.plan
        key, players = plan.fixtures[number].contest.key, plan.fixtures[number].contest.players
        if all(self._costs.of(key, bot) for bot in plan.fixtures[number].entrants):
            return
        for new, (_, rank, deals) in product((players, 1), batch):  # first those of whom nobody is known
            for turn in range(players):
                place = number, rank, (self._trials + turn) % players
                if (block := self._next_block(lane, place, deals, new)) is not None:
                    is_fresh, is_last = self._is_fresh(block.series), self._is_last_try(block.series, block.first)
                    draft = Draft(is_trial=True, is_slow=False, is_fresh=is_fresh, is_last_try=is_last)
                    self._take(draft, block, place)
                    self._on_trial.update(dict.fromkeys(block.series.lineup, draft))
                    self._trials += 1
                    yield draft

    def _next_block(self, lane: QueueLane, place: Place, deals: Span, new: int = 0) -> Block | None:
        """What a lane may hand out next of a series, or as first games, of so many `new` bots at least.

        None if that is nothing, or not now.
        """
        missing = self._coverage.missing(*place, deals)
        if not missing:
            return None
        series = self._coverage.plan.series(*place)
        slow = self._slow_among(series)
        if bool(slow) != (lane is self._slow) or any(self._alone[bot] >= self._slow_seconds for bot in slow):
            return None
        if not self.unloadable.keys().isdisjoint(series.lineup):
            return None
        strangers = sum([self._costs.of(series.contest.key, bot) is None for bot in series.lineup])
        if strangers < new or bool(strangers) != bool(new):
            return None
        if new and not self._on_trial.keys().isdisjoint(series.lineup):
            return None
        block = self._of_one_kind(next(self._costs.cut(series, missing[0])))
        return block if block.games <= self._limit.games_left else None

    def _of_one_kind(self, block: Block) -> Block:
        """The beginning of a block, up to where matches in their last try and others meet."""
        series, first = block.series, block.first
        firsts = range(first, block.stop, series.contest.games_per_match) if self._tries else ()
        is_last = self._is_last_try(series, first)
        return Block(series, first, next((n for n in firsts if self._is_last_try(series, n) != is_last), block.stop))

    def _is_last_try(self, series: Series, first: int) -> bool:
        """Whether a bot that is unavailable in this match is at fault, because it was so too often."""
        return self._tries[series, first] + 1 >= self._most_tries

    def _take(self, draft: Draft, block: Block, place: Place) -> None:
        """Put a block into a draft."""
        self._coverage.take(*place, (block.first, block.stop))
        self._limit.games_left -= block.games
        draft.places[block] = place
        draft.bots.update(block.series.lineup)
        draft.games += block.games
        draft.seconds += self._costs.block_seconds(block)

    def _has_room(self, draft: Draft, block: Block) -> bool:
        """Whether another block fits into a draft."""
        key, costs, bots = block.series.contest.key, self._costs, draft.bots.union(block.series.lineup)
        usual = min(max(EASILY_LONGER * self._share, SHORTEST), SITTING_SECONDS)
        long = min(STARTS_WORTH * costs.start_seconds(key, bots), LONGEST_SITTING, self._share)
        return (
            block.series.luck_follows != "seed"
            and draft.games + block.games <= MOST_GAMES
            and draft.seconds + costs.block_seconds(block) <= max(usual, long)
            and sum([costs.memory_mb(key, bot) for bot in bots]) <= self._memory_mb
        )

    def _is_fresh(self, series: Series) -> bool:
        return series in self._seen or series.luck_follows == "seed"

    def _slow_among(self, series: Series) -> frozenset[Entrant]:
        return frozenset([bot for bot in series.lineup if (series.contest.key, bot) in self._slow_bots])
