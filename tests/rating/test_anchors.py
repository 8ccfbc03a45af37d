"""Anchors: given ratings hold, differences stay, and two leagues with the same reference bots can be compared."""

from pathlib import Path

import numpy as np
import pytest

import league
from league.errors import ConfigError, RosterError
from league.rating.anchors import anchors_of, contradictions
from league.rating.errors import leads, measure, of_places
from league.rating.fit import fit
from league.setup.config import parse
from league.values.settings import Rating
from tests.leagues import DICE, FIRST
from tests.rating.simulate import table_of
from tests.tables import each

NAMES = ("ann", "bob", "cid", "dot")
WINS = {(0, 1): (70, 30), (0, 2): (80, 20), (1, 2): (60, 40), (1, 3): (75, 25), (2, 3): (65, 35)}


def two_player_table(bots, wins):
    """How often the one and the other won, in ten groups of deals."""
    pairs = [
        (pair, ranks, won) for pair, both in wins.items() for ranks, won in zip(([0, 1], [1, 0]), both, strict=True)
    ]
    lineups, ranks, games = zip(*pairs, strict=True)
    groups = np.tile(np.arange(10), len(pairs))
    return table_of(bots, np.repeat(lineups, 10, 0), np.repeat(ranks, 10, 0), groups, np.repeat(games, 10) // 10)


@pytest.fixture
def fitted():
    table = two_player_table(4, WINS)
    return table, fit(table, Rating())


def test_one_anchor_shifts_all_and_changes_no_difference(fitted):
    table, found = fitted
    anchors = anchors_of(NAMES, {"bob": 40.0}, found, table.pools)
    moved = anchors.moved(found.mean)
    assert moved[1] == 40.0
    assert moved - moved[1] == pytest.approx(found.mean - found.mean[1])
    covariance = measure(of_places(table, found))[0].covariance
    after = anchors.covariance(covariance)
    assert after[1, 1] == 0
    assert np.sqrt(after[0, 0]) == pytest.approx(leads(found.mean, covariance)[1][0, 1])


def test_several_anchors_hold_and_others_stay_between(fitted):
    table, found = fitted
    given = {"ann": found.mean[0] + 1, "dot": found.mean[3] - 1}
    moved = anchors_of(NAMES, given, found, table.pools).moved(found.mean)
    assert moved[[0, 3]] == pytest.approx([given["ann"], given["dot"]])
    assert found.mean[3] - 1 < moved[2] < moved[1] < found.mean[0] + 1
    assert abs(moved[1] - found.mean[1]) < 1


def test_a_bot_that_met_no_anchor_stays_where_it_is():
    table = two_player_table(4, {(0, 1): (60, 40), (2, 3): (60, 40)})
    found = fit(table, Rating())
    moved = anchors_of(NAMES, {"ann": 50.0}, found, table.pools).moved(found.mean)
    assert moved[2:] == pytest.approx(found.mean[2:])
    assert moved[0] == 50.0


def test_values_that_games_contradict_are_named(fitted):
    table, found = fitted
    covariance = measure(of_places(table, found))[0].covariance
    near = anchors_of(NAMES, {"ann": found.mean[0], "dot": found.mean[3]}, found, table.pools)
    assert contradictions(NAMES, near, found.mean, covariance) == []
    far = anchors_of(NAMES, {"ann": 10.0, "dot": 40.0}, found, table.pools)
    (said,) = contradictions(NAMES, far, found.mean, covariance)
    assert said.startswith("ann is set -30.0 from dot, and its games say +")


def test_no_anchor_changes_nothing(fitted):
    table, found = fitted
    assert anchors_of(NAMES, {"eve": 25.0}, found, table.pools) is None


def test_an_unknown_anchor_is_refused_with_the_nearest_name(tmp_path):
    for name, source in {"low": FIRST, "same": DICE}.items():
        (tmp_path / f"{name}.py").write_text(source)
    config = {"league": "lost", "bots": str(tmp_path), "games": [{"game": "raj", "deals": 1}], "anchors": {"loww": 20}}
    with pytest.raises(RosterError, match=r"no bot 'loww' among the 2 bots of this league\. Did you mean 'low'"):
        league.run(config, results=tmp_path / "results", progress=False)


@each(
    "anchors, problem",
    [
        ("[low]", "expected anchors as bots with their ratings"),
        ("25", "expected anchors as bots with their ratings"),
        ("low", "expected anchors as bots with their ratings"),
        ("{low: high}", "expected anchors: low as a number from -100000 to 100000, found 'high'"),
        ("{low: }", "expected anchors: low as a number"),
        ("{low: [24]}", "expected anchors: low as a number"),
        ("{low: {raj: 24}}", "expected anchors: low as a number"),
        ("{low: 1e6}", "expected anchors: low as a number"),
        ("{low: .nan}", "expected anchors: low as a number"),
        ("{low: 24, low: 25}", "expected every key once"),
        ("{low: true}", "expected anchors: low as a number"),
    ],
)
def test_wrong_anchors_are_one_line(anchors, problem):
    with pytest.raises(ConfigError) as caught:
        parse(f"league: a\nbots: bots\ngames: [{{game: raj}}]\nanchors: {anchors}\n", Path.cwd())
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value).strip()
