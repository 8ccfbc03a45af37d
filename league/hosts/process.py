"""One process with one bot in it, as the league sees it: bytes to it and from it, within its time limits.

Its time is watched by the kernel's clocks. A process that does anything but answer as it should is killed, and `Death`
says what it did.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import struct
import sys
from contextlib import suppress
from time import monotonic
from typing import Literal

import msgspec

from league.games.contract import Game
from league.hosts import Printed, Reply, Tick, Trouble
from league.hosts.clock import SLICE_MS, Clock, most_memory_mb
from league.hosts.launcher import Launcher
from league.hosts.wire import (
    CAUSE_CHARACTERS,
    ERROR_BYTES,
    HELLO_BYTES,
    LENGTH,
    PAGE_BYTES,
    REPLY_HEAD,
    TAIL_CHARACTERS,
    TROUBLE_BYTES,
    UNREADABLE,
    HostSetup,
    Loaded,
    clean_line,
    clean_tail,
    encode,
    framed,
    not_isolated,
    over_move,
    unpack_moves,
    unpack_troubles,
    without_path,
)
from league.tools.system import fcntl
from league.values.block import FaultKind, Usage
from league.values.settings import Limits

_SEALS = 0x1 | 0x2 | 0x4
"""F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW: a page that could be cut off would kill its reader."""
_RECEIVE, _ANSWER = 0xC050_2100, 0xC018_2101
"""SECCOMP_IOCTL_NOTIF_RECV and SECCOMP_IOCTL_NOTIF_SEND: which call waits at the gate, and what is to become of it."""
_GO_ON = struct.pack("=qiI", 0, 0, 1)
"""SECCOMP_USER_NOTIF_FLAG_CONTINUE."""
SPOKE_WHILE_LOADED = "it wrote to the league's channel while it was loaded"
NOTHING = Tick((), (), (), ())
"""A tick that asks nothing. Its answer shows that everything before it was answered, and nothing else was written."""


Hook = Literal["finish", "start", "choose"]


class Death(Exception):  # noqa: N818 - what happened to the process, no error of the caller
    """The process is gone."""

    def __init__(self, kind: FaultKind, cause: str, tail: str = "") -> None:
        super().__init__(cause)
        self.kind = kind
        self.cause = cause
        self.tail = tail
        self.slot: int | None = None
        """Whose bot was at work; None if that is not certain."""
        self.hook: Hook = "choose"
        self.blameless = False
        """It died because the zygote did."""
        self.survived = False
        """It died of something that it had survived before."""

    def trouble(self, slot: int) -> Trouble:
        """What it means for a slot."""
        return Trouble(slot, self.kind, self.cause, self.tail, over=self.hook == "finish")


class BotProcess:
    """A Python bot in a process of its own, forked by a zygote. `hello` must be called before the first tick."""

    is_program = False
    """Whether it becomes a program of another language: what that writes to standard error is kept."""

    def __init__(self, launcher: Launcher, setup: HostSetup, game: Game) -> None:
        self._limits: Limits = setup.limits
        self._setup = setup
        self._page = _memory_file()
        """What the process writes and the league only reads."""
        os.ftruncate(self._page, PAGE_BYTES)
        fcntl.fcntl(self._page, fcntl.F_ADD_SEALS, _SEALS)
        self._errors = [_memory_file()] if self.is_program else []
        self._socket, theirs = socket.socketpair()
        with theirs, open(os.devnull, "r+b", buffering=0) as nowhere:  # one of its own: what is shared carries notes
            descriptors = [theirs.fileno(), self._page, nowhere.fileno(), *self._errors]
            self._zygote, self.pid = launcher.fork(game, descriptors)
        self._launcher = launcher
        self._handle = os.pidfd_open(self.pid)
        """Becomes readable when the process ends, and can never mean another one."""
        self._socket.setblocking(False)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)
        self._gate = -1
        """By which calls of a bot with paths are let pass while it is loaded."""
        self._clock = Clock(self.pid, setup.limits, warms_up=self.is_program)
        self._asked = NOTHING
        self._suspect = NOTHING
        self._serial = 0
        self._starting = 0.0
        """Processor time until the bot was loaded."""
        self._counted = self._used = 0.0
        """Processor time that `usage` does not count, and what it counts."""
        self._memory_mb = 0
        self.took = self.slept = 0.0
        """Seconds that the last answer took, awake and asleep."""
        self._open = True
        self._left = b"", b""
        self._heard = 0
        """Bytes of what the bot has printed that `heard` has returned."""
        self.wants_final_view = False
        self._write(framed(encode(setup)))

    def hello(self) -> None:
        """Wait until the bot is loaded; `Death` of kind import if it cannot be."""
        self._serial += 1
        self._write(framed(encode(NOTHING)))
        try:
            if self._setup.confined:
                self._receive_gate()
            if escaped := self._message():  # no word of the bot's
                self.close()
                raise not_isolated(escaped)
            loaded = msgspec.msgpack.decode(self._message(), type=Loaded)
            if not loaded.cause and self._read(REPLY_HEAD.size) != REPLY_HEAD.pack(self._serial, 0, 0):
                raise self._dead("import", SPOKE_WHILE_LOADED)
        except UNREADABLE:
            raise self._dead("import", SPOKE_WHILE_LOADED) from None
        except Death as death:
            death.kind = death.kind if death.blameless else "import"
            raise
        if loaded.cause:
            self.close()
            kind: FaultKind = "memory" if loaded.cause.startswith(MemoryError.__name__) else "import"
            trouble = _with_limit(Trouble(0, kind, self._named(clean_line(loaded.cause))), self._limits)
            raise Death("import", trouble.cause, self._named(clean_tail(loaded.tail)))
        self.wants_final_view = loaded.wants_final_view
        self._close_gate()
        self._loaded()

    def send(self, tick: Tick, message: bytes) -> None:
        """Hand over a tick, which is encoded as `message`."""
        self._expect(tick)
        self._write(framed(message))

    def receive(self) -> Reply:
        """The answer to the tick."""
        reply = self._reply()
        self.took, self.slept, late = self._clock.answered()
        if late:
            raise self._dead("timeout", over_move(self._limits))
        return reply

    def confirm(self) -> None:
        """Make sure that the process has written only its answer; otherwise `Death` of the item."""
        self.send(NOTHING, encode(NOTHING))
        self.receive()

    def _reply(self) -> Reply:
        asked = self._asked
        expected = len(asked.slots)
        data = self._read(REPLY_HEAD.size + 4 * expected)
        serial, count, more = REPLY_HEAD.unpack_from(data)
        if serial != self._serial or count != expected or more > self._most_trouble():
            raise self._dead("protocol", "its process wrote something else than its answer")
        moves = unpack_moves(memoryview(data)[REPLY_HEAD.size :])
        if not more:
            return Reply(moves)
        possible = {(slot, hook == "finish") for slot, hook in _items(asked)}
        try:
            troubles = unpack_troubles(self._read(more), possible)
        except ValueError as problem:
            raise self._dead("protocol", f"its process wrote {problem}") from None
        return Reply(moves, [self._explained_trouble(trouble) for trouble in troubles])

    def usage(self) -> Usage:
        """What the process has used since the bot was loaded, or since the last `rest`, without decisions."""
        if self._open:
            self._used = max(0.0, self._clock.cpu() - self._counted)
        starts = float(self._starting > 0)
        return Usage(0, self._used, 0.0, self._starting, self._clock.slept, self._memory_mb, starts)

    def rest(self) -> Usage:
        """Stop the process until `wake` is called; returns what it has used. From now on its usage is counted again."""
        self._signal(signal.SIGSTOP)
        self._memory_mb = most_memory_mb(self.pid)
        usage = self.usage()
        self._counted += usage.seconds
        self._starting = self._clock.slept = 0.0
        return usage

    def wake(self) -> None:
        """Let the process go on."""
        self._signal(signal.SIGCONT)

    def heard(self) -> Printed:
        """What the bot has printed since this was last called."""
        size, kept = self._output()
        size = max(size, self._heard)  # whatever a process claims
        new = kept[self._heard : size].decode("utf-8", "replace")[:TAIL_CHARACTERS]
        printed = Printed(size - self._heard, self._named(clean_tail(new)))
        self._heard = size
        return printed

    def close(self) -> None:
        """End the process."""
        if self._open:
            self._release()
            self._end()

    def _explained_trouble(self, trouble: Trouble) -> Trouble:
        cause, tail = map(self._named, (trouble.cause, trouble.tail))
        return _with_limit(trouble._replace(cause=cause, tail=tail), self._limits)

    def _named(self, text: str) -> str:
        return without_path(text, self._setup.folder, self._setup.name)

    def _loaded(self) -> None:
        self._clock.loaded()
        self._starting = self._counted = self._clock.cpu()

    def _expect(self, tick: Tick) -> None:
        """From now on the process owes an answer to this tick."""
        self._asked = tick
        if tick is not NOTHING:
            self._suspect = tick
        self._serial += 1
        self._clock.matches += sum([begin.fresh for begin in tick.begins])
        self._clock.begin()

    def _most_trouble(self) -> int:
        asked = self._asked
        return 16 + TROUBLE_BYTES * (len(asked.slots) + len(asked.begins) + len(asked.ends))

    def _write(self, data: bytes) -> None:
        """Write all of it, or as much as a process that has died takes."""
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

    def _message(self) -> bytes:
        """One of the first two, which have a length before them."""
        length = LENGTH.unpack(self._read(LENGTH.size))[0]
        return self._read(min(length, HELLO_BYTES))

    def _read(self, size: int) -> bytes:
        """Exactly N bytes."""
        data = b""
        while len(data) < size:
            data += self._read_some(size - len(data))
        return data

    def _read_some(self, most: int) -> bytes:
        """At least one byte, and at most N."""
        while True:
            try:
                data = self._socket.recv(most)
            except BlockingIOError:
                self._wait()
                continue
            except OSError:
                data = b""
            if not data:
                raise self._ended()
            return data

    def _receive_gate(self) -> None:
        """From now on, let calls with paths pass whenever the process is waited for."""
        self._wait()
        with suppress(OSError):  # it has died, which the next read will find
            _, sent, _, _ = self._socket.recvmsg(1, socket.CMSG_LEN(4), socket.MSG_PEEK)
            for _, _, number in sent:  # none if it could not be confined, which it will tell
                self._socket.recv(1)
                self._gate = int.from_bytes(number, sys.byteorder)
                self._poll.register(self._gate, select.POLLIN)

    def _close_gate(self) -> None:
        """From now on, calls with paths fail."""
        if self._gate >= 0:
            self._poll.unregister(self._gate)
            os.close(self._gate)
            self._gate = -1

    def _let_pass(self) -> None:
        """Let the call pass that waits at the gate. What it may do is up to the filters behind it, and to Landlock."""
        request = bytearray(80)
        with suppress(OSError):  # it was interrupted, and comes again, or its process is dead
            fcntl.ioctl(self._gate, _RECEIVE, request)
            fcntl.ioctl(self._gate, _ANSWER, request[:8] + _GO_ON)

    def _wait(self) -> None:
        """Wait until the process can be read from or written to; it is killed if it overruns its time."""
        if cause := self._overrun(self._poll):
            raise self._dead("timeout", cause)

    def _overrun(self, poll: select.poll) -> str:
        """Wait for an event within the time limits; returns what it has overrun, in words, or an empty text."""
        started = monotonic()
        while True:
            ready = [descriptor for descriptor, _ in poll.poll(self._clock.patience_ms())]
            if ready == [self._gate]:
                self._let_pass()
            elif ready:
                return ""
            now = monotonic()
            if not ready or now - started > SLICE_MS / 1000:
                if cause := self._clock.overrun(min(now - started, 2 * SLICE_MS / 1000)):
                    return cause
                started = now

    def _dead(self, kind: FaultKind, cause: str) -> Death:
        """Kill the process for what it did."""
        self.close()
        return self._blame(Death(kind, cause, self._said_on_stderr()))

    def _ended(self) -> Death:
        """The process has closed its channel, most likely by dying; otherwise it gets the rest of its time to end."""
        ending = select.poll()
        ending.register(self._handle, select.POLLIN)
        self._overrun(ending)
        self._release()
        code = self._end()
        death = self._blame(Death("crash", _how_it_ended(code), self._said_on_stderr()))
        death.blameless = code is None
        return death

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError):  # it has ended by itself
            signal.pidfd_send_signal(self._handle, number)

    def _end(self) -> int | None:
        """Kill the process; returns how it ended, as the launcher puts it."""
        if self.is_program:  # it may have started others, which are in its process group
            with suppress(OSError):  # it has not yet become the program
                os.killpg(self.pid, signal.SIGKILL)
        self._signal(signal.SIGKILL)
        os.close(self._handle)
        return self._launcher.wait(self._zygote, self.pid)

    def _blame(self, death: Death) -> Death:
        """Record whose bot was at work, if the process was asked for one thing only.

        Nothing that it says about itself is trusted, and no verdict depends on when the league checked.
        """
        suspects = _items(self._suspect)
        if len(suspects) == 1:
            death.slot, death.hook = suspects[0]
        return death

    def _said_on_stderr(self) -> str:
        """What the process has written to standard error so far, if that is kept."""
        return self._named(clean_tail(self._stderr().decode("utf-8", "replace")))

    def _stderr(self) -> bytes:
        return self._left_behind()[1]

    def _output(self) -> tuple[int, bytes]:
        """How many bytes the bot has printed so far, and the first of them."""
        page, _ = self._left_behind()
        size: int = LENGTH.unpack_from(page)[0]
        return size, page[LENGTH.size :][:size]

    def _left_behind(self) -> tuple[bytes, bytes]:
        """The page that the process shares with the league, and the beginning of what it wrote to standard error."""
        if self._open:
            errors = b"".join([os.pread(errors, ERROR_BYTES, 0) for errors in self._errors])
            self._left = os.pread(self._page, PAGE_BYTES, 0), errors
        return self._left

    def _release(self) -> None:
        """Close all that belongs to the process, except for itself."""
        self.usage()  # for the last time by the clock
        self._memory_mb = most_memory_mb(self.pid)
        self._left_behind()
        self._open = False
        self._close_gate()
        self._socket.close()
        for descriptor in (self._page, *self._errors):
            os.close(descriptor)


def _memory_file() -> int:
    """A descriptor of a file without a name."""
    return os.memfd_create("league", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)


def _items(tick: Tick) -> list[tuple[int, Hook]]:
    """The calls of the bot's hooks that a tick asks for, in their order."""
    items: list[tuple[int, Hook]] = [(end.slot, "finish") for end in tick.ends]
    items += [(begin.slot, "start") for begin in tick.begins]
    return items + [(slot, "choose") for slot in tick.slots]


def _with_limit(trouble: Trouble, limits: Limits) -> Trouble:
    """The trouble, with the limit in its cause if it is of memory: Python says only that there is none left."""
    if trouble.kind != "memory":
        return trouble
    limit = f" (a bot may take {limits.memory_mb} MB)"
    return trouble._replace(cause=trouble.cause[: CAUSE_CHARACTERS - len(limit)] + limit)


def _how_it_ended(code: int | None) -> str:
    if code is None:
        return "its process is gone"
    if code == -signal.SIGKILL:
        return "its process closed its channel or was killed (by itself, or because memory ran out)"
    if code < 0:
        names = {known.value: known.name for known in signal.Signals}
        return f"its process was killed by {names.get(-code, f'signal {-code}')}"
    return f"its process ended with exit code {code}"
