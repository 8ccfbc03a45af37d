"""How far ratings may be off: intervals hold what they promise, and are wide where there is little to go by."""

import numpy as np
import pytest

from league.rating import TAIL
from league.rating.fit import fit
from league.rating.spread import balanced, has_enough, interval_errors, leads, measured_luck, misfit, spread
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


def bounds(table):
    rating = Rating()
    fitted = fit(table, rating)
    games = np.bincount(table.order.ravel(), np.repeat(table.games, table.players), table.bots)
    half = TAIL * interval_errors(fitted.mean, spread(table, fitted).covariance, games / table.players, rating.mu)
    return fitted.mean - half, fitted.mean + half


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "deals", "shared_luck"), [(2, 70, 0.0), (2, 12, 0.6), (3, 20, 0.3)], ids=["plain", "few deals", "three"]
)
def test_intervals_cover_the_truth_in_95_of_100_leagues(players, deals, shared_luck):
    rng = np.random.default_rng(7)
    covered = []
    for _ in range(50):
        truth, table = league(rng, 5, players, deals, shared_luck)
        low, high = bounds(table)
        covered.append((low <= truth) & (truth <= high))
    assert 0.93 <= np.mean(covered) <= 0.99


@pytest.mark.slow
def test_intervals_hold_from_the_first_matches_on_and_their_widths_are_alike():
    """Lineups with deals of their own: after two of them each bot has ten matches."""
    rng = np.random.default_rng(5)
    covered, widths = [], []
    for _ in range(30):
        skills = rng.normal(0, 3, 6)
        lineups = np.repeat(all_lineups(6, 2), 4, axis=0)
        table = table_of(6, lineups, play(rng, skills, lineups, margin=0.5), rng.permutation(64)[:30].repeat(2))
        low, high = bounds(table)
        truth = skills - skills.mean() + 25
        covered.append((low <= truth) & (truth <= high))
        widths.append(high - low)
    assert np.mean(covered) >= 0.93
    assert np.max(widths) < 8 * np.min(widths)


def test_the_same_data_give_the_same_bytes():
    _, table = league(np.random.default_rng(1), 4, 2, 10, 0.0)
    first, second = (spread(table, fit(table, Rating())).covariance for _ in range(2))
    assert first.tobytes() == second.tobytes()


def test_a_bot_that_won_every_game_is_not_rated_without_doubt():
    """How results vary shows no spread at all: every group of deals ended alike."""
    table = table_of(2, [[0, 1]] * 64, [[0, 1]] * 64, range(64), [10] * 64)
    low, high = bounds(table)
    assert (high - low > 2).all()


def test_a_few_deals_leave_the_uncertainty_of_the_model_and_more():
    for groups in ([0, 0], [0, 1]):
        table = table_of(2, [[0, 1]] * 2, [[0, 1], [1, 0]], groups, [3, 2])
        fitted = fit(table, Rating())
        found = spread(table, fitted)
        assert not found.known.any()
        assert found.luck == pytest.approx(table.players * fitted.information)
        low, high = bounds(table)
        assert (high - low > 3).all()


def test_a_bot_that_met_nobody_is_as_uncertain_as_before():
    table = table_of(3, [[0, 1]], [[0, 1]], [0], [5])
    low, high = bounds(table)
    assert high[2] - low[2] == pytest.approx(2 * 1.96 * 25 / 3, rel=0.01)


def test_pools_are_independent():
    table = table_of(5, [[0, 1], [2, 3]], [[0, 1], [1, 0]], games=[10, 20])
    covariance = spread(table, fit(table, Rating())).covariance
    assert covariance[:2, 2:] == pytest.approx(np.zeros((2, 3)))
    assert covariance[0, 0] == pytest.approx(-covariance[0, 1])


def test_where_the_model_holds_the_covariance_is_that_of_the_posterior():
    rng = np.random.default_rng(3)
    lineups = np.repeat(all_lineups(4, 2), 400, axis=0)
    table = table_of(4, lineups, play(rng, rng.normal(0, 3, 4), lineups, margin=1.0), rng.integers(0, 64, len(lineups)))
    fitted = fit(table, Rating())
    inverse = np.linalg.inv(fitted.information + fitted.prior * np.eye(4))
    centred = np.eye(4) - 0.25
    posterior = centred @ inverse @ centred
    found = spread(table, fitted).covariance
    assert leads(fitted.mean, found)[1] == pytest.approx(leads(fitted.mean, posterior)[1], rel=0.25, abs=1e-5)


def test_no_bots_no_intervals():
    low, high = bounds(table_of(0, [], []))
    assert low.shape == high.shape == (0,)


def test_five_groups_of_deals_are_enough_to_measure_luck():
    assert has_enough(np.array([0, 4, 5, 6])).tolist() == [False, False, True, True]


def of_pairs(rng, chances, deals):
    """Bots whose results are independent of each other: so often the first of each pair wins, in so many deals."""
    games = [2 * number for number in deals]
    lineups = np.repeat(all_lineups(3, 2), games, axis=0)
    lost = rng.random(len(lineups)) >= np.repeat(chances, games)
    groups = np.concatenate([np.arange(number).repeat(2) % 64 for number in deals])
    return table_of(3, lineups, np.column_stack([lost, ~lost]).astype(np.int64), groups)


def test_who_met_whom_moves_weighted_ratings_less():
    """The first beats the second, and both are level with the third: in a round robin they are about two points apart.
    Where the first two meet ten times as often as others, plain ratings are further apart."""
    rng = np.random.default_rng(3)
    rating = Rating()
    truth = fit(of_pairs(rng, (0.9, 0.5, 0.5), (3000, 3000, 3000)), rating).mean
    plain, weighted = [], []
    for _ in range(10):
        table = of_pairs(rng, (0.9, 0.5, 0.5), (300, 30, 30))
        fitted = fit(table, rating)
        plain.append(fitted.mean - truth)
        weighted.append(fit(balanced(table, fitted), rating).mean - truth)
    off, left = (np.abs(np.mean(errors, axis=0)).max() for errors in (plain, weighted))
    assert off > 1
    assert left < off / 2


def test_lineups_count_by_their_games_where_ratings_explain_all_results():
    rng = np.random.default_rng(4)
    table = of_pairs(rng, (0.5, 0.5, 0.5), (200, 50, 50))
    weighted = balanced(table, fit(table, Rating()))
    assert weighted.weight.max() < 3 * weighted.weight.min()
    assert weighted.counted.sum() <= table.games.sum()


def test_ratings_that_do_not_explain_results_are_off_only_if_lineups_count_unequally():
    rng = np.random.default_rng(5)
    for deals, is_off in (((100, 100, 100), False), ((300, 30, 30), True)):
        table = of_pairs(rng, (0.9, 0.5, 0.5), deals)
        fitted = fit(table, Rating())
        luck = measured_luck(table, fitted)[1]
        assert (np.trace(misfit(table, fitted, luck)) > np.trace(luck)) == is_off
