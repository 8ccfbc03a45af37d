"""How wide intervals of points will be follows from how much the points of games differ."""

from types import SimpleNamespace

import pytest

from league.api import forecast


def test_spreads_are_standard_deviations_of_the_points_of_one_bot(monkeypatch):
    contests = {
        "kuhn-2p": SimpleNamespace(histograms=[{-1: 2, 1: 2}, {}]),  # four squares of 1, and three degrees of freedom
        "raj-2p": SimpleNamespace(histograms=[{5: 1}]),  # of one game nothing is known
    }
    monkeypatch.setattr(forecast.Results, "of", lambda store: SimpleNamespace(contests=contests))
    assert forecast._spreads(None) == {"kuhn-2p": pytest.approx((4 / 3) ** 0.5)}
