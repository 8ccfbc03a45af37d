"""How a process becomes the compiler of a bot: it finds the program, confines itself, and executes it."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

import msgspec

from league.hosts.build import NOT_CONFINED, NOT_STARTED, SECONDS, BuildOrder
from league.hosts.confine import confine_build, landlock, prove, refusal
from league.hosts.exec_program import no_program, program_path, readable_settings, runtime_of
from league.values.settings import Limits

LIMITS = Limits(memory_mb=2048)
"""Of each process of a build: compilers need more than bots."""
_HEADERS = ("/usr/include", "/usr/local/include")


def serve() -> NoReturn:
    """Turn this process into the program that builds a bot, confined; its first message is a `BuildOrder`."""
    order = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=BuildOrder)
    with open(os.devnull, "rb") as nowhere:
        os.dup2(nowhere.fileno(), 0)
    path = program_path(order.command[0], order.folder, order.way)
    if path is None:
        _leave(NOT_STARTED, f"{order.command[0]!r} is {no_program(order.folder)}")
    try:
        os.chdir(order.folder)
        rules = -1
        if order.way != "none":
            runtime = runtime_of(path)
            if overlap := landlock.exposed(runtime, order.private):
                _leave(NOT_STARTED, f"{order.command[0]!r} is in {overlap[1]}, where bots or results are too")
            writable = [os.path.dirname(order.folder), os.devnull]
            readable = [*readable_settings(), *_HEADERS]
            rules = landlock.ruleset(readable, [*landlock.system_folders(), *runtime], writable)
        confine_build(order.way, LIMITS, order.file_bytes, SECONDS, rules)
        escaped = prove(order.way, builds=True)
    except OSError as problem:
        escaped = refusal(problem)
    if escaped:
        _leave(NOT_CONFINED, escaped)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execve(path, order.command, os.environ)  # noqa: S606 - that is what this is for
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        _leave(NOT_STARTED, f"{order.command[0]!r}: {reason}")


def _leave(code: int, reason: str) -> NoReturn:
    os.write(1, reason.encode())
    os._exit(code)
