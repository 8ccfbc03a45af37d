"""Bots that answer for many tables at once."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from league.analysis.audit import audit
from league.hosts.factory import HostFactory
from league.results.store import Store
from league.setup.config import parse
from league.values.settings import Isolation
from tests.hosts.stage import HONEST, LIMITS, block, bot, play, trusted
from tests.leagues import play_league

ONE = b"""
class Bot:
    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        return max(view.legal, key=lambda card: (card * view.prize % 7, self.rng.random()))
"""
MANY = b"""
class Bot:
    def __init__(self, table):
        self.rng = table.rng

    @classmethod
    def choose_many(cls, bots, views):
        return [
            max(view.legal, key=lambda card: (card * view.prize % 7, bot.rng.random()))
            for bot, view in zip(bots, views)
        ]
"""


def with_line(line: str) -> bytes:
    """The bot with another line first in its `choose_many`."""
    return MANY.replace(b"        return [", f"        {line}\n        return [".encode())


def result_of(factory: HostFactory, source: bytes, games: int = 24):
    """A block against an honest bot; `usage` depends on the clock, and the hash of the source is no result."""
    bots = [bot("ann", HONEST), bot("bot", source)]
    return replace(play(factory, bots, block(bots, games)), usage=())


@pytest.fixture
def levels(sandbox):
    with HostFactory(Isolation.TRUSTED, LIMITS) as inside:
        yield sandbox, inside


def test_it_plays_the_same_as_one_that_answers_one_by_one(levels):
    sandbox, inside = levels
    expected = result_of(inside, ONE)
    assert not expected.faults
    assert result_of(inside, MANY) == result_of(sandbox, MANY) == expected


def test_an_array_of_numpy_is_taken_as_moves(levels):
    numpy = MANY.replace(b"        return [", b"        import numpy\n        return numpy.array([").replace(
        b"zip(bots, views)\n        ]", b"zip(bots, views)\n        ])"
    )
    assert result_of(levels[1], numpy) == result_of(levels[1], ONE)


@pytest.mark.parametrize("failure", ["raise ValueError('bad prize')", "import os; os._exit(1)"])
def test_only_the_tables_that_fail_alone_are_at_fault(levels, failure):
    sandbox, _ = levels
    when = "len(view.history) == 3 and view.pile[-1] == 5"
    faults = result_of(sandbox, with_line(f"if any({when} for view in views): {failure}")).faults
    one_by_one = ONE.replace(b"        return max", f"        if {when}: {failure}\n        return max".encode())
    expected = result_of(sandbox, one_by_one)
    assert [fault.address for fault in faults] == [fault.address for fault in expected.faults] != []


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("return [view.legal[0] for view in views][1:]", "choose_many must return a move for each of 1 views, not 0"),
        ("return None", "'NoneType' object is not iterable"),
        ("import random; random.random()", "choose_many must draw from the rng of each bot's own table"),
    ],
)
def test_a_wrong_answer_is_a_fault_that_says_why(levels, line, cause):
    faults = result_of(levels[1], with_line(line), games=2).faults
    assert faults
    assert all(cause in fault.cause for fault in faults)


def test_the_audit_finds_answers_that_depend_on_the_other_tables(tmp_path):
    (tmp_path / "bots").mkdir()
    shared = with_line("return [view.legal[len(views) % len(view.legal)] for view in views]")
    for name, source in (("ann", HONEST), ("bob", shared)):
        (tmp_path / "bots" / f"{name}.py").write_bytes(source)
    config = parse("league: t\nbots: bots\nisolation: trusted\ngames: [{game: raj, deals: 12}]", tmp_path)
    summary = play_league(config, tmp_path / "results")
    with Store.open(summary.folder) as store:
        assert [finding.bot for finding in audit(store, isolation=Isolation.TRUSTED).findings] == ["bob"]


def test_usage_counts_every_decision():
    bots = [bot("ann", HONEST), bot("bot", MANY)]
    ann, other = trusted(bots, block(bots, 4)).usage
    assert ann.decisions == other.decisions == 4 * 15
