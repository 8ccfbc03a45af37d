"""The time left, while a league is played: steady from the second round on, whatever the size of its blocks."""

from random import Random
from types import SimpleNamespace

import pytest

from league.api import printer
from league.api.printer import Speed, seconds_each
from tests.tables import each

START, GAME = 0.02, 0.001
"""Seconds for a block and for a game."""
SERIES = 100
ROUNDS = (2, 6, 24, 32, 64)
"""Games of a block in each of them."""


class Clock:
    now = 0.0


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr(printer, "monotonic", lambda: Clock.now)
    Clock.now = 0.0
    return Clock


def play(one: Speed, clock, size: int, blocks: int = SERIES, chance: Random | None = None) -> None:
    for _ in range(blocks):
        clock.now += (START + GAME * size) * (chance.uniform(0.5, 1.5) if chance else 1)
        one.played(size)


def seconds_of(rounds) -> float:
    return sum(SERIES * (START + GAME * size) for size in rounds)


def whole() -> Speed:
    return Speed(SERIES * sum(ROUNDS), SERIES * len(ROUNDS))


def test_it_is_not_said_before_it_can_be_known(clock):
    one = whole()
    assert one.seconds_left() is None
    play(one, clock, ROUNDS[0])
    assert one.seconds_left() is None
    assert Speed().seconds_left() is None


def test_it_does_not_swing_when_blocks_grow(clock):
    one = whole()
    clock.now += 60  # workers are started
    play(one, clock, ROUNDS[0])
    for at, size in enumerate(ROUNDS[1:], 2):
        play(one, clock, size, chance=Random(size))
        assert one.seconds_left() == pytest.approx(seconds_of(ROUNDS[at:]), rel=0.3, abs=0.1)


def test_blocks_of_one_size_are_enough_if_they_are_large(clock):
    one = Speed(SERIES * 128, SERIES * 2)
    play(one, clock, 64)
    assert one.seconds_left() == pytest.approx(seconds_of([64]), rel=0.05)


def test_other_numbers_may_be_expected_on_the_way(clock):
    one = whole()
    for size in ROUNDS[:2]:
        play(one, clock, size)
    one.expect(50 * 24, 50)
    assert one.seconds_left() == pytest.approx(50 * (START + GAME * 24), rel=0.05)


@each(
    ("rows", "each"),
    [
        ([(10, 20, 3.0), (10, 60, 7.0)], (0.1, 0.1)),
        ([(10, 20, 4.0), (10, 60, 4.0)], (0.4, 0.0)),
        ([(10, 20, 2.0), (10, 60, 6.0)], (0.0, 0.1)),
        ([(10, 320, 32.0)], (0.0, 0.1)),
    ],
)
def test_blocks_and_games_are_distinguished(rows, each):
    assert seconds_each(rows) == pytest.approx(each, abs=1e-9)


def test_neither_is_less_than_nothing():
    assert seconds_each([(10, 20, 1.0), (10, 60, 9.0)])[0] == 0
    assert seconds_each([(10, 20, 9.0), (10, 60, 5.0)])[1] == 0


@each(
    ("left", "budget", "told"),
    [
        (None, None, "9 games/s"),
        (10.0, None, "9 games/s, 10 s left"),
        (None, 5.0, "9 games/s, stops in 5 s"),
        (10.0, 5.0, "9 games/s, stops in 5 s"),
        (5.0, 5.0, "9 games/s, 5 s left"),
        (5.0, 10.0, "9 games/s, 5 s left"),
    ],
)
def test_what_comes_first_is_said(left, budget, told):
    """The end of the games, or that of the budget."""
    told_by = printer.Printer(quiet=True)
    told_by._speed = SimpleNamespace(seconds_left=lambda: left, games_a_second=lambda: 9.0)
    told_by._budget = SimpleNamespace(left=budget)
    assert told_by._pace() == told
