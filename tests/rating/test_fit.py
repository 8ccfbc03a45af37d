"""Order-free TrueSkill against the package, and at its extremes."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
import trueskill

from league.rating.fit import draw_probability, fit
from league.rating.online import rate_online, shuffled_games
from league.values.settings import Rating
from tests.rating.posterior import posterior_means
from tests.rating.simulate import all_lineups, play, table_of


def package(rating, probability):
    return trueskill.TrueSkill(rating.mu, rating.sigma, rating.beta, 0.0, probability)


def rate_in_order(environment, bots, lineups, ranks, rng):
    """Means and sigmas by the package, game by game in a random order, those who share a place as well."""
    skills = [environment.create_rating() for _ in range(bots)]
    for game in rng.permutation(len(lineups)):
        seated = rng.permutation(lineups.shape[1])
        lineup = lineups[game, seated]
        rated = environment.rate([(skills[bot],) for bot in lineup], ranks[game, seated].tolist())
        for bot, (skill,) in zip(lineup, rated, strict=True):
            skills[bot] = skill
    return [skill.mu for skill in skills], [skill.sigma for skill in skills]


def rated_once(ranks, lineup):
    """Means and sigmas of one game by the package at its most exact, by bot."""
    environment = trueskill.TrueSkill(25, 25 / 3, 25 / 6, 0.0, 0.2, backend="scipy")
    rated = environment.rate([(environment.create_rating(),)] * len(lineup), ranks, min_delta=1e-12)
    skills = np.array([(skill.mu, skill.sigma) for (skill,) in rated])[np.argsort(lineup)]
    return skills[:, 0] - skills[:, 0].mean() + 25, skills[:, 1]


@pytest.mark.parametrize("ranks", [[0, 0], [1, 0], [2, 0, 1], [3, 1, 0, 2], [0, 4, 2, 3, 1], [5, 4, 0, 1, 3, 2]])
def test_one_game_is_exactly_what_the_package_makes_of_it(ranks):
    players = len(ranks)
    fitted = fit(table_of(players, [range(players)], [ranks]), Rating(draw_probability=0.2))
    mean, sigma = rated_once(ranks, range(players))
    assert fitted.settled
    assert fitted.mean == pytest.approx(mean, abs=1e-6)
    assert fitted.sigma == pytest.approx(sigma, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [[0, 1, 1], [0, 0, 2], [0, 0, 0], [0, 1, 1, 3]])
def test_one_game_with_shared_places_is_the_mean_over_all_orders_that_the_package_could_be_told(ranks):
    players = len(ranks)
    lineups = list(permutations(range(players)))
    told = np.array([rated_once([ranks[bot] for bot in lineup], lineup) for lineup in lineups])
    mean, sigma = told.mean(axis=0)
    fitted = fit(table_of(players, [range(players)], [ranks]), Rating(draw_probability=0.2))
    assert fitted.mean == pytest.approx(mean, abs=0.002)
    assert fitted.sigma == pytest.approx(sigma, rel=0.01)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_names_decide_nothing_where_places_are_shared(players):
    """Winner takes all: everybody has won equally often, and the others always share the second place."""
    everybody = [range(players)] * players
    ranks = [[0 if bot == winner else 1 for bot in range(players)] for winner in range(players)]
    fitted = fit(table_of(players, everybody, ranks, games=[50] * players), Rating())
    assert fitted.settled
    assert fitted.mean == pytest.approx([25] * players, abs=1e-9)


def test_renaming_bots_renames_their_ratings():
    rng = np.random.default_rng(9)
    lineups = np.repeat(all_lineups(6, 4), 20, axis=0)
    ranks = play(rng, rng.normal(0, 3, 6), lineups, margin=2.0)
    names = rng.permutation(6)
    before, after = (fit(table_of(6, these, ranks), Rating()).mean for these in (lineups, names[lineups]))
    assert after[names] == pytest.approx(before, abs=0.02)


def a_pool(rng, players, spread, games_a_bot):
    """Random games with ties among two bots more than a table seats: how many bots, lineups, ranks, their table."""
    bots = players + 2
    skills = rng.normal(0, spread, bots)
    every = all_lineups(bots, players)
    lineups = every[rng.integers(0, len(every), games_a_bot * bots // players)]
    ranks = play(rng, skills, lineups, margin=1.5)
    table = table_of(bots, lineups, ranks)
    assert table.ties.any()
    return bots, lineups, ranks, table


def averaged_package(rng, bots, lineups, ranks, table, orders=8):
    """Means and sigmas of the package in random orders, a row for each order, every row around mu."""
    environment = package(Rating(), table.tie_rate)
    runs = [rate_in_order(environment, bots, lineups, ranks, rng) for _ in range(orders)]
    means, sigmas = np.array(runs).swapaxes(0, 1)
    return means + 25 - means.mean(axis=1, keepdims=True), sigmas


@pytest.mark.slow
@pytest.mark.parametrize("spread", [1, 4])
@pytest.mark.parametrize("players", [2, 3, *[pytest.param(many, marks=pytest.mark.soak) for many in (4, 5, 6)]])
def test_the_average_of_the_package_over_random_orders_agrees_within_its_own_error(players, spread):
    """That error is known: brute force gives the posterior. Next to it, the fit is as good as exact."""
    rng = np.random.default_rng(2026 + players)
    bots, lineups, ranks, table = a_pool(rng, players, spread, games_a_bot=30)
    average = averaged_package(rng, bots, lineups, ranks, table)[0].mean(axis=0)
    exact, sampling_error = posterior_means(rng, table, Rating())
    fitted = fit(table, Rating()).mean
    own_error = np.sqrt(((average - exact) ** 2).mean())
    assert sampling_error < own_error / 10
    assert np.sqrt(((fitted - average) ** 2).mean()) == pytest.approx(own_error, rel=0.2)
    assert np.sqrt(((fitted - exact) ** 2).mean()) < own_error / 5


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, *[pytest.param(many, marks=pytest.mark.soak) for many in (4, 5, 6)]])
def test_in_an_even_pool_chance_is_all_that_separates_the_package_from_the_fit(players):
    """Three standard errors of the average over orders, where everybody has a chance and there are games enough."""
    rng = np.random.default_rng(2026 + players)
    bots, lineups, ranks, table = a_pool(rng, players, spread=1, games_a_bot=100)
    means, sigmas = averaged_package(rng, bots, lineups, ranks, table)
    standard_error = np.sqrt((means.var(axis=0, ddof=1) / len(means)).mean())
    fitted = fit(table, Rating())
    assert np.abs(fitted.mean - means.mean(axis=0)).max() < 3 * standard_error
    assert fitted.sigma == pytest.approx(sigmas.mean(axis=0), rel=0.1)


def test_no_order_of_games_or_of_rows_changes_a_bit():
    rng = np.random.default_rng(1)
    lineups = np.repeat(all_lineups(6, 3), 20, axis=0)
    ranks = play(rng, rng.normal(0, 3, 6), lineups)
    groups = rng.integers(0, 64, len(lineups))
    first = fit(table_of(6, lineups, ranks, groups), Rating())
    order = rng.permutation(len(lineups))
    second = fit(table_of(6, lineups[order], ranks[order], groups[order]), Rating())
    assert first.mean.tobytes() == second.mean.tobytes()
    assert first.sigma.tobytes() == second.sigma.tobytes()


def test_counts_stand_for_games():
    lineups, ranks = [[0, 1], [0, 1], [1, 2]], [[0, 1], [1, 0], [0, 0]]
    counted = fit(table_of(3, lineups, ranks, games=[5, 3, 4]), Rating())
    one_by_one = fit(table_of(3, np.repeat(lineups, [5, 3, 4], 0), np.repeat(ranks, [5, 3, 4], 0)), Rating())
    assert counted.mean.tobytes() == one_by_one.mean.tobytes()


def learned_sigma(table):
    fitted = fit(table, Rating(sigma=None))
    assert fitted.settled
    return fitted.prior**-0.5


def test_a_learned_sigma_is_what_the_pool_shows():
    """Three bots with the default's sigma count as well."""
    rng = np.random.default_rng(12)
    lineups = np.repeat(all_lineups(8, 2), 10, axis=0)
    fitted = fit(table_of(8, lineups, play(rng, rng.normal(0, 2, 8), lineups)), Rating(sigma=None))
    joint = np.linalg.inv(fitted.information + fitted.prior * np.eye(8))
    squares = (fitted.mean - 25) ** 2 + joint.diagonal()
    assert 1 / fitted.prior == pytest.approx((squares.sum() + 3 * (25 / 3) ** 2) / 11, rel=1e-6)
    same = fit(table_of(8, lineups, play(np.random.default_rng(12), np.zeros(8), lineups)), Rating(sigma=None))
    assert same.prior > fitted.prior


