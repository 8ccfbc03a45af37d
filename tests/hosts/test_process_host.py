"""A bot's process may die at any time: which game is blamed, and how the other games continue."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
from random import Random
from typing import Any

import pytest

from league import games
from league.errors import IsolationError
from league.hosts import Begin, Printed, Reply, Tick, clock
from league.hosts.clock import Clock
from league.hosts.factory import HostFactory
from league.hosts.launcher import Launcher, Zygote
from league.hosts.process import Death
from league.hosts.process_host import MOST_ACCIDENTS, ProcessHost
from league.play.match import play_block
from league.values.block import Usage
from league.values.settings import Isolation, Limits
from tests.counting import tally_of
from tests.hosts.stage import HONEST, HOSTILE, LIMITS, block, bot, children, play, trusted, zygote_of
from tests.tables import each

LEARNER = """
import os, random

class Bot:
    def __init__(self, table):
        self.games = 0
        self.seen = []

    def start(self, table):
        self.games += 1

    def choose(self, view):
        self.seen.append(view.prize)
        if self.games == 2 and len(view.history) == 3 and view.pile[-1] > 2:
            FAIL
        return view.legal[(sum(self.seen) + random.randrange(3)) % len(view.legal)]

    def finish(self, outcome, view):
        self.seen += [outcome.scores[0], *view.history[-1].bids]
"""
"""Its moves depend on everything in its match, so a slot that is restored wrongly plays other moves."""


def learner(failure: str) -> bytes:
    return LEARNER.replace("FAIL", failure).encode()


@pytest.mark.parametrize("failure", ["os._exit(1)", "os.abort()"])
def test_other_games_are_the_same_as_in_a_calm_run(sandbox: HostFactory, failure: str) -> None:
    """Matches of three games: an instance that dies in the second game is restored as it was before that decision."""
    tame = [bot("honest", HONEST), bot("learner", learner("self.seen.pop(); raise ValueError"))]
    wild = [tame[0], bot("learner", learner(failure))]
    calm = trusted(tame, block(tame, 60, games_per_match=3))
    assert len(calm.faults) >= 2

    result = play(sandbox, wild, block(wild, 60, games_per_match=3))

    assert [fault.address for fault in result.faults] == [fault.address for fault in calm.faults]
    assert {fault.kind for fault in result.faults} == {"crash"}
    assert result.outcomes == calm.outcomes


def test_a_bot_that_dies_in_every_game(sandbox: HostFactory) -> None:
    deadly = (
        b"import os\nclass Bot:\n    def choose(self, view):\n        if view.history: os._exit(1)\n        return 1"
    )
    bots = [bot("deadly", deadly), bot("honest", HONEST)]
    result = play(sandbox, bots, block(bots, 150))
    assert len(result.faults) == 150
    assert len({fault.address for fault in result.faults}) == 150


def test_a_bot_that_dies_when_its_match_is_repeated(sandbox: HostFactory) -> None:
    """It survived the match the first time. This match is lost, the others are not."""
    flaky = b"""
import os
class Bot:
    def choose(self, view):
        if view.prize == 10 and len(view.history) == 5: os._exit(1)
        if view.prize == 9 and len(view.history) == 4 and os.getpid() % 2 == PARITY: os._exit(2)
        return view.legal[0]
