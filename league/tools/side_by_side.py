"""Work on many items by processes of this machine, whose results come in the order of the items."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain, cycle, islice
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from league.tools.system import PLAIN, die_with, start_process

T = TypeVar("T")
R = TypeVar("R")


def in_order(work: Callable[[T], R], items: Iterable[T], processes: int) -> Iterator[R]:
    """What `work` makes of each item, in their order. At most one result of each process waits, so memory stays flat.

    Few items, and all items on a plain system, are worked on in this process. Otherwise items and results are pickled,
    and an error of `work` is raised here. A database that is open here may not be used by `work`.
    """
    every = iter(items)
    few = [] if PLAIN or processes < 2 else list(islice(every, 2 * processes))
    if len(few) < 2 * processes:
        yield from map(work, chain(few, every))
        return
    children: list[_Child] = []
    try:
        for _ in range(processes):
            children.append(_Child(work, [child.pipe for child in children]))
        yield from _asked(children, chain(few, every))
    finally:
        for child in children:
            child.end()


def _asked(children: list[_Child], items: Iterator[Any]) -> Iterator[Any]:
    """Each child has one item at a time, and they take turns."""
    busy: deque[_Child] = deque()
    for child, item in zip(cycle(children), items):
        results = [busy.popleft().result()] if len(busy) == len(children) else []
        child.pipe.send(item)
        busy.append(child)
        yield from results
    for child in busy:
        yield child.result()


class _Child:
    """One of the processes, seen from the parent."""

    def __init__(self, work: Callable[[Any], Any], others: list[Connection]) -> None:
        self.pipe, theirs = Pipe()
        self._process = start_process(_do, work, os.getpid(), theirs, [*others, self.pipe])
        theirs.close()

    def result(self) -> Any:
        result = self.pipe.recv()
        if isinstance(result, Exception):
            raise result
        return result

    def end(self) -> None:
        self.pipe.close()
        self._process.terminate()
        self._process.join()
        self._process.close()


def _do(work: Callable[[Any], Any], parent: int, pipe: Connection, others: list[Connection]) -> None:
    """In the process of its own, until the parent closes its end."""
    die_with(parent)
    for other in others:
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        with suppress(EOFError):
            while True:
                try:
                    result = work(pipe.recv())
                except EOFError:
                    raise
                except Exception as problem:  # noqa: BLE001 - the parent raises it
                    result = problem
                pipe.send(result)
    finally:
        os._exit(0)  # not through the parent's own clean-up
