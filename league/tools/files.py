"""Files that are there whole or not at all, and where to keep what can be made anew."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from league.errors import StoreError
from league.tools.text import shown_path


def cache_folder() -> Path:
    """Where things are kept that can be made anew: `$LEAGUE_CACHE`, or `league` in the user's cache folder."""
    if own := os.environ.get("LEAGUE_CACHE"):
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "league"


def write_text(path: Path, text: str) -> None:
    """Write a text file so that readers see the old one or the new one, never half of it."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file so that readers see the old one or the new one, never half of it."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as problem:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise StoreError(f"{shown_path(path)} cannot be written: {problem.strerror}.") from None
