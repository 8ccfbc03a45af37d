"""One log file for all processes; lines are never mixed.

The parent writes its own lines. A worker's go through multiprocessing-logging: a queue into the parent, where a thread
writes them. Each worker has a queue of its own, so that one killed in the middle of a line cannot block the others.
"""

from __future__ import annotations

import logging
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path

from multiprocessing_logging import MultiProcessingHandler

from league.tools.files import refuse_link

FORMAT = "%(asctime)s %(levelname)-7s %(processName)s %(name)s: %(message)s"
LOGGER = "league"
LOG = "league.log"
"""The file in a league's folder."""
LOG_BYTES = 4 << 20
"""A log that is larger is put aside."""
LOGS_KEPT = 3
"""How many of those are kept: `league.log.1` is the newest."""


@contextmanager
def logging_to(path: Path) -> Iterator[None]:
    """Inside, what League logs goes to a file. One that has become too large is put aside first."""
    refuse_link(path)
    put_aside_if_large(path)
    logger = logging.getLogger(LOGGER)
    handler = _file_handler(path)
    before = (logger.level, logger.propagate)
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before[0])
        logger.propagate = before[1]
        handler.close()


def put_aside_if_large(path: Path) -> bool:
    """Rename a log that has become too large, and forget the oldest of those before it; returns whether it was.

    Nothing is copied, so no line is lost: whoever has it open goes on writing to it.
    """
    if not path.exists() or path.stat().st_size <= LOG_BYTES:
        return False
    RotatingFileHandler(path, backupCount=LOGS_KEPT, delay=True).doRollover()
    return True


class WorkerLog:
    """The way of one worker's lines into the file: made in the parent, entered in the worker."""

    def __init__(self, path: Path, name: str) -> None:
        self._name = name
        self._level = logging.getLogger(LOGGER).level
        self._handler = MultiProcessingHandler(name, sub_handler=_file_handler(path))

    def enter(self) -> None:
        """In the worker: from now on, log through the queue."""
        multiprocessing.current_process().name = self._name
        logger = logging.getLogger(LOGGER)
        logger.handlers = [self._handler]
        logger.setLevel(self._level)
        logger.propagate = False

    def flush(self) -> None:
        """In the worker, before it ends: wait until the queue has taken everything."""
        self._handler.queue.close()
        self._handler.queue.join_thread()

    def close(self) -> None:
        """In the parent: write what is still in the queue, and let go of the file."""
        self._handler.close()


def _file_handler(path: Path) -> logging.Handler:
    handler = logging.FileHandler(path, mode="a", encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(logging.Formatter(FORMAT))
    return handler
