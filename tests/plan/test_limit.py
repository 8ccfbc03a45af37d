"""Limits: rounds that fit, the last one shortened, and an end in time."""

from datetime import datetime
from math import inf

import pytest

from league.plan.costs import Cost, Costs
from league.plan.coverage import Coverage
from league.plan.limit import Limit, seconds_of
from league.plan.rounds import progress, rounds_of
from league.values.block import Usage
from league.values.settings import Stop
from tests.plan.simulation import Kind, Simulation, planned
from tests.tables import each

GAME = 0.005
"""Seconds that each bot takes for a game."""


def machine(stop, coverage=None, costs=None, slower=1.0):
    """One worker that plays as far as the limit goes. Rounds that were shortened may take a little longer."""
    coverage = coverage or Coverage(planned())
    whole = {part.stops for part in rounds_of(coverage.plan)}

    class Machine(Simulation):
        def play_round(self, part, until, *, waits_for_slow):
            self.slower = 1.0 if part.stops in whole else slower
            super().play_round(part, until, waits_for_slow=waits_for_slow)

        def kind(self, name):
            return Kind(game=GAME * self.slower, start=0.0)

    return Machine(coverage, {}, workers=1, stop=stop, costs=costs).play(with_slow=False)


def deals(machine, number=0):
    """How many deals each series of a contest has played."""
    fixture, coverage = machine.coverage.plan.fixtures[number], machine.coverage
    return {
        fixture.event.deals - sum(stop - first for first, stop in coverage.missing(number, rank, rotation, (0, 100)))
        for rank in range(len(fixture.lineups))
        for rotation in range(fixture.contest.players)
    }


def games(machine):
    return sum(block.games for block in machine.played)


def test_without_a_limit_everything_is_played():
    assert progress(machine(Stop()).coverage).finished


@each("seconds", [40, 75, 100, 140, 168])
def test_time_is_used_and_not_exceeded_and_all_lineups_end_at_the_same_deal(seconds):
    played = machine(Stop(after=seconds))
    assert 0.7 * (seconds - 5) <= played.now <= seconds - 5
    assert len(deals(played)) == 1


@each("seconds", [40, 75, 100, 140])
def test_a_shortened_round_ends_in_time_if_its_games_take_a_little_longer(seconds):
    played = machine(Stop(after=seconds), slower=1.08)
    assert played.now <= seconds - 5
    assert len(deals(played)) == 1


@each("most", [1000, 5000, 12_345])
def test_games_are_not_exceeded_and_all_lineups_end_at_the_same_deal(most):
    played = machine(Stop(games=most))
    assert 0.8 * most <= games(played) <= most
    assert len(deals(played)) == 1


@each("rounds", [1, 2, 9])
def test_rounds_are_counted(rounds):
    coverage = machine(Stop(rounds=rounds)).coverage
    assert progress(coverage).round == min(rounds, len(rounds_of(coverage.plan)))


def test_where_not_even_the_first_round_fits_it_is_played_as_far_as_it_goes():
    assert 90 <= games(machine(Stop(games=100))) <= 100
    assert games(machine(Stop(after=10))) > 300


@each(("played", "goes_on"), [(17, True), (18, False)])  # of 20 games; one match of each series is 6
def test_a_round_of_which_nothing_fits_is_begun_only_if_much_of_the_limit_is_left(played, goes_on):
    coverage, limit = Coverage(planned("{game: raj, deals: 2}", ["a", "b", "c"])), Limit(Stop(games=20))
    (whole,) = rounds_of(coverage.plan)
    limit.games_left -= played
    assert limit.part_of(whole, coverage, Costs()) is (whole if goes_on else None)


@each(("seconds", "stop"), [(64.1, 8), (63.9, 6), (48.1, 6), (47.9, 4), (16.1, 2), (15.9, 1)])
def test_a_round_is_shortened_to_what_takes_nine_tenths_of_the_time(seconds, stop):
    """An even number of matches, so that seats are mirrored, or at last one."""
    coverage, costs = Coverage(planned("{game: raj, deals: 8}", ["a", "b", "c"])), Costs()
    for entrant in coverage.plan.fixtures[0].entrants:
        costs.know("raj-2p", entrant, Cost(10, Usage(1, 6.0)))
    costs.took(1.0, 1.0)
    limit = Limit(Stop(after=seconds), clock=lambda: 0.0)
    assert limit.part_of(rounds_of(coverage.plan)[-1], coverage, costs).stops == (stop,)


def test_a_larger_limit_goes_on_where_a_smaller_one_ended():
    first = machine(Stop(games=5000))
    second = machine(Stop(games=5000), first.coverage, first.costs)
    assert games(first) + games(second) == first.coverage.games_played
    third = machine(Stop(), first.coverage, first.costs)
    assert games(first) + games(second) + games(third) == first.coverage.plan.games


def test_what_has_gone_by_belongs_to_a_span_of_time_and_not_to_a_time_of_day():
    now = [100.0]
    limit = Limit(Stop(after=60), reserve=10, used=20, clock=lambda: now[0])
    assert (limit.left, limit.left_in_all, limit.is_used_up) == (30, 40, False)
    now[0] += 35
    assert (limit.left, limit.left_in_all, limit.is_used_up) == (0, 5, True)
    now[0] += 35
    assert limit.left_in_all == 0
    assert 0 < Limit(Stop(at="06:00"), used=86_400).left_in_all <= 86_400
    assert Limit(Stop(games=5), used=20).left_in_all == inf


@each(("seconds", "left"), [(100.0, 95), (20.0, 15), (8.0, 6), (4.0, 3)])
def test_what_comes_after_playing_gets_the_time_it_needs_and_at_most_a_quarter_of_it(seconds, left):
    assert Limit(Stop(after=seconds), reserve=5, clock=lambda: 0.0).left == pytest.approx(left)


@each(
    ("stop", "seconds"),
    [
        (Stop(), inf),
        (Stop(after=90.0), 90),
        (Stop(at="06:00"), 7 * 3600),
        (Stop(at="23:30"), 1800),
        (Stop(at="23:00"), 24 * 3600),
        (Stop(after=90.0, at="23:30"), 90),
        (Stop(games=5), inf),
    ],
)
def test_when_a_run_ends(stop, seconds):
    assert seconds_of(stop, datetime(2026, 5, 1, 23, 0)) == seconds
