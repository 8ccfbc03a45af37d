"""Each source is compiled once, by a process that does nothing else, and plays as if it were compiled on the spot."""

from __future__ import annotations

import marshal

import pytest

from league.hosts import factory as factories
from league.hosts.factory import Compiler, HostFactory
from league.hosts.wire import HostSetup
from league.values.settings import Isolation, Limits
from tests.hosts.stage import HONEST, LIMITS, block, bot, hostile, play, trusted

BOTS = [bot("honest", HONEST), bot("other", HONEST)]
CLUMSY = b"class Bot:\n    def choose(self, view):\n        return view.missing"


@pytest.fixture(autouse=True)
def short_sources_too(monkeypatch):
    """Compile every source, however short."""
    monkeypatch.setattr(factories, "SHORT_SOURCE", 0)


def test_a_short_source_is_compiled_where_it_runs(asked, monkeypatch):
    monkeypatch.setattr(factories, "SHORT_SOURCE", len(HONEST) + 1)
    with HostFactory(Isolation.PROCESS, LIMITS) as factory:
        assert play(factory, BOTS).tally == trusted(BOTS).tally
    assert asked == []


@pytest.fixture
def asked(monkeypatch):
    """The names of the bots whose sources are compiled."""
    names = []
    compiled = factories._compiled

    def remember(setup, launcher, game):
        names.append(setup.name)
        return compiled(setup, launcher, game)

    monkeypatch.setattr(factories, "_compiled", remember)
    return names


def test_a_source_is_compiled_once_and_its_tracebacks_show_it(asked):
    bots = [BOTS[0], bot("clumsy", CLUMSY)]
    with HostFactory(Isolation.PROCESS, LIMITS) as factory:
        first, second = (play(factory, bots) for _ in range(2))
    assert sorted(asked) == ["clumsy", "honest"]
    assert first.faults == second.faults
    assert "return view.missing" in first.faults[0].tail


@pytest.mark.slow
@pytest.mark.parametrize("name", ["forge_compiled_code", "import_forges_code", "poison_the_next_process"])
def test_what_a_bot_says_about_its_compiled_source_is_not_kept(name):
    attacker = hostile(name)
    with HostFactory(Isolation.PROCESS, LIMITS) as factory:
        play(factory, [BOTS[0], attacker], block([BOTS[0], attacker], 4))
        kept = factory._compiler._codes["mallory", attacker.source, ""]
    assert marshal.loads(kept) == compile(attacker.source, "mallory.py", "exec", dont_inherit=True)


HOARDER = b"""
class Bot:
    def choose(self, view):
        if not view.history:
            hoard = []
            try:
                while True:
                    hoard.append(bytes(100_000))
            except MemoryError:
                print(len(hoard))
        return view.legal[0]
"""


def test_every_process_of_a_bot_has_the_same_memory():
    """Compiling leaves traces in memory, so the process that does it plays no game."""
    limits = Limits(move_ms=5000, memory_mb=64)
    long = HOARDER + b"".join(b"def f%d(a, b): return [a + %d, (a, b, 'x%d')]\n" % (i, i, i) for i in range(2000))
    bots = [BOTS[0], bot("hoarder", long)]
    heard = []
    with HostFactory(
        Isolation.PROCESS, limits, on_print=lambda name, printed: heard.append(printed.beginning)
    ) as factory:
        for _ in range(3):
            assert play(factory, bots, block(bots, 1, limits)).faults == ()
    assert len(heard) == 3
    assert len(set(heard)) == 1


@pytest.mark.parametrize("source", [b"class Bot\n", b"\0", b"x = " + b"(" * 500], ids=["syntax", "null", "nested"])
def test_a_source_that_cannot_be_compiled_is_explained_every_time(source):
    with HostFactory(Isolation.PROCESS, LIMITS) as factory:
        first, second = (play(factory, [BOTS[0], bot("broken", source)]) for _ in range(2))
    assert {fault.kind for fault in first.faults} == {"import"}
    assert "Error" in first.faults[0].cause
    assert first.faults == second.faults


SETS = b"""
WALL = {24, 16, 8, 0}
class Bot:
    def choose(self, view):
        for first in {16, 8, 0}:
            for second in WALL:
                return view.legal[(first + 2 * second) // 8 % len(view.legal)]
"""


def test_sets_in_a_source_keep_their_order():
    """The order depends on how they were made, and from compiled bytes they would be made in another way."""
    bots = [BOTS[0], bot("looping", SETS)]
    with HostFactory(Isolation.PROCESS, LIMITS) as factory:
        first, second = (play(factory, bots) for _ in range(2))
    assert first.tally == second.tally == trusted(bots).tally


def test_warnings_of_the_compiler_are_heard():
    heard = []
    with HostFactory(
        Isolation.PROCESS, LIMITS, on_print=lambda name, printed: heard.append(printed.beginning)
    ) as factory:
        play(factory, [BOTS[0], bot("careless", b"assert (1, 'always true')\n" + HONEST)])
    assert "SyntaxWarning: assertion is always true" in "".join(heard)


def test_compiled_sources_do_not_pile_up(monkeypatch):
    monkeypatch.setattr(factories, "MOST_CODE_BYTES", 2 * len(b"code"))
    monkeypatch.setattr(factories, "_compiled", lambda *_: b"code")
    made = Compiler()
    for name in "abc":
        assert made.added_to(HostSetup(name, b"", LIMITS, False), None, None).code == b"code"
    assert list(made._codes.values()) == [b"code"]
