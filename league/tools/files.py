"""Atomic writes (a file is complete or not there), bounded reads, the cache folder, and the files that League ships."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

import league
from league.errors import LeagueError, StoreError
from league.tools import system
from league.tools.text import shown_path


def cache_folder() -> Path:
    """The folder for what can be made again: `$LEAGUE_CACHE`, or `league` in the user's cache folder."""
    if own := os.environ.get("LEAGUE_CACHE"):
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "league"


def read_bytes(path: Path, most: int, error: type[LeagueError] = LeagueError) -> bytes:
    """The content of a file of at most `most` bytes; raises `error` for anything else, without waiting for a pipe."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            kind = "a folder" if os.path.isdir(path) else "a pipe or a device"
            raise error(f"Expected a file, found {kind}: {shown_path(path)}.")
        with path.open("rb") as file:
            content = file.read(most + 1)
            size = os.fstat(file.fileno()).st_size
    except OSError as problem:
        raise error(f"{shown_path(path)} cannot be read: {problem.strerror}.") from None
    if len(content) > most:
        raise error(f"{shown_path(path)}: expected at most {most:,} bytes, found {max(size, len(content)):,}.")
    return content


def read_inside(folder: Path, *names: str, most: int = 2**28) -> bytes:
    """The content of a file below a folder, or its beginning. Links are not followed, and a pipe is not waited for."""
    *parents, last = names
    with system.opened_folder(folder, *parents) as parent:
        descriptor = system.open_inside(parent, last, os.O_RDONLY | system.NONBLOCK)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise IsADirectoryError(f"{last} is not a file")
        return file.read(most)


def not_utf8(problem: UnicodeDecodeError) -> tuple[int, str]:
    """The line of a file that is not in UTF-8, and a sentence about it."""
    line = problem.object.count(b"\n", 0, problem.start) + 1
    return line, f"expected text in UTF-8, found the byte {problem.object[problem.start]:#04x}. Save the file as UTF-8."


def make_folder(folder: Path) -> None:
    """Create a folder and those around it, unless they exist; what the system refuses is a `StoreError`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise StoreError(f"The folder {shown_path(folder)} cannot be created: {problem.strerror}.") from None


@contextmanager
def drafting(path: Path, *, replace: bool = True) -> Iterator[Path]:
    """A path beside the given one to write to; afterwards it takes its place, unless there was an error.

    Readers see the old file or the new one, never half of it. Without `replace`, raises FileExistsError if there is
    one: of two who write at once, one wins.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    draft.unlink(missing_ok=True)  # a stranger's folder may have a link there
    try:
        yield draft
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        if replace:
            draft.replace(path)
        else:
            os.link(draft, path)
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def remove_drafts(folder: Path, process: int) -> None:
    """Remove what a process that was killed has left behind of `drafting`."""
    for draft in folder.glob(f".*.{process}.tmp"):
        draft.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes, *, replace: bool = True) -> None:
    """Write a file as `drafting` does."""
    with drafting(path, replace=replace) as draft:
        draft.write_bytes(content)


def refuse_link(path: Path) -> None:
    """Raise `StoreError` for a link: in a stranger's folder it may lead to any file, to be written there."""
    if os.path.islink(path):
        raise StoreError(f"{shown_path(path)} is a link, and may lead anywhere. Remove it and try again.")


def write_text(path: Path, text: str) -> None:
    """Write a text as `write_bytes` does; what the system refuses is a `StoreError`."""
    try:
        write_bytes(path, text.encode())
    except OSError as problem:
        raise StoreError(f"{shown_path(path)} cannot be written: {problem.strerror}.") from None


Part = Literal["bots", "configs", "docs", "examples"]
_PACKAGE = Path(league.__file__).parent


def shipped(part: Part) -> Path:
    """The folder with the shipped bots, configs, documentation or examples."""
    inside = _PACKAGE / "shipped" / part
    return inside if inside.is_dir() else _PACKAGE.parent / part
