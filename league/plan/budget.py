"""How much of a league one run plays: until a time, or a number of games or rounds.

A round that does not fit is shortened, so that all lineups still end at the same deal. What is left of a budget after
that goes unused if it is little. If it is more, it goes into a round that stays unfinished.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from math import inf
from time import monotonic

import msgspec

from league.plan.coverage import Coverage
from league.plan.estimate import TimeRange, Work, estimated
from league.plan.pace import Pace
from league.plan.rounds import EqualRound, Round
from league.plan.schedule import whole_matches
from league.values.block import Block, BlockResult
from league.values.settings import Stop

CAUTION = 0.9
"""The part of what is left that a shortened round is expected to take."""
SMALL_CHANGE = 0.1
"""Less than this part of a whole budget is not worth a round that stays unfinished."""
ENOUGH_WORK = 2.0
"""Seconds of work in the first round, before it is believed how long they took by the clock."""
RESERVE = 3.0
"""Seconds for standings and page, before it is known how long they take."""
LARGEST_RESERVE = 0.25
"""Standings and page get at most this part of the time."""


class Budget:
    """What one run may use up, and how quickly it does."""

    def __init__(
        self,
        stop: Stop,
        workers: int,
        *,
        reserve: float = RESERVE,
        used: float = 0.0,
        wall: float | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """`reserve` are the seconds that are needed after playing, and `used` those that have gone by already.

        `wall` are the seconds by the clock for each second of play, if something was played before.
        """
        self._clock = clock
        self._started = self._round_started = clock()
        self._most_games = stop.games
        self._handed_out = 0
        self._rounds_left = stop.rounds
        stop = msgspec.structs.replace(stop, after=None if stop.after is None else max(stop.after - used, 0.0))
        self._whole = whole = seconds_of(stop, datetime.now())
        """From now to the end of the run; None: as long as it takes."""
        self._seconds = None if whole is None else max(whole - reserve, (1 - LARGEST_RESERVE) * whole)
        """For playing; None: as long as it takes."""
        self._spent = 0.0
        """Seconds of work of what was played in this round."""
        self._workers = workers
        self._wall = wall
        self._rate: float | None = None
        """Seconds by the clock for each second of work, starts included, as the last round had it."""

    @property
    def left(self) -> float | None:
        """Seconds that are left for playing; None: as many as it takes."""
        return None if self._seconds is None else max(self._seconds - (self._clock() - self._started), 0.0)

    @property
    def left_in_all(self) -> float:
        """Seconds that are left of the whole run."""
        return inf if self._whole is None else max(self._whole - (self._clock() - self._started), 0.0)

    @property
    def whole(self) -> float | None:
        """Seconds of the whole run, from when it began to play; None: as many as it takes."""
        return self._whole

    @property
    def used_up(self) -> bool:
        """Whether nothing more may be played."""
        no_round_left = self._rounds_left is not None and self._rounds_left <= 0
        return self.left == 0.0 or self._handed_out == self._most_games or no_round_left

    def allowed(self, blocks: Sequence[Block]) -> Sequence[Block]:
        """The first of these blocks that may be handed out; they count."""
        allowed = []
        for block in blocks:
            if self._most_games is not None and self._handed_out + block.games > self._most_games:
                break
            self._handed_out += block.games
            allowed.append(block)
        return allowed

    def played(self, result: BlockResult) -> None:
        """Record what a block took."""
        self._spent += sum(usage.cost + usage.starting for usage in result.usage)

    def expected(
        self, games: Sequence[int], coverage: Coverage, pace: Pace, *, together: bool = True
    ) -> TimeRange | None:
        """How long these games of each fixture will take; None if nothing is known.

        With `together`, bots that play apart do not count: a round does not wait for them.
        """
        work = Work(coverage.plan, games, pace, together=together)
        rate = self._rate
        if rate is None and self._spent >= ENOUGH_WORK:
            rate = (self._clock() - self._round_started) / self._spent
        return estimated(work, self._workers, rate, self._wall) if work.is_known else None

    def rounds(self, every: Iterable[Round], coverage: Coverage, pace: Pace) -> Iterator[Round]:
        """The rounds that fit, the last one shortened. Each is asked for when the one before is complete."""
        for part in every:
            if not any(part.missing(coverage)):
                continue
            while any(part.missing(coverage)) and not self.used_up:
                fitting = self._fitting(part, coverage, pace)
                if fitting is None:
                    return
                self._spent, self._round_started = 0.0, self._clock()
                before = part.missing(coverage)
                yield fitting
                if self._spent:
                    self._rate = (self._clock() - self._round_started) / self._spent
                if fitting is part or part.missing(coverage) == before:  # what is left cannot be played now
                    break
            if self._rounds_left is not None:
                self._rounds_left -= 1
            if self.used_up:
                return

    def _fitting(self, round_: Round, coverage: Coverage, pace: Pace) -> Round | None:
        """The round, or as much of it as fits; None if what is left is not worth it."""
        missing = round_.missing(coverage)
        shares = [1.0]
        wastes = [0.0]
        if self._most_games is not None:
            shares.append((self._most_games - self._handed_out) / sum(missing))
            wastes.append(1 - self._handed_out / self._most_games)
        expected = self.expected(missing, coverage, pace)
        if self._seconds is not None and self.left is not None and expected and expected.likely:
            shares.append(CAUTION * self.left / expected.likely)
            wastes.append(self.left / self._seconds)
        if min(shares) >= 1:
            return round_
        shorter = shortened(round_, coverage, missing, min(shares)) if isinstance(round_, EqualRound) else None
        if shorter is not None:
            return shorter
        return round_ if max(wastes) > SMALL_CHANGE else None


def shortened(round_: EqualRound, coverage: Coverage, missing: Sequence[int], share: float) -> EqualRound | None:
    """A round with this share of what is missing of it, if possible an even number of matches; None if it is none."""
    for matches in (2, 1):
        stops = []
        for fixture, stop, games in zip(coverage.plan.fixtures, round_.stops, missing, strict=True):
            end = int(stop - (1 - share) * games / fixture.series_count)
            whole = whole_matches(end, matches * fixture.contest.games_per_match)
            stops.append(min(whole, stop) if games else stop)
        part = EqualRound(round_.number, tuple(stops))
        if 0 < sum(part.missing(coverage)) <= share * sum(missing):
            return part
    return None


def seconds_of(stop: Stop, now: datetime) -> float | None:
    """How long a run may take; None if there is no limit."""
    limits = [] if stop.after is None else [stop.after]
    if stop.at is not None:
        hour, minute = map(int, stop.at.split(":"))
        end = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
        limits.append(((end if end > now else end + timedelta(days=1)) - now).total_seconds())
    return min(limits, default=None)
