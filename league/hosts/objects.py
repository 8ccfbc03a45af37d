"""Bots that are objects of this process: classes that a user's own Python code hands over.

They are trusted, and run where they are: here, and in workers that are forked from here. What such a bot does may
depend on anything in the process, so its results are never taken for those of another object, or of a later session.
"""

from __future__ import annotations

from secrets import token_hex
from typing import Any

from league.errors import LeagueError

_kept: dict[str, Any] = {}


def keep(bot: Any) -> str:
    """Keep a bot's class for as long as this process lives; returns a hash for it that nothing else ever has."""
    token = token_hex(16)
    _kept[token] = bot
    return token


def source_of(name: str, token: str) -> bytes:
    """The text of a file that stands for a bot's class: run in this process or a fork of it, it finds the class."""
    if token not in _kept:
        raise LeagueError(f"Bot {name!r} was a class in another Python session, and is gone with it.")
    return f"from league.hosts.objects import found\n\nBot = found({token!r})\n".encode()


def found(token: str) -> Any:
    """The class that was kept."""
    return _kept[token]
