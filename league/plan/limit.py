"""How much of a league one run plays: until a time, or a number of games or rounds.

A round that does not fit is shortened, so that all lineups still end at the same deal. What is left of a limit after
that goes unused if it is little. If it is more, it goes into a round that stays unfinished.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from math import inf
from time import monotonic

from league.plan.costs import Costs
from league.plan.coverage import Coverage
from league.plan.rounds import EqualRound, Round
from league.plan.schedule import whole_matches
from league.values.settings import Stop


class Limit:
    """What one run may use up. `reserve` are seconds for what comes after playing, `used` those that have gone by."""

    def __init__(
        self, stop: Stop, *, reserve: float = 0.0, used: float = 0.0, clock: Callable[[], float] = monotonic
    ) -> None:
        self._clock = clock
        self._began = clock()
        self.whole = seconds_of(stop, datetime.now(), used)
        """Seconds from now to the end of the run."""
        self._for_playing = max(self.whole - reserve, 0.75 * self.whole) if self.whole < inf else inf
        self._games = self.games_left = inf if stop.games is None else stop.games
        self.rounds_left = inf if stop.rounds is None else stop.rounds

    @property
    def left(self) -> float:
        """Seconds that are left for playing."""
        return max(self._for_playing - (self._clock() - self._began), 0.0)

    @property
    def left_in_all(self) -> float:
        """Seconds that are left of the whole run."""
        return max(self.whole - (self._clock() - self._began), 0.0)

    @property
    def is_used_up(self) -> bool:
        """Whether nothing more may be played."""
        return not (self.left and self.games_left and self.rounds_left)

    def part_of(self, round_: Round, coverage: Coverage, costs: Costs) -> Round | None:
        """The round, or as much of it as fits; None if what is left is not worth it."""
        missing = round_.missing(coverage)
        expected = costs.expected(coverage.plan, missing, slow=False)
        share = self.games_left / sum(missing)
        if expected is not None and expected.likely and self.left < inf:
            share = min(share, 0.9 * self.left / expected.likely)  # with some caution
        if share >= 1:
            return round_
        if isinstance(round_, EqualRound) and (part := shortened(round_, coverage, missing, share)) is not None:
            return part
        unused = [left / whole for left, whole in self._limits() if whole < inf]
        return round_ if max(unused, default=1.0) > 0.1 else None  # a tenth of a limit is not worth an unfinished round

    def _limits(self) -> Sequence[tuple[float, float]]:
        """What is left of each limit, and the whole of it."""
        return (self.games_left, self._games), (self.left, self._for_playing)


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


def seconds_of(stop: Stop, now: datetime, used: float = 0.0) -> float:
    """How long a run may take. What has gone by belongs to a span of time, and not to a time of day."""
    limits = [inf if stop.after is None else max(stop.after - used, 0.0)]
    if stop.at is not None:
        hour, minute = map(int, stop.at.split(":"))
        end = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
        limits.append(((end if end > now else end + timedelta(days=1)) - now).total_seconds())
    return min(limits)
