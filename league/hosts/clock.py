"""The league's own clock: how long a bot's process computes for a message, sleeps, or is held up in the kernel.

The host's own timer (`child.DecisionTimer`) is milder, since it stops just the bot; this clock cannot be switched off.
It does not trust anything that the process says about itself, so it does not know which decision of a message takes
the time: a message with several decisions has the time of one. `confined` keeps messages small enough for honest bots,
and asks again one by one when a message takes too long.
"""

from __future__ import annotations

import math
import os
import time

from league.hosts.wire import over_match, over_move
from league.values.settings import Limits

SLICE_MS = 20
"""The longest time that the league waits before it checks the clock."""
LEEWAY_S = 0.02
"""The host's own timer may be late by this much; the kernel keeps time in steps of up to 10 ms."""
SLEEP_S = 0.25
"""A bot may sleep this long during a message, or twice `move_ms`. Constant, so that no fault depends on other games."""
HELD_UP_S = 10.0
"""A process may be held up this long during a message: it neither runs nor waits for a processor, whatever else its
state may be. That is long even for a slow disk; a bot could do it on purpose, by calls that cannot be interrupted."""
UNSURE = 8
"""Sleep is divided by this where the kernel does not report whether a process sleeps or waits for a processor."""


class Clock:
    """Watches one process, message by message.

    What the process does after its answer counts towards the next message. A program that `warms_up` may use what
    is left of its loading time for its first message: a virtual machine loads most of itself then.
    """

    def __init__(self, pid: int, limits: Limits, warms_up: bool) -> None:
        self._pid = pid
        self._limits = limits
        self._warms_up = warms_up
        self._start = limits.start_ms / 1000
        move = limits.move_ms / 1000
        self._hard = move + max(move, LEEWAY_S)
        self._most_sleep = most_sleep(limits)
        self._loading = True
        self.matches = 0
        self._began = 0.0
        """Processor time when the last message was answered."""
        self._spare = 0.0
        """What the next message may take beyond the limit."""
        self._stop = self._start + LEEWAY_S
        self._cpu = self._busy = self._asleep = self._held_up = 0.0
        self.slept = 0.0
        """Seconds that the process slept while an answer was awaited."""

    def begin(self) -> None:
        """Start timing a message."""
        self._asleep = self._held_up = 0.0
        self._stop = self._began + self._hard + self._spare

    def loaded(self) -> None:
        """The bot is loaded: the answer to the first message has arrived."""
        self.answered()
        self._loading = False
        if self._warms_up:
            self._spare = max(0.0, self._start - self._began)

    def answered(self) -> tuple[float, float, bool]:
        """Stop timing a message; returns the seconds that it took awake, those asleep, and whether it was too long."""
        cpu = self.cpu()
        took, asleep = cpu - self._began, self._asleep
        late = cpu > self._stop + 2 * SLICE_MS / 1000  # it answered before it was asked, so nobody called `overrun`
        self._began = self._cpu = cpu
        self._spare = 0.0
        self.slept += asleep
        return took, asleep, late

    def cpu(self) -> float:
        """Processor time that the process has used, all its threads together."""
        try:
            return time.clock_gettime((~self._pid << 3) | 2)
        except OSError:
            return self._cpu  # it has ended, or this is no Linux

    def patience_ms(self) -> int:
        """How long to wait before the next check: one thread cannot exceed the limit earlier."""
        return max(1, min(SLICE_MS, math.ceil(1000 * (self._stop - self._cpu))))

    def overrun(self, waited: float) -> str:
        """Check the process after waiting for it; returns what it has overrun, in words, or an empty text."""
        cpu = self.cpu()
        asleep, busy = is_asleep(self._pid), busy_seconds(self._pid)
        active = max(cpu - self._cpu, 0.0 if busy is None else busy - self._busy)
        self._cpu, self._busy = cpu, busy or 0.0
        idle = max(0.0, waited - active)
        self._held_up += idle / (UNSURE if busy is None else 1)
        if asleep is not False:
            self._asleep += idle / (1 if asleep else UNSURE)
        return self._verdict(cpu)

    def _verdict(self, cpu: float) -> str:
        limits = self._limits
        if self._loading:
            if cpu > self._stop:
                return f"more than {limits.start_ms} ms of processor time to be loaded"
            if self._asleep > (most := max(SLEEP_S, self._start)):
                return f"it slept or waited for more than {most:g} s while it was loaded"
            return over_clock("loaded") if self._held_up > HELD_UP_S + self._start else ""
        if cpu > self._stop:
            return over_move(limits)
        if cpu > self.matches * limits.match_ms / 1000 + self._start:
            return over_match(limits)
        if self._asleep > self._most_sleep:
            return "it slept instead of deciding"
        return over_clock("asked") if self._held_up > HELD_UP_S + self._most_sleep else ""


def over_clock(when: str) -> str:
    """The cause of a fault: held up for too long while it was loaded, or asked."""
    return f"it did nothing for more than {HELD_UP_S:g} s by the clock while it was {when}"


def most_sleep(limits: Limits) -> float:
    """How many seconds a bot may sleep during a message."""
    return max(SLEEP_S, 2 * limits.move_ms / 1000)


_RESTING = (b"S", b"T", b"t")
"""States of a thread that sleeps or is stopped. One that is ready to run, or waits for the disk, does not rest."""


def is_asleep(pid: int) -> bool | None:
    """Whether all threads of a process sleep or are stopped; None if the kernel does not report it."""
    try:
        return all(_state(pid, thread) in _RESTING for thread in os.listdir(f"/proc/{pid}/task"))
    except (OSError, IndexError):
        return None


def busy_seconds(pid: int) -> float | None:
    """How long the threads of a process have run or waited for a processor; None if the kernel does not report it."""
    try:
        return sum(_scheduled(pid, thread) for thread in os.listdir(f"/proc/{pid}/task")) / 1e9
    except (OSError, IndexError, ValueError):
        return None


def most_memory_mb(pid: int) -> int:
    """Megabytes of memory that a process has had at most, shared with others or not; 0 if that is not known."""
    return int(_megabytes(f"/proc/{pid}/status", b"VmHWM:", 0.0))


def free_memory_mb() -> float:
    """Megabytes of memory that are free on this machine; infinite if the system does not say so."""
    return _megabytes("/proc/meminfo", b"MemAvailable:", math.inf)


def _megabytes(path: str, name: bytes, unknown: float) -> float:
    try:
        with open(path, "rb") as file:
            return int(file.read().partition(name)[2].split(maxsplit=1)[0]) / 1024
    except (OSError, IndexError, ValueError):
        return unknown


def _state(pid: int, thread: str) -> bytes:
    with open(f"/proc/{pid}/task/{thread}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()[0]


def _scheduled(pid: int, thread: str) -> int:
    """Nanoseconds of running and of waiting to run."""
    with open(f"/proc/{pid}/task/{thread}/schedstat", "rb") as file:
        running, waiting, *_ = file.read().split()
    return int(running) + int(waiting)
