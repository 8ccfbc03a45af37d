"""Chances are right as often as they say, in fields of near-equal and of very different bots."""

import numpy as np
import pytest

from league.rating.errors import measure, of_places
from league.rating.fit import fit
from league.rating.places import chance_of_better, chances_of_best, likely_strengths
from league.values.settings import Rating
from tests.rating.simulate import all_lineups, play, table_of


def strengths_of(table, wider=1.0, seed="x"):
    evidence = of_places(table, fit(table, Rating()))
    errors, luck, _ = measure(evidence)
    return likely_strengths(evidence, errors, wider * luck, seed, wider)


def worlds_of(table, seed="x"):
    return strengths_of(table, seed=seed)[1]


def a_league(rng, skills, deals):
    lineups = np.repeat(all_lineups(len(skills), 2), 2 * deals, axis=0)
    groups = rng.integers(0, 64, len(lineups) // 2).repeat(2)
    return table_of(len(skills), lineups, play(rng, skills, lineups, margin=0.5), groups)


@pytest.mark.slow
@pytest.mark.parametrize("differ", [0.3, 5.0], ids=["near-equal bots", "very different bots"])
def test_a_chance_of_90_percent_is_right_9_times_in_10(differ):
    rng = np.random.default_rng(11)
    said, right, best_said, best_right = [], [], [], []
    for _ in range(40):
        skills = rng.normal(0, differ, 6)
        worlds = worlds_of(a_league(rng, skills, 6))
        for one, other in all_lineups(6, 2):
            chance = chance_of_better(worlds[:, one], worlds[:, other])
            said.append(max(chance, 1 - chance))
            right.append((chance > 0.5) == (skills[one] > skills[other]))
        best = chances_of_best(worlds)
        best_said.append(best.max())
        best_right.append(best.argmax() == skills.argmax())
    said, right = np.array(said), np.array(right)
    assert np.mean(right) == pytest.approx(said.mean(), abs=0.06)
    assert (said[~right] > 0.9).sum() <= 0.1 * (said > 0.9).sum() + 3  # few are wrong of those that are nearly sure
    assert np.mean(best_right) == pytest.approx(np.mean(best_said), abs=0.15)


def test_near_equal_bots_are_hardly_told_apart_where_different_ones_would_be():
    """The same lead of one bot over another: alone with others as close, or in a field of very different bots."""
    rng = np.random.default_rng(2)
    close = worlds_of(a_league(rng, np.zeros(8), 10))
    assert chances_of_best(close).max() < 0.6


def test_the_mean_of_all_worlds_does_not_flatter_the_luckiest_of_equal_bots():
    rng = np.random.default_rng(4)
    lucky, expected = [], []
    for _ in range(20):
        table = a_league(rng, np.zeros(6), 8)
        mean, worlds = strengths_of(table)
        assert mean == pytest.approx(worlds.mean(axis=0), abs=0.15)
        assert strengths_of(table, wider=2.0)[0] == pytest.approx(mean, abs=1e-3)
        lucky.append(fit(table, Rating()).mean.max() - 25)
        expected.append(mean.max() - 25)
    assert np.mean(expected) < 0.4 * np.mean(lucky)


def test_chances_of_best_add_up_and_follow_from_the_seed():
    table = a_league(np.random.default_rng(1), np.array([3.0, 0.0, -3.0]), 10)
    first, second, other = worlds_of(table, "a"), worlds_of(table, "a"), worlds_of(table, "b")
    assert first.tobytes() == second.tobytes() != other.tobytes()
    best = chances_of_best(first)
    assert best.sum() == pytest.approx(1)
    assert best.argmax() == 0


def test_who_is_best_or_nearly_so_is_more_than_one():
    worlds = np.array([[25.0, 24.8, 20.0], [24.8, 25.0, 20.0], [25.0, 24.0, 20.0]])
    assert chances_of_best(worlds) == pytest.approx([2 / 3, 1 / 3, 0])
    assert chances_of_best(worlds, within=0.3) == pytest.approx([1, 2 / 3, 0])


def test_worlds_do_not_depend_on_the_signs_of_axes(monkeypatch):
    """Linear algebra gives axes of either sign, and another one on another machine."""
    table = a_league(np.random.default_rng(1), np.array([3.0, 0.0, -3.0]), 10)
    usual, eigh = worlds_of(table), np.linalg.eigh
    sign = np.array([1.0, -1.0, -1.0])
    monkeypatch.setattr(np.linalg, "eigh", lambda matrix: (eigh(matrix)[0], eigh(matrix)[1] * sign))
    assert worlds_of(table) == pytest.approx(usual, abs=1e-9)


def test_a_chance_is_never_certain_and_both_sides_add_up():
    one, other = np.ones(2000), np.zeros(2000)
    assert 0.999 < chance_of_better(one, other) < 1
    assert chance_of_better(one, other) + chance_of_better(other, one) == pytest.approx(1)
