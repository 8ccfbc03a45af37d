"""Bots' processes on a plain system: started from scratch, with limits of time only.

A process measures by its own clock how much processor time each decision takes, and reports what is too long. The
league, which has no other way to look into it, kills one that does not answer for much longer than that.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from contextlib import suppress
from importlib import import_module
from io import RawIOBase, TextIOWrapper
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic, process_time
from typing import Any, BinaryIO, NoReturn, SupportsIndex

import msgspec

from league.games.contract import Game
from league.hosts import Tick, Trouble, seeded_random
from league.hosts.clock import SLICE_MS, most_sleep
from league.hosts.launcher import python_command
from league.hosts.own_folder import OwnFolder
from league.hosts.runtime import Runtime, load, trouble_of
from league.hosts.wire import (
    ERROR_BYTES,
    IDLE,
    LENGTH,
    NOTE_BYTES,
    SILENCE,
    UNSTARTED,
    GameSpec,
    Held,
    HostSetup,
    Loaded,
    encode,
    framed,
    over_match,
    over_move,
    pack_reply,
    slot_at,
    tick_decoder,
    utf8,
    write_all,
)
from league.values.settings import Limits

BEGIN_SECONDS = 60.0
"""How long a new Python may take before it can load a bot, by the clock: some systems look for viruses first."""
SLACK = 2
"""By the clock, everything may take this many times as long as on a machine that does nothing else."""
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}


class WallClock:
    """Watches one process, message by message, by the clock on the wall: sleeping counts like working."""

    def __init__(self, limits: Limits) -> None:
        self.matches = 0
        self.slept = 0.0
        move, start = limits.move_ms / 1000, limits.start_ms / 1000
        self._decision = SLACK * (2 * move + most_sleep(limits))
        self._loading = SLACK * start
        self._taken = 0.0
        self._since = monotonic()
        self._most = BEGIN_SECONDS
        self._what = "before it could be loaded"

    def heard(self) -> None:
        """The process has begun to load the bot."""
        self._since, self._most, self._what = monotonic(), self._loading, "to be loaded"

    def begin(self) -> None:
        """Start timing a message."""
        self._since, self._most, self._what = monotonic(), self._decision, "for one decision"

    def loaded(self) -> None:
        """The bot is loaded."""
        self.answered()

    def answered(self) -> tuple[float, float, bool]:
        """Stop timing a message; returns the seconds that it took."""
        took = monotonic() - self._since
        self._taken += took
        return took, 0.0, False

    def cpu(self) -> float:
        """Seconds that all messages took."""
        return self._taken

    def left(self) -> float:
        """Seconds until the process is given up."""
        return self._since + self._most - monotonic()

    def overrun(self) -> str:
        """What a process has overrun that is given up."""
        return f"more than {self._most:.1f} s by the clock {self._what}"


class SpawnedChannel:
    """A process that was started from scratch: a Python with a bot in it, or a program. See `channel.Channel`."""

    def __init__(self, setup: HostSetup, game: Game) -> None:
        self.clock = WallClock(setup.limits)
        self._is_program = bool(setup.command)
        self._left_over = b""
        self._is_heard = False
        self._incoming: SimpleQueue[bytes] = SimpleQueue()
        self._outgoing: SimpleQueue[bytes] = SimpleQueue()
        descriptor, name = tempfile.mkstemp(prefix="league-printed-")
        os.close(descriptor)
        self._printed = Path(name)
        self._unstarted = b""
        self._process: subprocess.Popen[bytes] | None = None
        self.first = b"" if self._is_program else framed(encode(GameSpec.of(game))) + framed(encode(setup))
        try:
            self._process = self._started(_command(setup), setup.folder)
        except OSError as problem:
            self._unstarted = UNSTARTED + f"its command cannot be started: {problem.strerror or problem}".encode()
            self._incoming.put(b"")
        self.pid = self._process.pid if self._process else 0

    def _started(self, command: list[str], folder: str) -> subprocess.Popen[bytes]:
        with self._printed.open("ab") as printed:
            process = subprocess.Popen(  # noqa: S603 - the bot's own program, or our own Python
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=printed,
                cwd=folder or tempfile.gettempdir(),
                env={**os.environ, **_ONE_THREAD},
                start_new_session=True,  # Ctrl-C is for the league
            )
        assert process.stdin is not None
        assert process.stdout is not None
        Thread(target=_take_in, args=(process.stdout, self._incoming), daemon=True).start()
        Thread(target=_give_out, args=(process.stdin, self._outgoing), daemon=True).start()
        return process

    def write(self, data: bytes) -> None:
        if data:  # nothing means the end
            self._outgoing.put(data)

    def read(self, most: int) -> bytes:
        if not self._left_over:
            try:
                self._left_over = self._incoming.get(timeout=max(self.clock.left(), 0.0))
            except Empty:
                raise TimeoutError(self.clock.overrun()) from None
        if not self._is_heard:
            self._is_heard = True
            self.clock.heard()
        data, self._left_over = self._left_over[:most], self._left_over[most:]
        return data

    def remaining(self, most: int) -> bytes:
        rest = self._left_over
        with suppress(Empty):
            while len(rest) < most and (more := self._incoming.get(timeout=SILENCE * SLICE_MS / 1000)):
                rest += more
        return rest

    def note(self) -> tuple[int, bytes]:
        said = self._unstarted if self._is_program else self._said()
        return len(said), said

    def last_printed(self) -> tuple[int, bytes]:
        return 0, b""  # nobody knows in which game it was

    def errors(self) -> bytes:
        return self._said() if self._is_program else b""

    def _said(self) -> bytes:
        try:
            with self._printed.open("rb") as file:
                return file.read(ERROR_BYTES)
        except OSError:
            return b""

    def memory_mb(self) -> int:
        return 0

    def freeze(self) -> None:
        """Nothing: it waits for its next message anyway."""

    def thaw(self) -> None:
        """Nothing."""

    def wait(self) -> None:
        if self._process:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(max(self.clock.left(), 0.0))

    def exit_code(self) -> int | None:
        self.discard()
        return self._process.returncode if self._process else 0

    def discard(self) -> None:
        if self._process:
            if hasattr(os, "killpg"):
                with suppress(OSError):  # with all that it has started
                    os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()
            self._process.wait()
        with suppress(OSError):
            self._printed.unlink(missing_ok=True)

    def close(self) -> None:
        self._outgoing.put(b"")


def _command(setup: HostSetup) -> list[str]:
    """What is started: our own Python, or the program of a bot, which may be a file of its folder."""
    if not setup.command:
        return python_command("league.hosts.spawned")
    program, *arguments = setup.command
    own = os.path.join(setup.folder, program)
    path = own if setup.folder and os.path.isfile(own) else shutil.which(program)
    if path is None:
        raise FileNotFoundError(f"{program!r} is no program of this system or of its folder")
    return [path, *arguments]


def _take_in(stream: BinaryIO, incoming: SimpleQueue[bytes]) -> None:
    """In a thread: queue what a process writes, and an empty text when it has ended."""
    with stream:
        while data := os.read(stream.fileno(), 1 << 16):
            incoming.put(data)
    incoming.put(b"")


def _give_out(stream: BinaryIO, outgoing: SimpleQueue[bytes]) -> None:
    """In a thread: write what is queued, until an empty text comes or the process has died."""
    with suppress(OSError), stream:
        while data := outgoing.get():
            stream.write(data)
            stream.flush()


def serve() -> NoReturn:
    """In the process: load the bot and answer ticks, until the league closes its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    stream, out = open(os.dup(0), "rb"), os.dup(1)  # noqa: SIM115 - to the end of the process
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(2, 1)
    messages: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_messages, args=(stream, messages), daemon=True).start()
    game = msgspec.msgpack.decode(messages.get(), type=GameSpec).set_up()
    setup = msgspec.msgpack.decode(messages.get(), type=HostSetup)
    if setup.folder or b"numpy" in setup.source:
        import_module("numpy.random")  # before the bot does, so that it gets the one whose draws are reproducible
    write_all(out, framed(encode(Held())))
    with seeded_random.routed, OwnFolder(setup.folder):
        sys.stdout = sys.stderr = TextIOWrapper(PrintedFile(), "utf-8", "backslashreplace", line_buffering=True)
        watch = Stopwatch(setup.limits)
        try:
            bot = load(setup.name, setup.source, setup.folder)
            runtime = Runtime(bot, game, (BaseException,), watch)
        except BaseException as error:  # noqa: BLE001 - whatever a bot's file does is its own fault
            trouble = trouble_of(0, error)
            write_all(out, framed(encode(Loaded(utf8(trouble.cause), utf8(trouble.tail)))))
            os._exit(0)
        write_all(out, framed(encode(Loaded(wants_final_view=runtime.wants_final_view))))
        decode = tick_decoder(game.view_type).decode
        serial = 0
        while True:
            tick = Tick(*decode(messages.get()))
            serial += 1
            moves, troubles = runtime.answer(tick)
            write_all(out, pack_reply(serial, moves, [*troubles, *watch.overruns(tick, troubles)]))


