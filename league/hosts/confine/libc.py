"""The few calls of the C library that Python does not offer, each raising `OSError` when it fails."""

from __future__ import annotations

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)
_libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
_timers = _libc if hasattr(_libc, "timer_create") else ctypes.CDLL("librt.so.1", use_errno=True)
"""Before version 2.34, the GNU library has another part for timers."""
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


_PROCESSOR_TIME_OF_THREAD = 3


class _Event(ctypes.Structure):
    _fields_ = (
        ("value", ctypes.c_void_p),
        ("number", ctypes.c_int),
        ("how", ctypes.c_int),
        ("rest", ctypes.c_char * 48),
    )


def tick(number: int, seconds: float) -> None:
    """Send this process a signal after every so many seconds of processor time of this thread, as long as it lives.

    While a timer of a whole process is set, as by `signal.setitimer`, the processor time of the process is known in
    steps of milliseconds only, which a bot that times its own search would notice.
    """
    timer = ctypes.c_void_p()
    event = _Event(None, number, 0)
    _checked(_timers.timer_create(_PROCESSOR_TIME_OF_THREAD, ctypes.byref(event), ctypes.byref(timer)), "timer")
    whole, part = divmod(round(seconds * 1e9), 10**9)
    times = (ctypes.c_long * 4)(whole, part, whole, part)  # the interval, and the time until the first signal
    _checked(_timers.timer_settime(timer, 0, times, None), "timer")


def _checked(result: int, *what: object) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{' '.join(map(str, what))}: {os.strerror(code)}")
    return result
