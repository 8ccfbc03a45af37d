"""What a league will take, and what a budget buys: rounds, games, and how far intervals narrow."""

from __future__ import annotations

from datetime import datetime
from math import ceil
from typing import NamedTuple

from league.plan.adaptive import GROWTH
from league.plan.budget import seconds_of
from league.plan.rounds import ChosenRound, EqualRound, Round, rounds_of
from league.plan.schedule import Plan
from league.play.run import LeagueRun, Preview
from league.rating.level import expected_half_width
from league.tools.text import counted
from league.tools.times import duration
from league.values.settings import Rating, Stop

FORESEEN_SECONDS = 30 * 86_400
"""Rounds that are not chosen yet are foreseen so far into the future."""
FORESEEN_ROUNDS = 100


class RoundForecast(NamedTuple):
    """A round that is still to be played."""

    number: int
    games: int
    """That are missing of it."""
    seconds: float
    """From now to its end."""
    half_width: float
    """Of the 95 % interval of a bot after it, as the mean of all contests."""


class Forecast(NamedTuple):
    """What playing the rest of a league will take."""

    contests: list[float]
    """Seconds for each."""
    rounds: list[RoundForecast]
    open: bool = False
    """Whether the rounds go on until the results say that they end."""

    def within(self, stop: Stop, now: datetime | None = None) -> str:
        """What a budget buys, in a sentence; empty if there is no limit."""
        seconds = seconds_of(stop, now or datetime.now())
        if (seconds is None and stop.games is None) or not self.rounds:
            return ""
        names = [] if seconds is None else [duration(seconds)]
        names += [] if stop.games is None else [counted(stop.games, "game")]
        complete: list[RoundForecast] = []
        games, share = 0, 0.0
        for one in self.rounds:
            before = complete[-1].seconds if complete else 0.0
            shares = [1.0]
            shares += [] if seconds is None else [(seconds - before) / max(one.seconds - before, 1e-9)]
            shares += [] if stop.games is None else [(stop.games - games) / one.games]
            share = min(shares)
            games += int(share * one.games)
            if share < 1:
                break
            complete.append(one)
        of_all = "" if self.open else f" of {self.rounds[-1].number}"
        parts = [f"round {complete[-1].number}{of_all}"] if complete else []
        if share < 1:
            parts.append(f"{share:.0%} of round {one.number}")
        width = f", intervals of about ± {complete[-1].half_width:.2f}" if complete else ""
        return f"{' or '.join(names)}: {' and '.join(parts)}, {counted(games, 'game')}{width}."


def forecast(league: LeagueRun, preview: Preview, workers: int) -> Forecast:
    """What the rest of a league will take with this many workers, from the processor time that its bots need."""
    planned, coverage = preview.plan, preview.coverage
    pace = league.pace(preview) if preview.games or planned.open else None
    costs = [pace.game_seconds(fixture) or 0.0 if pace else 0.0 for fixture in planned.fixtures]
    contests = [games * cost / workers for games, cost in zip(preview.to_play(), costs, strict=True)]
    rounds: list[RoundForecast] = []
    seconds, before = 0.0, [0] * len(costs)
    played = [0] * len(costs)
    for one in rounds_of(planned):
        missing = one.missing(coverage)
        new = (
            missing if isinstance(one, ChosenRound) else [now - then for now, then in zip(missing, before, strict=True)]
        )
        played = _games_after(planned, one, played)
        if any(new):
            seconds += sum(games * cost for games, cost in zip(new, costs, strict=True)) / workers
            rounds.append(
                RoundForecast(one.number, sum(new), seconds, _half_width(planned, played, league.config.rating))
            )
        before = missing
    number = len(rounds_of(planned))
    while planned.open and seconds < FORESEEN_SECONDS and len(rounds) < FORESEEN_ROUNDS:
        number += 1
        new = [ceil(GROWTH * games) for games in played]
        played = [games + more for games, more in zip(played, new, strict=True)]
        seconds += sum(games * cost for games, cost in zip(new, costs, strict=True)) / workers
        rounds.append(RoundForecast(number, sum(new), seconds, _half_width(planned, played, league.config.rating)))
    return Forecast(contests, rounds, planned.open)


def _games_after(planned: Plan, one: Round, before: list[int]) -> list[int]:
    """By fixture: the games of all rounds up to this one."""
    if isinstance(one, EqualRound):
        return [fixture.games_up_to(stop) for fixture, stop in zip(planned.fixtures, one.stops, strict=True)]
    found = list(before)
    assert isinstance(one, ChosenRound)
    for fixture, _, (first, stop) in one.chosen:
        found[fixture] += (stop - first) * planned.fixtures[fixture].contest.players
    return found


def _half_width(planned: Plan, played: list[int], rating: Rating) -> float:
    """Of an average bot after this many games of each contest."""
    widths = []
    for fixture, total in zip(planned.fixtures, played, strict=True):
        players = fixture.contest.players
        games = total * players / len(fixture.entrants)
        widths.append(expected_half_width(games, players, rating.beta, rating.sigma_at_first))
    return sum(widths) / len(widths)
