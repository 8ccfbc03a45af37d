"""Who plays in a folder of results, and when it was last written. Nothing of the results is read."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path
from time import sleep

from league.errors import StoreError
from league.results.schema import FILE
from league.tools import system
from league.tools.text import safe, shown_path

LOCK = "league.lock"
GLANCE_SECONDS = 0.05
"""The longest time that a process takes to look whether a folder is being played."""


def is_being_played(folder: Path) -> bool:
    """Whether a run has the right to play in a folder now; one that was killed has lost it."""
    try:
        lock = os.open(folder / LOCK, os.O_RDONLY | system.CLOEXEC | system.NONBLOCK)  # a stranger's may be a pipe
    except OSError:
        return False
    try:
        system.lock(lock, shared=True)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def last_change(folder: Path) -> float:
    """When results were last written into a folder, as its files tell; 0 if there are none."""
    newest = 0.0
    for name in (FILE, f"{FILE}-wal"):
        with suppress(OSError):
            file = os.stat(folder / name)
            if file.st_size:  # readers leave an empty log behind
                newest = max(newest, file.st_mtime)
    return newest


def hold(folder: Path) -> int:
    """Lock a folder for playing, or say who has locked it. The system releases it, however the holder ends."""
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | system.CLOEXEC | system.NONBLOCK | system.NOFOLLOW, 0o644)
    try:
        try:
            system.lock(lock)
        except BlockingIOError:
            sleep(GLANCE_SECONDS)  # somebody who only looks is gone then
            system.lock(lock)
    except BlockingIOError:
        holder = safe(os.read(lock, 200).decode(errors="replace").strip()) or "another process"
        os.close(lock)
        raise StoreError(
            f"{shown_path(folder)} is being played by {holder}. Wait for it, or play in another folder by --results."
        ) from None
    os.ftruncate(lock, 0)
    os.write(lock, f"process {os.getpid()} on {platform.node()}\n".encode())
    return lock
