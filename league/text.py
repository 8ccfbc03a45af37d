"""Text for the terminal: words that strangers wrote made harmless, tables that line up, paths as people write them."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from pathlib import Path
from unicodedata import combining, east_asian_width


def safe(text: str) -> str:
    """The text on one line, with everything that a terminal would obey or hide written as an escape."""
    return text if text.isprintable() else "".join(c if c.isprintable() else _escaped(c) for c in text)


def width(text: str) -> int:
    """How many columns of a terminal a text takes up: some letters take two, accents none."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def shorten(text: str, columns: int) -> str:
    """The text, cut to so many columns with an ellipsis where it is longer."""
    if width(text) <= columns:
        return text
    while width(text) > columns - 1:
        text = text[:-1]
    return text.rstrip() + "…"


def table(header: Sequence[str], rows: Sequence[Sequence[object]], right: Collection[str] = ()) -> str:
    """Rows below their header, in columns that line up; those named in `right` are set to the right."""
    cells = [[safe(str(cell)) for cell in row] for row in (header, *rows)]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        padded = []
        for name, cell, columns in zip(header, row, widths, strict=True):
            space = " " * (columns - width(cell))
            padded.append(space + cell if name in right else cell + space)
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def counted(number: int, word: str) -> str:
    """A number and what it counts: '1 game', '12,000 games'."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words in a row: 'a', 'a and b', 'a, b and c'."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def shown_path(path: Path) -> str:
    """A path as people would write it: relative where it lies below the current folder, and safe to print."""
    relative = os.path.relpath(path)
    return safe(str(path) if relative.startswith(os.pardir) else relative)


def nearest_file(asked: Path, files: Sequence[Path]) -> str:
    """' Did you mean 'bots/ann.py'?' for the file that is called most alike, or nothing if none is."""
    by_stem = {file.stem: file for file in reversed(files)}
    near = get_close_matches(asked.stem, by_stem, n=1, cutoff=0.5)
    return f" Did you mean '{shown_path(by_stem[near[0]])}'?" if near else ""


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
