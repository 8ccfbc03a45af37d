"""Budgets: rounds that fit, the last one shortened, and an end in time."""

from datetime import datetime
from math import inf

import pytest

from league.plan.budget import Budget, seconds_of
from league.plan.coverage import Coverage
from league.plan.pace import Pace
from league.plan.rounds import progress, rounds_of
from league.plan.sittings import Feed
from league.values.block import BlockResult, Usage
from league.values.settings import Stop
from tests.plan.test_rounds import planned
from tests.tables import each


def test_what_has_gone_by_belongs_to_a_budget_and_not_to_a_time_of_day():
    now = [100.0]
    budget = Budget(Stop(after=60), 1, reserve=10, used=20, clock=lambda: now[0])
    assert (budget.left, budget.left_in_all) == (30, 40)
    now[0] += 35
    assert (budget.left, budget.left_in_all) == (0, 5)
    now[0] += 35
    assert budget.left_in_all == 0
    at = Budget(Stop(at="06:00"), 1, used=86_400)
    assert 0 < at.left_in_all <= 86_400
    assert Budget(Stop(games=5), 1, used=20).left_in_all == inf


def test_little_time_goes_into_playing_first():
    assert Budget(Stop(after=8), 1, reserve=30, clock=lambda: 0.0).left == 6


@each("rounds", [1, 2, 9])
def test_rounds_are_counted(rounds):
    machine = Machine(Stop(rounds=rounds)).run()
    assert progress(machine.coverage).round == min(rounds, len(rounds_of(machine.coverage.plan)))


class Machine:
    """Plays blocks on a clock of its own: every game takes so long."""

    def __init__(self, stop, game_seconds=0.01, coverage=None, pace=None, slower=1.0):
        self.now = 0.0
        self.game_seconds = game_seconds
        self.slower = slower
        """How many times as long games take in a round that was shortened."""
        self.coverage = coverage or Coverage(planned())
        self.pace = pace or Pace()
        self.budget = Budget(stop, 1, reserve=5, clock=lambda: self.now)
        self.games = 0

    def run(self):
        feed = Feed(self.coverage, self.pace)
        rounds = self.budget.rounds(rounds_of(self.coverage.plan), self.coverage, self.pace)
        for block in self.blocks(feed.sittings(self.watched(rounds))):
            self.now += self.game_seconds * block.games
            players = len(block.series.lineup)
            usage = (Usage(1, self.game_seconds * block.games / players / 2),) * players
            result = BlockResult(block, b"", (), usage)
            feed.over(block, played=True)
            self.pace.learn(result)
            self.budget.played(result)
            self.games += block.games
        return self

    def watched(self, rounds):
        whole = {part.stops for part in rounds_of(self.coverage.plan)}
        for part in rounds:
            if part.stops not in whole:
                self.game_seconds *= self.slower
            yield part

    def blocks(self, sittings):
        for sitting in sittings:
            if self.budget.left == 0.0:
                return
            blocks = sitting.blocks if sitting else ()
            allowed = self.budget.allowed(blocks)
            yield from allowed
            if len(allowed) < len(blocks):
                return

    def deals(self, fixture=0):
        """How many deals each series of a contest has played."""
        of = self.coverage.plan.fixtures[fixture]
        return {
            of.event.deals
            - sum(stop - first for first, stop in self.coverage.missing(fixture, rank, rotation, (0, 100)))
            for rank in range(len(of.lineups))
            for rotation in range(of.contest.players)
        }


def test_without_a_budget_everything_is_played():
    assert progress(Machine(Stop()).run().coverage).finished


@pytest.mark.parametrize("seconds", [40, 75, 100, 140, 168])
def test_time_is_used_and_not_exceeded_and_all_lineups_end_at_the_same_deal(seconds):
    machine = Machine(Stop(after=seconds)).run()
    assert 0.7 * (seconds - 5) <= machine.now <= seconds - 5
    assert len(machine.deals()) == 1


@pytest.mark.parametrize("seconds", [40, 75, 100, 140])
def test_a_shortened_round_ends_in_time_if_its_games_take_a_little_longer(seconds):
    machine = Machine(Stop(after=seconds), slower=1.08).run()
    assert machine.now <= seconds - 5
    assert len(machine.deals()) == 1


def test_reports_get_the_time_they_need_and_at_most_a_quarter_of_it():
    def for_playing(seconds):
        return Budget(Stop(after=seconds), 1, reserve=5, clock=lambda: 0.0).left

    assert for_playing(100.0) == 95
    assert for_playing(20.0) == 15
    assert for_playing(4.0) == 3


def test_a_contest_of_strangers_is_expected_to_take_as_long_as_the_others():
    machine = Machine(Stop(after=100))
    fixtures = machine.coverage.plan.fixtures
    assert machine.budget.expected([10, 10], machine.coverage, machine.pace) is None
    for entrant in fixtures[0].entrants:
        machine.pace.know(fixtures[0].contest.key, entrant, 1, 0.5)
    of_one = machine.budget.expected([10, 0], machine.coverage, machine.pace)
    assert of_one.low == pytest.approx(10 * 0.5 * fixtures[0].contest.players)
    of_both = machine.budget.expected([10, 10], machine.coverage, machine.pace)
    assert of_both.low == pytest.approx(of_one.low + 10 * 0.5 * fixtures[1].contest.players)


@each("games", [1000, 5000, 12_345])
def test_games_are_not_exceeded_and_all_lineups_end_at_the_same_deal(games):
    machine = Machine(Stop(games=games)).run()
    assert 0.8 * games <= machine.games <= games
    assert len(machine.deals()) == 1


def test_where_not_even_the_first_round_fits_it_is_played_as_far_as_it_goes():
    machine = Machine(Stop(games=100)).run()
    assert 90 <= machine.games <= 100
    machine = Machine(Stop(after=10)).run()
    assert machine.games > 300


def test_a_round_of_which_nothing_fits_is_begun_only_if_much_of_the_budget_is_left():
    coverage, pace = Coverage(planned("{game: raj, deals: 2}", ["a", "b", "c"])), Pace()
    budget = Budget(Stop(games=20), 1)
    (whole,) = rounds_of(coverage.plan)
    budget._handed_out = 17  # 3 games are left, and one match of each series is 6
    assert [*budget.rounds([whole], coverage, pace)] == [whole]
    budget._handed_out = 18
    assert [*budget.rounds([whole], coverage, pace)] == []


def test_a_larger_budget_goes_on_where_a_smaller_one_ended():
    first = Machine(Stop(games=5000)).run()
    second = Machine(Stop(games=5000), coverage=first.coverage, pace=first.pace).run()
    assert first.games + second.games == sum(first.coverage.games(at) for at in range(2))
    third = Machine(Stop(), coverage=first.coverage, pace=first.pace).run()
    assert first.games + second.games + third.games == first.coverage.plan.games


@each(
    ("stop", "seconds"),
    [
        (Stop(), None),
        (Stop(after=90.0), 90),
        (Stop(at="06:00"), 7 * 3600),
        (Stop(at="23:30"), 1800),
        (Stop(at="23:00"), 24 * 3600),
        (Stop(after=90.0, at="23:30"), 90),
        (Stop(games=5), None),
    ],
)
def test_when_a_run_ends(stop, seconds):
    assert seconds_of(stop, datetime(2026, 5, 1, 23, 0)) == seconds
