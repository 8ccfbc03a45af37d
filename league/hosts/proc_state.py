"""What the threads of a process are doing, as the kernel reports it: all threads, since any of them may be at work."""

from __future__ import annotations

import os

_RESTING = (b"S", b"T", b"t")
"""States of a thread that sleeps or is stopped. One that is ready to run, or waits for the disk, does not rest."""


def is_asleep(pid: int) -> bool | None:
    """Whether all threads of a process sleep or are stopped; None if the kernel does not report it."""
    try:
        return all(_state(pid, thread) in _RESTING for thread in os.listdir(f"/proc/{pid}/task"))
    except (OSError, IndexError):
        return None


def is_stopped(pid: int) -> bool:
    """Whether a process is stopped, by a signal or a debugger; False if the kernel does not report it."""
    try:
        return _state(pid, str(pid)) in (b"T", b"t")
    except (OSError, IndexError):
        return False


def busy_seconds(pid: int) -> float | None:
    """How long the threads of a process have run or waited for a processor; None if the kernel does not report it."""
    try:
        return sum(_scheduled(pid, thread) for thread in os.listdir(f"/proc/{pid}/task")) / 1e9
    except (OSError, IndexError, ValueError):
        return None


def _state(pid: int, thread: str) -> bytes:
    with open(f"/proc/{pid}/task/{thread}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()[0]


def _scheduled(pid: int, thread: str) -> int:
    """Nanoseconds of running and of waiting to run."""
    with open(f"/proc/{pid}/task/{thread}/schedstat", "rb") as file:
        running, waiting, *_ = file.read().split()
    return int(running) + int(waiting)
