"""How wide intervals of points will be follows from how much the points of games differ."""

import json
from math import hypot
from types import SimpleNamespace

import pytest

from league.api import forecast
from league.plan.schedule import plan
from league.setup.config import parse
from league.setup.roster import scan
from league.values.settings import Rating
from tests.docs import ROOT


def test_spreads_are_standard_deviations_of_the_points_of_one_bot(monkeypatch):
    contests = {
        "kuhn-2p": SimpleNamespace(histograms=[{-1: 2, 1: 2}, {}]),  # four squares of 1, and three degrees of freedom
        "raj-2p": SimpleNamespace(histograms=[{5: 1}]),  # of one game nothing is known
    }
    monkeypatch.setattr(forecast.Results, "of", lambda store: SimpleNamespace(contests=contests))
    assert forecast._spreads(None) == {"kuhn-2p": pytest.approx((4 / 3) ** 0.5)}


def test_intervals_of_several_contests_are_narrower_than_those_of_one():
    bots = [f"bots/{name}.py" for name in ("random", "stubborn", "raj_nearest")]

    def foreseen(*players):
        games = [{"game": "raj", "players": list(players), "deals": 1}]
        config = parse(json.dumps({"league": "x", "bots": bots, "games": games}), ROOT)
        planned = plan(config, scan(config.bots, config.base), 1)
        return float(forecast._interval(planned, [300] * len(players), Rating(), {}).removeprefix("± "))

    assert foreseen(2, 3) == pytest.approx(hypot(foreseen(2), foreseen(3)) / 2, abs=0.01)