"""
    for parity in (b"0", b"1"):
        bots = [bot("flaky", flaky.replace(b"PARITY", parity)), bot("honest", HONEST)]
        result = play(sandbox, bots, block(bots, 60))
        assert {fault.bot for fault in result.faults} == {"flaky"}
        assert sum(ranking.games for ranking in tally_of(result).rankings) == 60


def test_processes_killed_from_outside_are_nobodys_fault() -> None:
    """If the zygote dies, its hosts die with it. A new one replaces it, and the result is that of a calm run."""
    bots = [bot("honest", HONEST), bot("other", HONEST)]
    calm = trusted(bots)
    with HostFactory(Isolation.SANDBOX, LIMITS) as factory:
        ticks = 0

        def open_and_kill(entrant, game):
            host = factory.open(next(known for known in bots if known.entrant() == entrant), game)
            if entrant.name == "other":
                send = host.send

                def sabotaged(tick: Tick) -> None:
                    nonlocal ticks
                    ticks += 1
                    if ticks == 5:
                        os.kill(zygote_of(factory), signal.SIGKILL)
                    send(tick)

                host.send = sabotaged
            return host

        result = play_block(block(bots), open_and_kill)
    assert result.faults == ()
    assert result.outcomes == calm.outcomes


def test_a_bot_never_has_two_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is limited per bot, so the former process is gone before the next one is started."""
    hoarder = b"""
import os
HOARD = bytearray(16 << 20)
class Bot:
    def choose(self, view):
        if view.pile[-1] > 5: os._exit(1)
        return view.legal[0]
"""
    bots = [bot("hoarder", hoarder), bot("honest", HONEST)]
    at_once = []
    fork = Launcher.fork

    def counting(self: Launcher, *arguments: Any) -> tuple[Zygote, int]:
        forked = fork(self, *arguments)
        at_once.append(len(children(self.start().pid)))
        return forked

    monkeypatch.setattr(Launcher, "fork", counting)
    with HostFactory(Isolation.SANDBOX, LIMITS) as factory:
        result = play(factory, bots, block(bots, 24))
    assert len(result.faults) > 10
    assert len(at_once) > len(result.faults)
    assert max(at_once) == 2  # the hoarder's and the honest bot's


def test_a_bot_that_writes_its_hosts_messages_while_it_is_loaded_is_at_fault_in_every_game(
    sandbox: HostFactory,
) -> None:
    """It writes that it is loaded, so the real messages of its host are found in its first game."""
    forger = b"""
import os
LOADED = b"\\x90"
os.write(3, len(LOADED).to_bytes(4, "little") + LOADED + bytes([1, 0, 0, 0] + 8 * [0]))
class Bot:
    def choose(self, view): return view.legal[0]
"""
    bots = [bot("forger", forger), bot("honest", HONEST)]
    results = [play(sandbox, bots, block(bots, 6)) for _ in range(3)]
    assert [(fault.bot, fault.kind) for fault in results[0].faults] == [("forger", "protocol")] * 6
    assert all((one.faults, one.outcomes) == (results[0].faults, results[0].outcomes) for one in results)


SLOW = b"""
import time
class Bot:
    def start(self, table): self.think()
    def choose(self, view):
        if len(view.history) < 2: self.think()
        return view.legal[0]
    def think(self):
        until = time.process_time() + 0.04
        while time.process_time() < until: pass
"""
"""Takes two thirds of the time that a decision may take."""


def test_slow_bots_are_not_blamed_for_many_games_at_once(sandbox: HostFactory) -> None:
    bots = [bot("honest", HONEST), bot("slow", SLOW)]
    result = play(sandbox, bots, block(bots, 12))
    assert result.faults == ()
    assert result.outcomes == trusted([bots[0], bot("slow", SLOW.replace(b"0.04", b"0"))], block(bots, 12)).outcomes


def test_slow_bots_that_die_are_blamed_for_nothing_else(sandbox: HostFactory) -> None:
    """When a match is repeated one thing at a time, `start` and `choose` have their own time each."""
    deadly = SLOW.replace(b"        return", b"        if view.pile[-1] == 10: import os; os._exit(1)\n        return")
    bots = [bot("honest", HONEST), bot("slow", deadly)]
    result = play(sandbox, bots, block(bots, 3))
    assert {fault.kind for fault in result.faults} == {"crash"}
    assert len(result.faults) == 3


EVADER = b"""
import gc, signal, time
class Bot:
    def choose(self, view):
        if len(view.history) == 1:
            signal.signal(signal.SIGPROF, signal.SIG_IGN)
            timer = next(item for item in gc.get_objects() if type(item).__name__ == "DecisionTimer")
            until = time.process_time() + 15 * 0.06
            while time.process_time() < until:
                timer._position[0] = (timer._position[0] + 1) % len(timer.tick.slots)
        return view.legal[0]
"""


