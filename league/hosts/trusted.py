"""`isolation: trusted`: the bot runs in the worker's own process. For your own bots: nothing confines them.

Bots that are classes of a user's own Python code run here at any isolation: in that process, and in workers forked from
it. What such a bot does may depend on anything in the process, so its results are never taken for those of another
class, or of a later session.
"""

from __future__ import annotations

import faulthandler
import sys
from collections.abc import Callable
from contextlib import ExitStack
from importlib import import_module
from secrets import token_hex
from time import perf_counter
from typing import Any, TypeVar

from league.errors import LeagueError
from league.games.contract import Game
from league.hosts import Reply, Tick, Trouble, seeded_random
from league.hosts.runtime import OwnFolder, Runtime, load, trouble_of
from league.hosts.wire import without_path
from league.tools import system
from league.values.block import Usage

T = TypeVar("T")
PATIENCE_S = 60.0
"""Where bots have no processes of their own, one that takes longer is told of: where in its code it is."""
CAUGHT = (Exception, SystemExit)
"""What a bot may raise; an interrupt from the keyboard is not the bot's."""


class TrustedHost:
    """One bot in one block, in this process."""

    def __init__(self, name: str, source: bytes, game: Game, folder: str = "") -> None:
        self._name = name
        self._folder = folder
        self._own = OwnFolder(folder)
        self._routes = ExitStack()
        self._decisions = 0
        self._seconds = 0.0
        self._broken: Trouble | None = None
        self.wants_final_view = False
        self._tick: Tick
        self.bot: Any = None
        """Its class; None if it cannot be loaded."""
        if folder or b"numpy" in source:
            import_module("numpy.random")  # before the bot does, so that it gets the one whose draws are reproducible
        try:
            self.bot = self.run(lambda: load(name, source, folder))
            self._runtime = Runtime(self.bot, game, CAUGHT, position=[0, 1])
            self.wants_final_view = self._runtime.wants_final_view
        except CAUGHT as error:
            self._broken = self._named(trouble_of(0, error))._replace(kind="import")
        self._routes.enter_context(seeded_random.routed)  # once, rather than in every tick

    def send(self, tick: Tick) -> None:
        self._tick = tick

    def receive(self) -> Reply:
        tick = self._tick
        if self._broken:
            return Reply([0] * len(tick.slots), [self._broken._replace(slot=begin.slot) for begin in tick.begins])
        started = perf_counter()
        moves, troubles = self.run(lambda: self._runtime.answer(tick), len(tick.slots))
        self._seconds += perf_counter() - started
        self._decisions += len(moves)
        return Reply(moves, [self._named(trouble) for trouble in troubles])

    def run(self, work: Callable[[], T], answers: int = 1) -> T:
        """Run some of the bot's code, with its own folder and random numbers; this many answers are expected of it."""
        if system.PLAIN:  # where nothing else tells of a loop without end
            unattended = sys.stdin is None or not sys.stdin.isatty()  # nobody uses a debugger
            faulthandler.dump_traceback_later(PATIENCE_S + answers, exit=unattended, file=2)
        try:
            with seeded_random.routed, self._own:
                return work()
        finally:
            if system.PLAIN:
                faulthandler.cancel_dump_traceback_later()

    def close(self) -> Usage:
        self._routes.close()
        return Usage(self._decisions, self._seconds)

    def _named(self, trouble: Trouble) -> Trouble:
        cause, tail = (without_path(text, self._folder, self._name) for text in (trouble.cause, trouble.tail))
        return trouble._replace(cause=cause, tail=tail)


_kept: dict[str, Any] = {}
"""Bots that are classes of this process, by their hash."""


def keep(bot: Any) -> str:
    """Keep a bot's class for as long as this process lives; returns a hash for it that nothing else ever has."""
    token = token_hex(16)
    _kept[token] = bot
    return token


def source_of(name: str, token: str) -> bytes:
    """The text of a file that stands for a bot's class: run in this process or a fork of it, it finds the class."""
    if token not in _kept:
        raise LeagueError(
            f"Bot {name!r} has no source here: it was a class in another Python session, or is forgotten."
        )
    return f"from league.hosts.trusted import kept\n\nBot = kept({token!r})\n".encode()


def kept(token: str) -> Any:
    """The class that was kept."""
    return _kept[token]
