"""The messages between the league, its hosts and their zygotes. Both ends use this module.

To a host: a length, then MessagePack. From a host: the number of the tick, a count and a length; that many 32-bit
ints; troubles of that length. Nothing from a host is trusted: counts and lengths must be the expected ones, texts
are cut and cleaned.
"""

from __future__ import annotations

import os
import struct
from array import array
from collections.abc import Sequence, Set
from functools import cache
from typing import Any

import msgspec

from league.errors import IsolationError
from league.games.contract import View
from league.hosts import Begin, End, Tick, Trouble
from league.values.settings import Limits

IDLE = 0xFFFF_FFFF
"""The position of a host that runs no hook of the bot. Otherwise it is that of the hook's item in the tick."""
NOTE_BYTES = 4092
"""Room for the beginning of what a Python bot prints, or for why the process could not become the bot's program."""
PAGE_BYTES = 4 + NOTE_BYTES
"""The size of the page that a process shares with the league: the length of all that it has printed, and the beginning.
"""
ESCAPED, UNSTARTED = b"E", b"U"
"""How the text begins if the process is not confined, or if the program cannot be started."""
CAUSE_CHARACTERS = 200
TAIL_CHARACTERS = 2000
TROUBLE_BYTES = 16 + 4 * (CAUSE_CHARACTERS + TAIL_CHARACTERS) + 64
"""No honest trouble takes more."""
REPLY_HEAD = struct.Struct("<III")
LENGTH = struct.Struct("<I")

UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)

encode = msgspec.msgpack.Encoder().encode

ERROR_BYTES = 8192
"""How much of what a program writes to standard error is kept; no file that it writes can get longer."""
BUILD_SECONDS = 60
"""Processor time of each process of a build."""
NOBODY = 65534
"""The user and group that hosts run under when the league is run by root."""


class HostSetup(msgspec.Struct, frozen=True, array_like=True):
    """The first message to a host: which bot to run, and how."""

    name: str
    source: bytes
    limits: Limits
    confined: bool
    """Whether the kernel refuses it files, network and other processes."""
    command: tuple[str, ...] = ()
    """The program and its arguments, for a bot in another language."""
    folder: str = ""
    """Where a bot that is a folder was unpacked."""
    private: tuple[str, ...] = ()
    """For a program: where bots and results are, which must not be in the folders that it may read."""
    file_bytes: int = 0
    """For a program that builds a bot, and may write: no file of it gets longer."""


class Loaded(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The second message from a host: whether the bot is loaded.

    The first one is sent before anything of the bot is run: what the process could still do, in words, if it is not
    confined, and nothing otherwise.
    """

    cause: str = ""
    """Why not, if so."""
    tail: str = ""
    wants_final_view: bool = False


HELLO_BYTES = 1 << 16
"""Neither of the first two messages is longer."""


@cache
def tick_decoder(view_type: type[View]) -> msgspec.msgpack.Decoder[tuple[Any, ...]]:
    """Reads the ticks of a game whose views are of this type."""
    return msgspec.msgpack.Decoder(tuple[list[End[view_type]], list[Begin], list[int], list[view_type]])  # type: ignore[valid-type]


def framed(message: bytes) -> bytes:
    """A message with its length before it."""
    return LENGTH.pack(len(message)) + message


def slot_at(tick: Tick, position: int) -> int:
    """The slot whose item is at this position of a tick: ends first, then begins, then views."""
    for items in (tick.ends, tick.begins):
        if position < len(items):
            return items[position].slot
        position -= len(items)
    return tick.slots[position]


def pack_reply(serial: int, moves: array[int], troubles: Sequence[Trouble]) -> bytes:
    """The answer to a tick."""
    rest = encode(troubles) if troubles else b""
    return REPLY_HEAD.pack(serial, len(moves), len(rest)) + moves.tobytes() + rest


def unpack_moves(data: bytes | memoryview) -> list[int]:
    """The ints that `pack_reply` wrote."""
    moves = array("i")
    moves.frombytes(data)
    return moves.tolist()


_troubles = msgspec.msgpack.Decoder(list[Trouble])


def unpack_troubles(data: bytes, possible: Set[tuple[int, bool]]) -> list[Trouble]:
    """The troubles of a reply, cleaned; `ValueError` if they are not what an honest host would write.

    `possible` are the slots that may be in trouble, and whether their game was over. Each can be only once.
    """
    try:
        troubles = _troubles.decode(data)
    except UNREADABLE as problem:
        raise ValueError("troubles that cannot be read") from problem
    if any((trouble.slot, trouble.over) not in possible for trouble in troubles):
        raise ValueError("troubles of games that were not asked about")
    if len({(trouble.slot, trouble.over) for trouble in troubles}) < len(troubles):
        raise ValueError("several troubles of one game")
    return [trouble._replace(cause=clean_line(trouble.cause), tail=clean_tail(trouble.tail)) for trouble in troubles]


def over_move(limits: Limits) -> str:
    """The cause of a fault: too long for a decision."""
    return f"more than {limits.move_ms} ms of processor time for one decision"


def over_match(limits: Limits) -> str:
    """The cause of a fault: too long for a match."""
    return f"more than {limits.match_ms} ms of processor time in one match"


def clean_line(text: str) -> str:
    """A bot's text on one line: short, and without control characters."""
    return "".join([char if char.isprintable() else " " for char in text[:CAUSE_CHARACTERS]])


def clean_tail(text: str) -> str:
    """The same for several lines."""
    return "".join([char if char.isprintable() or char == "\n" else " " for char in text[-TAIL_CHARACTERS:]])


def not_isolated(reason: bytes) -> IsolationError:
    """The error of a process that is not confined as was asked for, with what it told about it."""
    told = clean_line(reason.decode("utf-8", "replace"))
    return IsolationError(f"Isolation is not available here: {told}. See: league doctor")


def without_path(text: str, folder: str, name: str) -> str:
    """A text in which the path of a bot's unpacked folder is replaced by the bot's name."""
    return text.replace(folder, name) if folder else text


REQUEST = struct.Struct("<cI")
"""`f`: fork, with descriptors and a game of N bytes. `w`: wait for process N."""
ANSWER = struct.Struct("=i")
"""The process id, or how the process ended, as the kernel puts it. The first answer is the length of the version of
League that the zygote runs, which follows it."""


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it, however often that takes."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
