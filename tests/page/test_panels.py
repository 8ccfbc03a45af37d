"""What the page shows beside the tables: earlier runs."""

import pytest

from league.page import panels
from league.results.history import HistoryEntry, Standing


@pytest.fixture
def three_runs(monkeypatch):
    """Runs that ended after 10, 20 and 30 games, at the seconds 1, 2 and 3."""
    entries = [
        HistoryEntry(
            ended=float(number),
            config="x",
            versions={"ann": "1"},
            boards={"overall": {"ann": Standing("1", 25.0 + number, 1.0, 24.0, 26.0, 10 * number)}},
            games=10 * number,
        )
        for number in (1, 2, 3)
    ]
    monkeypatch.setattr(panels, "read_history", lambda store: entries)
    return entries


def test_finished_standings_are_compared_with_the_run_before(three_runs):
    earlier = panels.earlier_runs(None, {"ann": 0}, games=30)
    assert [run.boards["overall"][0].rating for run in earlier.runs] == [26, 27, 28]
    assert earlier.before.boards["overall"][0].rating == 27


def test_standings_of_a_run_under_way_are_compared_with_the_last_one(three_runs):
    earlier = panels.earlier_runs(None, {"ann": 0}, games=35)
    assert earlier.before.boards["overall"][0].rating == 28
    assert earlier.changes == ()


def test_after_the_first_run_there_is_nothing_before(three_runs):
    del three_runs[1:]
    earlier = panels.earlier_runs(None, {"ann": 0}, games=10)
    assert (earlier.runs, earlier.before, earlier.changes) == ((), None, ())
