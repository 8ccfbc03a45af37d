"""Work in processes that are forked from this one, so that it may be any function, with all that it refers to."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import chain, islice
from math import inf
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from time import monotonic
from typing import Any, TypeVar

from league.tools.system import PLAIN, die_with

ASK_SECONDS = 0.05
LEAVE_SECONDS = 1.0
"""How long processes may take to clean up behind them, and how often they are asked to."""
T = TypeVar("T")
R = TypeVar("R")


def start_process(target: Callable[..., object], *arguments: object) -> BaseProcess:
    """Start a function in a process of its own."""
    process: BaseProcess = get_context("fork").Process(target=target, args=arguments)
    with _forking():
        process.start()
    return process


def in_order(work: Callable[[T], R], items: Iterable[T], processes: int) -> Iterator[R]:
    """What `work` makes of each item, in their order. Few items are under way at once, so memory stays flat.

    A single item, and all items on a plain system, are worked on in this process. Otherwise items and results are
    pickled, and an error of `work` is raised here. A database that is open here may not be used by `work`.
    """
    every = iter(items)
    few = [] if PLAIN or processes < 2 else list(islice(every, 2 * processes))
    if len(few) < 2:
        yield from map(work, chain(few, every))
        return
    pool = ProcessPoolExecutor(min(processes, len(few)), get_context("fork"), _begin, (work, os.getpid()))
    try:
        with _forking():  # they are forked at the first item
            under_way: deque[Future[R]] = deque([pool.submit(_do, item) for item in few])
        for item in every:
            yield under_way.popleft().result()
            under_way.append(pool.submit(_do, item))
        while under_way:
            yield under_way.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def in_time(seconds: float, *works: Callable[[], Iterable[T]]) -> Generator[T, None, None]:
    """What the works yield, as it comes, each in a process of its own; after so many seconds, they are ended.

    What they yield is pickled, and an error of a work is raised here. A database that is open here may not be used by a
    work: it opens the file itself. On a plain system works run in this process, and are cut short only between items.
    """
    deadline = monotonic() + seconds
    if PLAIN:
        for item in chain.from_iterable(work() for work in works if monotonic() < deadline):
            yield item
            if monotonic() >= deadline:
                return
        return
    children: dict[Connection, BaseProcess] = {}
    try:
        for work in works if seconds > 0 else ():
            pipe, theirs = Pipe(duplex=False)
            with theirs:
                children[pipe] = start_process(_send, work, os.getpid(), theirs)
        waiting = [*children]
        while waiting and (left := deadline - monotonic()) > 0:
            for ready in wait(waiting, None if left == inf else left):
                assert isinstance(ready, Connection)
                try:
                    item = ready.recv()
                except (EOFError, OSError):  # it is through, or dead
                    waiting.remove(ready)
                    continue
                if isinstance(item, Exception):
                    raise item
                yield item
    finally:
        _end(children)


def _end(children: Mapping[Connection, BaseProcess]) -> None:
    """Ask processes to end, again and again for a while, and then make them.

    Python handles a signal between two of its own instructions: one that comes just before a long call to C, such as
    `sleep`, would be handled after it. The next one interrupts the call.
    """
    for _ in range(round(LEAVE_SECONDS / ASK_SECONDS)):
        leaving = [process for process in children.values() if process.is_alive()]
        for process in leaving:
            process.terminate()
        if not leaving:
            break
        wait([process.sentinel for process in leaving], ASK_SECONDS)
    for pipe, process in children.items():
        pipe.close()
        process.kill()
        process.join()
        process.close()


def _send(work: Callable[[], Iterable[object]], parent: int, pipe: Connection) -> None:
    """In the process of its own: send what a work yields."""
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


_work: Any = None
"""In a process of a pool: what it does with each item."""


def _begin(work: Callable[[Any], Any], parent: int) -> None:
    global _work
    _work = work
    die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _do(item: Any) -> Any:
    return _work(item)


@contextmanager
def _forking() -> Generator[None, None, None]:
    """Inside, processes are forked."""
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        # A notebook has threads of its own; our processes need none of what those may hold at this moment.
        warnings.filterwarnings("ignore", message=".*multi-threaded, use of fork", category=DeprecationWarning)
        yield
