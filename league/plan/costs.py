"""What games cost: the time and memory that each bot was seen to need, in this run or before.

Whoever asks "how long?" asks here: how many games a block has, for whom nobody waits, how long the rest takes. How work
is cut changes no result.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import median_low
from typing import NamedTuple

import msgspec

from league.plan.schedule import Fixture, Plan, Span, whole_matches
from league.tools import system
from league.tools.text import first_few, span
from league.values.block import Block, BlockResult, Entrant, FaultKind, Series, Usage

SITTING_SECONDS = 2.0
"""That a sitting should take."""
LONGEST_SITTING = 10.0
STARTS_WORTH = 4.0
"""A sitting takes up to this many times as long as starting its bots, but no longer than the longest one."""
FIRST_GAMES = 2
"""The first games of a bot that has not played yet: a bad one must not lose a large block again and again."""
BLOCK_GAMES = 2048
"""Large enough that starting hosts costs little."""
GROWTH = 4
"""A block has at most this many times as many games as the one before, of each of its bots."""
MOST_ASLEEP = 8.0
"""A bot that waits, such as one that asks a model behind a network, may wait for many games at once. As long as it
slept for less than this in its last block, the next one has more games."""
SLOW = 10.0
SLOW_GAME, SLOW_START = 0.05, 0.5
"""A bot is slow if it needs this many times what the median bot needs for a game or to be loaded, and at least so many
seconds: less hardly matters, and the first games of a virtual machine take longer."""
DEADLY: frozenset[FaultKind] = frozenset(("timeout", "crash", "memory", "protocol"))
"""Faults for which a process is replaced, while all others in the sitting wait."""


class Cost(msgspec.Struct):
    """What a bot was seen to need in one contest."""

    games: int = 0
    usage: Usage = Usage(0, 0.0)
    died: bool = False
    """Whether one of its processes had to be replaced."""
    last_games: int = BLOCK_GAMES
    last_asleep: float = 0.0
    """The games of its last block, and the seconds that it slept."""

    @property
    def game(self) -> float:
        """Seconds that a game keeps a worker busy for it."""
        return self.usage.cost / self.games

    @property
    def own(self) -> float:
        """The bot's own part of these: the rest is its share of the referee's work."""
        return (self.usage.cost - self.usage.overhead) / self.games

    @property
    def start(self) -> float:
        """Seconds to start a process of it."""
        return self.usage.starting / self.usage.starts if self.usage.starts else 0.0

    @property
    def most_games(self) -> int:
        """The most games of its next block."""
        longer = min(GROWTH, MOST_ASLEEP / self.last_asleep) if self.last_asleep else GROWTH
        return max(int(self.last_games * longer), 1)


class TimeRange(NamedTuple):
    """Seconds by the clock."""

    low: float
    """If the machine does nothing else."""
    likely: float
    high: float

    def __str__(self) -> str:
        return span(self.low, self.high)


class Costs:
    """What each bot costs in each contest, and how long so many workers take for that by the clock."""

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers
        self._costs: dict[tuple[str, Entrant], Cost] = {}
        self._slow_from: dict[str, float] = {}
        """By contest, and by '' for starts: the seconds from which on a bot is slow."""
        self._work = self._clock = 0.0
        """Seconds of work, and how long they took by the clock of all workers together; the last ones count most."""

    def __iter__(self) -> Iterator[tuple[str, Entrant, Cost]]:
        """The key of a contest, a bot, and what it costs there."""
        return ((key, entrant, cost) for (key, entrant), cost in self._costs.items())

    def of(self, key: str, entrant: Entrant) -> Cost | None:
        """What a bot was seen to need; None if it has not played this contest."""
        return self._costs.get((key, entrant))

    def knows(self, entrant: Entrant) -> bool:
        """Whether a bot has played any contest."""
        return any(known == entrant for _, known in self._costs)

    def strangers(self, plan: Plan) -> Iterator[tuple[str, Entrant]]:
        """Who is to play which contest, and has not been seen doing it."""
        keys = ((fixture.contest.key, entrant) for fixture in plan.fixtures for entrant in fixture.entrants)
        return (key for key in keys if key not in self._costs)

    def learn_from(self, other: Costs) -> None:
        """Take over what others have seen of strangers."""
        for key, entrant, cost in other:
            if self.of(key, entrant) is None:
                self.know(key, entrant, cost)

    def know(self, key: str, entrant: Entrant, cost: Cost) -> None:
        """Record what was seen in earlier runs."""
        if cost.usage.asleep:
            cost.last_games = min(BLOCK_GAMES, int(MOST_ASLEEP / GROWTH * cost.games / cost.usage.asleep))
        self._costs[key, entrant] = cost
        self._slow_from.clear()

    def learn(self, result: BlockResult) -> None:
        """Record what the bots of a block needed."""
        key, games = result.block.series.contest.key, result.block.games
        deadly = {fault.bot for fault in result.faults if fault.kind in DEADLY}
        for entrant, used in zip(result.block.series.lineup, result.usage, strict=True):
            if (key, entrant) not in self._costs:
                self.know(key, entrant, Cost())
            cost = self._costs[key, entrant]
            cost.games += games
            cost.usage = cost.usage.plus(used)
            cost.died |= entrant.name in deadly
            cost.last_games, cost.last_asleep = games, used.asleep

    def took(self, work: float, clock: float) -> None:
        """So many seconds of work took so long by the clock of all workers together."""
        self._work, self._clock = self._work / 2 + work, self._clock / 2 + clock
        self._slow_from.clear()

    def cut(self, series: Series, deals: Span) -> Iterator[Block]:
        """These deals in blocks, whose size is chosen when each is asked for."""
        first, stop = deals
        while first < stop:
            size = whole_matches(self._block_games(series), series.contest.games_per_match)
            yield Block(series, first, min(first + size, stop))
            first += size

    def _block_games(self, series: Series) -> int:
        """As many as take a sitting, without what the bots sleep: they may do that for many games at once."""
        most, awake = BLOCK_GAMES, 0.0
        for entrant in series.lineup:
            cost = self.of(series.contest.key, entrant)
            if cost is None:
                return FIRST_GAMES
            most = min(most, cost.most_games)
            awake += cost.game - cost.usage.asleep / cost.games
        return most if most * awake <= SITTING_SECONDS else int(SITTING_SECONDS / awake)

    def block_seconds(self, block: Block) -> float:
        """How long a block takes; bots that are not known count as nothing."""
        costs = [self.of(block.series.contest.key, entrant) for entrant in block.series.lineup]
        return block.games * sum([cost.game for cost in costs if cost])

    def start_seconds(self, key: str, entrants: Iterable[Entrant]) -> float:
        """What it takes to start those of these bots that are costly to start."""
        starts = [cost.start for entrant in entrants if (cost := self.of(key, entrant))]
        return sum([start for start in starts if start > 0.05])  # most processes are started once for many sittings

    def memory_mb(self, key: str, entrant: Entrant) -> int:
        """Megabytes that a process of a bot needs for itself."""
        cost = self.of(key, entrant)
        return 0 if cost is None else own_memory_mb(cost.usage.memory_mb)

    def is_slow(self, key: str, entrant: Entrant) -> bool:
        """Whether nobody should have to wait for a bot: it is much slower than others, or its processes die."""
        cost = self.of(key, entrant)
        return cost is not None and (cost.died or cost.own > self._limit(key) or cost.start > self._limit(""))

    def _limit(self, key: str) -> float:
        if key not in self._slow_from:
            if key:
                every = [cost.own for (contest, _), cost in self._costs.items() if contest == key]
            else:
                every = [cost.start for cost in self._costs.values()]
            self._slow_from[key] = max(SLOW * median_low(every), SLOW_GAME if key else SLOW_START)
        return self._slow_from[key]

    def expected(self, plan: Plan, games: Sequence[float], *, slow: bool = True) -> TimeRange | None:
        """How long so many games of each fixture take; None if nothing is known.

        Without the `slow` bots, it is what a round waits for. A contest of strangers is taken for one like the others.
        """
        pairs = zip(plan.fixtures, games, strict=True)
        parts = [sum(self._seconds_by_bot(fixture, count, slow=slow).values()) for fixture, count in pairs]
        known = sum(count for part, count in zip(parts, games, strict=True) if part)
        if not known:
            return None if any(games) else TimeRange(0.0, 0.0, 0.0)
        work = sum(parts) * sum(games) / known / self.workers
        likely = work * (self._clock / self._work if self._work else busy(self.workers))
        return TimeRange(min(work, likely), likely, 1.5 * likely)

    def slowest(self, plan: Plan, games: Sequence[float]) -> str:
        """'1 bot takes 93% of the time: ann (50 s a game).'; empty if slow bots take less than 5 s."""
        spent: Counter[Entrant] = Counter()
        slow: set[Entrant] = set()
        for fixture, count in zip(plan.fixtures, games, strict=True):
            spent.update(self._seconds_by_bot(fixture, count))
            slow.update(bot for bot in fixture.entrants if self.is_slow(fixture.contest.key, bot))
        together = sum(spent[bot] for bot in slow)
        if together < 5.0:
            return ""
        named = [self._why(bot) for bot in sorted(slow, key=lambda bot: (-spent[bot], bot))]
        take = "bots take" if len(named) > 1 else "bot takes"
        return f"{len(named)} {take} {together / spent.total():.0%} of the time: {first_few(named, 3)}."

    def _why(self, entrant: Entrant) -> str:
        """'ann (1.3 s to start)'."""
        costs = [cost for (_, bot), cost in self._costs.items() if bot == entrant]
        cost = max(costs, key=lambda cost: cost.usage.cost + cost.usage.starting)
        starts_mostly = cost.usage.starting > cost.usage.cost
        return f"{entrant.name} ({f'{cost.start:.1f} s to start' if starts_mostly else f'{cost.game:.2g} s a game'})"

    def _seconds_by_bot(self, fixture: Fixture, games: float, *, slow: bool = True) -> dict[Entrant, float]:
        """Seconds of work that games of a contest are, starts included, by bot.

        Bots that are not known count as the mean of the others, and so do slow ones unless these are asked for.
        """
        key = fixture.contest.key
        known = {entrant: cost for entrant in fixture.entrants if (cost := self.of(key, entrant))}
        usual = {entrant: cost for entrant, cost in known.items() if slow or not self.is_slow(key, entrant)} or known
        each = games * fixture.contest.players / max(len(usual), 1)
        playing = {entrant: each * cost.game for entrant, cost in usual.items()}
        sittings = max(sum(playing.values()) / SITTING_SECONDS, fixture.contest.players)
        for entrant, cost in usual.items():  # a process may wait for its next sitting, as it did or did not before
            playing[entrant] += min(each * cost.usage.starts / cost.games, sittings) * cost.start
        return playing


def own_memory_mb(memory_mb: int) -> int:
    """The megabytes of a process that it does not share with the one that it was forked from: that is about 20."""
    return max(memory_mb - 20, 1)


def busy(workers: int) -> float:
    """How many times as long work takes as on a machine that does nothing else."""
    return max(1.0, (system.load() + workers) / (os.cpu_count() or 1))
