"""Work in processes that are forked from this one, so that it may be any function, with all that it refers to."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from league.tools.system import PLAIN, die_with

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

    Few items, and all items on a plain system, are worked on in this process. Otherwise items and results are pickled,
    and an error of `work` is raised here. A database that is open here may not be used by `work`.
    """
    every = iter(items)
    few = [] if PLAIN or processes < 2 else list(islice(every, 2 * processes))
    if len(few) < 2 * processes:
        yield from map(work, chain(few, every))
        return
    pool = ProcessPoolExecutor(processes, get_context("fork"), _begin, (work, os.getpid()))
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
