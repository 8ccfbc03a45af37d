"""How far values may be off: intervals hold what they promise, and are wide where there is little to go by."""

from math import sqrt

import numpy as np
import pytest

from league.rating import TAIL
from league.rating.errors import (
    FEWEST,
    Errors,
    balance,
    clustered_mean,
    combined,
    expected_half_width,
    leads,
    measure,
    of_places,
)
from league.rating.errors import all_lineups as number_of_lineups
from league.rating.fit import fit
from league.values.settings import Rating
from tests.rating.simulate import all_lineups, play, table_of
from tests.tables import each


def measured(table, *, wider=1.0, possible=None):
    evidence = of_places(table, fit(table, Rating()), possible)
    return evidence.value, measure(evidence, wider)[0]


def bounds(table):
    value, errors = measured(table)
    return errors.intervals(value)


def league(rng, bots, players, deals, shared_luck):
    """Every lineup plays deals of its own in all rotations; a part of the luck is in the seats of a deal."""
    skills = rng.normal(0, 3, bots)
    every = all_lineups(bots, players)
    lineups = np.repeat(every, deals * players, axis=0)
    deal = np.repeat(np.arange(len(every) * deals), players)
    seat = (np.arange(players) + np.tile(np.arange(players), len(every) * deals)[:, None]) % players
    dealt = rng.normal(size=(len(every) * deals, players))[deal[:, None], seat]
    luck = np.sqrt(1 - shared_luck) * rng.normal(size=lineups.shape) + np.sqrt(shared_luck) * dealt
    ranks = play(rng, skills, lineups, margin=0.5, luck=luck)
    return skills - skills.mean() + 25, table_of(bots, lineups, ranks, deal % deals)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "deals", "shared_luck"), [(2, 64, 0.0), (2, 3, 0.0), (2, 12, 0.6), (3, 6, 0.3)], ids=str
)
def test_intervals_cover_the_truth_in_95_of_100_leagues(players, deals, shared_luck):
    rng = np.random.default_rng(7)
    covered = []
    for _ in range(50):
        truth, table = league(rng, 5, players, deals, shared_luck)
        low, high = bounds(table)
        covered.append((low <= truth) & (truth <= high))
    assert 0.92 <= np.mean(covered) <= 0.99


def test_the_same_data_give_the_same_bytes():
    _, table = league(np.random.default_rng(1), 4, 2, 10, 0.0)
    first, second = (measured(table)[1].covariance for _ in range(2))
    assert first.tobytes() == second.tobytes()


def test_a_bot_that_won_every_game_is_not_rated_without_doubt():
    """How results vary shows no luck at all: every group of deals ended alike."""
    table = table_of(2, [[0, 1]] * 64, [[0, 1]] * 64, range(64), [10] * 64)
    low, high = bounds(table)
    assert (high - low > 2).all()


@each(("deals", "known"), [(1, False), (4, False), (5, True)])
def test_five_deals_of_two_bots_are_enough_to_measure_luck(deals, known):
    ranks = [[turn % 2, 1 - turn % 2] for turn in range(deals)]
    errors = measured(table_of(2, [[0, 1]] * deals, ranks, range(deals)))[1]
    assert errors.known.tolist() == [known, known]
    assert (errors.clusters >= FEWEST).tolist() == [known, known]


def test_a_bot_that_met_nobody_is_as_uncertain_as_before():
    low, high = bounds(table_of(3, [[0, 1]], [[0, 1]], [0], [5]))
    assert high[2] - low[2] == pytest.approx(2 * 1.96 * 25 / 3, rel=0.01)


def test_pools_are_independent():
    table = table_of(5, [[0, 1], [2, 3]], [[0, 1], [1, 0]], games=[10, 20])
    covariance = measured(table)[1].covariance
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
    found = measured(table)[1].covariance
    assert leads(fitted.mean, found)[1] == pytest.approx(leads(fitted.mean, posterior)[1], rel=0.25, abs=1e-5)


def test_no_bots_no_intervals():
    low, high = bounds(table_of(0, [], []))
    assert low.shape == high.shape == (0,)


def of_pairs(rng, chances, deals):
    """Bots whose results are independent of each other: so often the first of each pair wins, in so many deals."""
    games = [2 * number for number in deals]
    lineups = np.repeat(all_lineups(3, 2), games, axis=0)
    lost = rng.random(len(lineups)) >= np.repeat(chances, games)
    groups = np.concatenate([np.arange(number).repeat(2) % 64 for number in deals])
    return table_of(3, lineups, np.column_stack([lost, ~lost]).astype(np.int64), groups)


def balanced(table):
    evidence = of_places(table, fit(table, Rating()))
    return table.weighted(balance(evidence, measure(evidence)[2])[table.lineup])


def test_who_met_whom_moves_weighted_ratings_less():
    """The first beats the second, and both are level with the third: in a round robin they are about two points apart.
    Where the first two meet ten times as often as others, plain ratings are further apart."""
    rng = np.random.default_rng(3)
    rating = Rating()
    truth = fit(of_pairs(rng, (0.9, 0.5, 0.5), (3000, 3000, 3000)), rating).mean
    plain, weighted = [], []
    for _ in range(10):
        table = of_pairs(rng, (0.9, 0.5, 0.5), (300, 30, 30))
        plain.append(fit(table, rating).mean - truth)
        weighted.append(fit(balanced(table), rating).mean - truth)
    off, left = (np.abs(np.mean(errors, axis=0)).max() for errors in (plain, weighted))
    assert off > 1
    assert left < off / 2


