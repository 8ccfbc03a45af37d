"""What applies at every level but trusted: limits on memory, files and processes, and another user; irrevocable."""

from __future__ import annotations

import os
import resource
import sys
from contextlib import suppress

from league.hosts.confine import libc
from league.hosts.wire import ERROR_BYTES, NOBODY
from league.values.settings import Limits

_DESCRIPTORS = 64
_PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 4, 38


def drop_root() -> None:
    """Become a user who owns nothing, if this is root; irrevocably."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def harden() -> None:
    """Give up new privileges, and forbid inspection by others. Has an effect only on Linux."""
    if sys.platform != "linux":
        return
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1)
    libc.prctl(_PR_SET_DUMPABLE, 0)


def limit_resources(limits: Limits, is_program: bool, file_bytes: int = ERROR_BYTES) -> None:
    """Cap memory, forbid writing files, core dumps and locked memory.

    For Python the whole address space is capped, above what is there already. Programs of other languages
    reserve more addresses than they use, so only their private writable memory is.
    """
    memory = limits.memory_mb << 20
    if is_program:
        _cap(resource.RLIMIT_DATA, memory)
        if sys.platform == "linux":
            _cap(resource.RLIMIT_NPROC, _tasks_on_this_machine() + 256)
    else:
        if sys.platform == "linux":
            _cap(resource.RLIMIT_AS, _address_space() + memory)
        else:
            _cap(resource.RLIMIT_DATA, memory)
    _cap(resource.RLIMIT_FSIZE, file_bytes if is_program else 0)
    _cap(resource.RLIMIT_NOFILE, _DESCRIPTORS if not is_program else 4 * _DESCRIPTORS)
    _cap(resource.RLIMIT_CORE, 0)
    _cap(resource.RLIMIT_MEMLOCK, 0)
    if sys.platform == "linux":
        _cap(resource.RLIMIT_MSGQUEUE, 0)


def limit_seconds(seconds: int) -> None:
    """Cap the processor time of this process, and of each that it starts."""
    _cap(resource.RLIMIT_CPU, seconds)


def allow_processes() -> None:
    """Root may start any number of processes, whatever the limit; so may the user that it becomes, if possible."""
    if os.geteuid() == 0:
        for most in (resource.getrlimit(resource.RLIMIT_NPROC)[1], resource.RLIM_INFINITY):
            with suppress(ValueError):  # root of a container may not raise its limits
                resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def forbid_processes() -> None:
    """From now on this process can start no other."""
    _cap(resource.RLIMIT_NPROC, 0)


def _cap(kind: int, value: int) -> None:
    if value > 0 and (hard := resource.getrlimit(kind)[1]) != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(kind, (value, value))


def _address_space() -> int:
    statm = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)  # costs every host less than a text file would
    try:
        return int(os.read(statm, 256).split()[0]) * os.sysconf("SC_PAGE_SIZE")
    finally:
        os.close(statm)


def _tasks_on_this_machine() -> int:
    """At least as many as this user has; the kernel counts a user's tasks, wherever they came from."""
    with open("/proc/loadavg") as file:
        return int(file.read().split()[3].partition("/")[2])
