"""Hosts that wait for their next sitting: fewer processes, the same results, and never a deal twice."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest
from msgspec.structs import replace

from league.hosts.factory import HostFactory
from league.hosts.process_host import ProcessHost
from league.play import host_pool
from league.play.host_pool import HostPool
from league.play.match import play_sitting
from league.setup.roster import Bot
from league.values.block import Block, BlockResult, Sitting
from tests.hosts.stage import HONEST, bot
from tests.hosts.test_clock import until
from tests.hosts.test_sittings import COUNTING, DEALS, HONESTS, play, sitting


class Stage:
    """A pool that plays sittings of some bots, and all hosts that it has opened."""

    def __init__(self, factory: HostFactory, bots: list[Bot], most_mb: float = inf) -> None:
        by_entrant = {one.entrant(): one for one in bots}
        self.opened: list[ProcessHost] = []

        def open_host(entrant, game):
            self.opened.append(factory.open(by_entrant[entrant], game))
            return self.opened[-1]

        self.bots = bots
        self.pool = HostPool(open_host, most_mb)

    def play(self, first: int = 0, rotation: int = 0, *, is_fresh: bool = False) -> list[BlockResult]:
        """All pairs play some deals."""
        wanted = replace(later(sitting(self.bots, rotation), first), is_fresh=is_fresh)
        self.pool.prepare(wanted)
        results = play_sitting(wanted, self.pool.open, close_host=self.pool.give_back)
        return [result for result in results if isinstance(result, BlockResult)]

    @property
    def waiting(self) -> list[int]:
        """The processes that wait."""
        return [host._process.pid for host in self.pool._waiting.values() if host._process]


@pytest.fixture
def stage(sandbox: HostFactory):
    stages: list[Stage] = []

    def made(bots: list[Bot], most_mb: float = inf) -> Stage:
        stages.append(Stage(sandbox, bots, most_mb))
        return stages[-1]

    yield made
    for one in stages:
        one.pool.close()
        assert all(host._process is None or not host._process._open for host in one.opened)


def later(wanted: Sitting, first: int) -> Sitting:
    return Sitting(tuple(Block(block.series, first, first + DEALS) for block in wanted.blocks))


def test_processes_play_in_several_sittings_with_the_results_of_new_ones(sandbox, stage):
    ours = stage(HONESTS)
    for first in (0, DEALS, 2 * DEALS):
        results = [replace(result, usage=()) for result in ours.play(first)]
        assert results == play(sandbox, HONESTS, later(sitting(HONESTS), first))
    assert len(ours.opened) == len(HONESTS)


def test_waiting_processes_are_stopped(stage):
    ours = stage(HONESTS)
    ours.play()
    assert len(ours.waiting) == len(HONESTS)
    until(lambda: all(Path(f"/proc/{pid}/stat").read_text().split()[2] == "T" for pid in ours.waiting))


def test_usage_is_that_of_one_sitting(stage):
    ours = stage(HONESTS)
    before, after = ours.play(), ours.play(DEALS)
    assert all(usage.starting > 0 for result in before for usage in result.usage)
    assert all(usage.starting == 0 and usage.memory_mb > 0 for result in after for usage in result.usage)
    decisions = [[usage.decisions for result in results for usage in result.usage] for results in (before, after)]
    assert decisions[0] == decisions[1]


def test_each_rotation_has_processes_of_its_own(stage):
    """A lineup plays the same deals in all of them."""
    ours = stage(HONESTS)
    ours.play()
    first = set(ours.waiting)
    ours.play(rotation=1)
    assert first < set(ours.waiting)
    assert len(ours.waiting) == 2 * len(HONESTS)


def test_a_fresh_sitting_is_played_by_new_processes_that_do_not_wait(stage):
    ours = stage(HONESTS)
    ours.play()
    first = ours.waiting
    ours.play(is_fresh=True)
    assert ours.waiting == first
    assert len(ours.opened) == 2 * len(HONESTS)


@pytest.mark.parametrize("attack", ["raise ValueError", "os._exit(1)", "return 'x'"])
def test_a_process_in_which_anything_went_wrong_does_not_wait(stage, attack):
    mallory = bot("mallory", COUNTING.format(when="self.number == 2", attack=attack).encode())
    ours = stage([*HONESTS[:2], mallory])
    ours.play()
    assert {entrant.name for _, _, entrant in ours.pool._waiting} == {"ann", "bob"}


def test_a_process_is_closed_after_very_many_games(stage, monkeypatch):
    monkeypatch.setattr(host_pool, "MOST_GAMES", 3 * DEALS)
    ours = stage(HONESTS)
    ours.play()
    assert len(ours.waiting) == len(HONESTS)
    ours.play(DEALS)
    assert ours.waiting == []


def test_those_that_waited_longest_make_room(stage, monkeypatch):
    monkeypatch.setattr(host_pool, "MOST_HOSTS", 3)
    ours = stage([*HONESTS, bot("dan", HONEST)])
    every = ours.bots
    ours.bots = every[:2]
    ours.play()
    ours.bots = every[2:]
    ours.play()
    names = [entrant.name for _, _, entrant in ours.pool._waiting]
    assert len(names) == 3
    assert {"cid", "dan"} <= set(names)


def test_those_that_wait_have_little_memory_together(stage):
    ours = stage(HONESTS, most_mb=0)
    ours.play()
    assert ours.waiting == []
