"""Whether bots can be loaded: each new one is tried once, in a process of its own, before it plays.

A league of thousands of bots does not wait for all of them. Some are tried before its first block, the others when
their turn comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from league.play.worker import Team, Worker
from league.setup.roster import Bot, Broken
from league.values.block import Entrant, Sitting
from league.values.settings import Isolation, Limits

AT_FIRST = 64
"""Bots that are tried before the first block at least. Most leagues have no more."""
AT_ONCE = 16
"""Bots that are tried later, whenever the turn of one comes; twice as many each time that one cannot be loaded, since
the league is then planned again."""


class LoadCheck:
    """The bots of which it is not known whether they can be loaded. Close it, so that nothing it started is left."""

    def __init__(self, bots: Iterable[Bot], isolation: Isolation, limits: Limits) -> None:
        self._untried = {bot.entrant(): bot for bot in bots}
        # Nothing of a bot runs in this process, which is the parent of all others.
        self._isolation = isolation.outside
        self._limits = limits
        self._at_once = AT_ONCE
        self._worker: Worker | None = None

    def first(self, count: int) -> list[Broken]:
        """Try the first ones; returns those that cannot be loaded."""
        return self._try((), count)

    def before(self, sitting: Sitting) -> list[Broken]:
        """Try the bots of a sitting, and a few others with them, if that was not done yet."""
        lineups = {block.series.lineup for block in sitting.blocks} if self._untried else set()
        untried = [entrant for lineup in sorted(lineups) for entrant in lineup if entrant in self._untried]
        unloadable = self._try(untried, self._at_once) if untried else []
        if unloadable:
            self._at_once *= 2
        return unloadable

    def close(self) -> None:
        """End what it started; it is started again when it is needed."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _try(self, wanted: Sequence[Entrant], count: int) -> list[Broken]:
        chosen = list(dict.fromkeys([*wanted, *self._untried]))[: max(count, len(wanted))]
        if not chosen:
            return []
        if self._worker is None:
            self._worker = Worker(Team(tuple(self._untried.values()), self._isolation, self._limits))
        unloadable = self._worker.unloadable([self._untried.pop(entrant) for entrant in chosen])
        return [Broken(bot.path, 0, f"cannot be loaded: {reason}") for bot, reason in unloadable]
