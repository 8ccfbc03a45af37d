"""Work in processes of its own is cut short at any moment, and cleans up behind it."""

import signal
from math import inf
from time import sleep

import pytest

from league.errors import StoreError
from league.tools import forked
from league.tools.forked import in_time

LONG = 1000.0
"""Seconds that no test waits."""


def numbers(first):
    for number in range(first, first + 3):
        yield number, "x" * 100_000


def test_everything_comes_if_there_is_time():
    items = list(in_time(inf, lambda: numbers(0), lambda: numbers(10)))
    assert sorted(number for number, _ in items) == [0, 1, 2, 10, 11, 12]
    assert {len(text) for _, text in items} == {100_000}


@pytest.fixture
def clock(monkeypatch):
    """The time in seconds, which stands still."""
    now = [0.0]
    monkeypatch.setattr(forked, "monotonic", lambda: now[0])
    return now


def test_work_is_cut_short_in_the_middle_and_what_came_before_counts(tmp_path, clock, monkeypatch):
    monkeypatch.setattr(forked, "LEAVE_SECONDS", LONG)

    def endless():
        try:
            yield "begun"
            sleep(LONG)
        finally:
            (tmp_path / "closed").touch()

    items = in_time(LONG, endless)
    assert next(items) == "begun"
    clock[0] = LONG
    assert list(items) == []
    assert (tmp_path / "closed").exists()


def test_a_signal_that_comes_just_before_a_long_call_is_sent_again(tmp_path, clock, monkeypatch):
    """The first one is lost here, as one whose handler would have to wait for the end of the call."""
    monkeypatch.setattr(forked, "LEAVE_SECONDS", LONG)

    def endless():
        ended = signal.getsignal(signal.SIGTERM)
        signal.signal(signal.SIGTERM, lambda *_: signal.signal(signal.SIGTERM, ended))
        try:
            yield "begun"
            sleep(LONG)
        finally:
            sleep(0.2)  # more signals come: they do not cut this short
            (tmp_path / "closed").touch()

    items = in_time(LONG, endless)
    assert next(items) == "begun"
    clock[0] = LONG
    assert list(items) == []
    assert (tmp_path / "closed").exists()


@pytest.mark.slow
def test_work_that_does_not_heed_a_signal_is_killed(clock, monkeypatch):
    monkeypatch.setattr(forked, "LEAVE_SECONDS", 0.1)

    def stubborn():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        yield "begun"
        sleep(LONG)

    items = in_time(LONG, stubborn)
    assert next(items) == "begun"
    clock[0] = LONG
    assert list(items) == []


def test_nothing_is_started_without_time(tmp_path):
    def work():
        (tmp_path / "started").touch()
        yield 1

    assert list(in_time(0, work)) == []
    assert list(in_time(-1, work)) == []
    assert not (tmp_path / "started").exists()


def test_errors_are_raised_in_the_parent():
    def wrong():
        yield 1
        raise StoreError("it is gone")

    with pytest.raises(StoreError, match="it is gone"):
        list(in_time(LONG, wrong))


def test_a_work_that_dies_leaves_the_others():
    def dies():
        import os

        os.kill(os.getpid(), 9)
        yield 1

    assert [number for number, _ in in_time(LONG, dies, lambda: numbers(0))] == [0, 1, 2]
