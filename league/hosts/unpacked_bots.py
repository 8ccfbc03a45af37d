"""The folders of bots on disk: unpacked from their content, private, read-only, and removed at the end.

A worker has one shelf and unpacks every content once. The folder of a shelf is locked as long as its process lives, so
the next shelf that is made can remove those of processes that were killed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from league.errors import LeagueError
from league.hosts.wire import NOBODY
from league.setup.bot_folder import write_folder
from league.tools import system

if TYPE_CHECKING:
    from league.setup.roster import Bot

PREFIX = "league-unlocked-" if system.PLAIN else "league-bots-"
"""How the folder of a process begins: what has no lock is never swept."""
_FOLDER = os.O_RDONLY | system.DIRECTORY | system.NOFOLLOW
_ACCESSED, _CHANGED = 2**31 - 1, 0
"""Times of every file. A file that was accessed after it was changed keeps its access time on nearly all systems: so a
bot can leave no notes for its next process by reading some files and not others."""


class UnpackedBots:
    """Where a process keeps the folders of its bots. Close it, so that nothing is left behind."""

    def __init__(self) -> None:
        self._root: Path | None = None
        self._lock = -1
        self._folders: dict[str, str] = {}

    def folder_of(self, bot: Bot) -> str:
        """The path of a bot's folder, unpacked if it is not there yet; empty for a bot that is one file."""
        if not bot.files:
            return ""
        if bot.hash not in self._folders:
            try:
                self._folders[bot.hash] = self._unpack(bot)
            except OSError as problem:
                place = tempfile.gettempdir()
                raise LeagueError(
                    f"The folder of bot {bot.name!r} cannot be unpacked in {place}: {problem.strerror}. "
                    "Free some space there, or set TMPDIR to another folder."
                ) from problem
        return self._folders[bot.hash]

    def _unpack(self, bot: Bot) -> str:
        if self._root is None:
            sweep()
            self._root, self._lock = _new_root()
        folder = Path(tempfile.mkdtemp(dir=self._root))  # a name that other bots cannot guess
        made = {file.path for file in bot.made}
        write_folder([*(file for file in bot.files if file.path not in made), *bot.made], folder)
        _seal(folder)
        return str(folder)

    def close(self) -> None:
        """Remove all folders."""
        if self._root is not None:
            _remove(self._root)
            if self._lock >= 0:
                os.close(self._lock)
            self._root = None
            self._folders.clear()


def sweep() -> None:
    """Remove the folders that processes of this user left behind when they were killed."""
    if system.PLAIN:  # where no folder can be locked
        return
    for root in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # another user's, in use, or already gone
            if root.lstat().st_uid != system.user():
                continue
            lock = os.open(root, _FOLDER)
            try:
                system.lock(lock)
                _remove(root)
            finally:
                os.close(lock)


def _new_root() -> tuple[Path, int]:
    """A folder that only this user and the user of the bots can look into, and the descriptor that locks it."""
    while True:
        root = Path(tempfile.mkdtemp(prefix=PREFIX))
        if system.PLAIN:
            return root, -1
        try:
            lock = os.open(root, _FOLDER)
        except FileNotFoundError:
            continue  # swept by another process, which took it for a forgotten one
        with suppress(BlockingIOError):  # which is about to be swept
            system.lock(lock)
            if os.path.exists(root):
                _give(root, 0o710)
                return root, lock
        os.close(lock)


def _seal(folder: Path) -> None:
    """Make everything in a folder read-only, and its times always the same."""
    for path in _bottom_up(folder):
        executable = path.is_dir() or path.stat().st_mode & 0o100
        _give(path, 0o550 if executable else 0o440)
        os.utime(path, (_ACCESSED, _CHANGED))


def _give(path: Path, mode: int) -> None:
    """Set a mode whose rights for a group are those of the user that bots run under, if that is another one."""
    if system.user() == 0:
        os.chown(path, 0, NOBODY)
        path.chmod(mode)
    else:
        path.chmod(mode & 0o700)


def _remove(root: Path) -> None:
    for path in _bottom_up(root):
        if path.is_dir() and not path.is_symlink():
            with suppress(OSError):
                path.chmod(0o700)  # so that what is in it can be removed
    shutil.rmtree(root, ignore_errors=True)


def _bottom_up(folder: Path) -> Iterator[Path]:
    """All that is in a folder, and the folder itself last."""
    for root, folders, files in os.walk(folder, topdown=False):
        yield from (Path(root, name) for name in (*files, *folders))
    yield folder
