"""One bad bot does not slow down the games among the others, by a simulated clock: two workers, each with a queue."""

from collections import deque
from heapq import heappop, heappush
from pathlib import Path
from typing import NamedTuple

import pytest

from league.plan.coverage import Coverage
from league.plan.draft import host_keys
from league.plan.pace import Pace
from league.plan.rounds import rounds_of
from league.plan.schedule import plan
from league.plan.sittings import Feed
from league.play.executors.local import IN_HAND, next_worker
from league.setup.config import parse
from league.setup.roster import Roster
from league.values.block import BlockResult, Fault, Usage
from tests.leagues import bot

WORKERS = 2
DEALS = 2000
HONEST = [f"bot{number}" for number in range(6)]


class Kind(NamedTuple):
    """What a bot takes, in seconds: for a game of processor time and asleep, and for each process to be loaded."""

    game: float = 1e-4
    asleep: float = 0.0
    start: float = 0.004
    fault: str = ""
    """In every game."""


GOOD = Kind()
SLOW = {"burns in every decision": Kind(game=15 * 0.09), "allocates in every match": Kind(game=0.15)}
BAD = {
    "sleeps in every decision": Kind(asleep=15 * 0.24),
    "burns when it is imported": Kind(start=4.5),
    "holds memory": Kind(start=0.2),
    "loops for ever": Kind(game=0.4, fault="timeout"),
    "sleeps for ever": Kind(asleep=0.8, start=0.02, fault="timeout"),
}


class Simulation:
    """A league whose seventh bot is of some kind, played without playing."""

    def __init__(self, kind):
        self.kinds = dict.fromkeys(HONEST, GOOD) | {"mallory": kind}
        text = f"league: t\nbots: bots\ngames: [{{game: raj, deals: {DEALS}}}]"
        self.coverage = Coverage(plan(parse(text, Path()), Roster(tuple(bot(name) for name in self.kinds))))
        self.pace = Pace()
        self.feed = Feed(self.coverage, self.pace, WORKERS)
        self.queues = [deque() for _ in range(WORKERS)]
        self.now = 0.0

    def run(self):
        """Play until the honest bots have played everything among themselves; returns when that was."""
        missing = len(HONEST) * (len(HONEST) - 1) * DEALS
        ends = []
        stream = self.stream = self.feed.sittings(rounds_of(self.coverage.plan))
        while missing:
            while (worker := next_worker(self.queues, IN_HAND)) is not None:
                sitting = next(stream, None)
                if sitting is None:
                    break
                self.queues[worker].append(sitting)
                if len(self.queues[worker]) == 1:
                    heappush(ends, (self.now + self.seconds(sitting), worker))
            self.now, worker = heappop(ends)
            for block in (sitting := self.queues[worker].popleft()).blocks:
                self.feed.over(block, played=True)
                self.pace.learn(self.result(block, sitting))
                missing -= block.games if "mallory" not in self.names(block) else 0
            if self.queues[worker]:
                heappush(ends, (self.now + self.seconds(self.queues[worker][0]), worker))
        self.waiting = [block for queue in self.queues for sitting in queue for block in sitting.blocks]
        return self.now

    def names(self, block):
        return [entrant.name for entrant in block.series.lineup]

    def seconds(self, sitting):
        hosts = {key for block in sitting.blocks for key in host_keys(block.series)}
        games = [(self.kinds[name], block.games) for block in sitting.blocks for name in self.names(block)]
        return sum(self.kinds[entrant.name].start for entrant, _ in hosts) + sum(
            count * (kind.game + kind.asleep) for kind, count in games
        )

    def result(self, block, sitting):
        share = block.games / sitting.games
        usage, faults = [], []
        for name in self.names(block):
            kind = self.kinds[name]
            worker = 0.01 * share * self.seconds(sitting)
            game, asleep = kind.game * block.games, kind.asleep * block.games
            usage.append(Usage(1, game, worker, kind.start * share, asleep, starts=share))
            if kind.fault:
                faults.append(Fault(name, str(block.series.address(block.first)), kind.fault, "bad"))
        return BlockResult(block, b"", tuple(faults), tuple(usage))


def test_every_game_is_played_and_those_of_the_bad_bot_last(monkeypatch):
    monkeypatch.setattr("tests.plan.test_bad_bots.DEALS", 200)
    simulation = Simulation(BAD["loops for ever"])
    simulation.run()
    assert simulation.feed.held_up()["mallory"] > 1000
    assert not simulation.coverage.missing(0, 0, 0, (0, 200))
    for sitting in simulation.stream:
        for block in sitting.blocks if sitting else ():
            simulation.waiting.append(block)
        for block in simulation.waiting:
            simulation.feed.over(block, played=True)
        simulation.waiting.clear()
    assert not any(simulation.coverage.to_play())
    assert simulation.feed.held_up() == {}


@pytest.fixture(scope="module")
def usual():
    return Simulation(GOOD).run()


@pytest.mark.parametrize("kind", SLOW)
def test_slow_bot_slows_the_others_less_than_half_as_much_again(kind, usual):
    assert Simulation(SLOW[kind]).run() < 1.5 * usual


@pytest.mark.parametrize("kind", BAD)
def test_bad_bot_slows_the_others_less_than_twice(kind, usual):
    assert Simulation(BAD[kind]).run() < 2 * usual
