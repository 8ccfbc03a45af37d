"""Atomic writes (a file is complete or not there), and the cache folder."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from league.errors import StoreError
from league.tools.text import shown_path


def cache_folder() -> Path:
    """The folder for what can be made anew: `$LEAGUE_CACHE`, or `league` in the user's cache folder."""
    if own := os.environ.get("LEAGUE_CACHE"):
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "league"


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
