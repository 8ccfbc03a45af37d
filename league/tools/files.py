"""Files that are there whole or not at all, and none that never ends."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from league.errors import LeagueError, StoreError
from league.tools.text import shown_path


def read_bytes(path: Path, most: int, error: type[LeagueError] = LeagueError) -> bytes:
    """The content of a file of at most `most` bytes; raises `error` for anything else, without waiting for a pipe."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            found = "a folder" if os.path.isdir(path) else "a pipe or a device"
            raise error(f"Expected a file, found {found}: {shown_path(path)}.")
        with path.open("rb") as file:
            content = file.read(most + 1)
            size = os.fstat(file.fileno()).st_size
    except OSError as problem:
        raise error(f"{shown_path(path)} cannot be read: {problem.strerror}.") from None
    if len(content) > most:
        raise error(f"{shown_path(path)}: expected at most {most:,} bytes, found {max(size, len(content)):,}.")
    return content


def write_bytes(path: Path, content: bytes, *, replace: bool = True) -> None:
    """Write a file so that readers see the old one or the new one, never half of it.

    Without `replace`, raises FileExistsError if there is one: of two who write at once, one wins.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if replace:
            draft.replace(path)
        else:
            os.link(draft, path)
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text as `write_bytes` does; what the system refuses is a `StoreError`."""
    try:
        write_bytes(path, text.encode())
    except OSError as problem:
        raise StoreError(f"{shown_path(path)} cannot be written: {problem.strerror}.") from None
