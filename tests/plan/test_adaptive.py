"""The rule that chooses lineups asks what is open, starves no bot, and is deterministic."""

from collections import Counter
from statistics import NormalDist

import numpy as np
import pytest

from league.plan import adaptive
from league.plan.adaptive import (
    FEWEST_FIRST,
    GROUP,
    Sight,
    _drawn,
    chance_of_places,
    expected_tau,
    first_round,
    information_of,
    next_round,
    open_questions,
    pair_weights,
    reached,
)
from league.tools.seeds import Seeds
from league.values.settings import Settle
from tests.tables import each

BETA = 25 / 6
GOALS = [Settle(places=5), Settle(places=1), Settle(order="all"), Settle(interval=0.5)]
SIZES = [2, 3, 4, 5, 6]


def seen(rating, worlds, games=10):
    return Sight(rating, worlds, 2 * 1.96 * worlds.std(axis=0), np.full(len(rating), games), BETA)


def sight(bots=30, spread=4.0, error=1.0, games=100, seed=1):
    rng = np.random.default_rng(seed)
    rating = 25 + spread * rng.normal(size=bots)
    return seen(rating, rating + error * rng.normal(size=(400, bots)), games)


def connected(lineups, bots):
    groups = [{bot} for bot in range(bots)]
    for lineup in lineups:
        touched = [group for group in groups if group & set(lineup)]
        groups = [group for group in groups if group not in touched] + [set().union(*touched)]
    return len(groups) == 1


def names(bots):
    return [f"bot{number:04}" for number in range(bots)]


class TestFirstRound:
    @each("players", SIZES)
    @each("bots", [6, 7, 40, 200])
    def test_it_connects_all_bots_and_every_bot_plays_about_as_often(self, bots, players):
        lineups = first_round(names(bots), players, Seeds(1))
        assert all(len(set(lineup)) == players and list(lineup) == sorted(lineup) for lineup in lineups)
        assert len(set(lineups)) == len(lineups)
        assert connected(lineups, bots)
        seats = Counter(bot for lineup in lineups for bot in lineup)
        assert len(seats) == bots
        assert max(seats.values()) <= 2.5 * min(seats.values())

    def test_another_bot_changes_little_of_it(self):
        before = {tuple(names(40)[bot] for bot in lineup) for lineup in first_round(names(40), 2, Seeds(1))}
        more = names(41)
        after = {tuple(more[bot] for bot in lineup) for lineup in first_round(more, 2, Seeds(1))}
        assert all(more[40] in lineup for lineup in after - before)

    def test_it_follows_from_the_seed(self):
        assert first_round(names(40), 3, Seeds(1)) == first_round(names(40), 3, Seeds(1))
        assert first_round(names(40), 3, Seeds(1)) != first_round(names(40), 3, Seeds(2))


class TestNextRound:
    @each("players", SIZES)
    @each("goal", GOALS)
    def test_lineups_of_every_size(self, goal, players):
        drawn = next_round(sight(), goal, players, 50, np.random.default_rng(1))
        assert drawn.total() == 50
        assert all(len(set(lineup)) == players and list(lineup) == sorted(lineup) for lineup in drawn)

    @each("players", SIZES)
    @each("goal", GOALS)
    def test_a_field_of_a_single_lineup(self, goal, players):
        drawn = next_round(sight(bots=players), goal, players, 10, np.random.default_rng(1))
        assert drawn == {tuple(range(players)): 10}

    @each("goal", GOALS)
    def test_bots_that_are_worlds_apart_have_lineups_too(self, goal):
        rating = np.array([0.0, 1000.0, 5000.0, 90000.0])
        apart = seen(rating, rating + np.zeros((100, 4)))
        assert next_round(apart, goal, 3, 10, np.random.default_rng(1)).total() == 10

    @each(("size", "most"), [(2 * GROUP * 5, 2), (100 * GROUP * 5, 5)])
    def test_a_large_field_plays_in_no_more_groups_than_have_room_for_all(self, monkeypatch, size, most):
        groups = []

        def drawn(weights, players, count, rng):
            groups.append((len(weights), count))
            return _drawn(weights, players, count, rng)

        monkeypatch.setattr(adaptive, "_drawn", drawn)
        next_round(sight(bots=5 * GROUP), Settle(order="all"), 2, size, np.random.default_rng(1))
        assert sum(count for _, count in groups) == round((1 - FEWEST_FIRST) * size)
        assert len(groups) == most
        assert max(bots for bots, _ in groups) == GROUP

    @each("goal", GOALS)
    def test_the_same_numbers_give_the_same_lineups_in_the_same_order(self, goal):
        drawn = [list(next_round(sight(), goal, 4, 50, np.random.default_rng(7)).items()) for _ in range(2)]
        assert drawn[0] == drawn[1]
        assert drawn[0] != list(next_round(sight(), goal, 4, 50, np.random.default_rng(8)).items())

    @each("goal", GOALS)
    @each("players", [2, 4])
    def test_no_bot_starves(self, goal, players):
        """After many rounds, the bot with the fewest games has about what a tenth of them gives it."""
        state = sight(bots=40)
        rng = np.random.default_rng(1)
        games = np.zeros(40, dtype=np.int64)
        waiting = np.zeros(40, dtype=np.int64)
        longest = 0
        for _ in range(60):
            drawn = next_round(state._replace(games=games), goal, players, 60, rng)
            played = np.zeros(40, dtype=np.int64)
            for lineup, times in drawn.items():
                played[list(lineup)] += times
            games += played
            waiting = np.where(played > 0, 0, waiting + 1)
            longest = max(longest, waiting.max())
        share = FEWEST_FIRST * 60 * players / 40
        assert games.min() >= 0.8 * share * 60
        assert longest <= 2 * 40 / (FEWEST_FIRST * 60 * players) + 2

    def test_bots_at_the_line_play_most_of_the_places(self):
        state = sight(bots=40, error=0.5)
        best_first = np.argsort(-state.rating)
        games = np.zeros(40)
        for lineup, times in next_round(state, Settle(places=5), 2, 400, np.random.default_rng(1)).items():
            games[list(lineup)] += times
        assert games[best_first[:8]].sum() > 0.7 * games.sum()
        assert games[best_first[20:]].sum() < 0.15 * games.sum()

    def test_bots_play_neighbours_where_the_order_is_asked_for(self):
        state = sight(bots=40)
        place = np.argsort(np.argsort(-state.rating))
        drawn = next_round(state, Settle(order="all"), 2, 400, np.random.default_rng(1))
        apart = [abs(place[a] - place[b]) for (a, b), times in drawn.items() for _ in range(times)]
        assert np.median(apart) <= 6

    def test_wide_intervals_play_most_where_narrow_ones_are_asked_for(self):
        state = sight(bots=20, error=0.01)
        state.widths[:3] = 4.0
        games = np.zeros(20)
        for lineup, times in next_round(state, Settle(interval=0.5), 2, 200, np.random.default_rng(1)).items():
            games[list(lineup)] += times
        assert games[:3].sum() > 0.4 * games.sum()


