"""The clock that counts: the league's own, of how much processor time a bot's process has used, and where.

The host's own timer (`child.Clock`) is kinder, since it stops just the bot; this one cannot be switched off. It is
asked only while the league waits for an answer. A decision is timed from the first look at it, never earlier.
"""

from __future__ import annotations

import os
import time

from league.hosts.wire import IDLE, LENGTH, NOTE_AT, NOTE_BYTES, over_match, over_move
from league.values.block import Limits

SLICE_MS = 20
"""How long the league waits before it looks at the clock."""
SLEEP_S = 0.25
"""A bot may sleep so long over a decision, or twice `move_ms`. Always the same: no fault depends on other games."""
UNSURE = 8
"""Be so many times as patient where the kernel does not tell whether a process sleeps or is kept waiting."""


class Clock:
    """Watches one process; one that does not tell its position has the time of all items of a tick together."""

    def __init__(self, pid: int, page: int, limits: Limits, tells_position: bool) -> None:
        self._tells_position = tells_position
        self._pid = pid
        self._page = page
        self._limits = limits
        self._move = limits.move_ms / 1000
        self._hard = 1.5 * self._move + 0.05  # the host's own timer comes first
        self.matches = 0
        """How many the process was told to begin."""
        self._position = IDLE
        self._since = self._stop = self._cpu = self._asleep = 0.0
        self._looked = False
        self._items = 0

    def begin(self, items: int) -> None:
        """A message with so many items is on its way; 0 for the first one, to be loaded."""
        self._position = -1
        self._looked = False
        self._asleep = 0.0
        self._items = items

    def position(self) -> int:
        """Which item of the tick the process says it is at."""
        word = os.pread(self._page, LENGTH.size, 0)
        found: int = LENGTH.unpack(word)[0]
        return found

    def note(self) -> tuple[int, bytes]:
        """The length of what the process wrote beside it, and so much of that as is there."""
        data = os.pread(self._page, LENGTH.size + NOTE_BYTES, NOTE_AT)
        length: int = LENGTH.unpack_from(data)[0]
        return length, data[LENGTH.size :][:length]

    def cpu(self) -> float:
        """Processor time that the process has used, all its threads together."""
        try:
            return time.clock_gettime((~self._pid << 3) | 2)
        except OSError:
            return self._cpu  # it has ended, or this is no Linux

    def overrun(self, waited: float) -> str:
        """Look at the process after waiting for it; what it has overrun, in words, or nothing."""
        cpu, position, asleep = self.cpu(), self.position(), is_asleep(self._pid)
        if not self._looked:
            self._looked = True
            self._stop = cpu + self._move * self._items + self._hard
        if position != self._position:
            self._position, self._since, self._asleep = position, cpu, 0.0
        elif asleep is None or asleep:
            self._asleep += max(0.0, waited - (cpu - self._cpu)) / (1 if asleep else UNSURE)
        self._cpu = cpu
        return self._verdict(cpu)

    def _verdict(self, cpu: float) -> str:
        limits = self._limits
        if self._items == 0:
            if cpu - self._since > limits.start_ms / 1000:
                return f"more than {limits.start_ms} ms of processor time to be loaded"
            if self._asleep > max(SLEEP_S, limits.start_ms / 1000):
                return "it slept while it was loaded"
            return ""
        if cpu > self._stop or (self._tells_position and cpu - self._since > self._hard):
            return over_move(limits)
        if cpu > self.matches * limits.match_ms / 1000 + limits.start_ms / 1000:
            return over_match(limits)
        return "it slept instead of deciding" if self._asleep > max(SLEEP_S, 2 * self._move) else ""


def is_asleep(pid: int) -> bool | None:
    """Whether a process sleeps or is stopped of its own will; None where the kernel does not tell.

    One that is ready to run while others are running does not sleep, nor does one that waits for the disk.
    """
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state = file.read().rpartition(b")")[2].split()[0]
    except (OSError, IndexError):
        return None
    return state in (b"S", b"T", b"t")
