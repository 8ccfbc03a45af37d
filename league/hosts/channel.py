"""The bytes to and from a bot's process that was forked from a zygote, what else it leaves behind, and how it ends."""

from __future__ import annotations

import fcntl
import os
import select
import socket
import struct
import sys
from contextlib import suppress
from time import monotonic

from league.games.contract import Game
from league.hosts.clock import SLICE_MS, Clock
from league.hosts.launcher import Launcher
from league.hosts.wire import (
    ERROR_BYTES,
    LENGTH,
    NOTE_BYTES,
    PAGE_BYTES,
    SILENCE,
    HostSetup,
    encode,
    framed,
)

_SEALS = 0x1 | 0x2 | 0x4
"""F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW: a page that could be cut off would kill its reader."""
_BUFFER = 1 << 20
_RECEIVE, _ANSWER = 0xC050_2100, 0xC018_2101
"""SECCOMP_IOCTL_NOTIF_RECV and SECCOMP_IOCTL_NOTIF_SEND: which call waits at the gate, and what is to become of it."""
_REQUEST_BYTES = 80
_GO_ON = struct.pack("=qiI", 0, 0, 1)
"""SECCOMP_USER_NOTIF_FLAG_CONTINUE."""


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
            self.forked = launcher.fork(game, [theirs.fileno(), self._page, nowhere.fileno(), *self._errors])
        """The process itself."""
        self.forked.leads_group = bool(setup.command)
        self._socket.setblocking(False)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)
        self._gate = -1
        """By which calls of a bot with paths are let pass while it is loaded."""
        self.clock = Clock(self.forked.pid, setup.limits, warms_up=bool(setup.command))

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

    def receive_gate(self) -> None:
        """From now on, let calls with paths pass whenever the process is waited for; TimeoutError as for `read`."""
        self._wait()
        with suppress(OSError):  # it has died, which the next read will find
            _, sent, _, _ = self._socket.recvmsg(1, socket.CMSG_LEN(4), socket.MSG_PEEK)
            for _, _, number in sent:  # none if it could not be confined, which it will tell
                self._socket.recv(1)
                self._gate = int.from_bytes(number, sys.byteorder)
                self._poll.register(self._gate, select.POLLIN)

    def close_gate(self) -> None:
        """From now on, calls with paths fail."""
        if self._gate >= 0:
            self._poll.unregister(self._gate)
            os.close(self._gate)
            self._gate = -1

    def _let_pass(self) -> None:
        """Let the call pass that waits at the gate. What it may do is up to the filters behind it, and to Landlock."""
        request = bytearray(_REQUEST_BYTES)
        with suppress(OSError):  # it was interrupted, and comes again, or its process is dead
            fcntl.ioctl(self._gate, _RECEIVE, request)
            fcntl.ioctl(self._gate, _ANSWER, request[:8] + _GO_ON)

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
        while True:
            ready = [descriptor for descriptor, _ in poll.poll(self.clock.patience_ms())]
            if ready == [self._gate]:
                self._let_pass()
            elif ready:
                return ""
            now = monotonic()
            if not ready or now - started > SLICE_MS / 1000:
                if cause := self.clock.overrun(min(now - started, 2 * SLICE_MS / 1000)):
                    return cause
                started = now

    def note(self) -> tuple[int, bytes]:
        """The length of what the process noted for the league, and as much of it as was kept."""
        data = os.pread(self._page, LENGTH.size + NOTE_BYTES, 0)
        length: int = LENGTH.unpack_from(data)[0]
        return length, data[LENGTH.size :][:length]

    def errors(self) -> bytes:
        """The beginning of what a program has written to standard error."""
        return b"".join([os.pread(errors, ERROR_BYTES, 0) for errors in self._errors])

    def wait(self) -> None:
        """The process has closed its channel, most likely by dying; otherwise it gets the rest of its time to end."""
        ending = select.poll()
        ending.register(self.forked.handle, select.POLLIN)
        self._overrun(ending)

    def close(self) -> None:
        """Release all that belongs to it, except for the process itself."""
        self.close_gate()
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
