"""Messages along the places of games, against matrices."""

import numpy as np
import pytest

from league.rating.graph import links
from league.rating.table import changes, information
from tests.tables import each


@each("places", [2, 3, 5, 6])
@each("scale", [1e-12, 1e-3, 1.0, 1e6])
def test_links_are_the_precision_of_the_skills_that_is_left_when_performances_are_integrated_out(places, scale):
    noise = 17.0
    sites = scale * np.random.default_rng(places).random(places - 1)
    steps = np.eye(places)[:-1] - np.eye(places)[1:]  # a lead is one performance less the next
    leads = np.linalg.inv(np.eye(places - 1) + np.diag(sites) @ (noise * steps @ steps.T)) @ np.diag(sites)
    exact = steps.T @ leads @ steps
    found = information(places, np.arange(places)[None], links(sites[:, None], noise).T)
    assert found == pytest.approx(exact, rel=1e-9, abs=1e-12 * np.abs(exact).max())


@each(
    ("rows", "changed"),
    [([[1, 2]], [1]), ([[1, 2], [1, 2], [1, 3], [2, 3], [2, 3], [3, 4]], [1, 0, 1, 1, 0, 1]), ([[1], [1]], [1, 0])],
)
def test_a_row_has_changed_if_one_of_its_numbers_has(rows, changed):
    assert changes(np.array(rows)).tolist() == changed
