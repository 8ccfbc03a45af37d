"""How ratings vary together, against the posterior by brute force and in cases that are known."""

import numpy as np
import pytest

from league.rating.fit import fit, variances
from league.rating.joint import joint_covariance
from league.values.settings import Rating
from tests.rating.posterior import posterior_moments
from tests.rating.simulate import all_lineups, play, table_of


def a_table(rng, bots, players, games):
    every = all_lineups(bots, players)
    lineups = every[rng.integers(0, len(every), games)]
    return table_of(bots, lineups, play(rng, rng.normal(0, 3, bots), lineups, margin=1.0))


@pytest.mark.parametrize(
    ("players", "games"), [(2, 80), *[pytest.param(*many, marks=pytest.mark.soak) for many in ((3, 60), (4, 40))]]
)
def test_the_covariance_is_that_of_the_posterior(players, games):
    rng = np.random.default_rng(players)
    table = a_table(rng, 4, players, games)
    _, exact, _ = posterior_moments(rng, table, Rating(), 2000)
    found = joint_covariance(table, fit(table, Rating()))
    assert found == pytest.approx(exact, abs=0.1 * exact.diagonal().max())


def test_pools_are_independent_and_a_bot_that_met_nobody_is_as_uncertain_as_before():
    table = table_of(5, [[0, 1], [2, 3]], [[0, 1], [1, 0]], games=[10, 20])
    covariance = joint_covariance(table, fit(table, Rating()))
    assert covariance[:2, 2:] == pytest.approx(np.zeros((2, 3)))
    assert covariance[0, 0] == pytest.approx(-covariance[0, 1])
    assert covariance[4, 4] == pytest.approx((25 / 3) ** 2)


def test_variances_are_the_diagonal_of_the_inverse():
    table = a_table(np.random.default_rng(3), 6, 3, 50)
    fitted = fit(table, Rating())
    inverse = np.linalg.inv(fitted.information + fitted.prior * np.eye(6))
    assert variances(fitted.information, fitted.prior) == pytest.approx(inverse.diagonal())


def test_no_bots():
    table = table_of(0, [], [])
    assert joint_covariance(table, fit(table, Rating())).shape == (0, 0)
