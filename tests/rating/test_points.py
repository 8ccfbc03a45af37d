"""Mean points: exact where everybody met everybody, corrected where not, with intervals that hold."""

from itertools import combinations

import numpy as np
import pytest

from league.rating.errors import balance, measure
from league.rating.pairs import head_to_head
from league.rating.points import PointsTable, fit_points
from league.rating.table import RankingTable


def played(rng, bots, players, deals, strength, *, noise=1.0, games=None):
    """Every lineup plays `deals` deals, or as many as `games` says: the strength of each, less the mean, and luck."""
    rows = []
    for number, lineup in enumerate(combinations(range(bots), players)):
        own = strength[list(lineup)]
        for deal in range(deals if games is None else games[number]):
            luck = rng.normal(0, noise, players)
            rows.append((lineup, deal % 64, players, players * (own - own.mean() + luck)))
    lineups, groups, sizes, sums = (np.array(column) for column in zip(*rows, strict=True))
    return PointsTable(bots, lineups, groups, sizes, sums.astype(float))


def one_pool(bots):
    return np.zeros(bots, dtype=np.int64)


def means(table, **how):
    return fit_points(table, one_pool(table.bots), 1.0, **how).evidence.value


@pytest.mark.parametrize("players", [2, 3])
def test_rounding_does_not_grow(players):
    """Processors differ in the last digits of sums, as the order of additions does here, and files must not."""
    table = played(np.random.default_rng(2), 12, players, 8, np.linspace(-3, 3, 12))
    other = table._replace(sums=table.sums + 1e-13 * np.random.default_rng(3).normal(size=table.sums.shape))
    fits = [measure(fit_points(each, one_pool(12), 1.0).evidence)[0] for each in (table, other)]
    assert means(table) == pytest.approx(means(other), abs=1e-12)
    assert fits[0].alone == pytest.approx(fits[1].alone, abs=1e-12)


@pytest.mark.parametrize("players", [2, 3])
def test_value_is_the_plain_mean_after_a_round_robin(players):
    table = played(np.random.default_rng(1), 5, players, 4, np.array([3.0, 1, 0, -1, 2]))
    plain = [
        table.sums[table.lineups == bot].sum() / table.games[(table.lineups == bot).any(axis=1)].sum()
        for bot in range(5)
    ]
    assert means(table) == pytest.approx(plain, abs=1e-6)


def test_value_is_corrected_for_who_was_met_how_often():
    strength = np.array([2.0, 1, 0, -1, -2])
    games = [1, 1, 1, 40, 1, 1, 1, 1, 1, 1]  # the best one met the worst one most of the time
    table = played(np.random.default_rng(2), 5, 2, 0, strength, noise=0.0, games=games)
    against_the_field = strength / 2 - (strength.sum() - strength) / 8
    assert means(table) == pytest.approx(against_the_field, abs=1e-6)


def test_games_that_are_not_zero_sum_count_own_points():
    """Two who share what they get are ahead of one who gets more than its opponents."""
    lineups = np.array([[0, 1], [0, 2], [1, 2]] * 4)
    sums = np.array([[3.0, 3], [0, 1], [0, 1]] * 4)
    table = PointsTable(3, lineups, np.repeat(np.arange(4), 3), np.ones(12, dtype=np.int64), sums)
    assert means(table) == pytest.approx([1.5, 1.5, 1.0], abs=1e-6)
    assert not fit_points(table, one_pool(3), 1.0).constant_sum


@pytest.mark.slow
@pytest.mark.parametrize(("players", "deals"), [(2, 6), (2, 40), (3, 6)])
def test_intervals_hold_the_truth(players, deals):
    strength = np.array([1.0, 0.5, 0.2, 0, 0, -0.5])
    truth = (strength - (strength.sum() - strength) / 5) * (players - 1) / players
    right = []
    for seed in range(60):
        rng = np.random.default_rng([seed, players, deals])
        evidence = fit_points(played(rng, 6, players, deals, strength), one_pool(6), 1.0).evidence
        low, high = measure(evidence)[0].intervals(evidence.value)
        right.extend((low <= truth) & (truth <= high))
    assert 0.92 < np.mean(right) <= 1.0


def bent(table):
    """One bot has another one's number."""
    return table._replace(sums=table.sums + 3 * np.where((table.lineups == [0, 1]).all(axis=1)[:, None], [1, -1], 0))


def test_who_met_whom_is_an_error_where_some_never_met():
    rng = np.random.default_rng(3)
    every = bent(played(rng, 5, 2, 8, np.zeros(5), noise=0.1))
    met = (every.lineups != [2, 3]).any(axis=1)
    some = PointsTable(5, *(column[met] for column in every[1:5]))
    all_met, not_all = (
        np.trace(measure(fit_points(table, one_pool(5), 0.02).evidence)[0].covariance) for table in (every, some)
    )
    assert not_all > 4 * all_met


def test_lineups_count_more_equally_where_results_decided_how_often_they_play():
    strength = np.array([2.0, 1, 0, -1])
    table = bent(played(np.random.default_rng(5), 4, 2, 0, strength, noise=0.1, games=[60, 6, 6, 6, 6, 6]))
    alike = means(bent(played(np.random.default_rng(5), 4, 2, 60, strength, noise=0.1)))
    evidence = fit_points(table, one_pool(4), 1.0).evidence
    weight = balance(evidence, measure(evidence)[2])
    plain, weighted = (np.abs(found - alike).max() for found in (means(table), means(table, weight=weight)))
    assert weighted < plain / 4


def test_head_to_head_is_a_lead_in_points():
    table = played(np.random.default_rng(4), 3, 2, 20, np.array([1.0, 0, -1]), noise=0.5)
    ranks = (table.sums < table.sums[:, ::-1]).astype(np.int64)
    ranking = RankingTable.from_rankings(3, table.lineups, ranks, table.groups, table.games)
    pairs = head_to_head(ranking, table)
    for one, other in combinations(range(3), 2):
        rows = (table.lineups == [one, other]).all(axis=1)
        lead = (table.sums[rows, 0] - table.sums[rows, 1]).sum() / table.games[rows].sum()
        assert pairs.score[one, other] == pytest.approx(lead)
        assert pairs.score[other, one] == pytest.approx(-lead)
        assert pairs.low[one, other] < lead < pairs.high[one, other]
        assert pairs.low[other, one] == pytest.approx(-pairs.high[one, other])
    assert pairs.p_value[0, 2] < 1e-4
