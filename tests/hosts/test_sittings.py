"""Many lineups at one sitting: a bot that misbehaves at one table changes nothing at any other."""

from __future__ import annotations

from itertools import combinations

import pytest
from msgspec.structs import replace

from league import games
from league.hosts import Begin, Reply
from league.hosts.factory import HostFactory
from league.play.match import play_sitting
from league.setup.roster import Bot
from league.tools.seeds import stretched
from league.values.block import Block, BlockResult, Series, Sitting, Usage
from league.values.settings import Contest, Isolation
from tests.hosts.stage import HONEST, LIMITS, bot

HONESTS = [bot(name, HONEST) for name in ("ann", "bob", "cid")]
DEALS = 4

COUNTING = """
import os

tables = 0

class Bot:
    def __init__(self, table):
        global tables
        tables += 1
        self.number = tables
        self.rng = table.rng

    def choose(self, view):
        if {when}:
            {attack}
        return self.rng.choice(view.legal)
"""
"""Knows how many tables its process has seen before this one."""

ATTACKS = {
    "dies at its seventh table": ("self.number == 7 and len(view.history) == 2", "os._exit(1)"),
    "dies at every table": ("len(view.history) == 1", "os.abort()"),
    "floods one table": ("self.number == 5", "return b'x' * 10**7"),
    "blames by raising at one table": ("self.number == 3", "raise ValueError('mine')"),
    "never answers at one table": ("self.number == 4 and len(view.history) == 3", "while True: pass"),
}


def sitting(bots: list[Bot], rotation: int = 0) -> Sitting:
    """All pairs of these bots."""
    contest = Contest.of(games.make("raj", 2))
    lineups = [tuple(sorted(one.entrant() for one in pair)) for pair in combinations(bots, 2)]
    series = [Series(contest, lineup, rotation, stretched(7), LIMITS) for lineup in lineups]
    return Sitting(tuple(Block(one, 0, DEALS) for one in series))


def play(factory: HostFactory, bots: list[Bot], wanted: Sitting) -> list[BlockResult]:
    """Play a sitting; what does not depend on the clock."""
    by_entrant = {one.entrant(): one for one in bots}
    results = play_sitting(wanted, lambda entrant, game: factory.open(by_entrant[entrant], game))
    return [replace(result, usage=()) for result in results if isinstance(result, BlockResult)]


def one_by_one(factory: HostFactory, bots: list[Bot], wanted: Sitting) -> list[BlockResult]:
    return [result for block in wanted.blocks for result in play(factory, bots, Sitting((block,)))]


def test_a_sitting_gives_the_same_results_as_its_blocks_one_by_one(sandbox: HostFactory) -> None:
    wanted = sitting(HONESTS)
    with HostFactory(Isolation.TRUSTED, LIMITS) as trusted:
        expected = one_by_one(trusted, HONESTS, wanted)
        assert play(trusted, HONESTS, wanted) == expected
    assert play(sandbox, HONESTS, wanted) == expected


@pytest.mark.parametrize("attack", ATTACKS)
def test_others_play_as_if_the_attacker_had_not_been_there(sandbox: HostFactory, attack: str) -> None:
    when, what = ATTACKS[attack]
    mallory = bot("mallory", COUNTING.format(when=when, attack=what).encode())
    bots = [*HONESTS, mallory]
    wanted = sitting(bots)
    results = play(sandbox, bots, wanted)
    honest = [result for result in results if mallory.entrant() not in result.block.series.lineup]
    assert honest == play(sandbox, HONESTS, sitting(HONESTS))
    faults = [fault for result in results for fault in result.faults]
    assert faults
    assert {fault.bot for fault in faults} == {"mallory"}
    for result in results:
        deals = {fault.deal for fault in result.faults}
        addresses = {fault.address.rpartition(":")[0] for fault in result.faults}
        assert addresses <= {str(result.block.series.address(0)).rpartition(":")[0]}, "a fault of another lineup"
        assert all(result.block.first <= deal < result.block.stop for deal in deals)


class Heard:
    """A host that records what its process is told about tables, and answers with the first legal move."""

    wants_final_view = False

    def __init__(self) -> None:
        self.begins: list[Begin] = []

    def send(self, tick):
        self.begins += tick.begins
        self._views = tick.views

    def receive(self):
        return Reply([view.legal[0] for view in self._views])

    def close(self):
        return Usage(0, 0.0)


def test_nothing_tells_which_lineup_a_table_has() -> None:
    """A process learns slot, seat and a seed of its own: no name, no deal, and no slot twice."""
    hosts: list[Heard] = []

    def opened(*_: object) -> Heard:
        hosts.append(Heard())
        return hosts[-1]

    play_sitting(sitting(HONESTS), opened)
    assert len(hosts) == len(HONESTS)
    for host in hosts:
        assert len(host.begins) == 2 * DEALS
        assert {begin._fields for begin in host.begins} == {("slot", "seat", "seed", "fresh")}
        assert len({begin.slot for begin in host.begins}) == len({begin.seed for begin in host.begins}) == 2 * DEALS


def test_blocks_of_two_rotations_are_refused() -> None:
    """They have the same deals, which no process may see twice."""
    both = Sitting((*sitting(HONESTS).blocks, *sitting(HONESTS, rotation=1).blocks))
    with pytest.raises(ValueError, match="one rotation"):
        play_sitting(both, lambda *_: Heard())


def test_another_version_of_a_bot_has_the_same_deals() -> None:
    (one, *_), (other, *_) = (sitting(bots).blocks for bots in (HONESTS, [*HONESTS[:2], bot("cid", b"# new")]))
    assert one.series.luck == other.series.luck == ("ann", "bob")
