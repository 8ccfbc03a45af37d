"""Many tables at once: the same games as one by one, in arrays."""

import numpy as np
import pytest

from league import games
from league.errors import LeagueError
from league.extensions.learners.vector import Tables
from league.games.arrays import encoder_of


@pytest.mark.parametrize("name", games.BUILT_IN)
def test_encodings_of_many_views_are_those_of_each(name):
    tables = Tables(name, tables=5, seed=3)
    numbers = encoder_of(tables.rules)
    rng = np.random.default_rng(1)
    for _ in range(12):
        views = [tables._states[table].view(seat) for table, seat in zip(tables.tables, tables.seats, strict=True)]
        assert tables.observations.dtype == np.float32
        assert tables.observations.shape == (len(views), numbers.size)
        assert np.array_equal(tables.observations, numbers.encode(views))
        assert [np.flatnonzero(mask).tolist() for mask in tables.masks] == [numbers.legal(view) for view in views]
        tables.step((rng.random(tables.masks.shape) * tables.masks).argmax(1))


def test_rewards_come_at_the_end_and_the_table_is_dealt_again():
    tables = Tables("raj", players=3, tables=4, seed=1)
    for step in range(1, 31):
        rewards, over = tables.step(tables.masks.argmax(1))
        assert over.all() == (step % 15 == 0)
        assert over.any() == (step % 15 == 0)
        assert np.allclose(rewards.sum(1), 0)
        assert len(tables.tables) == 12
    assert tables.masks.all()


def test_a_seed_decides_the_deals():
    first, same, other = (Tables("raj", tables=3, seed=seed).observations for seed in (1, 1, 2))
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize(
    ("actions", "told"),
    [
        ([0, 0, 0], "Expected an action for each of 4 rows"),
        ([0, 99, 0, 0], "Expected a legal action for each row, found 99 for row 1"),
        ([0, 0, -1, 0], "found -1 for row 2"),
    ],
)
def test_wrong_actions_are_refused_and_nothing_is_played(actions, told):
    tables = Tables("raj", tables=2)
    before = tables.observations
    with pytest.raises(LeagueError, match=told):
        tables.step(actions)
    assert tables.observations is before


def test_no_tables_are_refused():
    with pytest.raises(LeagueError, match="Expected at least 1 table, found 0"):
        Tables("raj", tables=0)
