"""How the command ends if it is interrupted, if there is a bug, or if its output goes nowhere."""

from __future__ import annotations

import errno
import os
import platform
import select
import shlex
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, TypeGuard

from league import __version__

BUG = 70
"""The exit code after a bug: EX_SOFTWARE, also where there is no such name."""
PIPE_CLOSED = 141
"""The exit code when the reader of our output went away, as with `| head`: 128 + SIGPIPE, also where there is none."""
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def reader_is_gone() -> bool:
    """Whether the reader of our standard output or standard error went away."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    for stream in (sys.stdout, sys.stderr):
        poll.register(stream.fileno(), select.POLLOUT)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def open_standard_streams() -> None:
    """Open standard streams that were closed, so that no other file takes their descriptors.

    Libraries may have taken one already while they were loaded: then the stream gets another.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115 - for as long as we run


def is_about_output(problem: BaseException) -> TypeGuard[OSError]:
    """Whether an error came from writing to a stream, such as a full standard output."""
    return isinstance(problem, OSError) and problem.filename is None and problem.errno in UNWRITABLE


def give_up_output() -> None:
    """Discard what is still buffered for standard streams that cannot be written: Python would fail again at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say(*lines: str) -> None:
    """Print lines on standard error, if it can be written to."""
    from league.cli.output import tell

    with suppress(OSError):
        for line in lines:
            tell(f"league: {line}", err=True)


def report_bug(bug: BaseException) -> int:
    """Say that it is a bug, and in which new file the details are; returns the exit code."""
    from league.tools.text import safe, shown_path

    details = "".join(traceback.format_exception(bug))
    about = f"League {__version__}, Python {platform.python_version()}, {platform.platform()}"
    where = "The details are above."
    say(f"This is a bug in League, not a mistake of yours: {safe(f'{type(bug).__name__}: {bug}'.rstrip(': '))}")
    try:
        descriptor, log = tempfile.mkstemp(prefix="league-bug-", suffix=".log")
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{about}\n{shlex.join(['league', *sys.argv[1:]])}\n{details}")
        where = f"The details are in {shown_path(Path(log))}."
    except OSError:
        with suppress(OSError):
            sys.stderr.write(details)
    say(f"{where} Please report them and what you did to the project.")
    return BUG


class Interrupts:
    """In the context, a call returns whether there was a Ctrl-C or SIGTERM; a second one raises KeyboardInterrupt.

    `notice` is called once, by the call that finds out: a signal may come in the middle of a line of output, where
    nothing can be printed.
    """

    def __init__(self, notice: Callable[[], None]) -> None:
        self._wanted = self._noticed = False
        self._notice = notice
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupts:
        self._before = {number: signal.signal(number, self._handle) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def __call__(self) -> bool:
        if self._wanted and not self._noticed:
            self._noticed = True
            self._notice()
        return self._wanted

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._wanted:
            raise KeyboardInterrupt
        self._wanted = True
