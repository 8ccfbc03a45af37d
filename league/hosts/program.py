"""Bots in any language: a program that reads JSON from its standard input and answers on its standard output.

`docs/protocol.md` tells what is said. A program runs under the same limits and the same watch as a Python bot; it is
held a little less tightly, since it must be executed, and most need threads and the system's libraries.
"""

from __future__ import annotations

import os
import shutil
import signal
from glob import glob
from mmap import mmap
from typing import Annotated, Any, NoReturn

import msgspec

from league.errors import IsolationError
from league.games.contract import Game, plain
from league.hosts import Reply, Tick
from league.hosts.confine import confine, landlock, prove
from league.hosts.launcher import Launcher
from league.hosts.process import BotProcess, Death
from league.hosts.wire import LENGTH, NOTE_AT, NOTE_BYTES, UNREADABLE, HostSetup, clean_line

PROTOCOL = 1
SEED_BITS = 53
"""JSON numbers are exact up to here in every language."""
MOVE_BYTES = 12
"""No move within 32 bits takes more, with its comma."""
REPLY_BYTES = 4096
"""What an answer may take besides its moves."""

_EXECUTABLE = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt")
_DEVICES = ("/dev/null", "/dev/random", "/dev/urandom")
_SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime", "/etc/ssl/openssl.cnf")
_ESCAPED, _UNSTARTED = b"E", b"U"

_encode = msgspec.json.Encoder().encode
_moves = msgspec.json.Decoder(list[Annotated[int, msgspec.Meta(ge=-(2**31), lt=2**31)]], strict=True)


class ProgramProcess(BotProcess):
    """A bot that is a program."""

    is_program = True

    def __init__(self, launcher: Launcher, setup: HostSetup, game: Game) -> None:
        super().__init__(launcher, setup, game)
        self._forked.leads_group = True
        self._greeting = greeting(setup.name, game)

    def hello(self) -> None:
        try:
            self._write(_encode({"hello": self._greeting}) + b"\n")
            answer = msgspec.json.decode(self._line(REPLY_BYTES), type=dict[str, Any])
            if answer.get("protocol") != PROTOCOL:
                raise self._dead("import", f'the answer to hello must be {{"protocol": {PROTOCOL}}}')
            self.wants_final_view = answer.get("final_view", False)
            if type(self.wants_final_view) is not bool:
                raise self._dead("import", "final_view in the answer to hello must be true or false")
        except UNREADABLE:
            raise self._dead("import", f'the answer to hello must be {{"protocol": {PROTOCOL}}}') from None
        except Death as death:
            raise self._explained(death) from None
        self._loaded()

    def send(self, tick: Tick, message: bytes) -> None:
        self._expect(tick)
        self._write(_encode(as_json(tick)) + b"\n")

    def _reply(self) -> Reply:
        asked = self._asked
        line = self._line(REPLY_BYTES + MOVE_BYTES * len(asked.slots))
        try:
            moves = _moves.decode(line)
        except UNREADABLE:
            raise self._dead("protocol", "its answer is not a list of whole numbers in one line of JSON") from None
        if len(moves) != len(asked.slots):
            raise self._dead("protocol", f"it answered {len(moves)} moves where {len(asked.slots)} were asked for")
        return Reply(moves)

    def _line(self, most: int) -> bytes:
        """One line of at most so many bytes, and nothing after it."""
        parts: list[bytes] = []
        size = 0
        while not (parts and parts[-1].endswith(b"\n")):
            parts.append(self._read_some(most + 1))
            size += len(parts[-1])
            if size > most or b"\n" in parts[-1][:-1]:
                raise self._dead("protocol", "its answer is longer than one line with a move for each view")
        return b"".join(parts)

    def _explained(self, death: Death) -> Death:
        """The death of a program that never spoke, with the reason that its process left behind."""
        if death.blameless:
            return death
        death.kind = "import"
        reason = clean_line(self.note[1:].decode("utf-8", "replace"))
        if self.note[:1] == _ESCAPED:
            raise IsolationError(f"Isolation cannot be had here: {reason}. See: league doctor")
        if self.note[:1] == _UNSTARTED:
            death.cause = reason
        return death


def greeting(bot: str, game: Game) -> dict[str, Any]:
    """The first thing that a program is told."""
    return {
        "protocol": PROTOCOL,
        "bot": bot,
        "game": game.name,
        "players": game.players,
        "options": plain(game.options),
    }


def as_json(tick: Tick) -> dict[str, Any]:
    """A tick with every field named."""
    return {
        "finish": [
            {"slot": slot, **plain(outcome), **({} if view is None else {"view": plain(view)})}
            for slot, outcome, view in tick.ends
        ],
        "start": [
            {"slot": slot, "seat": seat, "seed": seed & ((1 << SEED_BITS) - 1), "fresh": fresh}
            for slot, seat, seed, fresh in tick.begins
        ],
        "choose": [{"slot": slot, "view": plain(view)} for slot, view in zip(tick.slots, tick.views, strict=True)],
    }


def become(setup: HostSetup, shared: mmap, parent: int) -> NoReturn:
    """Turn this process into the bot's program, confined; if that fails, leave a note why."""
    command = setup.command[0]
    os.setsid()
    try:
        os.chdir(setup.folder)
        path = shutil.which(command) or os.path.abspath(command)
        is_file = os.path.isfile(path)  # else the bot might read what is in it, if it is a folder
    except OSError as problem:
        _leave(shared, _UNSTARTED, f"its folder cannot be entered by user {os.getuid()}: {problem.strerror}")
    except ValueError:
        is_file = False
    if not is_file:
        _leave(shared, _UNSTARTED, f"its command cannot be started: there is no program {command!r}")
    try:
        rules = -1
        if setup.way != "none":
            readable = [*_DEVICES, *_SETTINGS, *glob("/etc/java-*"), *setup.readable]
            rules = landlock.ruleset(readable, [*_EXECUTABLE, os.path.realpath(path)])
        for descriptor in (0, 1):
            os.dup2(3, descriptor)
        confine(setup.way, parent, setup.limits.memory_mb, rules, is_program=True)
        escaped = prove(setup.way)
    except OSError as problem:
        escaped = f"the kernel refused to confine a process: {problem.strerror}"
    if escaped:
        _leave(shared, _ESCAPED, escaped)
    for file in (path, *setup.readable):
        try:
            os.close(os.open(file, os.O_RDONLY))
        except OSError as problem:
            name = os.path.basename(file)
            _leave(shared, _UNSTARTED, f"its file {name!r} cannot be read by user {os.getuid()}: {problem.strerror}")
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execv(path, setup.command)  # noqa: S606 - starting the bot's program is what this is for
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        _leave(shared, _UNSTARTED, f"its command {command!r} cannot be started: {reason}")


def _leave(shared: mmap, kind: bytes, reason: str) -> NoReturn:
    note = (kind + reason.encode())[:NOTE_BYTES]
    shared[NOTE_AT : NOTE_AT + LENGTH.size + len(note)] = LENGTH.pack(len(note)) + note
    os._exit(71)
