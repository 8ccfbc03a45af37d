"""The few calls of the C library that Python does not offer, each raising `OSError` when it fails."""

from __future__ import annotations

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)
_libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
_with_gil = ctypes.PyDLL(None, use_errno=True)


def fork() -> int:
    """The bare call: 0 in the new process. Only for processes of a single thread.

    `os.fork` also runs what modules have registered for new processes (new locks, new seeds), which took a fifth of a
    host's start. A single thread holds no lock of theirs, and hosts draw from their matches.
    """
    return _checked(_with_gil.fork(), "fork")


def wait(pid: int, ended: ctypes.c_int) -> None:
    """Wait for a child to end. How it did is written to `ended`, as the kernel puts it, and to no other memory."""
    _checked(_libc.waitpid(pid, ctypes.byref(ended), 0), "wait")


def prctl(option: int, *values: int) -> int:
    """Change what the kernel lets this process do."""
    return _checked(_libc.prctl(option, *(*values, 0, 0, 0, 0)[:4]), "prctl", option)


def syscall(number: int, *values: object) -> int:
    """A system call by its number."""
    return _checked(_libc.syscall(ctypes.c_long(number), *values), "system call", number)


def _checked(result: int, *what: object) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{' '.join(map(str, what))}: {os.strerror(code)}")
    return result
