"""A busy machine blames nobody: only processor time counts, and sleep, which is told from being kept waiting."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator

import pytest

from league.hosts import clock as clock_module
from league.hosts.clock import SLEEP_S, SLICE_MS, Clock, is_asleep
from league.values.block import Limits

SLICE = SLICE_MS / 1000
LIMITS = Limits(move_ms=100, match_ms=1000, start_ms=2000)


@pytest.fixture
def page() -> Iterator[int]:
    page = os.memfd_create("page")
    os.ftruncate(page, 4096)
    yield page
    os.close(page)


class Script:
    """A clock that watches a process of which we say what it does."""

    def __init__(self, page: int, monkeypatch: pytest.MonkeyPatch, tells_position: bool = True) -> None:
        self.page = page
        self.used = 0.0
        self.asleep: bool | None = False
        self.clock = Clock(1, page, LIMITS, tells_position)
        self.clock.matches = 100
        monkeypatch.setattr(Clock, "cpu", lambda _: self.used)
        monkeypatch.setattr(clock_module, "is_asleep", lambda _: self.asleep)

    def at(self, position: int) -> None:
        os.pwrite(self.page, struct.pack("<I", position), 0)

    def look(self, seconds: float, cpu: float) -> str:
        """Let so much time go by, in which the process uses so much of the processor's; the first verdict."""
        for _ in range(round(seconds / SLICE)):
            self.used += cpu * SLICE / seconds
            if verdict := self.clock.overrun(SLICE):
                return verdict
        return ""


def test_a_process_that_gets_no_processor_is_not_blamed(page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(page, monkeypatch)
    script.clock.begin(3)
    assert script.look(3600, cpu=0.05) == ""


def test_a_process_that_sleeps_is_blamed(page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(page, monkeypatch)
    script.asleep = True
    script.clock.begin(3)
    assert script.look(SLEEP_S / 2, cpu=0) == ""
    script.at(1)
    assert script.look(SLEEP_S, cpu=0) == ""
    assert script.look(4 * SLICE, cpu=0) == "it slept instead of deciding"


def test_patience_with_sleepers_stays_the_same(page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or whether a bot is at fault would depend on what it played before in the same block."""
    script = Script(page, monkeypatch)
    script.asleep = True
    verdicts = set()
    for _ in range(100):
        script.clock.begin(1)
        verdicts.add(script.look(SLEEP_S - SLICE, cpu=0))
    assert verdicts == {""}


def test_where_the_kernel_does_not_tell(page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(page, monkeypatch)
    script.asleep = None
    script.clock.begin(3)
    assert script.look(4 * SLEEP_S, cpu=0) == ""
    assert script.look(10 * SLEEP_S, cpu=0) == "it slept instead of deciding"


def test_every_decision_has_its_own_time(page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(page, monkeypatch)
    script.clock.begin(3)
    for position in range(3):
        script.at(position)
        assert script.look(1, cpu=0.1) == ""
    assert script.look(1, cpu=0.2) == "more than 100 ms of processor time for one decision"


def test_a_process_that_pretends_to_go_on_is_found_out(page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It changes its position all the time; but all items together have an end."""
    script = Script(page, monkeypatch)
    script.clock.begin(3)
    verdicts = []
    for position in range(10):
        script.at(position % 2)
        verdicts.append(script.look(0.2, cpu=0.1))
    assert verdicts[0] == ""
    assert verdicts[-1] == "more than 100 ms of processor time for one decision"


def test_programs_have_the_time_of_all_items_together(page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(page, monkeypatch, tells_position=False)
    script.clock.begin(5)
    assert script.look(1, cpu=0.5) == ""
    assert script.look(1, cpu=0.3) == "more than 100 ms of processor time for one decision"


def test_loading_and_matches_have_limits(page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(page, monkeypatch)
    script.clock.begin(0)
    assert script.look(5, cpu=1.9) == ""
    assert script.look(1, cpu=0.4) == "more than 2000 ms of processor time to be loaded"
    script.clock.matches = 1
    script.clock.begin(1000)
    verdicts = []
    for position in range(20):
        script.at(position)
        verdicts.append(script.look(0.2, cpu=0.1))
    assert verdicts[0] == ""
    assert verdicts[-1] == "more than 1000 ms of processor time in one match"


def test_real_processes_sleep_or_do_not() -> None:
    code = "import sys\nprint('ready', flush=True)\nsys.stdin.readline()\nprint('busy', flush=True)\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1, text=True) as child:
        assert child.stdin
        assert child.stdout
        child.stdout.readline()
        while not is_asleep(child.pid):
            pass
        child.stdin.write("\n")
        child.stdin.flush()
        child.stdout.readline()
        while is_asleep(child.pid):
            pass
        assert is_asleep(child.pid) is False
        child.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, child.pid, os.WSTOPPED)
        assert is_asleep(child.pid)
        child.kill()
    assert is_asleep(child.pid) is None
