"""Plays the sittings that come through a pipe: the loop of a worker of this machine and of a player in a cluster."""

from __future__ import annotations

import gc
from collections.abc import Callable
from itertools import count
from multiprocessing.connection import Connection

import msgspec

from league.errors import LeagueError
from league.play.worker import Worker
from league.values.block import BlockResult, Sitting, Unavailable

ALL_COLLECTED = 32
"""After this many sittings all of a worker's memory is searched for garbage; otherwise only what is new in it."""

encode = msgspec.msgpack.Encoder().encode
decode_answer: Callable[[bytes | msgspec.Raw], list[BlockResult | Unavailable] | str]
decode_answer = msgspec.msgpack.Decoder(list[BlockResult | Unavailable] | str).decode
"""What became of each block, or the reason why this worker cannot play the sitting."""
_decode_sitting = msgspec.msgpack.Decoder(Sitting).decode


def calm_collector() -> None:
    """Set up garbage collection for a process that plays.

    There are thousands of live games and no cycles among them, so the collector would search them for nothing. `serve`
    calls it after each sitting instead, for what the sitting has left behind.
    """
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


def serve(worker: Worker, pipe: Connection, idle_seconds: float | None = None) -> None:
    """Play until the pipe is closed, or until there was nothing to do for this long."""
    for number in count(1):
        try:
            if not pipe.poll(idle_seconds):
                return
            sitting = _decode_sitting(pipe.recv_bytes())
        except (EOFError, OSError):
            return
        answer: list[BlockResult | Unavailable] | str
        try:
            answer = worker.play_sitting(sitting)
        except LeagueError as problem:
            answer = str(problem)
        try:
            pipe.send_bytes(encode(answer))
        except OSError:
            return
        gc.collect(1 if number % ALL_COLLECTED else 2)
