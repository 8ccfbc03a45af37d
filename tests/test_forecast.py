"""How wide intervals of points will be follows from how much the points of games differ."""

import json
from math import hypot

import pytest

from league.api import forecast
from league.plan.costs import Costs
from league.plan.coverage import Coverage
from league.plan.schedule import plan
from league.setup.config import parse
from league.setup.roster import scan
from league.values.settings import Rating
from tests.docs import ROOT
from tests.tables import each


def planned_with(game, **more):
    bots = [f"bots/{name}.py" for name in ("random", "stubborn", "raj_nearest")]
    text = json.dumps({"league": "x", "bots": bots, "games": [{"game": "raj"} | game], **more})
    config = parse(text, ROOT)
    return plan(config, scan(config.bots, config.base), 1)


def foreseen(game, played, spreads):
    planned = planned_with({"deals": 1} | game)
    return forecast._interval(planned, [played] * len(planned.fixtures), Rating(), spreads)


def test_intervals_of_several_contests_are_narrower_than_those_of_one():
    two, three, both = (
        float(foreseen({"players": players}, 300, {}).removeprefix("± ")) for players in ([2], [3], [2, 3])
    )
    assert both == pytest.approx(hypot(two, three) / 2, abs=0.01)


@each(
    ("played", "spreads", "interval"),
    [(300, {"raj-2p": 5.0}, "± 0.69 points at raj-2p"), (0, {"raj-2p": 5.0}, "-"), (300, {}, "-")],
)
def test_an_interval_of_points_is_that_of_the_games_of_one_bot(played, spreads, interval):
    """Of 300 games among three bots, each has 200, and 1.96 * 5 / sqrt(200) is 0.69."""
    assert foreseen({"count": "points"}, played, spreads) == interval


def test_rounds_that_are_still_to_be_chosen_are_counted_from_the_first():
    coverage = Coverage(planned_with({}, schedule="adaptive"))
    rounds = list(forecast._rounds(coverage, Costs(1), Rating(), {}))
    assert [one.number for one in rounds] == [*range(1, forecast.FORESEEN_ROUNDS + 1)]
