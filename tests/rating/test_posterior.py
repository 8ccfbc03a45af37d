"""The judge is judged first: its integrals against closed forms, its means against a posterior known by other means."""

from itertools import permutations

import numpy as np
import pytest
from scipy.special import ndtr

from league.rating.fit import draw_margin
from league.values.settings import Rating
from tests.rating.posterior import log_likelihood, posterior_means
from tests.rating.simulate import BETA, table_of
from tests.tables import each


def likelihood(table, skills, draw_probability):
    return np.exp(log_likelihood(table, Rating(draw_probability=draw_probability), np.array([skills])))[0]


@each("lead", [-6.0, 0.0, 1.5, 9.0])
def test_two_players_are_a_closed_form(lead):
    won, tied = table_of(2, [[0, 1]], [[0, 1]]), table_of(2, [[0, 1]], [[0, 0]])
    margin, spread = draw_margin(tied, Rating(draw_probability=0.2)), np.sqrt(2) * BETA
    above, below = ndtr((lead - margin) / spread), ndtr((-lead - margin) / spread)
    assert likelihood(won, [lead, 0.0], 0.2) == pytest.approx(above, rel=1e-3)
    assert likelihood(tied, [lead, 0.0], 0.2) == pytest.approx(1 - above - below, rel=1e-3)


def test_all_orders_of_four_players_add_up_to_one():
    skills = [3.0, -1.0, 0.5, 6.0]
    orders = [table_of(4, [[0, 1, 2, 3]], [order]) for order in permutations(range(4))]
    assert sum(likelihood(table, skills, 0.0) for table in orders) == pytest.approx(1, abs=1e-3)


@pytest.mark.slow
def test_the_mean_of_two_is_that_of_one_integral():
    """Two bots have one unknown, their lead: it can be integrated without sampling."""
    rating = Rating(draw_probability=0.1)
    table = table_of(2, [[0, 1], [0, 1], [0, 1]], [[0, 1], [1, 0], [0, 0]], games=[9, 2, 1])
    leads = np.linspace(-30, 30, 401)
    log_density = log_likelihood(table, rating, np.stack([leads / 2, -leads / 2], axis=1))
    log_density -= leads**2 / (4 * rating.sigma**2)
    density = np.exp(log_density - log_density.max())
    lead = (density * leads).sum() / density.sum()
    means, error = posterior_means(np.random.default_rng(1), table, rating, pairs=1000)
    assert error < 0.04
    assert means[0] - means[1] == pytest.approx(lead, abs=6 * error)
