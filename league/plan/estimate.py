"""How long games will take: a range, and the bots that take most of it.

What is known are the seconds that each bot kept a worker busy for a game, deciding or asleep, and how long its process
takes to start. How often bots are started follows from how sittings are put together. How long a second of work takes
by the clock follows from what was played before; if nothing was, from how busy the machine is.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import ceil, comb
from typing import NamedTuple

from league.plan.draft import MOST_GAMES, MOST_HOSTS
from league.plan.pace import SECONDS, Pace
from league.plan.schedule import Fixture, Plan
from league.tools import system
from league.tools.text import listed, span
from league.values.block import Entrant

SLACK = 1.5
"""The upper end of a range is this many times what is likely."""
MOST_NAMED, MOST_OF_IT = 3, 0.5
"""Slow bots that are named together, if they take this part of the time."""
WORTH_SECONDS = 5.0
"""Nobody is named for less work than this."""
TIMES_THEIR_PART = 1.5
"""Slow bots take at least this many times what as many bots take on average."""


class TimeRange(NamedTuple):
    """Seconds by the clock."""

    low: float
    """If the machine does nothing else."""
    likely: float
    high: float

    def __str__(self) -> str:
        return span(self.low, self.high)

    def plus(self, other: TimeRange) -> TimeRange:
        """One after the other."""
        return TimeRange(self.low + other.low, self.likely + other.likely, self.high + other.high)


NOTHING = TimeRange(0.0, 0.0, 0.0)


class SlowBot(NamedTuple):
    """A bot that takes much of the time."""

    name: str
    share: float
    """Its share of all the time."""
    start: float
    """Seconds that its process needs to start."""
    game: float
    """Seconds for a game."""
    starts_mostly: bool

    def __str__(self) -> str:
        what = f"{self.start:.1f} s to start" if self.starts_mostly else f"{self.game:.2g} s a game"
        return f"{self.name} ({what})"


def slow_bots(slowest: Sequence[SlowBot]) -> str:
    """'2 bots take 71% of the time: ann (1.3 s to start), bob (0.4 s a game).'."""
    take = "bots take" if len(slowest) > 1 else "bot takes"
    share = sum(slow.share for slow in slowest)
    return f"{len(slowest)} {take} {share:.0%} of the time: {listed([str(slow) for slow in slowest])}."


class Work:
    """What games keep workers busy, in seconds by bot."""

    def __init__(self, plan: Plan, games: Sequence[int], pace: Pace, *, together: bool = False) -> None:
        """So many games of each fixture; with `together`, without those of bots that play apart."""
        self._pace = pace
        self.playing: dict[Entrant, float] = {}
        self.starting: dict[Entrant, float] = {}
        self._games: dict[Entrant, float] = {}
        known = [pace.game_seconds(fixture, together=together) for fixture in plan.fixtures]
        costs = [
            seconds / fixture.contest.players
            for fixture, seconds in zip(plan.fixtures, known, strict=True)
            if seconds is not None
        ]
        self.is_known = bool(costs)
        """Whether any bot has been seen playing."""
        usual = sum(costs) / len(costs) if costs else 0.0
        for fixture, count in zip(plan.fixtures, games, strict=True):
            if count and fixture.entrants:
                self._add(fixture, count, usual, together=together)

    @property
    def seconds(self) -> float:
        """In all, without starts."""
        return sum(self.playing.values())

    @property
    def starts(self) -> float:
        """Seconds for starting bots."""
        return sum(self.starting.values())

    def slowest(self) -> list[SlowBot]:
        """The bots that take most of the time, the slowest first; none if three of them do not take half of it."""
        spent = {bot: seconds + self.starting.get(bot, 0.0) for bot, seconds in self.playing.items()}
        total = sum(spent.values())
        if total < WORTH_SECONDS:
            return []
        named: list[SlowBot] = []
        for bot in sorted(spent, key=lambda bot: (-spent[bot], bot))[:MOST_NAMED]:
            start, game = self._pace.starting_seconds(bot), self.playing[bot] / max(self._games[bot], 1e-9)
            mostly = self.starting.get(bot, 0.0) > self.playing[bot]
            named.append(SlowBot(bot.name, spent[bot] / total, start, game, mostly))
            together = sum(slow.share for slow in named)
            if together >= max(MOST_OF_IT, TIMES_THEIR_PART * len(named) / len(spent)):
                return named
        return []

    def _add(self, fixture: Fixture, count: int, usual: float, *, together: bool) -> None:
        """Count the games of a contest, and how often its bots are started for them."""
        key, players, every = fixture.contest.key, fixture.contest.players, fixture.entrants
        apart = [bot for bot in every if self._pace.is_apart(key, bot)]
        playing = [bot for bot in every if bot not in set(apart)] or list(every) if together else list(every)
        each = count * players / len(playing)
        seconds = {bot: self._pace.seconds(key, bot) or usual for bot in playing}
        for bot in playing:
            self.playing[bot] = self.playing.get(bot, 0.0) + each * seconds[bot]
            self._games[bot] = self._games.get(bot, 0.0) + each
        starts = {bot: self._pace.starting_seconds(bot) for bot in playing}
        lineups = min(fixture.lineup_count, ceil(count / players))
        mean = sum(seconds.values()) / len(seconds)
        mean_start = sum(starts.values()) / len(starts)
        for bot in set(apart) & seconds.keys():  # each block is a sitting of its own
            at_once = max(SECONDS / max(seconds[bot] + (players - 1) * mean, 1e-9), 1.0)
            blocks = lineups * players / len(playing) * players * ceil(count / (lineups * players) / at_once)
            self._starts(bot, blocks * (starts[bot] + (players - 1) * mean_start))
        others = [bot for bot in playing if bot not in set(apart)]
        if len(others) >= players:
            at_table = max(min(len(others), MOST_HOSTS // players), players)
            part = (len(others) / len(playing)) ** players  # of all lineups
            work = count * part * sum(seconds[bot] for bot in others) / len(others) * players
            sittings = work / SECONDS
            batches = lineups * part / comb(at_table, players)
            # Sittings of one batch have different rotations, which share no hosts, as long as these are enough.
            fewest = players * max(batches * at_table / len(others), min(lineups * players / len(others), 1.0))
            costly = [bot for bot in others if self._pace.is_costly_to_start(bot)]
            with_costly = part * (1 - (1 - len(costly) / len(others)) ** players)  # of all lineups
            long_sittings = with_costly * max(
                sittings / part * SECONDS / self._pace.long_sitting(costly, players), count / MOST_GAMES
            )
            for bot in others:
                number = long_sittings if bot in costly else sittings
                self._starts(bot, max(number * at_table / len(others), fewest) * starts[bot])

    def _starts(self, bot: Entrant, seconds: float) -> None:
        self.starting[bot] = self.starting.get(bot, 0.0) + seconds


def estimated(work: Work, workers: int, rate: float | None = None, wall: float | None = None) -> TimeRange:
    """How long it takes by the clock.

    `rate` are the seconds by the clock for one second of work in this run, starts included. `wall` are those for one
    second of play in the runs before, of whose starts nothing is known. Both are None if nothing was played.
    """
    low = (work.seconds + work.starts) / workers
    likely = busy(workers) * low if rate is None else rate * (work.seconds + work.starts)
    if wall is not None and rate is None:
        likely = max(wall * work.seconds, low)
    return TimeRange(min(low, likely), likely, SLACK * likely)


def busy(workers: int) -> float:
    """How many times as long work takes as on a machine that does nothing else."""
    return max(1.0, (system.load() + workers) / (os.cpu_count() or 1)) if workers else 1.0
