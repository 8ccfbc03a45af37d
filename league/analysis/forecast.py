"""How long a league will take, and what a budget buys: rounds, games, and how far intervals narrow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from functools import partial, reduce
from itertools import islice, zip_longest
from math import isnan, nan, sqrt
from time import monotonic
from typing import NamedTuple

from league.plan.adaptive import MATCHES, round_size
from league.plan.budget import seconds_of
from league.plan.coverage import Coverage
from league.plan.estimate import NOTHING, SlowBot, TimeRange, Work, estimated
from league.plan.pace import FIRST_GAMES, Pace
from league.plan.rounds import ChosenRound, EqualRound, Round, rounds_of
from league.plan.schedule import Fixture, Plan, whole_matches
from league.play.in_time import in_time
from league.play.worker import Team, Worker
from league.rating import TAIL
from league.rating.errors import expected_half_width
from league.results.outcomes import endings_of
from league.tools.text import counted, duration
from league.values.block import Block, BlockResult, Sitting
from league.values.settings import Rating, Stop

TRIAL_SECONDS = 3.0
"""How long bots that have not played yet are tried in each contest, to know how long games take."""
MOST_LOOKED_AT = 2000
"""Lineups that are looked at for bots which were not tried yet."""
FORESEEN_SECONDS = 30 * 86_400
"""How far into the future rounds are foreseen that are not chosen yet."""
FORESEEN_ROUNDS = 100


class RoundForecast(NamedTuple):
    """A round that is still to be played."""

    number: int
    games: int
    """That are missing of it."""
    expected: TimeRange
    """From now to its end."""
    half_width: float
    """Of the interval of a bot after it: the mean of the contests in which places count; not a number without any."""
    of_points: Mapping[str, float] = {}
    """The same of each contest in which points count, in points; not a number if nothing is known about their luck."""

    @property
    def interval(self) -> str:
        """'± 1.20', '± 0.31 points at kuhn-2p', or both; '-' if nothing is known."""
        known = [] if isnan(self.half_width) else [f"± {self.half_width:.2f}"]
        known += [f"± {half:.2g} points at {key}" for key, half in self.of_points.items() if not isnan(half)]
        return ", ".join(known) or "-"


class Forecast(NamedTuple):
    """What playing the rest of a league will take."""

    coverage: Coverage
    """What was played before."""
    contests: list[TimeRange]
    """How long each takes."""
    slowest: list[SlowBot]
    """The bots that take most of the time of the first of these rounds."""
    rounds: list[RoundForecast]

    @property
    def whole(self) -> TimeRange:
        """How long all contests take."""
        return reduce(TimeRange.plus, self.contests, NOTHING)

    @property
    def open(self) -> bool:
        """Whether the rounds go on until the results say that they end."""
        return self.coverage.plan.open

    def within(self, stop: Stop, now: datetime | None = None) -> str:
        """What a budget buys, in a sentence; empty if there is no limit."""
        seconds = seconds_of(stop, now or datetime.now())
        names = [] if seconds is None else [duration(seconds)]
        names += [] if stop.games is None else [counted(stop.games, "game")]
        names += [] if stop.rounds is None else [counted(stop.rounds, "round")]
        if not names or not self.rounds:
            return ""
        complete: list[RoundForecast] = []
        games, share = 0, 0.0
        for part in self.rounds[: stop.rounds]:
            before = complete[-1].expected.likely if complete else 0.0
            shares = [1.0]
            shares += [] if seconds is None else [(seconds - before) / max(part.expected.likely - before, 1e-9)]
            shares += [] if stop.games is None else [(stop.games - games) / part.games]
            share = min(shares)
            games += int(share * part.games)
            if share < 1:
                break
            complete.append(part)
        of_all = "" if self.open else f" of {self.rounds[-1].number}"
        parts = [f"round {complete[-1].number}{of_all}"] if complete else []
        if share < 1:
            parts.append(f"{share:.0%} of round {part.number}")
        interval = complete[-1].interval if complete else "-"
        width = f", intervals of about {interval}" if interval != "-" else ""
        return f"{' or '.join(names)}: {' and '.join(parts)}, {counted(games, 'game')}{width}."


class PointsSeen:
    """How much the points of single games differ, by contest."""

    def __init__(self) -> None:
        self._seen: dict[str, list[float]] = {}

    def add(self, contest: str, histogram: Mapping[int, int]) -> None:
        """Count points of one bot: how many games ended with each number of points."""
        games = sum(histogram.values())
        mean = sum(points * count for points, count in histogram.items()) / max(games, 1)
        total = self._seen.setdefault(contest, [0.0, 0.0])
        total[0] += sum(count * (points - mean) ** 2 for points, count in histogram.items())
        total[1] += max(games - 1, 0)

    def learn(self, result: BlockResult) -> None:
        """Count the points of a block."""
        for points in zip(*(ending.points for ending in endings_of(result)), strict=True):
            self.add(result.block.series.contest.key, Counter(points))

    def half_width(self, contest: str, games: float) -> float:
        """Half of the width of the interval of a bot's mean after so many games; not a number if nothing is known."""
        squares, freedom = self._seen.get(contest, (0.0, 0.0))
        return TAIL * sqrt(squares / freedom / games) if freedom and games else nan


