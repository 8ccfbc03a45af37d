"""Error bars: they hold what they promise, and they stay honest where there is little to go by."""

import numpy as np
import pytest

from league.rating.bootstrap import around, interval, replicates
from league.rating.fit import fit
from league.rating.online import rate_online
from league.values.settings import Rating
from tests.rating.simulate import all_lineups, play, table_of


def league(rng, bots, players, deals, shared_luck):
    """Every lineup plays the same deals in all rotations; a part of the luck is in the seats of a deal."""
    skills = rng.normal(0, 3, bots)
    lineups = np.repeat(all_lineups(bots, players), deals * players, axis=0)
    deal = np.tile(np.repeat(np.arange(deals), players), len(lineups) // (deals * players))
    rotation = np.tile(np.arange(players), len(lineups) // players)
    seat = (np.arange(players) + rotation[:, None]) % players
    dealt = rng.normal(size=(deals, players))[deal[:, None], seat]
    luck = np.sqrt(1 - shared_luck) * rng.normal(size=lineups.shape) + np.sqrt(shared_luck) * dealt
    ranks = play(rng, skills, lineups, margin=0.5, luck=luck)
    return skills - skills.mean() + 25, table_of(bots, lineups, ranks, deal % 64)


@pytest.mark.parametrize(
    ("players", "deals", "shared_luck"),
    [
        pytest.param(2, 12, 0.6, id="few deals"),
        pytest.param(2, 70, 0.0, id="plain", marks=pytest.mark.soak),
        pytest.param(3, 20, 0.3, id="three", marks=pytest.mark.soak),
    ],
)
def test_intervals_cover_the_truth_in_95_of_100_leagues(players, deals, shared_luck):
    rng = np.random.default_rng(7)
    covered = []
    for number in range(100):
        truth, table = league(rng, 5, players, deals, shared_luck)
        low, high = interval(replicates(table, fit(table, Rating()), str(number), 500))
        covered.append((low <= truth) & (truth <= high))
    assert 0.92 <= np.mean(covered) <= 0.98


@pytest.mark.soak
@pytest.mark.parametrize(("deals", "tau"), [(30, 0.0), (30, 25 / 300)])
def test_intervals_of_online_ratings_cover_at_least_as_often(deals, tau):
    """Around the mean of the pool, which wanders there."""
    rng = np.random.default_rng(8)
    covered = []
    for number in range(20):
        truth, table = league(rng, 4, 2, deals, 0.3)
        rating = Rating(mode="online", tau=tau)
        mean, sigma = rate_online(table, rating)
        samples = replicates(table, fit(table, rating), str(number), 500)
        low, high = interval(around(samples, mean - mean.mean() + 25, sigma, str(number)))
        covered.append((low <= truth) & (truth <= high))
    assert np.mean(covered) >= 0.92


def test_the_same_data_and_seed_give_the_same_bytes():
    _, table = league(np.random.default_rng(1), 4, 2, 10, 0.0)
    fitted = fit(table, Rating())
    first, second, other = (replicates(table, fitted, seed, 50) for seed in ("a", "a", "b"))
    assert first.tobytes() == second.tobytes() != other.tobytes()


def test_a_bot_that_won_every_game_is_not_rated_without_doubt():
    """Resampling alone would find no spread at all: every group of deals ended alike."""
    table = table_of(2, [[0, 1]] * 64, [[0, 1]] * 64, range(64), [10] * 64)
    low, high = interval(replicates(table, fit(table, Rating()), "x"))
    assert (high - low > 2).all()


def test_a_single_deal_leaves_the_uncertainty_of_the_model():
    table = table_of(2, [[0, 1]] * 2, [[0, 1], [1, 0]], [0, 0], [3, 2])
    low, high = interval(replicates(table, fit(table, Rating()), "x"))
    assert (high - low > 3).all()


def test_a_bot_that_met_nobody_is_as_uncertain_as_before():
    table = table_of(3, [[0, 1]], [[0, 1]], [0], [5])
    low, high = interval(replicates(table, fit(table, Rating()), "x"))
    assert high[2] - low[2] == pytest.approx(2 * 1.96 * 25 / 3, rel=0.1)


def test_no_bots_no_intervals():
    table = table_of(0, [], [])
    low, high = interval(replicates(table, fit(table, Rating()), "x"))
    assert len(low) == len(high) == 0
