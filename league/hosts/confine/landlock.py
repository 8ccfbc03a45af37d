"""Landlock: the kernel lets this process, and all it starts, open only files below the folders that are named."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys
import sysconfig
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from league.hosts.confine import libc

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446  # the same numbers on every processor
_VERSION, _PATH_BENEATH = 1, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14
_WRITING = _WRITE_FILE | _TRUNCATE | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 13
"""Writing and cutting files, making, moving and removing files and folders; no links and no devices."""
_FOR_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
"""Rights that a single file can have."""
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""Version of Landlock to how many rights over files it knows; later versions know as many as 5."""
_TCP = 0b11
_SIGNALS_AND_ABSTRACT_SOCKETS = 0b11


class _Attributes(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


_BENEATH = struct.Struct("=Qi")
"""The rights below a folder, and its descriptor."""


def version() -> int:
    """Which version of Landlock this kernel has; 0 for none."""
    try:
        return libc.syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    except OSError:
        return 0


def ruleset(readable: Iterable[str], executable: Iterable[str] = (), writable: Iterable[str] = ()) -> int:
    """A descriptor of rules: reading below some paths, executing too below others, writing too below the last ones.

    Paths that do not exist are left out.
    """
    known = version()
    handled = _Attributes(
        (1 << _RIGHTS.get(known, 16)) - 1,
        _TCP if known >= 4 else 0,
        _SIGNALS_AND_ABSTRACT_SOCKETS if known >= 6 else 0,
    )
    size = 24 if known >= 6 else 16 if known >= 4 else 8
    rules = libc.syscall(_CREATE, ctypes.byref(handled), ctypes.c_size_t(size), ctypes.c_uint32(0))
    for path in readable:
        _allow(rules, path, _READ_FILE | _READ_DIR)
    for path in executable:
        _allow(rules, path, _READ_FILE | _READ_DIR | _EXECUTE)
    for path in writable:
        _allow(rules, path, (_READ_FILE | _READ_DIR | _EXECUTE | _WRITING) & handled.files)
    return rules


_STANDARD = ("bin", "sbin", "lib", "lib32", "lib64", "libexec", "share")
_PACKAGE = Path(__file__).parents[2]


def installed_below(*prefixes: str) -> list[str]:
    """The standard folders of software below these prefixes, such as /usr/bin and /usr/lib below /usr."""
    return [os.path.join(prefix, name) for prefix in prefixes for name in _STANDARD]


@cache
def system_folders() -> list[str]:
    """Where the system's software is: what programs of other languages may read and execute."""
    return installed_below("/", "/usr", "/usr/local")


def exposed(granted: Iterable[str], private: Iterable[str]) -> tuple[str, str] | None:
    """The first private path that lies in a folder that is granted, and this folder; None if there is none.

    The package itself, with the bots that come with it, is public.
    """
    folders = [(folder, Path(os.path.realpath(folder))) for folder in granted]
    for path in private:
        real = Path(os.path.realpath(path))
        for folder, real_folder in folders:
            if real.is_relative_to(real_folder) and not real.is_relative_to(_PACKAGE):
                return path, folder
    return None


@cache
def library_folders() -> list[str]:
    """Where Python's libraries, this package and what they are linked to are: all that every bot may read."""
    paths = sysconfig.get_paths()
    python = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    base = Path(sys.base_prefix) / "lib" / Path(paths["stdlib"]).name
    system = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"]
    return sorted({*python, str(base), str(_PACKAGE), *system})


def restrict(rules: int) -> None:
    """Apply the rules to this process, irrevocably. It must have given up new privileges before."""
    libc.syscall(_RESTRICT, ctypes.c_int(rules), ctypes.c_uint32(0))


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what cannot be opened here could not be read there either
    try:
        if not stat.S_ISDIR(os.fstat(parent).st_mode):
            rights &= _FOR_FILES
        rule = _BENEATH.pack(rights, parent)
        libc.syscall(_ADD_RULE, ctypes.c_int(rules), ctypes.c_int(_PATH_BENEATH), rule, ctypes.c_uint32(0))
    finally:
        os.close(parent)
