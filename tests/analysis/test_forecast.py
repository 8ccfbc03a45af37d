"""What a budget buys, and how wide intervals will be: as numbers that follow from the formulas."""

from datetime import datetime
from math import isnan
from types import SimpleNamespace
from typing import Any

import pytest

from league.analysis.forecast import Forecast, PointsSeen, RoundForecast
from league.plan.estimate import TimeRange
from league.rating import TAIL
from league.values.settings import Stop
from tests.tables import each

NOW = datetime(2026, 1, 1, 12, 0)


def forecast(*rounds: tuple[int, float]) -> Forecast:
    """Rounds by their games and the seconds from now to their ends."""
    coverage: Any = SimpleNamespace(plan=SimpleNamespace(open=False, open_ended=False))
    parts = [
        RoundForecast(number, games, TimeRange(seconds / 2, seconds, 2 * seconds), 1 / number)
        for number, (games, seconds) in enumerate(rounds, 1)
    ]
    return Forecast(coverage, [], [], parts)


@each(
    ("stop", "told"),
    [
        (Stop(), ""),
        (Stop(games=100), "100 games: round 1 of 3, 100 games, intervals of about ± 1.00."),
        (Stop(games=150), "150 games: round 1 of 3 and 25% of round 2, 150 games, intervals of about ± 1.00."),
        (Stop(games=300), "300 games: round 2 of 3, 300 games, intervals of about ± 0.50."),
        (Stop(games=101), "101 games: round 1 of 3, 101 games, intervals of about ± 1.00."),
        (Stop(games=102), "102 games: round 1 of 3 and 1% of round 2, 102 games, intervals of about ± 1.00."),
        (Stop(games=99), "99 games: 99% of round 1, 99 games."),
        (Stop(after=30.0), "30 s: round 2 of 3, 300 games, intervals of about ± 0.50."),
        (Stop(after=20.0), "20 s: round 1 of 3 and 50% of round 2, 200 games, intervals of about ± 1.00."),
        (Stop(after=20.0, games=150), "20 s or 150 games: round 1 of 3 and 25% of round 2, 150 games, intervals"),
        (Stop(rounds=1), "1 round: round 1 of 3, 100 games, intervals of about ± 1.00."),
        (Stop(games=10_000), "10,000 games: round 3 of 3, 700 games, intervals of about ± 0.33."),
    ],
)
def test_a_budget_buys_whole_rounds_and_a_part_of_the_next_one(stop, told):
    said = forecast((100, 10.0), (200, 30.0), (400, 70.0)).within(stop, NOW)
    assert said.startswith(told)
    assert bool(said) == bool(told)


def test_intervals_of_points_follow_from_how_much_games_differ():
    seen = PointsSeen()
    assert isnan(seen.half_width("kuhn-2p", 100))
    seen.add("kuhn-2p", {-1: 2, 1: 2})  # four squares of 1, and three degrees of freedom
    assert seen.half_width("kuhn-2p", 4) == pytest.approx(TAIL * (4 / 3 / 4) ** 0.5)
    assert seen.half_width("kuhn-2p", 16) == pytest.approx(seen.half_width("kuhn-2p", 4) / 2)
    assert isnan(seen.half_width("kuhn-2p", 0))
