"""Work that can be cut short at any moment: processes forked from this one do it, and are ended when time is over."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import warnings
from collections.abc import Callable, Generator, Iterable
from math import inf
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any, TypeVar

from league.hosts.confine.limits import die_with

T = TypeVar("T")
Work = Callable[[], Iterable[T]]

LEAVE_SECONDS = 1.0
"""How long the processes may take to clean up behind them."""


def in_time(seconds: float, *works: Work[T]) -> Generator[T, None, None]:
    """What the works yield, as it comes, each in a process of its own; after so many seconds, they are ended.

    What they yield is pickled, and an error of a work is raised here. A database that is open here may not be used by a
    work: it opens the file itself.
    """
    deadline = monotonic() + seconds
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
        # fork: bots may be classes of this process.
        self._process = multiprocessing.get_context("fork").Process(target=_do, args=(work, os.getpid(), theirs))
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():  # as for the workers of a league
            warnings.filterwarnings("ignore", message=".*multi-threaded, use of fork", category=DeprecationWarning)
            self._process.start()
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