@pytest.mark.parametrize("spread", [1.0, 4.0, 12.0])
def test_a_learned_sigma_comes_near_the_truth_in_a_large_pool(spread):
    rng = np.random.default_rng(13)
    lineups = np.repeat(all_lineups(60, 2), 2, axis=0)
    table = table_of(60, lineups, play(rng, rng.normal(0, spread, 60), lineups))
    assert learned_sigma(table) == pytest.approx(np.hypot(spread, 25 / 3 * np.sqrt(3 / 63)), rel=0.3)


def test_sigma_is_learned_where_all_games_end_alike():
    assert learned_sigma(table_of(2, [[0, 1]], [[0, 1]], games=[500])) > 9


def test_a_sigma_that_cannot_be_learned_stays_near_the_default():
    assert learned_sigma(table_of(3, [], [])) == pytest.approx(25 / 3)
    assert 5 < learned_sigma(table_of(2, [[0, 1]], [[0, 1]], games=[1])) < 12
    assert 5 < learned_sigma(table_of(2, [[0, 1]], [[0, 1]], games=[10**6])) < 40


def test_bots_without_games_do_not_change_what_is_learned():
    lineups, ranks = [[0, 1], [0, 2], [1, 2]], [[0, 1], [1, 0], [0, 1]]
    assert learned_sigma(table_of(3, lineups, ranks)) == pytest.approx(learned_sigma(table_of(9, lineups, ranks)))


