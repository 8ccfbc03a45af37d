"""What games cost: the size of blocks, who is slow, how long it will take."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.plan.costs import BLOCK_GAMES, SITTING_SECONDS, Cost, Costs, TimeRange
from league.tools import system
from league.values.block import Block, BlockResult, Entrant, Series, Usage
from league.values.settings import Contest, Limits
from tests.plan.simulation import known, planned, result
from tests.tables import each

KEY = "raj-2p"
LINEUP = (Entrant("ann", "1"), Entrant("bob", "2"))
RAJ = "{game: raj, deals: 100}"


def series(games_per_match=1):
    return Series(Contest("raj", 2, {}, 1, games_per_match), LINEUP, 0, 0, Limits())


def sizes(costs, deals, one=None):
    return [block.games for block in costs.cut(one or series(), deals)]


def bots(*own, start=0.0):
    """Costs of so many bots, each with the seconds of its own that a game takes."""
    costs = Costs()
    for number, seconds in enumerate(own):
        costs.know(KEY, Entrant(f"bot{number}", ""), Cost(10, Usage(1, 10 * seconds, starting=start, starts=1.0)))
    return costs


def slow(costs):
    return [entrant.name for key, entrant, _ in costs if costs.is_slow(key, entrant)]


class TestBlocks:
    def test_strangers_begin_with_two_games(self):
        costs = Costs()
        assert sizes(costs, (0, 5)) == [2, 2, 1]
        costs.know(KEY, LINEUP[0], Cost(10, Usage(1, 1e-5)))
        assert sizes(costs, (0, 5)) == [2, 2, 1]

    def test_then_a_block_has_four_times_as_many_as_the_last_one(self):
        costs, seen = Costs(), []
        for _ in range(7):
            block = next(costs.cut(series(), (0, 10_000)))
            seen.append(block.games)
            costs.learn(result(block, 1e-5, 1e-5))
        assert seen == [2, 8, 32, 128, 512, BLOCK_GAMES, BLOCK_GAMES]

    @each(("seconds", "games"), [(1e-5, BLOCK_GAMES), (SITTING_SECONDS / 8, 4), (SITTING_SECONDS / 2.1, 1), (50.0, 1)])
    def test_they_take_a_sitting_at_most(self, seconds, games):
        costs = Costs()
        for entrant in LINEUP:
            costs.know(KEY, entrant, Cost(100, Usage(1, 90 * seconds, overhead=10 * seconds)))
        assert next(costs.cut(series(), (0, 10_000))).games == games

    @each(("asleep", "seen"), [(0.5, [2, 8, 32, 128]), (4.0, [2, 4, 8, 16]), (8.0, [2, 2, 2, 2]), (16.0, [2, 1, 1, 1])])
    def test_bots_that_sleep_no_longer_for_many_games_get_more_of_them(self, asleep, seen):
        costs, sizes = Costs(), []
        for _ in range(4):
            block = next(costs.cut(series(), (0, 10_000)))
            sizes.append(block.games)
            costs.learn(BlockResult(block, b"", (), (Usage(1, 0.001, asleep=asleep), Usage(1, 0.0))))
        assert sizes == seen

    def test_what_earlier_runs_saw_of_sleeping_bots_counts(self):
        costs = bots(0.0)
        costs.know(KEY, LINEUP[0], Cost(100, Usage(1, 0.0, asleep=50.0)))
        costs.know(KEY, LINEUP[1], Cost(100, Usage(1, 0.0)))
        assert next(costs.cut(series(), (0, 10_000))).games == 16  # 8 seconds

    @given(
        st.integers(1, 5),
        st.tuples(st.integers(0, 50), st.integers(0, 60)),
        st.one_of(st.none(), st.floats(0, 10)),
    )
    def test_every_deal_once_and_matches_stay_whole(self, games_per_match, deals, seconds):
        costs, one = Costs(), series(games_per_match)
        if seconds is not None:
            costs.learn(result(Block(one, 0, games_per_match), seconds, seconds))
        first, stop = deals[0] * games_per_match, sum(deals) * games_per_match
        cut = list(costs.cut(one, (first, stop)))
        assert [deal for block in cut for deal in range(block.first, block.stop)] == list(range(first, stop))
        assert all(block.first % games_per_match == 0 and block.games % games_per_match == 0 for block in cut)


class TestSlow:
    @each(
        ("own", "names"),
        [
            ((1.0, 1.0, 1.0, 10.0, 10.5), ["bot4"]),  # ten times the median
            ((1.0, 1.0, 11.0, 11.0), ["bot2", "bot3"]),  # also where every second one is slow
            ((0.001, 0.001, 0.05), []),  # but no one is whose games are quick
            ((0.001, 0.001, 0.051), ["bot2"]),
        ],
    )
    def test_by_games(self, own, names):
        assert slow(bots(*own)) == names

    @each(("start", "names"), [(0.5, []), (0.51, ["late"])])
    def test_by_starts(self, start, names):
        costs = bots(1e-3, 1e-3, 1e-3, start=0.01)
        costs.know(KEY, Entrant("late", ""), Cost(10, Usage(1, 0.01, starting=2 * start, starts=2.0)))
        assert slow(costs) == names

    @each(("fault", "names"), [("crash", ["ann"]), ("timeout", ["ann"]), ("illegal", []), (None, [])])
    def test_by_deaths(self, fault, names):
        costs = Costs()
        costs.learn(result(Block(series(), 0, 2), 1e-3, 1e-3, fault=fault, by="ann"))
        assert slow(costs) == names

    def test_work_of_the_referee_makes_nobody_slow(self):
        costs = bots(1e-3, 1e-3, 1e-3)
        costs.know(KEY, Entrant("played", ""), Cost(10, Usage(1, 0.01, overhead=5.0)))
        assert slow(costs) == []


def test_the_most_memory_and_the_mean_of_starts_that_were_seen_count():
    costs = Costs()
    for memory_mb, starting, starts in ((70, 0.2, 1.0), (60, 0.1, 1.0), (60, 0.0, 0.0), (60, 0.03, 0.25)):
        used = Usage(1, 0.1, starting=starting, memory_mb=memory_mb, starts=starts)
        costs.learn(BlockResult(Block(series(), 0, 2), b"", (), (used, Usage(1, 0.1))))
    assert costs.memory_mb(KEY, LINEUP[0]) == 50  # 20 MB are shared with the process that they were forked from
    assert costs.memory_mb(KEY, LINEUP[1]) == 1  # it was not measured
    assert costs.start_seconds(KEY, LINEUP) == pytest.approx(0.33 / 2.25)


@each(("start", "counts"), [(0.05, 0.0), (0.06, 0.06)])
def test_only_costly_starts_count_for_the_length_of_sittings(start, counts):
    costs = bots(0.001, start=start)
    assert costs.start_seconds(KEY, [Entrant("bot0", "")]) == pytest.approx(counts)


class TestExpected:
    @pytest.fixture(autouse=True)
    def quiet(self, monkeypatch):
        monkeypatch.setattr(system, "load", lambda: 0.0)
        monkeypatch.setattr(os, "cpu_count", lambda: 2)

    def test_it_is_the_work_of_all_workers(self):
        plan = planned(RAJ)
        expected = known(plan, 0.01, workers=2).expected(plan, [1000])
        assert expected.low == expected.likely == pytest.approx(1000 * 2 * 0.01 / 2)
        assert expected.high > expected.likely

    def test_a_busy_machine_takes_longer(self, monkeypatch):
        plan = planned(RAJ)
        costs = known(plan, 0.01, workers=2)
        alone = costs.expected(plan, [1000])
        monkeypatch.setattr(system, "load", lambda: 6.0)
        busy = costs.expected(plan, [1000])
        assert (busy.low, busy.likely) == (alone.low, pytest.approx(4 * alone.likely))

    def test_what_happened_before_says_how_long_work_takes_by_the_clock(self):
        plan = planned(RAJ)
        costs = known(plan, 0.01, workers=2)
        costs.took(1.0, 3.0)
        assert costs.expected(plan, [1000]).likely == pytest.approx(3 * 10)
        costs.took(10.0, 50.0)
        assert costs.expected(plan, [1000]).likely == pytest.approx(5 * 10, rel=0.05)

    def test_nothing_is_expected_of_strangers_alone(self):
        plan = planned()
        costs = Costs()
        assert costs.expected(plan, [10, 10]) is None
        assert costs.expected(plan, [0, 0]) == TimeRange(0, 0, 0)
        for entrant in plan.fixtures[0].entrants:
            costs.know(plan.fixtures[0].contest.key, entrant, Cost(1, Usage(1, 0.5)))
        one, both = (costs.expected(plan, games).low for games in ([10, 0], [10, 10]))
        assert both == pytest.approx(2 * one)

    def test_a_round_is_expected_without_slow_bots(self):
        plan = planned(RAJ)
        costs = known(plan, 0.01)
        costs.know(KEY, plan.fixtures[0].entrants[3], Cost(10, Usage(1, 100.0)))
        assert costs.expected(plan, [100], slow=False).low == pytest.approx(100 * 2 * 0.01)
        assert costs.expected(plan, [100]).low > 100

    @each(("starts", "seconds"), [(1000, 100 / 6 * 0.5), (1, 100 / 6 / 1000 * 0.5)])
    def test_processes_are_started_as_often_as_before_but_once_a_sitting_at_most(self, starts, seconds):
        plan = planned(RAJ)
        costs = Costs()
        for entrant in plan.fixtures[0].entrants:
            costs.know(KEY, entrant, Cost(1000, Usage(1, 3000.0, starting=0.5 * starts, starts=starts)))
        playing = 100 * 2 * 3.0
        assert costs.expected(plan, [100]).low - playing == pytest.approx(len(plan.fixtures[0].entrants) * seconds)

    def test_what_a_trial_has_seen_counts_for_strangers(self):
        plan = planned(RAJ)
        first, last, *_ = plan.fixtures[0].entrants
        costs, trial = known(plan, 0.01, without=(first,)), Costs()
        trial.know(KEY, first, Cost(10, Usage(1, 1.0)))
        trial.know(KEY, last, Cost(10, Usage(1, 900.0)))
        costs.learn_from(trial)
        assert [costs.of(KEY, bot).game for bot in (first, last)] == [0.1, 0.01]
        assert not list(costs.strangers(plan))


class TestSlowest:
    def test_bots_are_named_that_take_most_of_the_time(self):
        plan = planned(RAJ)
        costs = known(plan, 0.1)
        assert costs.slowest(plan, [1000]) == ""
        costs.know(KEY, plan.fixtures[0].entrants[1], Cost(10, Usage(1, 45.6)))
        assert costs.slowest(plan, [1000]) == "1 bot takes 81% of the time: bot01 (4.6 s a game)."
        late = Usage(1, 1.0, starting=130.0, starts=100.0)
        costs.know(KEY, plan.fixtures[0].entrants[2], Cost(10, late))
        both = "2 bots take 89% of the time: bot01 (4.6 s a game) and bot02 (1.3 s to start)."
        assert costs.slowest(plan, [1000]) == both

    @each(("games", "named"), [(30, False), (50, True)])
    def test_nobody_is_named_where_it_takes_little_time(self, games, named):
        plan = planned(RAJ)
        costs = known(plan, 0.001)
        costs.know(KEY, plan.fixtures[0].entrants[1], Cost(10, Usage(1, 7.5)))
        assert bool(costs.slowest(plan, [games])) is named


def test_estimates_are_shown_as_a_range():
    assert str(TimeRange(120, 200, 360)) == "2 to 6 min"
    assert str(TimeRange(40, 60, 120)) == "40 s to 2 min"
    assert str(TimeRange(120, 121, 122)) == "2 min"
