"""The former versions of bots in a bots folder: `.versions/NAME/1.py`, `.versions/NAME/2/` and so on.

When a bot is replaced, nothing is lost: it becomes its newest former version.
"""

from __future__ import annotations

import os
import shutil
from errno import EEXIST, ENOTEMPTY
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from league.errors import RosterError
from league.setup.bot_folder import MAIN_FILES, write_folder
from league.setup.roster import Bot, load, places
from league.tools.files import write_bytes
from league.tools.text import counted, safe, shown_path

VERSIONS = ".versions"
"""Hidden, so that no league takes its bots from there."""


class Version(NamedTuple):
    """A former version of a bot."""

    number: int
    """From 1, the oldest."""
    path: Path


def former(name: str, folder: Path) -> list[Version]:
    """The former versions of a bot, the oldest first."""
    try:
        paths = list((folder / VERSIONS / name).iterdir())
    except OSError:
        return []
    return sorted(Version(int(path.stem), path) for path in paths if path.stem.isdecimal())


def put(bot: Bot, folder: Path, *, replace: bool, time: float = 0) -> Version | None:
    """Copy a bot into a bots folder. Returns the former version that the replaced bot has become, if there was one.

    The copy was written at `time`, if it is given: when the bot was handed in.
    """
    target = folder / (bot.name if bot.files else f"{bot.name}{bot.path.suffix}")
    draft = folder / f".{bot.name}.{os.getpid()}.tmp"
    kept = None
    try:
        if bot.files:
            draft.mkdir()
            write_folder(bot.files, draft)
            kept = _keep(bot.name, folder) if replace else None
            draft.rename(target)
        else:
            kept = _keep(bot.name, folder, in_place=target) if replace else None
            write_bytes(target, bot.source, replace=replace)
        if time:
            for path in (target, *(target / name for name in MAIN_FILES if bot.files and (target / name).exists())):
                os.utime(path, (time, time))
    except OSError as problem:
        if problem.errno in (EEXIST, ENOTEMPTY):  # another process was faster
            raise RosterError(f"{shown_path(target)} exists already. Replace it with --replace.") from None
        raise RosterError(f"{shown_path(folder)} cannot be written to: {problem.strerror}.") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return kept


def bring_back(name: str, number: int, folder: Path) -> Version | None:
    """Restore a former version of a bot. Returns the former version that the replaced bot has become."""
    known = former(name, folder)
    for version in known:
        if version.number == number:
            bot = load(version.path)
            return put(structs.replace(bot, name=name), folder, replace=True)
    hint = "`league bots --versions` lists them." if known else "`league submit --replace` keeps them."
    there_are = f"{counted(len(known), 'former version')} of {safe(name)!r} in {shown_path(folder)}"
    raise RosterError(f"Expected the number of a former version, found {number}: there are {there_are}. {hint}")


def _keep(name: str, folder: Path, in_place: Path | None = None) -> Version | None:
    """Move a bot to its former versions. One that is replaced `in_place` stays until then, so it is never missing."""
    kept = None
    for path in places(name, folder):
        number = max([version.number for version in former(name, folder)], default=0) + 1
        kept = Version(number, folder / VERSIONS / name / f"{number}{path.suffix if path.is_file() else ''}")
        kept.path.parent.mkdir(parents=True, exist_ok=True)
        if path == in_place and not path.is_symlink():
            os.link(path, kept.path)
        else:
            path.rename(kept.path)
    return kept
