"""What this system has: all that differs between Linux, macOS and Windows is decided here.

A system is plain if bots' processes cannot be forked and confined on it: every one but Linux. There everything runs in
one process, and bots are trusted. `PLAIN` says so; the functions do what they can on either.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from multiprocessing import parent_process
from typing import Any

fcntl: Any
resource: Any
try:
    import fcntl
    import resource
except ImportError:  # on Windows
    fcntl = resource = None

PLAIN = sys.platform != "linux" or not hasattr(os, "fork")
"""Whether everything runs in one process."""
NOTICE = (
    "This system cannot confine bots: they run as part of League, with all your rights and no limits. "
    "The machine that plays the league has the last word."
)
"""What users of a plain system are told once, before bots run."""
NEEDS_LINUX = (
    "Bots have processes of their own on Linux only. Try --isolation trusted, with bots in Python that mean no harm."
)
"""What they are told instead where bots of others would run."""
_told: list[str] = []

CLOEXEC: int = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""Opens a file for this process alone, and its bytes as they are."""
DIRECTORY: int = getattr(os, "O_DIRECTORY", 0)
NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
NONBLOCK: int = getattr(os, "O_NONBLOCK", 0)
_PR_SET_PDEATHSIG = 1
_libc: Any = None if PLAIN else ctypes.CDLL(None)

Folder = int | str
"""An open folder: its descriptor, or its path where the system has no descriptors of folders."""


def tell_if_plain() -> None:
    """Tell the user of a plain system once what is not enforced; only the first process of a command does."""
    if PLAIN and not _told and parent_process() is None:
        _told.append(NOTICE)
        print(NOTICE, file=sys.stderr, flush=True)


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def load() -> float:
    """How many processes want a processor, as a mean of the last minute; 0 if the system does not tell."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def user() -> int:
    """The number of the user that this process runs as; -1 if the system has none."""
    return os.geteuid() if hasattr(os, "geteuid") else -1


def die_with(parent: int) -> None:
    """Have this process killed as soon as its parent is dead. Has an effect only on Linux."""
    if PLAIN:
        return
    _libc.prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL))
    if os.getppid() != parent:  # it died before prctl took effect
        os._exit(1)


def lock(descriptor: int, *, shared: bool = False) -> None:
    """Lock a file until it is closed; raises BlockingIOError if another process has locked it.

    Where the system has no such locks, nothing happens.
    """
    if fcntl:
        fcntl.flock(descriptor, fcntl.LOCK_NB | (fcntl.LOCK_SH if shared else fcntl.LOCK_EX))


def limit_parser(memory: int, seconds: int) -> None:
    """Cap the address space and the processor time of this process, where the system can."""
    if resource:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def walk(top: str, onerror: Callable[[OSError], None]) -> Iterator[tuple[str, list[str], list[str], Folder]]:
    """Every folder below `top`: its path, its folders, its files, and the folder itself, open. No link is followed."""
    if hasattr(os, "fwalk"):
        yield from os.fwalk(top, onerror=onerror, follow_symlinks=False)
    else:
        yield from ((root, folders, files, root) for root, folders, files in os.walk(top, onerror=onerror))


def inside(folder: Folder, name: str) -> dict[str, Any]:
    """How functions of `os` are given the path of something in an open folder: `os.lstat(**inside(folder, name))`."""
    return {"path": os.path.join(folder, name)} if isinstance(folder, str) else {"path": name, "dir_fd": folder}


def open_inside(folder: Folder, name: str, flags: int, mode: int = 0o777) -> int:
    """Open a file in an open folder, and never a link."""
    place = inside(folder, name)
    if not NOFOLLOW and os.path.islink(place["path"]):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return os.open(flags=flags | NOFOLLOW | CLOEXEC, mode=mode, **place)


@contextmanager
def opened_folder(path: str | os.PathLike[str], *names: str) -> Generator[Folder, None, None]:
    """A folder, and from it, name by name, one that is deeper; a link among these names is an OSError."""
    flags = os.O_RDONLY | DIRECTORY | CLOEXEC
    folder: Folder = os.open(path, flags) if os.open in os.supports_dir_fd else os.fspath(path)
    try:
        for name in names:
            if isinstance(folder, str):
                folder = os.path.join(folder, name)
                if os.path.islink(folder) or not os.path.isdir(folder):
                    raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
                continue
            below = os.open(name, flags | NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = below
        yield folder
    finally:
        if isinstance(folder, int):
            os.close(folder)