class TestWeights:
    def test_games_of_equals_tell_most(self):
        told = information_of(np.array([25.0, 25.0, 29.0, 60.0]), BETA)
        assert told[0, 1] == pytest.approx(1.0)
        assert 1 > told[0, 2] > told[0, 3] > 0
        assert (told == told.T).all()

    @pytest.mark.parametrize("lead", [0.5, 4.0, 9.0])
    def test_information_is_that_of_fisher(self, lead):
        normal = NormalDist(sigma=np.sqrt(2) * BETA)

        def information(difference):
            chance = normal.cdf(difference)
            return normal.pdf(difference) ** 2 / (chance * (1 - chance))

        told = information_of(np.array([25.0, 25.0 + lead]), BETA)
        assert told[0, 1] == pytest.approx(information(lead) / information(0.0))

    def test_a_bot_whose_side_of_the_line_is_known_is_hardly_wanted(self):
        rng = np.random.default_rng(1)
        rating = np.array([40.0, 30.0, 29.9, 10.0])
        samples = rating + rng.normal(size=(500, 4))
        weights = pair_weights(seen(rating, samples), Settle(places=2))
        assert weights[1, 2] == weights.max()
        assert weights[0, 3] < 1e-3 * weights[1, 2]
        assert (np.diag(weights) == 0).all()

    def test_differences_within_the_tolerance_are_not_open(self):
        samples = 25 + 0.01 * np.random.default_rng(1).normal(size=(500, 3))
        rating = np.full(3, 25.0)
        assert max(one.max() for one in open_questions(Settle(places=1), seen(rating, samples))) == 0
        assert max(one.max() for one in open_questions(Settle(places=1, within=0.001), seen(rating, samples))) > 0.01


class TestReached:
    def test_places_are_right_within_the_tolerance(self):
        rating = np.array([30.0, 28.0, 20.0])
        samples = np.array([[30.0, 28, 20], [28, 28.2, 20], [27, 30, 20], [30, 20, 28]])
        assert chance_of_places(1, 0.3, seen(rating, samples)) == pytest.approx(3 / 4)
        assert chance_of_places(2, 0.3, seen(rating, samples)) == pytest.approx(2 / 4)
        assert chance_of_places(2, 5.0, seen(rating, samples)) == pytest.approx(3 / 4)
        assert chance_of_places(9, 0.3, seen(rating, samples)) == pytest.approx(2 / 4)

    def test_tau(self):
        rating = np.array([30.0, 20.0, 10.0])
        rng = np.random.default_rng(1)
        assert expected_tau(seen(rating, rating + 0.01 * rng.normal(size=(500, 3)))) == pytest.approx(1.0)
        assert expected_tau(seen(rating, rating + 1000 * rng.normal(size=(500, 3)))) == pytest.approx(0.0, abs=0.05)

    @each("goal", GOALS)
    def test_what_is_known_is_settled_and_what_is_not_is_not(self, goal):
        rating = np.arange(10.0) * 5
        rng = np.random.default_rng(1)
        assert reached(goal, seen(rating, rating + 0.01 * rng.normal(size=(500, 10))))
        assert not reached(goal, seen(rating, rating + 10 * rng.normal(size=(500, 10))))


class TestQuestionsOfAGoal:
    def test_count_equally_however_many_pairs_are_open(self):
        assert pair_weights(sight(), Settle(places=5)).sum() == pytest.approx(2)

    def test_that_are_nearly_settled_hardly_count(self):
        """Who is first is open; who is third is not, nor who is fourth."""
        rating = np.array([40.0, 39.9, 30.0, 20.0, 19.9])
        samples = rating + 0.5 * np.random.default_rng(1).normal(size=(400, 5))
        weights = pair_weights(seen(rating, samples), Settle(places=3))
        assert weights[0, 1] + weights[1, 0] > 0.99 * weights.sum()
