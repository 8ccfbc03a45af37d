"""Rounds: all lineups of all contests advance together, whatever has been played before."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from league.plan.costs import Cost
from league.plan.coverage import Coverage
from league.plan.lineups import Combinations
from league.plan.rounds import held_up, progress, round_ends, rounds_of
from league.plan.schedule import Fixture
from league.values.block import Usage
from league.values.settings import Event
from tests.leagues import contest
from tests.plan.simulation import NAMES, Simulation, known, planned
from tests.tables import each


class TestEnds:
    @each(
        ("deals", "per_match", "ends"),
        [
            (1, 1, [1]),
            (2, 1, [2]),
            (10, 1, [2, 10]),
            (30, 1, [2, 8, 30]),
            (100, 1, [2, 8, 32, 64, 100]),
            (1000, 1, [2, 8, 32, 64, 128, 192, 288, 432, 648, 1000]),
            (8, 4, [8]),
            (80, 4, [8, 32, 80]),
        ],
    )
    def test_table(self, deals, per_match, ends):
        fixture = Fixture(Event(contest("raj", 2, per_match), deals=deals), (), Combinations(2, 2))
        assert round_ends(fixture) == ends

    @given(st.integers(1, 10**6))
    def test_the_first_standings_come_early_and_rounds_grow(self, deals):
        ends = round_ends(Fixture(Event(contest("raj", 2), deals=deals), (), Combinations(2, 2)))
        assert ends == sorted(set(ends))
        assert ends[-1] == deals
        assert ends[0] <= max(0.04 * deals, 2)
        assert all(after <= 6 * before for before, after in pairwise(ends))

    def test_rounds_are_numbered_from_1_and_a_shorter_contest_ends_with_its_deals(self):
        rounds = rounds_of(planned("{game: raj, deals: 100}, {game: braverats, deals: 10}", NAMES[:3]))
        assert [(part.number, *part.stops) for part in rounds] == [
            (1, 2, 2), (2, 8, 10), (3, 32, 10), (4, 64, 10), (5, 100, 10)
        ]  # fmt: skip


class TestProgress:
    def test_is_a_sentence(self):
        coverage = Coverage(planned())
        assert str(progress(coverage)) == "after round 0 of 5, 0 of 16,800 games, 2 contests not begun"
        Simulation(coverage, {}).play_round(rounds_of(coverage.plan)[0], lambda: False, waits_for_slow=True)
        assert str(progress(coverage)) == "after round 1 of 5, 624 of 16,800 games"


def test_games_are_open_because_of_a_slow_bot_if_it_misses_a_larger_part_than_the_others():
    plan = planned("{game: raj, deals: 4}")
    costs = known(plan)
    slow = plan.fixtures[0].entrants[3]
    costs.know("raj-2p", slow, Cost(1000, Usage(1, 200.0)))
    coverage = Coverage(plan)
    assert held_up(coverage, costs) == {}
    for rank in range(len(plan.fixtures[0].lineups)):
        if slow not in plan.lineup(0, rank):
            coverage.add(0, rank, 0, (0, 4))
    assert held_up(coverage, costs) == {slow.name: 11 * 2 * 4}
