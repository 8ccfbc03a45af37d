"""What runs in a host after it was forked: read the setup, confine the process, prove it, load the bot, answer ticks.

Everything up to `prove` is our own code. Nothing of the bot is run before the process has proven that it is confined.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Sequence
from io import RawIOBase, TextIOWrapper
from mmap import mmap
from time import process_time
from types import FrameType
from typing import Any, BinaryIO, NoReturn

import msgspec

from league.games.contract import Game
from league.hosts import Tick
from league.hosts.confine import address_space, confine_python, gate, landlock, libc, prove, refusal
from league.hosts.exec_program import become_bot
from league.hosts.runtime import Overrun, OwnFolder, Runtime, load, trouble_of
from league.hosts.wire import (
    IDLE,
    LENGTH,
    NOTE_BYTES,
    PAGE_BYTES,
    HostSetup,
    Loaded,
    encode,
    framed,
    over_match,
    over_move,
    pack_reply,
    slot_at,
    tick_decoder,
    write_all,
)
from league.values.settings import Limits

_OPEN_MAX = os.sysconf("SC_OPEN_MAX")
_ASIDE = 40
"""Descriptors from here on are free: a zygote has few, and may have at most 64."""
CHANNEL = 3
"""The descriptor that a host talks through; 0, 1 and 2 lead nowhere."""
decode_setup = msgspec.msgpack.Decoder(HostSetup).decode  # made here, once, rather than in every host


def main(descriptors: Sequence[int], zygote: int, rules: int, game: Game) -> NoReturn:
    """Run as a host until this process ends.

    The descriptors are the channel, the shared page, one that leads nowhere, and for programs a file for what they
    write to standard error. `zygote` is the process that forked this one, `rules` a Landlock ruleset for bots of one
    file, or -1.
    """
    try:
        channel, page, nowhere, *errors = descriptors
        shared = mmap(page, PAGE_BYTES)
        rules = _only_these_descriptors([nowhere, nowhere, *(errors or [nowhere]), channel], rules)
        length = LENGTH.unpack(_exactly(LENGTH.size))[0]
        setup = decode_setup(_exactly(length))
        if rules >= 0 and (setup.command or setup.folder or not setup.confined):
            os.close(rules)
            rules = -1
        if setup.command:
            become_bot(setup, shared, zygote)
        _host(setup, shared, zygote, rules, game)
    finally:
        os._exit(70)  # a host never returns to its caller; this is an internal error, or a closed channel


def _host(setup: HostSetup, shared: mmap, zygote: int, rules: int, game: Game) -> None:
    position = [IDLE, 1]
    clock = DecisionTimer(position, setup.limits)
    try:
        own = OwnFolder(setup.folder)
        if setup.folder:
            os.chdir(setup.folder)
            if setup.confined:
                rules = landlock.ruleset([setup.folder], landlock.library_folders())
        # Both here, since behind the gate every call that may have a path waits for the league.
        addresses = address_space()
        stream = open(CHANNEL, "rb", buffering=1 << 18, closefd=False)  # noqa: SIM115 - to the end of the process
        if setup.confined:
            _hand_over(gate())
        clock.start()  # a confined process may not touch the timer any more
        confine_python(setup.confined, zygote, setup.limits, rules, addresses)
        escaped = prove(setup.confined)
    except OSError as problem:
        escaped = refusal(problem)
    if escaped:
        write_all(CHANNEL, framed(escaped.encode("utf-8", "replace")))
        return
    write_all(CHANNEL, framed(b""))
    own.show_modules()
    _ear.shared = shared
    sys.stdout = sys.stderr = _printed
    try:
        bot = load(setup.name, setup.source, setup.folder)
        runtime = Runtime(bot, game, (BaseException,), position)
    except BaseException as error:  # noqa: BLE001 - whatever a bot's file does is its own fault
        trouble = trouble_of(0, error)
        write_all(CHANNEL, framed(encode(Loaded(trouble.cause, trouble.tail))))
        return
    loaded = Loaded(wants_final_view=runtime.wants_final_view)
    write_all(CHANNEL, framed(encode(loaded)))  # then the gate is closed
    _answer_ticks(runtime, stream, game, clock)


def _hand_over(descriptor: int) -> None:
    """Send the descriptor of the gate to the league, and give it up."""
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, CHANNEL)
    socket.send_fds(channel, [b"g"], [descriptor])
    channel.detach()
    os.close(descriptor)


def _answer_ticks(runtime: Runtime, stream: BinaryIO, game: Game, clock: DecisionTimer) -> None:
    decode, answer = tick_decoder(game.view_type).decode, runtime.answer
    while True:
        tick = Tick(*decode(_message(stream)))
        clock.tick = tick
        clock.serial += 1
        for begin in tick.begins:
            if begin.fresh:
                clock.spent.pop(begin.slot, None)
        moves, troubles = answer(tick)
        write_all(CHANNEL, pack_reply(clock.serial, moves, troubles))


class Ear(RawIOBase):
    """Takes what a bot prints: its length and the beginning are on the shared page."""

    name = "<stdout>"
    shared: mmap

    def __init__(self) -> None:
        self._size = 0

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1

    def write(self, data: Any) -> int:
        size = len(data)
        written = self._size
        if written < NOTE_BYTES:
            kept = bytes(data[: NOTE_BYTES - written])
            start = LENGTH.size + written
            self.shared[start : start + len(kept)] = kept
        self._size = min(written + size, 0xFFFF_FFFF)
        self.shared[: LENGTH.size] = LENGTH.pack(self._size)
        return size


_ear = Ear()  # made here, once, rather than in every host
_printed = TextIOWrapper(_ear, encoding="utf-8", errors="backslashreplace", write_through=True)


class DecisionTimer:
    """Checks at intervals of processor time what the bot is doing, and raises in it when that takes too long.

    It never raises early: a decision is timed from the first check that finds it. So it is late by up to one interval.
    """

    def __init__(self, position: list[int], limits: Limits) -> None:
        self._position = position
        self._move = limits.move_ms / 1000
        self._match = limits.match_ms / 1000
        self._interval = min(0.01, max(0.001, self._move / 4))
        self._limits = limits
        self.tick = Tick((), (), (), ())
        self.serial = 0
        """The number of the tick, from 1."""
        self.spent: dict[int, float] = {}
        """Slot to processor time in its match, estimated from whose turn it was at each check."""
        self._seen = (0, IDLE)
        self._since = self._looked = 0.0
        self._raised = False

    def start(self) -> None:
        """Start the timer."""
        _timers.append(self)
        libc.tick(signal.SIGPROF, self._interval)

    def look(self) -> None:
        """Check what the bot is doing; raises `Overrun` if it has done that for too long."""
        now = process_time()
        passed, self._looked = now - self._looked, now
        item, tables = self._position
        if item == IDLE:
            return
        slot = slot_at(self.tick, item)
        spent = self.spent[slot] = self.spent.get(slot, 0.0) + min(passed, 2 * self._interval) / tables
        seen = (self.serial, item)
        if seen != self._seen:
            self._seen, self._since, self._raised = seen, now, False
        elif not self._raised and now - self._since >= self._move:
            self._raised = True
            raise Overrun(over_move(self._limits))
        if not self._raised and spent > self._match:
            self._raised = True
            raise Overrun(over_match(self._limits))


_timers: list[DecisionTimer] = []


def on_timer(signum: int, frame: FrameType | None) -> None:
    """Handles SIGPROF in hosts; installed in the zygote, which costs a host less than to do it itself."""
    for timer in _timers:
        timer.look()


def _exactly(size: int) -> bytes:
    """The next bytes of the first message, and no more: the rest may be for the program that this process becomes."""
    data = b""
    while len(data) < size:
        more = os.read(CHANNEL, size - len(data))
        if not more:
            os._exit(0)  # the league has closed the channel
        data += more
    return data


def _message(stream: BinaryIO) -> bytes:
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        os._exit(0)  # the league has closed the channel
    return stream.read(LENGTH.unpack(head)[0])


def _only_these_descriptors(wanted: list[int], rules: int) -> int:
    """Move these to 0 to 3 and the rules to 4, and close all others; returns the rules' new number."""
    keep = [*wanted, rules] if rules >= 0 else wanted
    high = [os.dup2(descriptor, _ASIDE + index, inheritable=False) for index, descriptor in enumerate(keep)]
    for index, descriptor in enumerate(high):
        os.dup2(descriptor, index, inheritable=index < 3)
    os.closerange(len(keep), _OPEN_MAX)
    return CHANNEL + 1 if rules >= 0 else -1