def _messages(stream: BinaryIO, messages: SimpleQueue[bytes]) -> None:
    """In a thread: queue what the league writes. When it is gone, the process ends, whatever its bot is doing."""
    while len(head := stream.read(LENGTH.size)) == LENGTH.size:
        messages.put(stream.read(LENGTH.unpack(head)[0]))
    os._exit(0)


class PrintedFile(RawIOBase):
    """What a bot prints: the beginning is kept in a file, which is standard error."""

    def __init__(self) -> None:
        self._room = NOTE_BYTES

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2

    def write(self, data: Any) -> int:
        kept = bytes(data[: self._room])
        self._room -= len(kept)
        if kept:
            os.write(2, kept)
        return len(data)


class Stopwatch(list[int]):
    """The position of a bot in its tick, as `Runtime` notes it, and how much processor time each item took."""

    def __init__(self, limits: Limits) -> None:
        super().__init__([IDLE, 1])
        self._limits = limits
        self._since = 0.0
        self._spent: defaultdict[int, float] = defaultdict(float)
        """By item, since the last call of `overruns`."""
        self._in_match: defaultdict[int, float] = defaultdict(float)
        """By slot."""

    def __setitem__(self, place: SupportsIndex | slice, value: Any) -> None:
        now = process_time()
        item, tables = self
        if item != IDLE:
            self._spent[item] += (now - self._since) / tables
        self._since = now
        super().__setitem__(place, value)

    def overruns(self, tick: Tick, known: list[Trouble]) -> list[Trouble]:
        """What took too long in a tick, except where a slot was in trouble anyway."""
        spent, self._spent = self._spent, defaultdict(float)
        for begin in tick.begins:
            if begin.fresh:
                self._in_match[begin.slot] = 0.0
        in_trouble = {(trouble.slot, trouble.over) for trouble in known}
        overruns = []
        for item, seconds in sorted(spent.items()):
            slot, over = slot_at(tick, item), item < len(tick.ends)
            self._in_match[slot] += seconds
            if (slot, over) in in_trouble:
                continue
            cause = ""
            if seconds * 1000 > self._limits.move_ms:
                cause = over_move(self._limits)
            elif self._in_match[slot] * 1000 > self._limits.match_ms:
                cause = over_match(self._limits)
            if cause:
                in_trouble.add((slot, over))
                overruns.append(Trouble(slot, "timeout", cause, over=over))
        return overruns
