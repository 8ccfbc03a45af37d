"""How long games will take: ranges with starts, waiting and load, and the bots that take most of it."""

import os

import pytest

from league.api.run import seconds_by_the_clock
from league.plan.coverage import Coverage
from league.plan.draft import host_keys
from league.plan.estimate import SlowBot, TimeRange, Work, estimated, slow_bots
from league.plan.pace import Pace
from league.plan.rounds import rounds_of
from league.plan.sittings import Feed
from league.results.database import Run
from league.tools import system
from league.values.block import Usage
from tests.plan.test_rounds import known, planned

RAJ = "{game: raj, deals: 100}"


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    monkeypatch.setattr(system, "load", lambda: 0.0)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)


def test_without_starts_it_is_the_work_of_all_workers():
    plan = planned(RAJ)
    expected = estimated(Work(plan, [1000], known(plan, 0.01)), workers=2)
    assert expected.low == expected.likely == pytest.approx(1000 * 2 * 0.01 / 2)
    assert expected.high > expected.likely


def test_a_busy_machine_takes_longer(monkeypatch):
    plan = planned(RAJ)
    work = Work(plan, [1000], known(plan, 0.01))
    alone = estimated(work, 2)
    monkeypatch.setattr(system, "load", lambda: 6.0)
    busy = estimated(work, 2)
    assert busy.low == alone.low
    assert busy.likely == pytest.approx(4 * alone.likely)


def test_what_happened_before_says_how_long_work_takes_by_the_clock():
    plan = planned(RAJ)
    pace = known(plan, 0.01)
    runs = [Run(0.0, 3 * pace.spent, 10, 2), Run(5.0, None, 10, 2)]
    wall = seconds_by_the_clock(runs, pace, 2)
    assert wall == pytest.approx(3)
    work = Work(plan, [1000], pace)
    assert estimated(work, 2, wall=wall).likely == pytest.approx(3 * work.seconds)
    assert estimated(work, 2, rate=5.0, wall=wall).likely == pytest.approx(5 * work.seconds)
    assert seconds_by_the_clock(runs[1:], pace, 2) is None
    assert seconds_by_the_clock(runs, Pace(), 2) is None


@pytest.mark.parametrize("number", [0, 2])
@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize("starting", [0.05, 0.12])
def test_starts_are_counted_about_as_often_as_a_feed_starts_bots(number, slow, starting):
    names = [f"bot{at:02}" for at in range(24)]
    plan = planned(RAJ, names)
    pace = known(plan)
    key = plan.fixtures[0].contest.key
    if slow:
        for entrant in plan.fixtures[0].entrants[:2]:
            pace.know(key, entrant, 1000, 1000.0)
    coverage = Coverage(plan)
    part = rounds_of(plan)[number]
    missing = part.missing(coverage)
    for entrant in plan.fixtures[0].entrants:
        pace.know_process(entrant, Usage(1, 0.0, starting=starting))
    work = Work(plan, missing, pace)
    hosts = 0
    feed = Feed(coverage, pace, 2)
    for sitting in feed.sittings([part]):
        if sitting is None:
            continue
        hosts += len({host for block in sitting.blocks for host in host_keys(block.series)})
        for block in sitting.blocks:
            feed.over(block, played=True)
    assert work.starts / starting == pytest.approx(hosts, rel=0.6)


def test_slow_bots_are_named_if_they_take_most_of_the_time():
    plan = planned()
    pace = known(plan, 1.0)
    slow = plan.fixtures[0].entrants[1]
    for fixture in plan.fixtures:
        pace.know(fixture.contest.key, slow, 1000, 1e6)
    (found,) = Work(plan, [100] * len(plan.fixtures), pace).slowest()
    assert (found.name, found.starts_mostly) == (slow.name, False)
    assert found.share > 0.9
    assert Work(plan, [100] * len(plan.fixtures), known(plan)).slowest() == []


def test_bots_that_are_slow_to_start_are_named_with_their_starts():
    plan = planned(RAJ, [f"bot{at}" for at in range(8)])
    pace = known(plan)
    late = plan.fixtures[0].entrants[3]
    for entrant in plan.fixtures[0].entrants:
        pace.know_process(entrant, Usage(1, 0.0, starting=1.3 if entrant == late else 0.01))
    (found,) = Work(plan, [200], pace).slowest()
    assert str(found) == "bot3 (1.3 s to start)"
    assert slow_bots([found]) == f"1 bot takes {found.share:.0%} of the time: bot3 (1.3 s to start)."


def test_several_slow_bots_are_named_in_one_sentence():
    bots = [SlowBot("ann", 0.4, 1.3, 0.1, True), SlowBot("bob", 0.31, 0.1, 4.56, False)]
    assert slow_bots(bots) == "2 bots take 71% of the time: ann (1.3 s to start) and bob (4.6 s a game)."


def test_estimates_are_shown_as_a_range():
    assert str(TimeRange(120, 200, 360)) == "2 to 6 min"
    assert str(TimeRange(40, 60, 120)) == "40 s to 2 min"
    assert str(TimeRange(120, 121, 122)) == "2 min"
    assert str(TimeRange(1, 2, 3).plus(TimeRange(10, 20, 30))) == "11 to 33 s"
