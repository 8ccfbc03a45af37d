"""Text for people: escaped text of strangers, lines that fit, short paths, spans of time.

What fits depends on where it goes: `columns` knows. A terminal gets lines of its width; files and other programs get
every line whole.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from math import inf
from pathlib import Path
from textwrap import fill
from unicodedata import combining, east_asian_width

LEAST_COLUMNS = 18
"""What must be left for the last column of a table, if it is cut short or goes on below itself."""
_COMMAND = re.compile("`[^`]+`")
_UNBROKEN = "\0"
"""Stands for a space that no line may end at."""


def columns(*, err: bool = False) -> int | None:
    """How wide the terminal is that standard output (or standard error) goes to; None if it goes anywhere else."""
    stream = sys.stderr if err else sys.stdout
    return shutil.get_terminal_size().columns if stream.isatty() else None


def safe(text: str) -> str:
    """The text on one line, with control and invisible characters written as escapes."""
    return text if text.isprintable() else "".join(c if c.isprintable() else _escaped(c) for c in text)


def width(text: str) -> int:
    """How many columns of a terminal a text takes up: some letters take two, accents none."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def shorten(text: str, columns: int) -> str:
    """The text, cut to N columns with an ellipsis where it is longer."""
    if width(text) <= columns:
        return text
    while width(text) > columns - 1:
        text = text[:-1]
    return text.rstrip() + "…"


def folded(text: str, most: int | None) -> str:
    """Lines of at most N columns. Longer ones continue below, indented, or below the last column of a table.

    Words and `commands` are never broken, so that they can be copied. None: the text as it is.
    """
    return text if most is None else "\n".join(_folded(line, most) for line in text.split("\n"))


def signed(numbers: Sequence[float], decimals: int) -> list[str]:
    """Numbers with their signs: with at least N decimals, and enough that nothing but zero reads as zero."""
    while decimals < 6 and any(number and not round(number, decimals) for number in numbers):
        decimals += 1
    return [f"{number:+z.{decimals}f}" for number in numbers]


def counted(number: int, word: str) -> str:
    """A number and what it counts: '1 game', '12,000 games'."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words in a row: 'a', 'a and b', 'a, b and c'."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def first_few(words: Sequence[str], most: int, last: str = "and") -> str:
    """Words in a row, and of those beyond the first few only how many they are: 'a, b and 7 more'."""
    left = len(words) - most
    return listed([*words[:most], *([f"{left} more"] if left > 0 else [])], last)


def shown_path(path: Path) -> str:
    """A path as people would write it: relative where it lies below the current folder, and safe to print."""
    relative = os.path.relpath(path)
    return safe(str(path) if relative.startswith(os.pardir) else relative)


def nearest_file(asked: Path, files: Sequence[Path]) -> str:
    """' Did you mean 'bots/ann.py'?' for the file with the most similar name, or nothing."""
    by_stem = {file.stem: file for file in reversed(files)}
    near = get_close_matches(asked.stem, by_stem, n=1, cutoff=0.5)
    return f" Did you mean '{shown_path(by_stem[near[0]])}'?" if near else ""


def _folded(line: str, most: int) -> str:
    if width(line) <= most:
        return line
    begins = len(line) - len(line.lstrip())
    columns_before = re.match(r".*\S {2,}(?=\S)", line)
    margin = width(columns_before[0]) if columns_before else most
    if margin > most - LEAST_COLUMNS:
        margin = begins + 4
    whole = _COMMAND.sub(lambda command: command[0].replace(" ", _UNBROKEN), line)
    below = " " * margin
    filled = fill(whole, most, subsequent_indent=below, break_long_words=False, break_on_hyphens=False)
    return filled.replace(_UNBROKEN, " ")


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


_UNITS = {"d": 86_400, "h": 3600, "min": 60, "m": 60, "s": 1}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(d|h|min|m|s)\s*")
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")

DURATION = "a time such as 8h, 90min or 1h 30min"
CLOCK = "a time of day such as 06:00"


def seconds_in(text: str) -> float | None:
    """The seconds in '8h', '90min', '1h 30min' or '45s'; None if it is no such thing, or nothing at all."""
    parts = _PART.findall(text)
    if "".join(_PART.split(text)[::3]).strip() or not parts:
        return None
    seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
    return seconds if 0 < seconds < inf else None


def clock_in(text: str) -> str | None:
    """A time of day as '06:00'; None if it is none."""
    match = _CLOCK.fullmatch(text.strip())
    return f"{int(match[1]):02}:{match[2]}" if match else None


def duration(seconds: float) -> str:
    """A span of time as people say it: '0.3 s', '42 s', '3 min', '5 h 20 min', '16 d 19 h'."""
    if seconds < 10:
        return f"{round(seconds, 1):g} s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds >= 48 * 3600:
        days, hours = divmod(round(seconds / 3600), 24)
        return f"{days} d {hours} h"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if seconds >= 5400 else f"{hours * 60 + minutes} min"


def span(low: float, high: float) -> str:
    """A range of time: '2 to 6 min', '40 s to 2 min'; one number if both ends are written alike."""
    first, last = duration(low), duration(high)
    if first == last:
        return last
    number, _, unit = first.partition(" ")
    return f"{number} to {last}" if last.partition(" ")[2] == unit else f"{first} to {last}"


def rate(games_a_second: float) -> str:
    """How fast games are played: '1,250 games/s', or '2 games/min' where a second is too short."""
    for unit, seconds in (("s", 1), ("min", 60), ("h", 3600)):
        games = round(games_a_second * seconds)
        if games or unit == "h":
            break
    return f"{games:,} game{'' if games == 1 else 's'}/{unit}"