def test_with_very_many_games_the_truth_comes_out():
    """The model's own probabilities as counts: the fit has to find the skills they were made of."""
    from scipy.special import ndtr

    skills = np.array([4.0, 1.0, -5.0])
    lineups, ranks, games = [], [], []
    for one, other in all_lineups(3, 2):
        chance = ndtr((skills[one] - skills[other]) / (np.sqrt(2) * 25 / 6))
        lineups += [[one, other]] * 2
        ranks += [[0, 1], [1, 0]]
        games += [round(1e8 * chance), round(1e8 * (1 - chance))]
    fitted = fit(table_of(3, lineups, ranks, games=games), Rating())
    assert fitted.settled
    assert fitted.mean == pytest.approx(skills - skills.mean() + 25, abs=1e-3)
    assert (fitted.sigma < 1e-3).all()


@pytest.mark.parametrize("games", [1, 100, 10**8])
@pytest.mark.parametrize("players", [2, 5])
def test_a_bot_that_always_wins_stays_finite(games, players):
    fitted = fit(table_of(players, [range(players)], [range(players)], games=[games]), Rating())
    assert fitted.settled
    assert (np.diff(fitted.mean) < 0).all()
    assert np.isfinite(fitted.mean).all()
    assert (fitted.sigma > 0).all()
    assert fitted.mean.mean() == pytest.approx(25)


def test_a_hundred_million_ties_are_ties():
    fitted = fit(table_of(2, [[0, 1]], [[0, 0]], games=[10**8]), Rating())
    assert fitted.mean == pytest.approx([25, 25])


def test_upsets_of_hundreds_of_points_do_no_harm():
    """The package raises FloatingPointError there."""
    lineups, ranks = [[0, 1], [1, 2], [0, 2]], [[0, 1], [0, 1], [1, 0]]
    fitted = fit(table_of(3, lineups, ranks, games=[10**6, 10**6, 1]), Rating(sigma=300, beta=1))
    assert np.isfinite(fitted.mean).all()
    assert fitted.mean[0] > fitted.mean[1] > fitted.mean[2]


