"""Processor time and sleep count against a bot. Waiting for a processor on a busy machine does not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from time import sleep

import pytest

from league.hosts import clock as clock_module
from league.hosts.clock import HELD_UP_S, SLEEP_S, SLICE_MS, Clock, busy_seconds, is_asleep, over_clock
from league.values.settings import Limits

SLICE = SLICE_MS / 1000
LIMITS = Limits(move_ms=100, match_ms=1000, start_ms=2000)
OVER_MOVE = "more than 100 ms of processor time for one decision"


class Script:
    """A clock with a simulated process: the test sets what the process does."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, warms_up: bool = False) -> None:
        self.used = self.kept_waiting = 0.0
        self.asleep: bool | None = False
        self.clock = Clock(1, LIMITS, warms_up)
        self.clock.matches = 100
        monkeypatch.setattr(Clock, "cpu", lambda _: self.used)
        monkeypatch.setattr(clock_module, "is_asleep", lambda _: self.asleep)
        monkeypatch.setattr(clock_module, "busy_seconds", lambda _: self.used + self.kept_waiting)

    def loaded(self) -> Script:
        """The bot is loaded and has been sent a message."""
        self.clock.loaded()
        self.clock.begin()
        return self

    def look(self, seconds: float, cpu: float, kept_waiting: float = 0) -> str:
        """Simulate this time, in which the process uses `cpu` seconds of processor time; returns the first verdict."""
        for _ in range(round(seconds / SLICE)):
            self.used += cpu * SLICE / seconds
            self.kept_waiting += kept_waiting * SLICE / seconds
            if verdict := self.clock.overrun(SLICE):
                return verdict
        return ""


def test_a_process_that_gets_no_processor_is_not_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Script(monkeypatch).loaded().look(3600, cpu=0.05, kept_waiting=3599.95) == ""


@pytest.mark.parametrize("loading", [False, True])
def test_a_process_that_is_held_up_in_the_kernel_is_given_up(monkeypatch: pytest.MonkeyPatch, loading: bool) -> None:
    """Calls that cannot be interrupted take no processor time, and are no sleep."""
    script = Script(monkeypatch)
    allowed = HELD_UP_S + LIMITS.start_ms / 1000
    if not loading:
        script.loaded()
        allowed = HELD_UP_S + SLEEP_S
    assert script.look(allowed, cpu=0.01) == ""
    assert script.look(4 * SLICE, cpu=0) == over_clock("loaded" if loading else "asked")


def test_held_up_messages_do_not_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(monkeypatch).loaded()
    for _ in range(3):
        script.clock.begin()
        assert script.look(HELD_UP_S, cpu=0.01) == ""
        script.clock.answered()


def test_waiting_for_a_processor_between_checks_is_no_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that passes work from thread to thread on a busy machine seems to sleep at every check."""
    script = Script(monkeypatch)
    script.asleep = True
    assert script.loaded().look(3600, cpu=0.05, kept_waiting=3599.95) == ""


def test_a_process_that_sleeps_is_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(monkeypatch).loaded()
    script.asleep = True
    assert script.look(SLEEP_S, cpu=0) == ""
    assert script.look(4 * SLICE, cpu=0) == "it slept instead of deciding"


def test_every_message_may_include_the_same_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a fault would depend on what the bot played before in the same block."""
    script = Script(monkeypatch).loaded()
    script.asleep = True
    verdicts = set()
    for _ in range(100):
        script.clock.begin()
        verdicts.add(script.look(SLEEP_S - SLICE, cpu=0))
        script.clock.answered()
    assert verdicts == {""}


def test_possible_sleep_counts_less_where_the_kernel_does_not_report_it(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(monkeypatch).loaded()
    script.asleep = None
    assert script.look(4 * SLEEP_S, cpu=0) == ""
    assert script.look(10 * SLEEP_S, cpu=0) == "it slept instead of deciding"


def test_a_message_has_twice_the_time_of_a_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(monkeypatch).loaded()
    for _ in range(5):
        assert script.look(1, cpu=0.19) == ""
        took, _, late = script.clock.answered()
        assert took == pytest.approx(0.19)
        assert not late
        script.clock.begin()
    assert script.look(1, cpu=0.25) == OVER_MOVE
    assert script.used == pytest.approx(5 * 0.19 + 0.2, abs=0.01)


def test_what_a_process_does_unasked_counts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process answered before it was asked, and computes while the league is busy with others."""
    script = Script(monkeypatch).loaded()
    assert script.clock.answered() == (0, 0, False)
    script.used += 1
    script.clock.begin()
    assert script.clock.answered() == (1, 0, True)


def test_a_program_may_warm_up_during_its_first_message(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(monkeypatch, warms_up=True)
    assert script.look(1, cpu=0.5) == ""
    assert script.loaded().look(5, cpu=1.6) == ""
    assert not script.clock.answered()[2]
    script.clock.begin()
    assert script.look(1, cpu=0.25) == OVER_MOVE


def test_loading_and_matches_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(monkeypatch)
    assert script.look(5, cpu=1.9) == ""
    assert script.look(1, cpu=0.4) == "more than 2000 ms of processor time to be loaded"
    script.loaded().clock.matches = 1
    verdict = ""
    while not verdict:
        script.clock.begin()
        verdict = script.look(0.2, cpu=0.1)
        script.clock.answered()
    assert verdict == "more than 1000 ms of processor time in one match"
    assert 3 < script.used <= 3.1, "one match and the time to be loaded"


def test_the_next_check_comes_when_the_time_may_be_over(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(monkeypatch).loaded()
    assert script.clock.patience_ms() == SLICE_MS
    script.look(1, cpu=0.195)
    assert script.clock.patience_ms() <= 6


def until(condition: Callable[[], bool]) -> None:
    while not condition():
        sleep(0.001)


IN_FIRST_THREAD = "while True: pass"
IN_ANOTHER = """
from threading import Thread
def work():
    while True: pass
worker = Thread(target=work)
worker.start()
worker.join()
"""


@pytest.mark.parametrize("work", [IN_FIRST_THREAD, IN_ANOTHER], ids=["in the first thread", "in another"])
def test_sleep_of_real_processes(work: str) -> None:
    code = f"import sys\nprint('ready', flush=True)\nsys.stdin.readline()\nprint('busy', flush=True)\n{work}"
    with subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1, text=True) as child:
        assert child.stdin
        assert child.stdout
        child.stdout.readline()
        until(lambda: is_asleep(child.pid) is True)
        rested = busy_seconds(child.pid)
        assert rested is not None
        child.stdin.write("\n")
        child.stdin.flush()
        child.stdout.readline()
        until(lambda: (busy_seconds(child.pid) or 0) > rested + 0.1)
        awake = sum(is_asleep(child.pid) is False for _ in range(100))
        assert awake > 90  # it sleeps only where a thread is handed the interpreter
        child.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, child.pid, os.WSTOPPED)
        until(lambda: is_asleep(child.pid) is True)
        child.kill()
    assert is_asleep(child.pid) is None
    assert busy_seconds(child.pid) is None
