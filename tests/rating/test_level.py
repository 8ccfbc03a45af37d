"""How wide intervals will be."""

from math import pi, sqrt

import numpy as np
import pytest
from scipy.special import ndtri

from league.rating.level import TAIL, expected_half_width

BETA = 25 / 6


def test_of_two_players_a_game_tells_two_parts_in_pi_of_both_performances():
    assert expected_half_width(100, 2, BETA, 1e9) == pytest.approx(TAIL * BETA * sqrt(pi / 100))


def test_it_is_the_interval_of_a_strength_that_is_estimated_from_victories():
    """A bot of its opponent's strength, whose luck is normal, is rated by how often it wins, in many leagues."""
    games, luck = 400, sqrt(2) * BETA
    won = np.random.default_rng(1).binomial(games, 0.5, 4000) / games
    difference = ndtri(won) * luck
    assert expected_half_width(games, 2, BETA, 1e9) == pytest.approx(TAIL * difference.std(), rel=0.05)


def test_the_prior_bounds_it_and_more_players_tell_more():
    assert expected_half_width(0, 2, BETA, 3.0) == pytest.approx(TAIL * 3.0)
    widths = [expected_half_width(100, players, BETA, 1e9) for players in (2, 3, 4, 6)]
    assert widths == sorted(widths, reverse=True)
    assert expected_half_width(100, 1_000_000, BETA, 1e9) == pytest.approx(TAIL * BETA / 10, rel=1e-3)
