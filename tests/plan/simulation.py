"""Leagues that are played without playing: a clock of their own, and bots that take as long as they are said to."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from heapq import heappop, heappush
from pathlib import Path
from typing import Any, NamedTuple

from league.plan.costs import Cost, Costs
from league.plan.coverage import Coverage
from league.plan.limit import Limit
from league.plan.queue import Queue
from league.plan.rounds import ChosenRound, Round, rounds_of
from league.plan.schedule import Plan, plan
from league.play.executors.local import IN_HAND, LOOK, next_worker
from league.setup.config import parse
from league.setup.roster import Roster
from league.values.block import Block, BlockResult, Entrant, Fault, FaultKind, Sitting, Unavailable, Usage
from league.values.settings import Stop
from tests.leagues import bot

NAMES = [f"bot{number:02}" for number in range(12)]


class Kind(NamedTuple):
    """What a bot takes, in seconds: for a game of processor time and asleep, and for each process to be loaded."""

    game: float = 1e-4
    asleep: float = 0.0
    start: float = 0.004
    fault: FaultKind | None = None
    """In every game."""
    is_program: bool = False
    """Whether its processes do not wait for the next sitting."""


GOOD = Kind()


def planned(
    games: str = "{game: raj, deals: 100}, {game: raj, players: 3, max_lineups: 60, deals: 20}",
    names: Iterable[str] = NAMES,
) -> Plan:
    config = parse(f"league: t\nbots: bots\ngames: [{games}]", Path())
    return plan(config, Roster(tuple(bot(name) for name in sorted(names))))


def known(planned: Plan, seconds: float = 1e-4, without: Iterable[Entrant] = (), workers: int = 1) -> Costs:
    """Costs of the bots of a plan, as earlier runs have seen them."""
    costs = Costs(workers)
    for fixture in planned.fixtures:
        for entrant in set(fixture.entrants).difference(without):
            costs.know(fixture.contest.key, entrant, Cost(1000, Usage(1, 1000 * seconds)))
    return costs


def result(block: Block, *seconds_a_game: float, fault: FaultKind | None = None, by: str = "") -> BlockResult:
    """A block whose bots took so long for a game."""
    usage = tuple(Usage(30 * block.games, seconds * block.games) for seconds in seconds_a_game)
    faults = (Fault(by, str(block.series.address(block.first)), fault, "bad"),) if fault else ()
    return BlockResult(block, b"", faults, usage)


class Simulation:
    """Workers that play a plan, each with a queue and hosts that wait."""

    def __init__(
        self,
        coverage: Coverage,
        kinds: Mapping[str, Kind],
        *,
        workers: int = 2,
        stop: Stop | None = None,
        costs: Costs | None = None,
        **how: Any,
    ) -> None:
        self.now = 0.0
        self.coverage, self.kinds = coverage, kinds
        self.costs = costs or Costs(workers)
        self.limit = Limit(stop or Stop(), reserve=5, clock=self.clock)
        self.queue = Queue(coverage, self.costs, self.limit, clock=self.clock, **how)
        self.hands: list[deque[Sitting]] = [deque() for _ in range(workers)]
        self.hosts: list[set[tuple[str, int]]] = [set() for _ in range(workers)]
        self.ends: list[tuple[float, int]] = []
        self.played: list[Block] = []
        self.sittings: list[Sitting] = []
        self.starts: list[str] = []
        self._started: dict[int, set[str]] = {}

    def clock(self) -> float:
        return self.now

    def play(self, *, until: Callable[[], bool] = lambda: False, with_slow: bool = True) -> Simulation:
        """Play all rounds, as far as the limit goes, and then what slow bots have left."""
        last: Round | None = None
        for whole in rounds_of(self.coverage.plan):
            while any(missing := whole.missing(self.coverage)) and not self.is_over(until):
                part = self.limit.part_of(whole, self.coverage, self.costs)
                if part is None:
                    return self
                last = part
                self.play_round(part, until, waits_for_slow=isinstance(part, ChosenRound))
                if part is whole or whole.missing(self.coverage) == missing:
                    self.limit.rounds_left -= 1
                    break
        if with_slow and last is not None:
            self.play_round(last, until, waits_for_slow=True)
        return self

    def is_over(self, until: Callable[[], bool]) -> bool:
        return until() or self.limit.left == 0 or self.limit.is_used_up

    def play_round(self, part: Round, until: Callable[[], bool], *, waits_for_slow: bool) -> None:
        began, work = self.now, 0.0
        self.queue.begin(part, waits_for_slow=waits_for_slow)
        while not until() and self.limit.left:
            self.hand_out()
            if self.queue.is_over:
                break
            if self.ends and self.ends[0][0] <= self.now + LOOK:
                self.now, worker = heappop(self.ends)
                sitting = self.hands[worker].popleft()
                if self.hands[worker]:
                    self.begin(worker)
                for played in self.queue.over(sitting, self.results(sitting)):
                    if isinstance(played, BlockResult):
                        self.played.append(played.block)
                        work += played.work
            else:
                self.now += LOOK
        self.costs.took(work, len(self.hands) * (self.now - began))

    def hand_out(self) -> None:
        while (worker := next_worker(self.hands, IN_HAND)) is not None and (sitting := self.queue.next()) is not None:
            self.sittings.append(sitting)
            self.hands[worker].append(sitting)
            if len(self.hands[worker]) == 1:
                self.begin(worker)

    def begin(self, worker: int) -> None:
        """The worker starts the hosts that do not wait for it, and plays."""
        sitting = self.hands[worker][0]
        rotation = sitting.blocks[0].series.rotation
        wanted = {(entrant.name, rotation) for entrant in sitting.entrants}
        new = wanted if sitting.is_fresh else wanted - self.hosts[worker]
        self.hosts[worker] |= {host for host in new if not (self.kind(host[0]).fault or self.kind(host[0]).is_program)}
        self.starts += [name for name, _ in new]
        self._started[id(sitting)] = {name for name, _ in new}
        seconds = sum(self.kind(name).start for name, _ in new)
        seconds += sum(block.games * sum(map(self.game_seconds, block.series.lineup)) for block in sitting.blocks)
        heappush(self.ends, (self.now + seconds, worker))

    def kind(self, name: str) -> Kind:
        return self.kinds.get(name, GOOD)

    def game_seconds(self, entrant: Entrant) -> float:
        return self.kind(entrant.name).game * 1.01 + self.kind(entrant.name).asleep

    def results(self, sitting: Sitting) -> list[BlockResult | Unavailable]:
        started = self._started.pop(id(sitting))
        return [self.result(block, block.games / sitting.games, started) for block in sitting.blocks]

    def result(self, block: Block, share: float, started: set[str]) -> BlockResult | Unavailable:
        usage, faults = [], []
        for entrant in block.series.lineup:
            kind, starts = self.kind(entrant.name), share * (entrant.name in started)
            game, asleep = kind.game * block.games, kind.asleep * block.games
            usage.append(Usage(1, game, 0.01 * game, kind.start * starts, asleep, starts=starts))
            if kind.fault:
                faults.append(Fault(entrant.name, str(block.series.address(block.first)), kind.fault, "bad"))
        return BlockResult(block, b"", tuple(faults), tuple(usage))
