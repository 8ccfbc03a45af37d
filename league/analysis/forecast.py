"""What a league will take, and what a budget buys: rounds, games, and how far intervals narrow."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from functools import reduce
from math import ceil, isnan, nan
from time import monotonic
from typing import NamedTuple

from league.plan.adaptive import GROWTH
from league.plan.budget import seconds_of
from league.plan.coverage import Coverage
from league.plan.estimate import NOTHING, SlowBot, TimeRange, Work, estimated
from league.plan.pace import FIRST_GAMES, Pace
from league.plan.rounds import ChosenRound, EqualRound, Round, rounds_of
from league.plan.schedule import Plan, whole_matches
from league.play.worker import Team, Worker
from league.rating.spread import expected_half_width
from league.tools.text import counted, duration
from league.values.block import Block, BlockResult, Sitting
from league.values.settings import Rating, Stop

SAMPLE_SECONDS = 3.0
"""How long bots that have not played yet are tried, in each contest, to know how long games take."""
FORESEEN_SECONDS = 30 * 86_400
"""Rounds that are not chosen yet are foreseen so far into the future."""
FORESEEN_ROUNDS = 100


class RoundForecast(NamedTuple):
    """A round that is still to be played."""

    number: int
    games: int
    """That are missing of it."""
    expected: TimeRange
    """From now to its end."""
    half_width: float
    """Of the interval of a bot after it, as the mean of the contests in which places count; not a number without any:
    how much luck is in points is known only from games."""


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
        foreseen = complete and not isnan(complete[-1].half_width)
        width = f", intervals of about ± {complete[-1].half_width:.2f}" if foreseen else ""
        return f"{' or '.join(names)}: {' and '.join(parts)}, {counted(games, 'game')}{width}."


def measured_pace(pace: Pace, coverage: Coverage, team: Team) -> None:
    """Learn what games cost the bots that have not played yet: by trying them, some seconds in each contest."""
    with closing(Worker(team)) as worker:
        for number, fixture in enumerate(coverage.plan.fixtures):
            started = monotonic()
            unknown = set(pace.unknown(fixture))
            for rank in fixture.lineups.in_turns():
                if not unknown or monotonic() - started > SAMPLE_SECONDS:
                    break
                series = coverage.plan.series(number, rank, 0)
                if unknown.intersection(series.lineup):
                    unknown.difference_update(series.lineup)
                    size = whole_matches(FIRST_GAMES, fixture.contest.games_per_match)
                    block = Block(series, 0, min(size, fixture.event.deals))
                    for result in worker.play_sitting(Sitting((block,))):
                        if isinstance(result, BlockResult):
                            pace.learn(result)


def forecast(coverage: Coverage, pace: Pace, rating: Rating, workers: int, wall: float | None = None) -> Forecast:
    """What the rest of a league takes with this many workers, from the time that its bots need.

    `wall` are the seconds by the clock for each second of play, if something was played before.
    """
    planned = coverage.plan
    every = range(len(planned.fixtures))

    def expected(games: Sequence[int]) -> TimeRange:
        return estimated(Work(planned, games, pace), workers, wall=wall)

    contests = [
        expected([games if number == one else 0 for number in every]) for one, games in enumerate(coverage.to_play())
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
            rounds.append(RoundForecast(part.number, sum(new), until, _half_width(planned, played, rating)))
        before = missing
    number = len(rounds_of(planned))
    while planned.open and until.likely < FORESEEN_SECONDS and len(rounds) < FORESEEN_ROUNDS:
        number += 1
        new = [ceil(GROWTH * games) for games in played]
        played = [games + more for games, more in zip(played, new, strict=True)]
        until = until.plus(expected(new))
        rounds.append(RoundForecast(number, sum(new), until, _half_width(planned, played, rating)))
    return Forecast(coverage, contests, slowest, rounds)


def _games_after(planned: Plan, part: Round, before: list[int]) -> list[int]:
    """By fixture: the games of all rounds up to this one."""
    if isinstance(part, EqualRound):
        return [fixture.games_up_to(stop) for fixture, stop in zip(planned.fixtures, part.stops, strict=True)]
    games = list(before)
    assert isinstance(part, ChosenRound)
    for fixture, _, (first, stop) in part.chosen:
        games[fixture] += (stop - first) * planned.fixtures[fixture].contest.players
    return games


def _half_width(planned: Plan, played: list[int], rating: Rating) -> float:
    """Of an average bot after this many games of each contest."""
    widths = []
    for fixture, total in zip(planned.fixtures, played, strict=True):
        if fixture.event.count == "points":
            continue
        players = fixture.contest.players
        games = total * players / len(fixture.entrants)
        matches = games / (players * fixture.contest.games_per_match)
        widths.append(expected_half_width(games, matches, players, rating))
    return sum(widths) / len(widths) if widths else nan