def test_no_decision_takes_more_than_twice_its_time(sandbox: HostFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bot ignores the timer, and reports another decision all the time."""
    longest = []
    answered = Clock.answered

    def measured(self: Clock) -> tuple[float, float, bool]:
        found = answered(self)
        longest.append(found[0])
        return found

    monkeypatch.setattr(Clock, "answered", measured)
    bots = [bot("evader", EVADER), bot("honest", HONEST)]
    result = play(sandbox, bots, block(bots, 12))
    assert [(fault.bot, fault.kind) for fault in result.faults] == [("evader", "timeout")] * 12
    assert max(longest) < 2 * 0.06 + 0.05


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("class Bot:\n    def choose(self, view): return len(bytearray(1 << 30))", "memory"),
        ("hoard = bytearray(1 << 30)\nclass Bot:\n    def choose(self, view): return 1", "import"),
    ],
)
def test_a_memory_fault_names_the_limit(sandbox: HostFactory, source: str, kind: str) -> None:
    bots = [bot("honest", HONEST), bot("hoarder", source.encode())]
    (fault,) = play(sandbox, bots, block(bots, 1)).faults
    assert (fault.kind, fault.cause) == (kind, "MemoryError (a bot may take 64 MB)")


@pytest.mark.parametrize("isolation", [Isolation.SANDBOX, Isolation.PROCESS])
def test_prints_are_counted_and_their_beginning_is_kept(isolation: Isolation) -> None:
    loud = b"""
import sys
print("loaded")
class Bot:
    def choose(self, view):
        sys.stdout.buffer.write(b"x" * 999 + b"\\n")
        print("half \\ud800", file=sys.stderr)
        if len(view.history) == 14:
            raise SystemExit
        return view.legal[0]
"""
    heard = []
    with HostFactory(isolation, LIMITS, on_print=lambda name, printed: heard.append((name, printed))) as factory:
        bots = [bot("honest", HONEST), bot("loud", loud)]
        play(factory, bots, block(bots, 2))
    assert {name for name, _ in heard} == {"loud"}
    assert sum(printed.size for _, printed in heard) == len("loaded\n") + 2 * 15 * (1000 + len("half \\ud800\n"))
    written = "".join(printed.beginning for _, printed in heard)
    assert written.startswith("loaded\n" + "x" * 999 + "\nhalf \\ud800\n")
    assert len(written) < 4096


def test_what_a_bot_prints_again_after_a_death_is_reported_once() -> None:
    """A new process is told the match again, and prints everything again."""
    loud = b"""
import os
class Bot:
    def choose(self, view):
        print("round", len(view.history))
        if len(view.history) == 3:
            os._exit(1)
        return view.legal[0]
"""
    heard: list[str] = []
    with HostFactory(
        Isolation.PROCESS, LIMITS, on_print=lambda name, printed: heard.append(printed.beginning)
    ) as factory:
        bots = [bot("honest", HONEST), bot("loud", loud)]
        play(factory, bots, block(bots, 1))
    lines = "".join(heard).split("\n")
    assert [line for line in lines if line != "round 3"] == ["round 0", "round 1", "round 2", ""]
    assert "round 3" in lines


@each("source", [b"class Bot\n", b"\0", b"x = " + b"(" * 500])
def test_a_source_that_cannot_be_compiled_is_explained(process: HostFactory, source: bytes) -> None:
    bots = [bot("honest", HONEST), bot("broken", source)]
    (fault,) = play(process, bots, block(bots, 1)).faults
    assert fault.kind == "import"
    assert "Error" in fault.cause


def test_warnings_of_the_compiler_are_heard() -> None:
    heard: list[str] = []
    with HostFactory(Isolation.PROCESS, LIMITS, lambda name, printed: heard.append(printed.beginning)) as factory:
        play(factory, [bot("honest", HONEST), bot("careless", b"assert (1, 'always true')\n" + HONEST)])
    assert "SyntaxWarning: assertion is always true" in "".join(heard)


def test_the_match_budget(sandbox: HostFactory) -> None:
    """Many decisions can take too long together, although each is within its time."""
    slow = b"""
import time
class Bot:
    def choose(self, view):
        until = time.process_time() + 0.05
        while time.process_time() < until: pass
        return view.legal[0]
"""
    limits = Limits(move_ms=5000, match_ms=200)
    bots = [bot("honest", HONEST), bot("slow", slow)]
    with HostFactory(Isolation.SANDBOX, limits) as factory:
        result = play(factory, bots, block(bots, 2, limits))
    assert [(fault.bot, fault.kind) for fault in result.faults] == [("slow", "timeout")] * 2
    assert "match" in result.faults[0].cause
    assert 'File "slow.py"' in result.faults[0].tail
    assert "league" not in result.faults[0].tail  # the author need not know what raised it


def test_games_of_a_block_do_not_share_random_numbers(sandbox: HostFactory) -> None:
    """A game played alone in a new host has the same result as in its block. String hashes are the same too."""
    dicer = b"""
import random
class Bot:
    def choose(self, view):
        if view.pile[-1] == 5: random.seed(view.seat)
        words = list({"ant", "bee", "cat", "dog"})
        return view.legal[(random.randrange(99) + ord(words[0][0])) % len(view.legal)]
"""
    bots = [bot("dicer", dicer), bot("honest", HONEST)]
    together = play(sandbox, bots, block(bots, 12))
    with HostFactory(Isolation.SANDBOX, LIMITS) as other:
        for deal in range(3):
            whole = block(bots, 12)
            alone = play(other, bots, type(whole)(whole.series, deal, deal + 1))
            assert tally_of(alone).rankings == tuple(r for r in tally_of(together).rankings if r.group == deal)
            assert tally_of(alone).points == tuple(p for p in tally_of(together).points if p[0] == deal)


def test_an_orphaned_zygote_ends() -> None:
    """A worker that is killed leaves nothing behind."""
    reader, writer = os.pipe()
    worker = os.fork()
    if worker == 0:  # a worker with a host whose bot is waiting
        os.close(reader)
        factory = HostFactory(Isolation.SANDBOX, LIMITS)
        host = factory.open(bot("honest", HONEST), games.make("raj", 2))
        host.send(Tick((), [Begin(0, 0, 1, True)], (), ()))
        host.receive()
        zygote = zygote_of(factory)
        os.write(writer, f"{zygote} {children(zygote)[0]}".encode())
        signal.pause()
    os.close(writer)
    processes = [os.pidfd_open(int(pid)) for pid in os.read(reader, 100).split()]
    os.close(reader)
    os.kill(worker, signal.SIGKILL)
    os.waitpid(worker, 0)
    for process in processes:
        ready, _, _ = select.select([process], [], [], 30)
        assert ready, "a process outlived its worker"
        os.close(process)


@pytest.mark.slow
@pytest.mark.parametrize("words", [b"", b"f"], ids=["at once", "in the middle of a request"])
def test_a_zygote_whose_league_is_gone_ends_silently(words):
    ours, theirs = socket.socketpair()
    with theirs:
        code = f"from league.hosts.zygote import serve; serve('{theirs.fileno()}', '{os.getpid()}', '')"
        zygote = subprocess.Popen([sys.executable, "-c", code], pass_fds=[theirs.fileno()], stderr=subprocess.PIPE)
    ours.sendall(words)
    ours.close()
    _, said = zygote.communicate(timeout=60)
    assert (said, zygote.returncode) == (b"", 0)


def test_an_answer_that_came_too_late_is_a_timeout(sandbox: HostFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though it is a good one: the time was over before anybody looked at the clock."""
    bots = [bot("ann", HONEST), bot("bob", HONEST)]
    assert play(sandbox, bots, block(bots, 1)).faults == ()
    answered = Clock.answered
    monkeypatch.setattr(Clock, "answered", lambda clock: (*answered(clock)[:2], True))
    faults = play(sandbox, bots, block(bots, 1)).faults
    assert faults
    assert {fault.kind for fault in faults} == {"timeout"}


class Waiting:
    """A process whose every message waits as long, however many slots it is about."""

    took, slept, wants_final_view = 0.0, 0.3, False

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def hello(self) -> None:
        pass

    def send(self, tick: Tick, message: bytes) -> None:
        self.sizes.append(len(tick.slots))

    def receive(self) -> Reply:
        return Reply([0] * self.sizes[-1])


def test_a_program_that_waits_is_soon_asked_for_all_games_at_once() -> None:
    process = Waiting()
    game = games.make("raj", 2)
    host = ProcessHost(lambda: process, game, Limits(move_ms=500))  # type: ignore[arg-type,return-value]
    view = game.start(game.deal(Random(0))).view(0)
    for _ in range(3):
        host.send(Tick((), (), [*range(256)], [view] * 256))
        host.receive()
    assert process.sizes[:4] == [1, 2, 5, 13]
    assert process.sizes[-1] == 256


class Killed(Waiting):
    """A process that is killed from outside, as often as `deaths` says."""

    deaths = 0

    def receive(self) -> Reply:
        if self.deaths:
            self.deaths -= 1
            death = Death("crash", "killed")
            death.blameless = True
            raise death
        return super().receive()

    def usage(self) -> Usage:
        return Usage(0, 0.0)

    def heard(self) -> Printed:
        return Printed()


def test_too_many_accidents_are_an_error() -> None:
    process = Killed()
    game = games.make("raj", 2)
    host = ProcessHost(lambda: process, game, LIMITS)  # type: ignore[arg-type,return-value]
    tick = Tick((), (), [0], [game.start(game.deal(Random(0))).view(0)])
    process.deaths = MOST_ACCIDENTS
    host.send(tick)
    assert host.receive().moves == [0]
    process.deaths = 1
    host.send(tick)
    with pytest.raises(IsolationError, match="killed from outside"):
        host.receive()


def test_a_message_takes_at_most_half_the_time_of_a_decision() -> None:
    host = ProcessHost(lambda: None, games.find("raj")(2), Limits(move_ms=100))  # type: ignore[arg-type, return-value]
    assert host._room() == 1
    host._awake_each, host._asleep_each = 0.0099, 1e-9
    assert host._room() == 5


HELD_UP = """
class Bot:
    def __init__(self, table): pass
    def start(self, table): pass
    def choose(self, view): return view.legal[0]
    def finish(self, outcome): pass
"""


@each(
    "hook", ["", "__init__(self, table): ", "start(self, table): ", "choose(self, view): ", "finish(self, outcome): "]
)
def test_a_bot_that_is_held_up_in_the_kernel_loses_and_no_one_waits(
    hook: str, process: HostFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sandbox refuses the call, see hold_up_the_league.py. Where nothing is refused, the league's clock ends it."""
    if (os.cpu_count() or 1) < 2:
        pytest.skip("this call returns at once with a single processor")
    monkeypatch.setattr(clock, "HELD_UP_S", 0.1)
    attack = (HOSTILE / "hold_up_the_league.py").read_text()
    source = HELD_UP.replace(hook, f"{hook}attack(0); ") if hook else f"{HELD_UP}\nattack(0)\n"
    bots = [bot("honest", HONEST), bot("mallory", (attack + source).encode())]
    result = play(process, bots, block(bots, 1))
    kind, when = ("timeout", "asked") if hook else ("import", "loaded")
    assert {(fault.bot, fault.kind) for fault in result.faults} == {("mallory", kind)}
    slept = {"it slept instead of deciding", "it slept or waited for more than 0.6 s while it was loaded"}
    assert {fault.cause for fault in result.faults} <= {clock.over_clock(when), *slept}


FINE = b"""
import time

class Bot:
    def choose(self, view):
        steps = {time.process_time() for _ in range(10_000)}
        assert len(steps) > 20, len(steps)
        return view.legal[0]
"""


def test_a_bot_can_time_its_own_search(sandbox: HostFactory) -> None:
    """Its processor time is known in steps of less than a millisecond, though a timer watches it."""
    bots = [bot("honest", HONEST), bot("fine", FINE)]
    assert play(sandbox, bots, block(bots, 1)).faults == ()
