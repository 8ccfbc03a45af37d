"""The integrals of TrueSkill against numerical integration and against their own limits."""

import numpy as np
import pytest

from league.rating.truncated import cut, tied, won
from tests.tables import each


def moments(t, low, high):
    """Shift of the mean and remaining variance of N(t, 1) between two bounds, by brute force."""
    peak = min(max(t, low), high)
    edges = np.linspace(max(low, peak - 40), min(high, peak + 40), 2001)
    nodes, weights = np.polynomial.legendre.leggauss(12)
    half = (edges[1] - edges[0]) / 2
    x = ((edges[:-1] + half)[:, None] + half * nodes).ravel()
    mass = np.tile(weights, len(edges) - 1) * np.exp(-(x - peak) * (x + peak - 2 * t) / 2)
    mass /= mass.sum()
    mean = mass @ x
    return mean - t, mass @ (x - mean) ** 2


@each("t", [-20.0, -5.0, -1.0, 0.0, 0.3, 4.0])
def test_a_win(t):
    cut = won(np.array([t]))
    shift, rest = moments(t, 0.0, np.inf)
    assert cut[0][0] == pytest.approx(shift, rel=1e-8)
    assert cut[2][0] == pytest.approx(rest, rel=1e-8)
    assert cut[1][0] + cut[2][0] == pytest.approx(1)


@each("margin", [1e-6, 0.01, 0.3, 1.9, 2.1, 6.0])
@each("t", [-8.0, -1.0, 0.0, 0.5, 3.0, 12.0])
def test_a_tie(t, margin):
    cut = tied(np.array([t]), np.array([margin]))
    shift, rest = moments(t, -margin, margin)
    assert cut[0][0] == pytest.approx(shift, rel=1e-8, abs=1e-12)
    assert cut[2][0] == pytest.approx(rest, rel=1e-7)


def test_wins_and_ties_side_by_side():
    t, margin = np.array([-1.0, 0.2, 3.0]), np.array([0.5, 0.7, 2.5])
    for ties in ([True, True, True], [False, False, False], [True, False, True]):
        found = cut(t, margin, np.array(ties))
        for place, tie in enumerate(ties):
            one = slice(place, place + 1)
            alone = tied(t[one], margin[one]) if tie else won(t[one] - margin[one])
            assert [values[place] for values in found] == pytest.approx([values[0] for values in alone])


@each(("slope", "margin"), [(1.0, 0.3), (0.1, 0.5), (3.0, 0.8), (1.5, 1.0), (20.0, 1.5), (5.0, 2.0)])
def test_one_way_of_integrating_a_tie_goes_over_into_the_next_without_a_step(slope, margin):
    lead, margins = slope / margin * np.array([1 - 1e-12, 1 + 1e-12]), margin * np.array([1 - 1e-12, 1 + 1e-12])
    found = tied(lead, margins)
    assert found[0][0] == pytest.approx(found[0][1], rel=1e-9)
    assert found[2][0] == pytest.approx(found[2][1], rel=1e-8)


def test_ties_of_all_kinds_side_by_side_are_as_if_alone():
    t, margin = np.array([0.1, 2.5, 4.0, 1.0, 500.0]), np.array([0.3, 0.9, 1.2, 9.0, 3.0])
    together = tied(t, margin)
    for number in range(len(t)):
        alone = tied(t[number : number + 1], margin[number : number + 1])
        assert [values[number] for values in together] == pytest.approx([float(values[0]) for values in alone])


def test_far_out_the_series_takes_over_without_a_step():
    """On both sides of the thresholds the values go on smoothly, and out to the absurd they stay sane."""
    near = won(np.array([-25 + 1e-9, -25 - 1e-9]))
    assert near[2][0] == pytest.approx(near[2][1], rel=1e-9)
    far = won(np.array([-1e3, -1e6]))
    assert far[2] == pytest.approx([1e-6, 1e-12], rel=1e-4)
    assert far[0] == pytest.approx([1e3, 1e6], rel=1e-4)


def test_far_beyond_the_margin_a_tie_is_a_defeat_of_the_leader():
    cut = tied(np.array([500.0]), np.array([0.5]))
    assert cut[0][0] == pytest.approx(-won(np.array([-499.5]))[0, 0])
    assert 0 < cut[2][0] < 1e-5
