"""Each source is compiled once, by the first process of its bot, and plays as if it were compiled on the spot."""

from __future__ import annotations

import marshal

import pytest

from league.hosts import factory as factories
from league.hosts.factory import HostFactory
from league.values.settings import Isolation
from tests.hosts.stage import HONEST, LIMITS, block, bot, hostile, play, trusted

BOTS = [bot("honest", HONEST), bot("other", HONEST)]
CLUMSY = b"class Bot:\n    def choose(self, view):\n        return view.missing"


@pytest.fixture
def kept(monkeypatch):
    """The names of the bots whose compiled sources were reported."""
    names = []
    keep = HostFactory._keep

    def remember(factory, key, code):
        names.append(key[0])
        keep(factory, key, code)

    monkeypatch.setattr(HostFactory, "_keep", remember)
    return names


def test_a_source_is_compiled_once_and_its_tracebacks_show_it(kept):
    bots = [BOTS[0], bot("clumsy", CLUMSY)]
    with HostFactory(Isolation.PROCESS, LIMITS) as factory:
        first, second = (play(factory, bots) for _ in range(2))
    assert sorted(kept) == ["clumsy", "honest"]
    assert first.faults == second.faults
    assert "return view.missing" in first.faults[0].tail


@pytest.mark.slow
@pytest.mark.parametrize("name", ["forge_compiled_code", "import_forges_code", "poison_the_next_process"])
def test_what_a_bot_says_about_its_compiled_source_is_not_kept(name):
    attacker = hostile(name)
    with HostFactory(Isolation.PROCESS, LIMITS) as factory:
        play(factory, [BOTS[0], attacker], block([BOTS[0], attacker], 4))
        kept = factory._codes["mallory", attacker.source, ""]
    assert marshal.loads(kept) == compile(attacker.source, "mallory.py", "exec", dont_inherit=True)


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
    assert first.outcomes == second.outcomes == trusted(bots).outcomes


def test_warnings_of_the_compiler_are_heard():
    heard = []
    with HostFactory(
        Isolation.PROCESS, LIMITS, on_print=lambda name, printed: heard.append(printed.beginning)
    ) as factory:
        play(factory, [BOTS[0], bot("careless", b"assert (1, 'always true')\n" + HONEST)])
    assert "SyntaxWarning: assertion is always true" in "".join(heard)


def test_compiled_sources_do_not_pile_up(monkeypatch):
    monkeypatch.setattr(factories, "MOST_CODE_BYTES", 2 * len(b"code"))
    with HostFactory(Isolation.PROCESS, LIMITS) as factory:
        for name in "abc":
            factory._keep((name, b"", ""), b"code")
        assert list(factory._codes) == [("c", b"", "")]
