"""The bytes to and from a bot's process that was forked from a zygote, what else it leaves behind, and how it ends."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import socket
from contextlib import suppress
from time import monotonic

from league.games.contract import Game
from league.hosts.clock import SLICE_MS, Clock, most_memory_mb
from league.hosts.launcher import Launcher
from league.hosts.wire import (
    ERROR_BYTES,
    LAST_PRINTED,
    LAST_PRINTED_AT,
    LENGTH,
    NOTE_BYTES,
    PAGE_BYTES,
    PRINTED_BYTES,
    SILENCE,
    HostSetup,
    encode,
    framed,
)

_SEALS = 0x1 | 0x2 | 0x4
"""F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW: a page that could be cut off would kill its reader."""
_BUFFER = 1 << 20


class Channel:
    """One process with one bot in it, forked by a zygote. Nothing of a bot's behaviour is known here.

    Its time is watched by the kernel's clocks. What a program writes to standard error is kept.
    """

    def __init__(self, launcher: Launcher, setup: HostSetup, game: Game) -> None:
        self.first = framed(encode(setup))
        """What the process is told first, by whoever uses the channel."""
        self._page = _shared_page()
        self._errors = [_memory_file()] if setup.command else []
        self._socket, theirs = socket.socketpair()
        with theirs, open(os.devnull, "r+b", buffering=0) as nowhere:  # one of its own: what is shared carries notes
            self._forked = launcher.fork(game, [theirs.fileno(), self._page, nowhere.fileno(), *self._errors])
        self._forked.leads_group = bool(setup.command)
        self.pid = self._forked.pid
        self._socket.setblocking(False)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)
        self.clock = Clock(self.pid, setup.limits, warms_up=bool(setup.command))

    def write(self, data: bytes) -> None:
        """Write all of it, or as much as a process that has died takes; TimeoutError says what it has overrun."""
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[self._socket.send(rest) :]
            except BlockingIOError:
                self._poll.modify(self._socket, select.POLLOUT)
                self._wait()
                self._poll.modify(self._socket, select.POLLIN)
            except OSError:
                return  # it has died, which the next read will find

    def read(self, most: int) -> bytes:
        """At least one byte and at most N, or none if the process has ended; TimeoutError says what it has overrun."""
        while True:
            try:
                return self._socket.recv(most)
            except BlockingIOError:
                self._wait()
            except OSError:
                return b""

    def remaining(self, most: int) -> bytes:
        """What else it writes until it ends or is silent."""
        rest = b""
        with suppress(OSError):
            while len(rest) < most and any(self._poll.poll(SLICE_MS) for _ in range(SILENCE)):
                more = self._socket.recv(most)
                if not more:
                    break
                rest += more
        return rest

    def _wait(self) -> None:
        """Wait until the process can be read from or written to."""
        if cause := self._overrun(self._poll):
            raise TimeoutError(cause)

    def _overrun(self, poll: select.poll) -> str:
        """Wait for an event within the time limits; returns what it has overrun, in words, or an empty text."""
        started = monotonic()
        while not poll.poll(self.clock.patience_ms()):
            now = monotonic()
            if cause := self.clock.overrun(min(now - started, 2 * SLICE_MS / 1000)):
                return cause
            started = now
        return ""

    def note(self) -> tuple[int, bytes]:
        """The length of what the process noted for the league, and as much of it as was kept."""
        data = os.pread(self._page, LENGTH.size + NOTE_BYTES, 0)
        length: int = LENGTH.unpack_from(data)[0]
        return length, data[LENGTH.size :][:length]

    def last_printed(self) -> tuple[int, bytes]:
        """The slot of the game in which a Python bot has printed last, and the end of what it has printed there."""
        data = os.pread(self._page, LAST_PRINTED.size + PRINTED_BYTES, LAST_PRINTED_AT)
        slot, length = LAST_PRINTED.unpack_from(data)
        return slot, data[LAST_PRINTED.size :][:length]

    def errors(self) -> bytes:
        """The beginning of what a program has written to standard error."""
        return b"".join([os.pread(errors, ERROR_BYTES, 0) for errors in self._errors])

    def memory_mb(self) -> int:
        """Megabytes that it has had at most; 0 if that is not known."""
        return most_memory_mb(self.pid)

    def freeze(self) -> None:
        """Stop the process until `thaw`."""
        self._forked.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self._forked.signal(signal.SIGCONT)

    def exit_code(self) -> int | None:
        """How it ended: its exit code, or minus the signal; None if others are to blame. It is killed if it has not."""
        return self._forked.autopsy()

    def wait(self) -> None:
        """The process has closed its channel, most likely by dying; otherwise it gets the rest of its time to end."""
        ending = select.poll()
        ending.register(self._forked.handle, select.POLLIN)
        self._overrun(ending)

    def discard(self) -> None:
        """Kill the process without asking how it ended."""
        self._forked.discard()

    def close(self) -> None:
        """Release all that belongs to it, except for the process itself."""
        self._socket.close()
        for descriptor in (self._page, *self._errors):
            os.close(descriptor)


def _shared_page() -> int:
    """A descriptor of a page that the host writes and the league only reads."""
    page = _memory_file()
    os.ftruncate(page, PAGE_BYTES)
    fcntl.fcntl(page, fcntl.F_ADD_SEALS, _SEALS)
    return page


def _memory_file() -> int:
    """A descriptor of a file without a name."""
    return os.memfd_create("league", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
