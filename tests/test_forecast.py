"""How wide intervals of points will be, as the formula says."""

from math import isnan

import pytest

from league.api.forecast import PointsSeen
from league.rating import TAIL


def test_intervals_of_points_follow_from_how_much_games_differ():
    seen = PointsSeen()
    assert isnan(seen.half_width("kuhn-2p", 100))
    seen.add("kuhn-2p", {-1: 2, 1: 2})  # four squares of 1, and three degrees of freedom
    assert seen.half_width("kuhn-2p", 4) == pytest.approx(TAIL * (4 / 3 / 4) ** 0.5)
    assert seen.half_width("kuhn-2p", 16) == pytest.approx(seen.half_width("kuhn-2p", 4) / 2)
    assert isnan(seen.half_width("kuhn-2p", 0))
