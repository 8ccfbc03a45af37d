"""A dry run: how long a league will take, its rounds, and how far intervals narrow until each of them is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from math import hypot, sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from league.loop import LeagueRun
from league.plan.adaptive import MATCHES, round_size
from league.plan.costs import Costs, TimeRange
from league.plan.coverage import Coverage
from league.plan.rounds import ChosenRound, EqualRound, Round, rounds_of
from league.plan.schedule import Fixture, Plan
from league.rating import TAIL
from league.rating.errors import expected_half_width
from league.results.standings import Standings
from league.results.store import Store
from league.values.settings import Rating, Stop

TRIAL_SECONDS = 3.0
"""Games of each contest are played for so long, to know what they take."""
NOTHING = TimeRange(0.0, 0.0, 0.0)
FORESEEN_ROUNDS = 12
"""That are not chosen yet."""


class RoundForecast(NamedTuple):
    """A round that is still to be played."""

    number: int
    games: int
    """That are missing of it."""
    expected: TimeRange
    """From now to its end."""
    interval: str
    """An average bot's after it: '± 1.20', '± 0.31 points at kuhn-2p', or both; '-' if nothing is known."""


class Forecast(NamedTuple):
    """What playing the rest of a league will take."""

    coverage: Coverage
    """What was played before."""
    contests: list[TimeRange]
    slowest: str
    """The bots that take most of the time, in a sentence; empty if there are none."""
    rounds: list[RoundForecast]

    @property
    def whole(self) -> TimeRange:
        """How long all contests take."""
        return reduce(_after, self.contests, NOTHING)


def forecast(run: LeagueRun) -> Forecast:
    """What the rest of a league takes. Where bots are new, some seconds of it are played first, and thrown away."""
    coverage, store = run.preview(), run.former_results()
    costs, spreads = Costs(run.workers), dict[str, float]()
    if store is not None:
        costs, spreads = store.costs(run.workers), _spreads(store)
    if (any(coverage.to_play()) or coverage.plan.unsettled) and any(costs.strangers(coverage.plan)):
        run.observer.notice("playing a few games of bots that are new, to know how long they take …")
        with (
            TemporaryDirectory() as folder,
            LeagueRun(run.config, Path(folder), roster=run.roster, workers=run.workers) as trial,
        ):
            trial.play(Stop(after=TRIAL_SECONDS * len(coverage.plan.fixtures)))
            costs.learn_from(trial.costs)
            spreads = _spreads(trial.store) | spreads
    contests = []
    for number, games in enumerate(coverage.to_play()):
        alone = [0] * len(coverage.plan.fixtures)
        alone[number] = games
        contests.append(costs.expected(coverage.plan, alone) or NOTHING)
    slowest = costs.slowest(coverage.plan, coverage.to_play())
    return Forecast(coverage, contests, slowest, list(_rounds(coverage, costs, run.config.rating, spreads)))


def _spreads(store: Store) -> dict[str, float]:
    """By contest in which points count, how much those of single games of one bot differ."""
    contests = Standings.of(store).contests.items()
    return {key: contest.deviation for key, contest in contests if contest.count == "points" and contest.games}


def _rounds(coverage: Coverage, costs: Costs, rating: Rating, spreads: Mapping[str, float]) -> Iterator[RoundForecast]:
    """The rounds that are still to be played, and some of those that are still to be chosen."""
    planned, until = coverage.plan, NOTHING
    for number, new, played in _steps(coverage):
        if any(new):
            until = _after(until, costs.expected(planned, new) or NOTHING)
            yield RoundForecast(number, sum(new), until, _interval(planned, played, rating, spreads))


def _steps(coverage: Coverage) -> Iterator[tuple[int, list[int], list[int]]]:
    """Round by round its number, and by fixture the games that are missing of it, and those of all rounds up to it."""
    planned = coverage.plan
    before, played, number = [0] * len(planned.fixtures), [0] * len(planned.fixtures), 0
    for part in rounds_of(planned):
        number, missing = part.number, part.missing(coverage)
        is_equal = isinstance(part, EqualRound)
        new = [now - then for now, then in zip(missing, before, strict=True)] if is_equal else missing
        before, played = missing, _games_after(planned, part, played)
        yield number, new, played
    for later in range(number + 1, number + 1 + FORESEEN_ROUNDS * planned.unsettled):
        new = [_games_of_next_round(*of_fixture) for of_fixture in zip(planned.fixtures, played, strict=True)]
        played = [games + more for games, more in zip(played, new, strict=True)]
        yield later, new, played


def _after(first: TimeRange, second: TimeRange) -> TimeRange:
    """Both, one after the other."""
    return TimeRange(*map(sum, zip(first, second, strict=True)))


def _games_of_next_round(fixture: Fixture, played: int) -> int:
    """The games of the next round, in a league whose rounds are chosen from results, after so many games."""
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


def _interval(planned: Plan, played: list[int], rating: Rating, spreads: Mapping[str, float]) -> str:
    """Half of the width of an average bot's interval after this many games: of its rating, and of its mean points.

    The rating is the mean over all contests, whose errors have nothing to do with each other.
    """
    widths, of_points = [], []
    for fixture, total in zip(planned.fixtures, played, strict=True):
        key, players = fixture.contest.key, fixture.contest.players
        games = total * players / max(len(fixture.entrants), 1)
        if fixture.event.count == "points":
            if key in spreads and games:
                of_points.append(f"± {TAIL * spreads[key] / sqrt(games):.2g} points at {key}")
        else:
            matches = games / (players * fixture.contest.games_per_match)
            widths.append(expected_half_width(games, matches, players, rating))
    rated = [f"± {hypot(*widths) / len(widths):.2f}"] if widths else []
    return ", ".join([*rated, *of_points]) or "-"
