"""What the page shows beside the tables: earlier runs, and the state of milestones."""

import pytest

from league.page import panels
from league.results.history import HistoryEntry
from league.results.lines import Line

INDEX = {"ann": 0, "bob": 1}


def stood(place, bot, rating, games):
    return Line(place=place, bot=bot, rating=rating, sigma=1.0, low=rating - 1, high=rating + 1, games=games)


@pytest.fixture
def three_runs(monkeypatch):
    """Runs that ended after 10, 20 and 30 games, at the seconds 1, 2 and 3. Ann is edited each time, bob never."""
    entries = [
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
    monkeypatch.setattr(panels, "read_history", lambda store: entries)
    return entries


def test_finished_standings_are_compared_with_the_run_before(three_runs):
    earlier = panels.earlier_runs(None, INDEX, games=30)
    assert len(earlier.runs) == 3
    assert earlier.before == earlier.runs[1]
    assert earlier.changes == ("Edited since the run before: ann.",)


def test_earlier_ratings_are_anchored_to_bots_that_did_not_change(three_runs):
    """Bob seems to lose because ann improves: on one scale he stays where he is, and ann improves twice as much."""
    earlier = panels.earlier_runs(None, INDEX, games=30)
    ann, bob = zip(*(run.boards["overall"] for run in earlier.runs), strict=True)
    assert [row.rating for row in bob] == [22, 22, 22]
    assert [row.rating for row in ann] == [24, 26, 28]
    assert [(row.low, row.high) for row in ann] == [(23, 25), (25, 27), (27, 29)]
    assert [run.anchors for run in earlier.runs] == [{"overall": 1}, {"overall": 1}, {"overall": 2}]


def test_earlier_ratings_stay_as_they_are_without_an_anchor(three_runs):
    now = panels.Now({"ann": "4", "bob": "2"}, {"overall": {"ann": 30.0, "bob": 20.0}})
    earlier = panels.earlier_runs(None, INDEX, games=40, now=now)
    assert [run.boards["overall"][0].rating for run in earlier.runs] == [26, 27, 28]
    assert earlier.runs[0].anchors == {"overall": 0}


def test_standings_of_a_run_under_way_are_compared_with_the_last_one(three_runs):
    earlier = panels.earlier_runs(None, INDEX, games=35)
    assert earlier.before.boards["overall"][0].rating == 28
    assert earlier.changes == ()


def test_after_the_first_run_there_is_nothing_before(three_runs):
    del three_runs[1:]
    earlier = panels.earlier_runs(None, INDEX, games=10)
    assert (earlier.runs, earlier.before, earlier.changes) == ((), None, ())
