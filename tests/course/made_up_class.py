"""A made-up class: people, and what they hand in, in the forms in which it comes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

HANDED_IN = (2026, 11, 20, 18, 30, 0)


def bot_text(move: str = "view.legal[0]", doc: str = "Plays a card.") -> str:
    """A bot for Raj."""
    return (
        f'class Bot:\n    """{doc}"""\n\n    games = ("raj",)\n\n    def choose(self, view):\n        return {move}\n'
    )


def zipped(files: Mapping[str, str | bytes], time: tuple[int, int, int, int, int, int] = HANDED_IN) -> bytes:
    """An archive with these files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, time)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return packed.getvalue()


def moodle(handins: Mapping[str, Mapping[str, str | bytes]]) -> dict[str, str | bytes]:
    """The entries of Moodle's archive: 'Full Name_123' and what that person has handed in."""
    return {
        f"{person}_assignsubmission_file_/{path}": content
        for person, files in handins.items()
        for path, content in files.items()
    }


def write_archive(path: Path, files: Mapping[str, str | bytes]) -> Path:
    """An archive on disk."""
    path.write_bytes(zipped(files))
    return path
