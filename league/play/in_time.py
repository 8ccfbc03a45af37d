"""Work that can be cut short at any moment: processes forked from this one do it, and are ended when time is over."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterable
from itertools import chain
from math import inf
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any, TypeVar

from league.tools.system import PLAIN, die_with, start_process

T = TypeVar("T")
Work = Callable[[], Iterable[T]]

NOTHING = object()
LEAVE_SECONDS = 1.0
"""How long the processes may take to clean up behind them."""


def in_time(seconds: float, *works: Work[T]) -> Generator[T, None, None]:
    """What the works yield, as it comes, each in a process of its own; after so many seconds, they are ended.

    What they yield is pickled, and an error of a work is raised here. A database that is open here may not be used by a
    work: it opens the file itself. On a plain system works run in this process, and are cut short only between items.
    """
    deadline = monotonic() + seconds
    if PLAIN:
        items = chain.from_iterable(work() for work in works)
        while monotonic() < deadline and (item := next(items, NOTHING)) is not NOTHING:
            yield item  # type: ignore[misc]
        return
    children = [_Child(work) for work in works] if seconds > 0 else []
    waiting = [child.pipe for child in children]
    try:
        while waiting and (left := deadline - monotonic()) > 0:
            for pipe in wait(waiting, None if left == inf else left):
                assert isinstance(pipe, Connection)
                try:
                    item = pipe.recv()
                except (EOFError, OSError):  # it is through, or dead
                    waiting.remove(pipe)
                    continue
                if isinstance(item, Exception):
                    raise item
                yield item
    finally:
        for child in children:
            child.ask_to_end()
        deadline = monotonic() + LEAVE_SECONDS
        for child in children:
            child.end(deadline - monotonic())


class _Child:
    """One of the processes, seen from the parent."""

    def __init__(self, work: Work[Any]) -> None:
        self.pipe, theirs = multiprocessing.Pipe(duplex=False)
        self._process = start_process(_do, work, os.getpid(), theirs)  # forked: bots may be classes of this process
        theirs.close()

    def ask_to_end(self) -> None:
        self.pipe.close()
        self._process.terminate()

    def end(self, seconds: float) -> None:
        self._process.join(max(seconds, 0.0))
        self._process.kill()
        self._process.join()
        self._process.close()


def _do(work: Work[Any], parent: int, pipe: Connection) -> None:
    """In the process of its own."""
    die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that what was opened is closed
    try:
        for item in work():
            pipe.send(item)
    except Exception as problem:  # noqa: BLE001 - the parent raises it
        pipe.send(problem)
    finally:
        os._exit(0)  # not through the parent's own clean-up
