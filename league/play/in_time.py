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

from league.tools.forked import start_process
from league.tools.system import PLAIN, die_with

T = TypeVar("T")
Work = Callable[[], Iterable[T]]

NOTHING = object()
ASK_SECONDS = 0.05
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
        leaving = children
        for _ in range(round(LEAVE_SECONDS / ASK_SECONDS)):
            leaving = [child for child in leaving if child.is_asked_to_end()]
            if not leaving:
                break
            wait([child.sentinel for child in leaving], ASK_SECONDS)
        for child in children:
            child.end()


class _Child:
    """One of the processes, seen from the parent."""

    def __init__(self, work: Work[Any]) -> None:
        self.pipe, theirs = multiprocessing.Pipe(duplex=False)
        self._process = start_process(_do, work, os.getpid(), theirs)  # forked: bots may be classes of this process
        theirs.close()

        self.sentinel = self._process.sentinel

    def is_asked_to_end(self) -> bool:
        """Whether it is still there. It is asked again and again.

        Python handles a signal between two of its own instructions: one that comes just before a long call to C, such
        as `sleep`, would be handled after it. The next one interrupts the call.
        """
        if self._process.is_alive():
            self._process.terminate()
            return True
        return False

    def end(self) -> None:
        self.pipe.close()
        self._process.kill()
        self._process.join()
        self._process.close()


def _do(work: Work[Any], parent: int, pipe: Connection) -> None:
    """In the process of its own."""
    die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    signal.signal(signal.SIGTERM, _leave)
    try:
        for item in work():
            pipe.send(item)
    except Exception as problem:  # noqa: BLE001 - the parent raises it
        pipe.send(problem)
    finally:
        os._exit(0)  # not through the parent's own clean-up


def _leave(*_: object) -> None:
    """End the process so that what was opened is closed, which the next signal must not interrupt."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(0)
