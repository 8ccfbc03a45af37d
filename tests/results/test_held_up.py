"""What is known of slow and dying bots when a league goes on, and what standings say about games that wait for them."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from league.cli.standings import standings_command
from league.plan.rounds import held_up
from league.results.standings import Standings
from league.results.store import Store
from league.setup.config import parse
from league.values.block import Block, Fault, Usage
from tests import leagues
from tests.leagues import bot

CONFIG = "league: t\nseed: 1\nbots: bots\ngames: [{game: raj, deals: 4}]\nisolation: trusted\n"
NAMES = ("ann", "bob", "mallory")
QUICK = Usage(10, 0.001, starting=0.005, memory_mb=30, starts=1.0)


@pytest.fixture
def store(tmp_path: Path):
    with Store.create(tmp_path / "t") as made:
        made.begin(parse(CONFIG, tmp_path), [bot(name) for name in NAMES])
        yield made


def play(store, rank, used, stop=4, fault=None):
    """A lineup plays, in both rotations; `used` is by name."""
    planned = store.plan()
    for rotation in (0, 1):
        series = planned.series(0, rank, rotation)
        result = leagues.play(Block(series, 0, stop), [bot(name) for name in NAMES])
        usage = tuple(used.get(entrant.name, QUICK) for entrant in series.lineup)
        faults = [Fault("mallory", str(series.address(0)), fault, "bad")] if fault else []
        store.add(replace(result, usage=usage, faults=tuple(faults)))


def test_slow_starts_and_deaths_are_known_again(store):
    play(store, 0, {})
    key = store.plan().fixtures[0].contest.key
    assert not any(store.costs().is_slow(key, bot(name).entrant()) for name in NAMES)
    play(store, 1, {"mallory": replace(QUICK, starting=4.5)}, stop=2)
    slow = [name for name in NAMES if store.costs().is_slow(key, bot(name).entrant())]
    assert slow == ["mallory"]
    assert store.costs().memory_mb(key, bot("ann").entrant()) == 10


@pytest.mark.parametrize(("fault", "slow"), [("crash", True), ("timeout", True), ("illegal", False)])
def test_deaths_are_known_again(store, fault, slow):
    play(store, 1, {}, stop=2, fault=fault)
    assert store.costs().is_slow("raj-2p", bot("mallory").entrant()) == slow
    assert not store.costs().is_slow("raj-2p", bot("ann").entrant())


@pytest.mark.slow
def test_standings_say_what_is_open_because_of_whom(store, tmp_path):
    play(store, 0, {})
    play(store, 1, {}, stop=2, fault="crash")
    assert held_up(store.coverage(), store.costs()) == {"mallory": 12}
    text = "open: 12 games, 12 of them with mallory: bots that are much slower, or that die, play last."
    assert text in Standings.of(store).notices
    result = CliRunner().invoke(standings_command, [str(tmp_path / "t")])
    assert "12 of them with mallory" in " ".join(result.output.split()), result.output
    assert text in CliRunner().invoke(standings_command, [str(tmp_path / "t"), "--format", "json"]).output


def test_nobody_is_named_who_is_as_far_as_the_others(store):
    play(store, 0, {}, stop=2)
    play(store, 1, {}, stop=2, fault="crash")
    play(store, 2, {}, stop=2)
    assert held_up(store.coverage(), store.costs()) == {}
    assert not any(notice.startswith("open:") for notice in Standings.of(store).notices)
