"""Head to head, cycles and Nash averaging on pools whose secret is known."""

import numpy as np
import pytest

from league.rating.pairs import adjusted, cycles, expected_scores, head_to_head, nash
from tests.rating.simulate import all_lineups, play, table_of
from tests.tables import each

ROCK_PAPER_SCISSORS = np.array([[0.5, 0.2, 0.8], [0.8, 0.5, 0.2], [0.2, 0.8, 0.5]])


def pool(chances, games=640, seed=0):
    """A two-player pool in which each pair plays with its own chance of winning."""
    rng = np.random.default_rng(seed)
    bots = len(chances)
    lineups = np.repeat(all_lineups(bots, 2), games, axis=0)
    lost = rng.random(len(lineups)) >= np.asarray(chances)[lineups[:, 0], lineups[:, 1]]
    ranks = np.stack([lost, ~lost], axis=1).astype(int)
    return table_of(bots, lineups, ranks, np.tile(np.arange(games) % 64, len(all_lineups(bots, 2))))


def transitive(bots, step):
    strength = np.arange(bots) * step
    return 1 / (1 + np.exp(strength[None, :] - strength[:, None]))


def test_counts_and_scores():
    pairs = head_to_head(table_of(3, [[0, 1, 2], [0, 1, 2]], [[0, 1, 1], [2, 0, 1]], [0, 1], [6, 4]))
    assert pairs.games.tolist() == [[0, 10, 10], [10, 0, 10], [10, 10, 0]]
    assert pairs.wins.tolist() == [[0, 6, 6], [4, 0, 4], [4, 0, 0]]
    assert pairs.draws[1, 2] == pairs.draws[2, 1] == 6
    assert pairs.score[1, 2] == pytest.approx(0.7)
    assert pairs.score[2, 1] == pytest.approx(0.3)
    assert np.isnan(pairs.score[0, 0])


@each("games", [64, 65, 100, 640])
def test_who_won_every_game_has_wilsons_interval_however_the_deals_fall_into_groups(games):
    pairs = head_to_head(pool(np.array([[0.5, 1.0], [0.0, 0.5]]), games))
    assert pairs.score[0, 1] == 1
    assert pairs.low[0, 1] == pytest.approx(games / (games + 1.96**2), rel=1e-4)
    assert pairs.high[0, 1] == 1
    assert pairs.p_value[0, 1] == 2.0 ** (1 - 64), "as unlikely as 64 coins that fall the same way, and no less"


@each(("matches", "low"), [(1, 0.3), (2, 0.5)])
def test_a_match_of_many_games_counts_as_one_where_there_are_few(matches, low):
    pairs = head_to_head(table_of(2, [[0, 1]] * matches, [[0, 1]] * matches, range(matches), [200] * matches))
    assert pairs.low[0, 1] < low
    assert pairs.p_value[0, 1] >= 0.5


@pytest.mark.slow
@each(("chance", "games"), [(0.97, 100), (0.6, 20), (0.5, 6)])
def test_intervals_of_scores_hold_the_true_one(chance, games):
    held = []
    for seed in range(200):
        pairs = head_to_head(pool(np.array([[0.5, chance], [1 - chance, 0.5]]), games, seed))
        held.append(pairs.low[0, 1] <= chance <= pairs.high[0, 1])
    assert np.mean(held) >= 0.92


@pytest.mark.slow
@pytest.mark.parametrize("groups", [2, 7, 8, 16])
def test_equals_are_rarely_called_unequal_where_the_games_of_a_deal_go_together(groups):
    rng = np.random.default_rng(groups)
    found = []
    for _ in range(300):
        won = rng.binomial(6, rng.beta(2, 2, groups))  # of six games of each deal
        tally = np.c_[won, 6 - won].ravel()
        lineups, ranks = [[0, 1]] * len(tally), [[0, 1], [1, 0]] * groups
        found.append(head_to_head(table_of(2, lineups, ranks, np.repeat(range(groups), 2), tally)).p_value[0, 1])
    assert np.mean(np.array(found) < 0.05) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)


