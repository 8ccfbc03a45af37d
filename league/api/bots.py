"""Bots as Python code names them: by name, by path, or as a class or a function."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from league.errors import RosterError
from league.hosts.trusted import keep, source_of
from league.setup.roster import Bot, Roster, find
from league.values.settings import SAFE_NAME

AnyBot = str | os.PathLike[str] | type | Callable[[Any], int] | Bot
"""A name, a path, a class with `choose(self, view)`, or a function of a view."""
NAMELESS = "bot"
"""The name of a bot whose own name is not valid, such as a lambda's."""


def as_bot(given: AnyBot, bots_dir: str | Path = "bots", name: str | None = None) -> Bot:
    """The bot for a name, a path, a class or a function; `name` replaces the name of a class or function."""
    if isinstance(given, Bot):
        return given
    if isinstance(given, str | os.PathLike):
        return find(os.fspath(given), bots_dir)
    if isinstance(given, type) and callable(getattr(given, "choose", None)):
        kind = given
    elif inspect.isroutine(given):
        kind = _class_around(given)
    else:
        raise RosterError(
            "Expected a bot as a name, a path, a class with choose(self, view), or a function of a view, "
            f"found {_described(given)}."
        )
    if name is None:
        name = kind.__name__ if SAFE_NAME.fullmatch(kind.__name__) else NAMELESS
    elif not SAFE_NAME.fullmatch(name):
        raise RosterError(f"Expected a name of letters, digits, '_' and '-' for a bot, found {name!r}.")
    token = keep(kind)
    games = getattr(kind, "games", None)
    return Bot(
        name=name,
        path=Path(f"{name}.py"),
        source=source_of(name, token),
        hash=token,
        doc=inspect.getdoc(kind) or "",
        games=None if games is None else tuple(games),
        language="object",
    )


def as_bots(given: Iterable[AnyBot] | Mapping[str, AnyBot], bots_dir: str | Path = "bots") -> list[Bot]:
    """The bots for names, paths, classes or functions; the keys of a mapping are their names."""
    if isinstance(given, Mapping):
        return [as_bot(bot, bots_dir, name) for name, bot in given.items()]
    return [as_bot(bot, bots_dir) for bot in given]


def with_more(roster: Roster, more: Iterable[Bot]) -> Roster:
    """A roster with more bots in it, all of different names."""
    bots = {bot.name: bot for bot in roster.bots}
    for bot in more:
        if bot.name in bots:
            raise RosterError(f"Two bots are called {bot.name!r}. Give bots={{name: bot}} to choose their names.")
        bots[bot.name] = bot
    return Roster(tuple(bots[name] for name in sorted(bots)), roster.broken, roster.twice)


def _class_around(function: Callable[[Any], int]) -> type:
    def choose(_: object, view: Any) -> int:
        return function(view)

    return type(function.__name__, (), {"choose": choose, "__doc__": function.__doc__})


def _described(given: object) -> str:
    if isinstance(given, type):
        return f"the class {given.__name__}, which has no choose(self, view)"
    hint = ": pass its class" if hasattr(given, "choose") else ""
    return f"an object of class {type(given).__name__}{hint}"
