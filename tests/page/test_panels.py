"""What the page shows beside the tables: earlier runs, and the state of milestones."""

import pytest
from msgspec.structs import replace

from league.page import build
from league.results.history import HistoryEntry
from league.results.lines import Line


def stood(place, bot, rating, games):
    return Line(place=place, bot=bot, rating=rating, sigma=1.0, low=rating - 1, high=rating + 1, games=games)


@pytest.fixture
def three_runs():
    """Runs that ended after 10, 20 and 30 games, at the seconds 1, 2 and 3. Ann is edited each time, bob never."""
    return [
        HistoryEntry(
            ended=float(number),
            config="x",
            versions={"ann": str(number), "bob": "1"},
            boards={
                "overall": {
                    "ann": stood("1", "ann", 25.0 + number, 10 * number),
                    "bob": stood("2", "bob", 25.0 - number, 10 * number),
                }
            },
            games=10 * number,
        )
        for number in (1, 2, 3)
    ]


def test_finished_standings_are_compared_with_the_run_before(three_runs):
    runs, before, changes = build.earlier_runs(three_runs, three_runs[-1])
    assert len(runs) == 3
    assert before == runs[1][0]
    assert changes == ["Edited since the run before: ann."]


def test_earlier_ratings_are_anchored_to_bots_that_did_not_change(three_runs):
    """Bob seems to lose because ann improves: on one scale he stays where he is, and ann improves twice as much."""
    runs, *_ = build.earlier_runs(three_runs, three_runs[-1])
    ann, bob = ([run.boards["overall"][bot] for run, _ in runs] for bot in ("ann", "bob"))
    assert [row.rating for row in bob] == [22, 22, 22]
    assert [row.rating for row in ann] == [24, 26, 28]
    assert [(row.low, row.high) for row in ann] == [(23, 25), (25, 27), (27, 29)]
    assert [anchors for _, anchors in runs] == [{"overall": 1}, {"overall": 1}, {"overall": 2}]


def test_earlier_ratings_stay_as_they_are_without_an_anchor(three_runs):
    now = replace(three_runs[-1], versions={"ann": "4", "bob": "2"}, games=40)
    runs, *_ = build.earlier_runs(three_runs, now)
    assert [run.boards["overall"]["ann"].rating for run, _ in runs] == [26, 27, 28]
    assert runs[0][1] == {"overall": 0}


def test_standings_of_a_run_under_way_are_compared_with_the_last_one(three_runs):
    _, before, changes = build.earlier_runs(three_runs, replace(three_runs[-1], games=35))
    assert before.boards["overall"]["ann"].rating == 28
    assert changes == []


def test_after_the_first_run_there_is_nothing_before(three_runs):
    del three_runs[1:]
    assert build.earlier_runs(three_runs, three_runs[-1]) == ([], None, [])
