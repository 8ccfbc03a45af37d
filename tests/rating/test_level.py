"""Forecasts of intervals: about as wide as those of real leagues."""

import pytest

from league.rating import TAIL
from league.rating.spread import STRETCH, expected_half_width
from league.values.settings import DEFAULT_SIGMA, Rating


@pytest.mark.parametrize(
    ("deals", "half_width"), [(2, 5.6), (5, 3.0), (20, 1.4), (200, 0.42)], ids=["2", "5", "20", "200"]
)
def test_the_forecast_is_near_the_intervals_of_leagues_of_six_real_bots(deals, half_width):
    """As measured by `python -m benchmarks truth` for Raj with two players."""
    assert expected_half_width(10 * deals, 5 * deals, 2, Rating()) == pytest.approx(half_width, rel=0.2)


def test_it_begins_with_the_prior_and_falls_with_games_and_players():
    assert expected_half_width(0, 0, 2, Rating()) >= TAIL * 25 / 3
    widths = [expected_half_width(players * 100, 100, players, Rating()) for players in (2, 3, 4, 6)]
    assert widths == sorted(widths, reverse=True)


def test_after_one_match_the_prior_leaves_half_of_its_width_however_many_games_it_had():
    assert expected_half_width(1e15, 1, 2, Rating()) == pytest.approx(TAIL * min(STRETCH, 1.0) * DEFAULT_SIGMA / 2)


def test_below_five_matches_luck_counts_as_much_as_it_can():
    few, enough = (expected_half_width(5, matches, 6, Rating()) for matches in (4, 5))
    assert few > 1.3 * enough
