"""Spans of time and times of day, as people write and read them."""

from __future__ import annotations

import re
from math import inf

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


def rate(games_a_second: float) -> str:
    """How fast games are played: '1,250 games/s', or '2 games/min' where a second is too short."""
    for unit, seconds in (("s", 1), ("min", 60), ("h", 3600)):
        games = round(games_a_second * seconds)
        if games or unit == "h":
            break
    return f"{games:,} game{'' if games == 1 else 's'}/{unit}"