def test_bots_that_never_met_are_separate_pools_each_around_mu():
    table = table_of(5, [[0, 1], [2, 3]], [[0, 1], [1, 0]], games=[10, 20])
    fitted = fit(table, Rating())
    assert table.pools[0] == table.pools[1] != table.pools[2] == table.pools[3]
    assert len(set(table.pools.tolist())) == 3
    assert fitted.mean[:2].mean() == pytest.approx(25)
    assert fitted.mean[2:4].mean() == pytest.approx(25)
    assert (fitted.mean[4], fitted.sigma[4]) == (25, pytest.approx(25 / 3))


@pytest.mark.parametrize("bots", [0, 1])
def test_without_games_there_is_only_the_prior(bots):
    fitted = fit(table_of(bots, [], []), Rating(mu=10, sigma=2))
    assert fitted.mean.tolist() == [10] * bots
    assert fitted.sigma == pytest.approx([2] * bots)


def test_online_is_the_package_to_the_last_digit():
    rng = np.random.default_rng(3)
    lineups = np.repeat(all_lineups(4, 3), 5, axis=0)
    ranks = play(rng, [3.0, 1.0, 0.0, -2.0], lineups, margin=2.0)
    table = table_of(4, lineups, ranks, rng.integers(0, 64, len(lineups)))
    rating = Rating(mode="online", tau=0.1)
    environment = trueskill.TrueSkill(25, 25 / 3, 25 / 6, 0.1, draw_probability(table, rating))
    skills = [environment.create_rating() for _ in range(4)]
    for bots, places in shuffled_games(table):
        rated = environment.rate([(skills[bot],) for bot in bots], places)
        for bot, (skill,) in zip(bots, rated, strict=True):
            skills[bot] = skill
    mean, sigma = rate_online(table, rating)
    assert mean.tolist() == [skill.mu for skill in skills]
    assert sigma.tolist() == [skill.sigma for skill in skills]


def test_online_every_game_is_played_once_whatever_the_order_of_rows():
    rng = np.random.default_rng(4)
    lineups = np.repeat(all_lineups(5, 3), 4, axis=0)
    ranks = play(rng, np.zeros(5), lineups, margin=3.0)
    table, again = (table_of(5, lineups[order], ranks[order]) for order in (slice(None), rng.permutation(len(lineups))))
    assert list(shuffled_games(table)) == list(shuffled_games(again))
    played = Counter(tuple(sorted(zip(places, bots, strict=True))) for bots, places in shuffled_games(table))
    dense = [np.unique(row, return_inverse=True)[1] for row in ranks]
    there = Counter(
        tuple(sorted(zip(row.tolist(), bots, strict=True))) for row, bots in zip(dense, lineups.tolist(), strict=True)
    )
    assert played == there


@pytest.mark.slow
@pytest.mark.parametrize("tau", [0.0, 25 / 300])
def test_online_nobody_gains_from_a_name(tau):
    rng = np.random.default_rng(5)
    lineups = np.repeat(all_lineups(3, 2), 20, axis=0)
    tables = [table_of(3, lineups, play(rng, np.zeros(3), lineups, margin=1.0)) for _ in range(40)]
    means = np.array([rate_online(table, Rating(mode="online", tau=tau))[0] for table in tables])
    means -= means.mean(axis=1, keepdims=True)
    error = means.std(axis=0, ddof=1) / np.sqrt(len(means))
    assert (np.abs(means.mean(axis=0)) < 3.5 * error).all()


def test_the_draw_probability_is_measured_and_never_zero_where_ties_occur():
    none = table_of(2, [[0, 1]], [[0, 1]], games=[100])
    some = table_of(2, [[0, 1], [0, 1]], [[0, 1], [0, 0]], games=[10**8, 1])
    all_of_them = table_of(2, [[0, 1]], [[0, 0]], games=[10**8])
    three = table_of(3, [[0, 1, 2]], [[0, 1, 1]], games=[1000])
    assert draw_probability(none, Rating()) == 0
    assert 0 < draw_probability(some, Rating()) < 1e-7
    assert 0.99 < draw_probability(all_of_them, Rating()) < 1
    assert draw_probability(three, Rating()) == pytest.approx(0.5, abs=0.01)
    assert draw_probability(some, Rating(draw_probability=0.25)) == 0.25
    for none_asked in (0.0, 1e-20):
        assert draw_probability(some, Rating(draw_probability=none_asked)) == draw_probability(some, Rating())