def test_lineups_count_by_their_games_where_ratings_explain_all_results():
    weighted = balanced(of_pairs(np.random.default_rng(4), (0.5, 0.5, 0.5), (200, 50, 50)))
    assert weighted.weight.max() < 3 * weighted.weight.min()


@each(("deals", "factor"), [((100, 100, 100), 1.5), ((300, 30, 30), 4.0)])
def test_ratings_that_do_not_explain_results_are_off_only_if_lineups_count_unequally(deals, factor):
    """Beside bots that are equals, whose results ratings explain."""
    odd, plain = (
        np.trace(measured(of_pairs(np.random.default_rng(5), chances, deals))[1].covariance)
        for chances in ((0.9, 0.5, 0.5), (0.5, 0.5, 0.5))
    )
    assert (odd > 4 * plain) == (factor == 4.0)


def test_lineups_that_never_played_are_uncertain_unless_nobody_asks_about_them():
    """Half of all lineups of bots that beat each other in circles."""
    rng = np.random.default_rng(6)
    every = all_lineups(8, 2)
    lineups = np.repeat(every[rng.permutation(len(every))[:20]], 40, axis=0)
    ahead = (lineups[:, 1] - lineups[:, 0]) % 8 <= 4
    lost = rng.random(len(lineups)) < np.where(ahead, 0.2, 0.8)
    table = table_of(8, lineups, np.column_stack([lost, ~lost]).astype(np.int64), np.tile(np.arange(20).repeat(2), 20))
    asked, left_out = (np.trace(measured(table, possible=possible)[1].covariance) for possible in (None, 20))
    assert asked > 4 * left_out
    assert number_of_lineups(np.zeros(8, dtype=np.int64), 2) == 28


def test_results_that_decided_when_it_ended_say_less():
    _, table = league(np.random.default_rng(2), 4, 2, 20, 0.0)
    plain, stopped = (measured(table, wider=wider)[1].covariance for wider in (1.0, 1.25))
    assert (np.diag(stopped) > 1.15 * np.diag(plain)).all()


@each(
    ("freedom", "clusters", "known", "few"),
    [(3.0, 20.0, True, True), (9.0, 20.0, True, False), (3.0, 5.0, True, False), (1.0, 3.9, False, False)],
)
def test_a_few_games_decide_where_freedom_is_far_below_the_number_of_clusters(freedom, clusters, known, few):
    errors = Errors(np.eye(1), np.array([freedom]), np.array([clusters]))
    assert (errors.known[0], errors.few_decide[0]) == (known, few)


def test_a_jackpot_leaves_few_degrees_of_freedom():
    rng = np.random.default_rng(8)
    lineups = np.repeat(all_lineups(3, 2), 40, axis=0)
    groups = np.tile(np.arange(20).repeat(2), 3)
    even = table_of(3, lineups, play(rng, np.zeros(3), lineups, margin=0.5), groups)
    games = np.where(groups == 3, 200, 1)  # one deal was played far more often than all others together
    odd = table_of(3, lineups, play(rng, np.zeros(3), lineups, margin=0.5), groups, games)
    assert measured(odd)[1].freedom.max() < 8 < measured(even)[1].freedom.min()


def test_the_mean_of_two_contests_has_half_of_the_variance():
    one = Errors(np.eye(2), np.array([10.0, 10.0]), np.array([20.0, 5.0]))
    both = combined([one, one])
    assert both.covariance == pytest.approx(np.eye(2) / 2)
    assert both.freedom == pytest.approx([20, 20])
    assert both.clusters.tolist() == [20, 5]
    assert both.part(np.array([1])).clusters.tolist() == [5]
    assert one.scaled(3.0).covariance == pytest.approx(9 * np.eye(2))


@each(
    ("values", "clusters", "half"),
    [
        ([0.0, 1.0, 0.0, 1.0], [0, 1, 2, 3], 3.182 * sqrt(1 / 12)),
        ([0.0, 0.0, 1.0, 1.0], [0, 0, 1, 1], 12.706 * 0.5),
        ([1.0, 1.0, 1.0], [0, 1, 2], 4.303 * 1 / 4),
        ([1.0, 0.0], [5, 5], np.inf),
    ],
)
def test_a_mean_is_as_sure_as_its_clusters_are_alike(values, clusters, half):
    mean, found = clustered_mean(np.bincount(clusters, values), np.bincount(clusters), 1.0)
    assert mean == np.mean(values)
    assert found == pytest.approx(half, rel=1e-3)


@pytest.mark.parametrize(
    ("deals", "half_width"), [(2, 3.7), (5, 2.05), (20, 0.97), (200, 0.31)], ids=["2", "5", "20", "200"]
)
def test_the_forecast_is_near_the_intervals_of_leagues_of_six_real_bots(deals, half_width):
    """As measured by `python -m benchmarks truth` for Raj with two players."""
    assert expected_half_width(10 * deals, 5 * deals, 2, Rating()) == pytest.approx(half_width, rel=0.2)


def test_the_forecast_begins_with_the_prior_and_falls_with_games_and_players():
    assert expected_half_width(0, 0, 2, Rating()) >= TAIL * 25 / 3
    widths = [expected_half_width(players * 100, 100, players, Rating()) for players in (2, 3, 4, 6)]
    assert widths == sorted(widths, reverse=True)