def trial_games(coverage: Coverage, pace: Pace, team: Team, workers: int, seconds: float) -> Iterator[BlockResult]:
    """Play two games of each bot that has not played yet, and learn from each what it costs.

    Processes of their own do it, and end after so many seconds. A bot whose games are not over by then is said to take
    as long as that.
    """
    blocks = list(_trials(coverage, pace))
    began: dict[Block, float] = {}
    works = [partial(_tried, team, blocks[number::workers]) for number in range(min(workers, len(blocks)))]
    for item in in_time(seconds, *works):
        if isinstance(item, Block):
            began[item] = monotonic()
            continue
        began.pop(item.block, None)
        pace.learn(item)
        yield item
    for block, started in began.items():
        key = block.series.contest.key
        unknown = [bot for bot in block.series.lineup if not pace.knows(key, bot)]
        for bot in unknown:
            pace.know(key, bot, block.games, (monotonic() - started) / len(unknown))


def _trials(coverage: Coverage, pace: Pace) -> Iterator[Block]:
    """Blocks with all bots that have not played yet, the contests taking turns."""
    of_contests = [_trials_of(coverage.plan, number, pace) for number in range(len(coverage.plan.fixtures))]
    return (block for turn in zip_longest(*of_contests) for block in turn if block is not None)


def _trials_of(planned: Plan, number: int, pace: Pace) -> Iterator[Block]:
    fixture = planned.fixtures[number]
    unknown = set(pace.unknown(fixture))
    size = whole_matches(FIRST_GAMES, fixture.contest.games_per_match)
    for rank in islice(fixture.lineups.in_turns(), MOST_LOOKED_AT):
        if not unknown:
            return
        series = planned.series(number, rank, 0)
        if unknown.intersection(series.lineup):
            unknown.difference_update(series.lineup)
            yield Block(series, 0, min(size, fixture.event.deals))


def _tried(team: Team, blocks: Sequence[Block]) -> Iterator[Block | BlockResult]:
    """Each block when it begins, and its result."""
    with closing(Worker(team)) as worker:
        for block in blocks:
            yield block
            results = worker.play_sitting(Sitting((block,)))
            yield from (result for result in results if isinstance(result, BlockResult))


def forecast(
    coverage: Coverage,
    pace: Pace,
    rating: Rating,
    workers: int,
    wall: float | None = None,
    points: PointsSeen | None = None,
) -> Forecast:
    """What the rest of a league takes with this many workers, from the time that its bots need.

    `wall` are the seconds by the clock for each second of play, if something was played before.
    """
    points = points or PointsSeen()
    planned = coverage.plan
    every = range(len(planned.fixtures))

    def expected(games: Sequence[int]) -> TimeRange:
        return estimated(Work(planned, games, pace), workers, wall=wall)

    contests = [
        expected([games if number == asked else 0 for number in every])
        for asked, games in enumerate(coverage.to_play())
    ]
    rounds: list[RoundForecast] = []
    slowest: list[SlowBot] = []
    until, before = NOTHING, [0] * len(every)
    played = [0] * len(every)
    for part in rounds_of(planned):
        missing = part.missing(coverage)
        new = missing
        if isinstance(part, EqualRound):
            new = [now - then for now, then in zip(missing, before, strict=True)]
        played = _games_after(planned, part, played)
        if any(new):
            slowest = slowest if rounds else Work(planned, new, pace).slowest()
            until = until.plus(expected(new))
            rounds.append(RoundForecast(part.number, sum(new), until, *_intervals(planned, played, rating, points)))
        before = missing
    number = len(rounds_of(planned))
    while planned.open and until.likely < FORESEEN_SECONDS and len(rounds) < FORESEEN_ROUNDS:
        number += 1
        new = [_games_of_next_round(*of_fixture) for of_fixture in zip(planned.fixtures, played, strict=True)]
        played = [games + more for games, more in zip(played, new, strict=True)]
        until = until.plus(expected(new))
        rounds.append(RoundForecast(number, sum(new), until, *_intervals(planned, played, rating, points)))
    return Forecast(coverage, contests, slowest, rounds)


def _games_of_next_round(fixture: Fixture, played: int) -> int:
    """Of a league whose rounds are chosen from results, after so many games."""
    players, in_a_match = fixture.contest.players, fixture.contest.games_per_match
    return round_size(len(fixture.entrants), players, played // in_a_match) * players * MATCHES * in_a_match


def _games_after(planned: Plan, part: Round, before: list[int]) -> list[int]:
    """By fixture: the games of all rounds up to this one."""
    if isinstance(part, EqualRound):
        return [fixture.games_up_to(stop) for fixture, stop in zip(planned.fixtures, part.stops, strict=True)]
    games = list(before)
    assert isinstance(part, ChosenRound)
    for fixture, _, (first, stop) in part.chosen:
        games[fixture] += (stop - first) * planned.fixtures[fixture].contest.players
    return games


def _intervals(
    planned: Plan, played: list[int], rating: Rating, points: PointsSeen
) -> tuple[float, Mapping[str, float]]:
    """Half of the width of an average bot's interval after this many games: of its rating, and of its mean points."""
    widths, of_points = [], {}
    for fixture, total in zip(planned.fixtures, played, strict=True):
        players = fixture.contest.players
        games = total * players / max(len(fixture.entrants), 1)
        if fixture.event.count == "points":
            of_points[fixture.contest.key] = points.half_width(fixture.contest.key, games)
            continue
        matches = games / (players * fixture.contest.games_per_match)
        widths.append(expected_half_width(games, matches, players, rating))
    return sum(widths) / len(widths) if widths else nan, of_points
