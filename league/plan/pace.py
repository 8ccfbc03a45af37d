"""What games cost: the time that each bot was seen to need for a game of each contest, in this run or before.

From it follow the size of blocks and of sittings, and how long the rest will take. Quick bots play thousands of
games at once and slow ones a few, so a kill never costs more than some seconds. How deals are cut into blocks
changes no result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from statistics import median
from typing import NamedTuple

from league.plan.schedule import Fixture, whole_matches
from league.values.block import Block, BlockResult, Entrant, FaultKind, Series, Usage

BLOCK_GAMES = 2048
"""Large enough that starting hosts costs little."""
SECONDS = 2.0
"""That a sitting should take."""
FIRST_GAMES = 2
"""For bots whose speed is not known yet: a slow one must not lose its first block again and again."""
MOST_ASLEEP = 8.0
MORE_ASLEEP = 4
"""A bot that waits, such as one that asks a model behind a network, may wait for many games at once. If it slept no
longer than this in its last block, the next one may have this many times as many games."""
SLOW = 10.0
"""A bot that needs this many times as long as the median of its contest plays apart from the others."""
SLOW_SECONDS = 0.05
"""But not one that needs less than this for a game: apart, in short sittings, a virtual machine never gets warm."""
SLOW_START = 0.5
"""The same for the seconds that a process needs to be loaded: not a bot that needs less than this."""
COSTLY_START = 0.05
"""A bot whose process needs this many seconds to be loaded, such as one in a virtual machine, is started seldom."""
STARTS_WORTH = 4.0
MOST_SECONDS = 10.0
"""Their sittings should take this many times as long as starting their bots, but no longer than this."""
COLD_SECONDS, COLD_PART = 0.02, 0.1
"""The first games of a bot are said to take this much less, but no less than this part: its process was cold."""
SHARED_MB = 20
"""Megabytes that processes of bots share with the one that they were forked from."""
DEADLY: frozenset[FaultKind] = frozenset(("timeout", "crash", "memory", "protocol"))
"""Faults for which processes are replaced. A bot that has one plays apart from the others, who would wait for it."""

Known = tuple[str, Entrant]
"""The key of a contest, and a bot."""


class Cost:
    """Games, or starts, and the time in seconds that they took."""

    __slots__ = ("games", "seconds")

    def __init__(self, games: float = 0, seconds: float = 0.0) -> None:
        self.games = games
        self.seconds = seconds

    @property
    def each(self) -> float:
        """Seconds for one of them."""
        return self.seconds / self.games

    def add(self, games: float, seconds: float) -> None:
        """Count more of them."""
        self.games += games
        self.seconds += seconds


class Sleep(NamedTuple):
    """How a bot that sleeps played its last block."""

    games: int
    asleep: float
    """Seconds."""
    awake_each: float
    """Seconds a game that it did not sleep."""

    @property
    def most_games(self) -> int:
        """The most games of its next block."""
        longer = MORE_ASLEEP if self.asleep <= MOST_ASLEEP else MOST_ASLEEP / self.asleep
        return max(int(longer * self.games), 1)


class Pace:
    """What each bot needs for a game of each contest: its own time, and its share of the worker's."""

    def __init__(self) -> None:
        self._costs: dict[Known, Cost] = {}
        self._own: dict[Known, Cost] = {}
        """The bots' own time alone: of the worker's time, some is spent waiting for another bot at the table."""
        self._apart: set[Entrant] = set()
        """Bots whose processes die."""
        self._starting: dict[Entrant, Cost] = {}
        """Processes of each bot, and the seconds that they needed to be loaded."""
        self._slow_start = 0, SLOW_START
        """The bots that were known when it was computed, and from which time on a bot is slow to start."""
        self._sleepers: dict[Known, Sleep] = {}
        """Bots that slept most of the time in their last block."""
        self._memory: dict[Entrant, int] = {}
        self._slow_from: dict[str, tuple[int, float]] = {}
        """By contest: the bots that were known when it was computed, and from which time on a bot is slow."""

    def know(self, key: str, entrant: Entrant, games: int, seconds: float, own: float | None = None) -> None:
        """Record what games of a contest cost one of the bots, and its own time alone, if that is known."""
        self._costs.setdefault((key, entrant), Cost()).add(games, seconds)
        self._own.setdefault((key, entrant), Cost()).add(games, seconds if own is None else own)

    def learn(self, result: BlockResult) -> None:
        """Record what the bots of a block needed."""
        key = result.block.series.contest.key
        for entrant, usage in zip(result.block.series.lineup, result.usage, strict=True):
            cost, own = usage.cost, usage.cost - usage.overhead
            if not self.knows(key, entrant):
                cost, own = (max(seconds - COLD_SECONDS, COLD_PART * seconds) for seconds in (cost, own))
            self.know(key, entrant, result.block.games, cost, own)
            if usage.asleep > usage.cost / 2:
                awake = (usage.cost - usage.asleep) / result.block.games
                self._sleepers[key, entrant] = Sleep(result.block.games, usage.asleep, awake)
            else:
                self._sleepers.pop((key, entrant), None)
            self.know_process(entrant, usage)
        names = {fault.bot for fault in result.faults if fault.kind in DEADLY}
        self.know_deaths(entrant for entrant in result.block.series.lineup if entrant.name in names)

    def know_process(self, entrant: Entrant, usage: Usage) -> None:
        """Record what a process of a bot needed: its memory, and the time to be loaded."""
        self._memory[entrant] = max(self._memory.get(entrant, 0), usage.memory_mb)
        if usage.starting:
            self._starting.setdefault(entrant, Cost()).add(usage.starts or 1, usage.starting)

    def know_deaths(self, entrants: Iterable[Entrant]) -> None:
        """Record that processes of these bots have died."""
        self._apart.update(entrants)

    def cut(self, series: Series, first: int, stop: int) -> Iterator[Block]:
        """These deals in blocks of a size that is chosen when each is asked for."""
        while first < stop:
            size = whole_matches(self._games(series), series.contest.games_per_match)
            yield Block(series, first, min(first + size, stop))
            first += size

    def game_seconds(self, fixture: Fixture, *, together: bool = False) -> float | None:
        """The time of an average game of a contest; None if no bot of it is known.

        Bots that are not known count as the mean of the others. With `together`, games of bots that play apart, or are
        costly to start, do not count, as long as there are others.
        """
        key = fixture.contest.key
        costs = {entrant: self.seconds(key, entrant) for entrant in fixture.entrants}
        known = {entrant: seconds for entrant, seconds in costs.items() if seconds is not None}
        if together:
            usual = {
                entrant: seconds
                for entrant, seconds in known.items()
                if not self.is_apart(key, entrant) and not self.is_costly_to_start(entrant)
            }
            known = usual or known
        return fixture.contest.players * sum(known.values()) / len(known) if known else None

    def block_seconds(self, block: Block) -> float:
        """How long a block will take; bots that are not known count as nothing."""
        key = block.series.contest.key
        return block.games * sum([self.seconds(key, entrant) or 0.0 for entrant in block.series.lineup])

    def alone_seconds(self, block: Block) -> float:
        """How long a block will take that is a sitting of its own: its bots are started for it."""
        return self.block_seconds(block) + sum(map(self.starting_seconds, block.series.lineup))

    def unknown(self, fixture: Fixture) -> Iterator[Entrant]:
        """The bots of a contest that have not been seen playing it."""
        key = fixture.contest.key
        return (entrant for entrant in fixture.entrants if not self.knows(key, entrant))

    def knows(self, key: str, entrant: Entrant) -> bool:
        """Whether a bot has been seen playing a contest."""
        return (key, entrant) in self._costs

    def is_apart(self, key: str, entrant: Entrant) -> bool:
        """Whether others should not have to wait for a bot: it is much slower than they are, or its processes die."""
        return (
            entrant in self._apart
            or ((key, entrant) in self._own and self._own[key, entrant].each > self._limit(key))
            or self.starting_seconds(entrant) > self._start_limit()
        )

    def memory_mb(self, entrant: Entrant) -> int:
        """Megabytes that a process of a bot was seen to need for itself; 0 if that is not known."""
        memory_mb = self._memory.get(entrant, 0)
        return own_memory_mb(memory_mb) if memory_mb else 0

    def seconds(self, key: str, entrant: Entrant) -> float | None:
        """What a game of a contest costs a bot; None if it is not known."""
        cost = self._costs.get((key, entrant))
        return None if cost is None else cost.each

    def starting_seconds(self, entrant: Entrant) -> float:
        """What a process of a bot needs to be loaded, as a mean of those that were seen; 0 if that is not known."""
        cost = self._starting.get(entrant)
        return 0.0 if cost is None else cost.each

    def is_costly_to_start(self, entrant: Entrant) -> bool:
        """Whether starting a process of a bot costs as much as many games."""
        return self.starting_seconds(entrant) > COSTLY_START

    def long_sitting(self, entrants: Iterable[Entrant], players: int) -> float:
        """Seconds that a sitting of bots that are costly to start should take."""
        starts = players * sum(map(self.starting_seconds, entrants))
        return min(max(STARTS_WORTH * starts, SECONDS), MOST_SECONDS)

    @property
    def spent(self) -> float:
        """Seconds that all games which were seen kept workers busy."""
        return sum(cost.seconds for cost in self._costs.values())

    def _limit(self, key: str) -> float:
        """The time a game from which on a bot of a contest is slow."""
        count, limit = self._slow_from.get(key, (0, 0.0))
        if count != len(self._costs):
            every = [cost.each for (contest, _), cost in self._own.items() if contest == key]
            limit = max(SLOW * median(every), SLOW_SECONDS) if every else SLOW_SECONDS
            self._slow_from[key] = len(self._costs), limit
        return limit

    def _start_limit(self) -> float:
        """The time to be loaded from which on a bot is slow."""
        count, limit = self._slow_start
        if count != len(self._starting):
            limit = max(SLOW * median([cost.each for cost in self._starting.values()]), SLOW_START)
            self._slow_start = len(self._starting), limit
        return limit

    def _games(self, series: Series) -> int:
        key = series.contest.key
        most, seconds = BLOCK_GAMES, 0.0
        for entrant in series.lineup:
            if sleep := self._sleepers.get((key, entrant)):
                most = min(most, sleep.most_games)
                seconds += sleep.awake_each
            else:
                each = self.seconds(key, entrant)
                most = min(most, FIRST_GAMES) if each is None else most
                seconds += each or 0.0
        return most if most * seconds <= SECONDS else int(SECONDS / seconds)


def own_memory_mb(memory_mb: int) -> int:
    """The megabytes of a process that it does not share with others."""
    return max(memory_mb - SHARED_MB, 1)