def test_intervals_of_scores_follow_how_groups_vary_about_the_score():
    """By 20 of 100 games in every group, around 40 % and around 70 %."""

    def width(wins):
        tally = np.array([(won, 100 - won) for won in wins]).ravel()
        lineups, ranks = [[0, 1]] * len(tally), [[0, 1], [1, 0]] * len(wins)
        pairs = head_to_head(table_of(2, lineups, ranks, np.repeat(range(len(wins)), 2), tally))
        return pairs.high[0, 1] - pairs.low[0, 1]

    assert width([20, 60] * 32) == pytest.approx(0.1002, abs=1e-4)
    assert width([50, 90] * 32) == pytest.approx(0.1002, abs=1e-4)


def test_expected_scores_are_those_of_the_model():
    expected = expected_scores(np.array([25.0, 25.0, 60.0]), margin=0.7, beta=25 / 6)
    assert expected[0, 1] == 0.5
    assert expected + expected.T == pytest.approx(np.ones((3, 3)))
    assert expected[2, 0] > 0.999


def test_a_planted_rock_paper_scissors_shows_its_cycle():
    chances = np.full((5, 5), 0.5)
    chances[:3, :3] = ROCK_PAPER_SCISSORS
    chances[:3, 3:], chances[3:, :3] = 0.9, 0.1
    assert cycles(head_to_head(pool(chances))) == [(0, 2, 1)]


def test_transitive_pools_show_no_cycle_however_close():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        lineups = np.repeat(all_lineups(6, 2), 128, axis=0)
        ranks = play(rng, rng.normal(0, 0.5, 6), lineups, margin=0.0)
        table = table_of(6, lineups, ranks, np.tile(np.arange(128) % 64, 15))
        assert cycles(head_to_head(table)) == []


@each(
    ("p_values", "told"),
    [
        ([0.01, 0.02, 0.04], [0.03, 0.04, 0.04]),
        ([0.04, 0.01, 0.02], [0.04, 0.03, 0.04]),
        ([0.03, 0.04, 0.045], [0.09, 0.09, 0.09]),
        ([0.016, 0.024, 0.051], [0.048, 0.048, 0.051]),
        ([0.6, 0.5], [1.0, 1.0]),
        ([], []),
    ],
)
def test_a_p_value_allows_for_all_other_pairs_the_most_for_the_smallest(p_values, told):
    assert adjusted(np.array(p_values)) == pytest.approx(told)


def test_of_many_pairs_of_equals_hardly_any_seems_unequal():
    pairs = head_to_head(pool(np.full((12, 12), 0.5), games=64, seed=3))
    assert (pairs.p_value[pairs.met] > 0.05).all()
    assert (head_to_head(pool(transitive(4, 1.0))).p_value[np.triu_indices(4, 1)] < 1e-6).all()


def test_nash_of_rock_paper_scissors_is_even():
    assert nash(ROCK_PAPER_SCISSORS) == pytest.approx([1 / 3] * 3)


def test_copies_of_a_bot_share_its_weight():
    copied = ROCK_PAPER_SCISSORS[np.ix_([0, 0, 0, 1, 2], [0, 0, 0, 1, 2])]
    assert nash(copied) == pytest.approx([1 / 9] * 3 + [1 / 3] * 2, abs=1e-6)


def test_in_a_transitive_pool_the_best_bot_is_the_equilibrium():
    assert nash(transitive(6, 0.5)) == pytest.approx([0, 0, 0, 0, 0, 1])


def test_bots_that_lose_to_the_many_may_be_the_equilibrium():
    """Bots 0 to 69 beat bots 70 to 219; three more lose to the latter, beat the former, and each other in a circle."""
    score = np.full((223, 223), 0.5)
    for winners, losers in (
        (range(70), range(70, 220)),
        (range(70, 220), range(220, 223)),
        (range(220, 223), range(70)),
    ):
        score[np.ix_(winners, losers)], score[np.ix_(losers, winners)] = 0.9, 0.1
    score[220:, 220:] = ROCK_PAPER_SCISSORS
    weight = nash(score)
    assert (score - 0.5) @ weight == pytest.approx(np.zeros(223), abs=1e-7)
    assert weight[220:] == pytest.approx([1 / 9] * 3, abs=1e-5)


def test_no_bot_does_better_than_the_equilibrium():
    noise = np.random.default_rng(4).random((12, 12))
    payoff = (noise - noise.T) / 4
    weight = nash(0.5 + payoff)
    assert weight.sum() == pytest.approx(1)
    assert (payoff @ weight).max() < 1e-9
