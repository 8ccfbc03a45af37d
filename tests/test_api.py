"""A league played, audited and rated from Python, without the command line."""

import multiprocessing
import os
from contextlib import nullcontext

import msgspec
import pytest

from league.api import run as api
from league.page.data import PAGE
from league.page.live import _is_up_to_date
from league.page.reports import ending_seconds
from league.page.samples import PATIENCE
from league.play.run import LeagueRun
from league.results.columns import FILE
from league.results.lock import is_being_played
from league.results.store import Store
from league.setup.config import parse
from league.values.settings import Event, Stop
from tests.leagues import DICE, FIRST, LAST

CONFIG = """\
league: small
bots: bots
games: [{game: raj, deals: 6}, {game: braverats, deals: 2}]
isolation: trusted
seed: 1
"""
BOTS = {"ann": FIRST, "bob": LAST, "cid": DICE}


class Notes:
    """Writes down what a spectator hears."""

    def __init__(self):
        self.heard = []

    def planned(self, preview):
        self.heard.append(f"planned {preview.games}")

    def played(self, result):
        self.heard.append("played")

    def watched(self, standings):
        self.heard.append(f"watched {len(standings.overall)}")

    def ended(self, summary):
        self.heard.append(f"ended {summary.games}")


@pytest.fixture
def league(tmp_path):
    (tmp_path / "bots").mkdir()
    for name, source in BOTS.items():
        (tmp_path / f"bots/{name}.py").write_text(source)
    return LeagueRun(parse(CONFIG, tmp_path), tmp_path / "results")


def test_a_run_gives_its_standings_and_writes_them(league):
    played = api.run(league, workers=1)
    assert played.summary.games == 3 * 2 * (6 + 2)
    assert sorted(line.bot for line in played.standings.overall) == sorted(BOTS)
    assert not played.findings
    assert [path.name for path in played.files] == [
        *(PAGE, "standings.csv", "standings-raj-2p.csv", "standings-braverats-2p.csv", "head_to_head.csv"),
        "notices.txt",
    ]
    assert played.files[1].read_text().startswith(",".join(FILE) + "\n")
    assert api.read_standings(league.folder).overall == played.standings.overall


def test_a_run_opens_its_results_once_and_reads_each_block_once(league, monkeypatch):
    opened, read = [], []
    create, results = Store.create.__func__, Store.results

    def counting_create(cls, folder):
        opened.append(folder)
        return create(cls, folder)

    def counting_results(store, *series):
        read.append(series)
        return results(store, *series)

    monkeypatch.setattr(Store, "create", classmethod(counting_create))
    monkeypatch.setattr(Store, "open", lambda folder: pytest.fail("the store is open already"))
    monkeypatch.setattr(Store, "results", counting_results)
    api.run(league, workers=1)
    assert len(opened) == 1
    assert read.count(()) == 1


def test_the_page_is_not_older_than_the_results_when_the_store_is_closed(league):
    api.run(league, workers=1)
    assert not is_being_played(league.folder)
    assert _is_up_to_date(league.folder)


def test_a_spectator_hears_all_in_order(league):
    notes = Notes()
    api.run(league, workers=1, spectator=notes)
    assert notes.heard == ["planned 48", *["played"] * (len(notes.heard) - 2), "ended 48"]
    assert len(notes.heard) > 12


def slow_down(league):
    """Give all bots a rest at each move, so that a run takes a second or two."""
    for name, source in BOTS.items():
        league.config.base.joinpath(f"bots/{name}.py").write_text(
            source.replace("return", "import time; time.sleep(0.001)\n        return")
        )
    config = msgspec.structs.replace(league.config, events=(Event(league.config.contests()[0], deals=40),))
    return LeagueRun(config, league.folder.parent)


def test_a_spectator_may_watch_the_standings(league):
    notes = Notes()
    api.run(slow_down(league), workers=1, spectator=notes, watch_seconds=0.01)
    assert "watched 3" in notes.heard[2:-1]


def test_reports_are_renewed_while_it_is_played(league, monkeypatch):
    """By a process of its own, which leaves nothing behind."""
    monkeypatch.setattr(api, "PAGE_SECONDS", 0.01)
    live = []

    class Looking(Notes):
        def ended(self, summary):
            live.append("data-live" in (league.folder / PAGE).read_text()[:200])

    api.run(slow_down(league), workers=1, spectator=Looking())
    assert live == [True]
    assert "data-live" not in (league.folder / PAGE).read_text()[:200]
    assert multiprocessing.active_children() == []
    assert not list(league.folder.glob(".*"))


def test_what_was_played_is_rated_when_it_is_stopped(league):
    played = api.run(league, workers=1, stopping=nullcontext(lambda: True))
    assert played.summary.interrupted
    assert played.summary.games < 48
    assert played.standings is not None
    assert (league.folder / "standings.csv").exists()


def test_a_second_interrupt_goes_without_standings(league, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(api, "write_reports", interrupted)
    played = api.run(league, workers=1, stopping=nullcontext(lambda: True))
    assert (played.standings, played.files) == (None, ())
    with pytest.raises(KeyboardInterrupt):
        api.run(league, workers=1)


def test_bots_that_are_not_deterministic_are_found_and_remembered(league, tmp_path):
    erratic = "import os\n" + FIRST.replace("[0]", "[os.urandom(1)[0] % len(view.legal)]")
    for name in BOTS:
        (tmp_path / f"bots/{name}.py").write_text(erratic)
    again = LeagueRun(league.config, tmp_path / "results")
    found = api.run(again, workers=1).findings
    assert found
    assert {one.bot for one in found} <= set(BOTS)
    with Store.open(league.folder) as store:
        assert set(store.erratic()) == {one.bot for one in found}


class TestBudget:
    def test_a_run_ends_at_a_whole_round_and_says_so_everywhere(self, league):
        played = api.run(league, workers=1, stop=Stop(games=30))
        summary = played.summary
        assert summary.out_of_budget
        assert not summary.interrupted
        assert str(summary.progress) == "after round 1 of 2, 30 of 48 games"
        assert summary.next_round[:2] == (2, 18)
        notice = "unfinished: after round 1 of 2, 30 of 48 games."
        assert played.standings.notices[0] == notice
        assert (league.folder / "notices.txt").read_text().splitlines()[0] == notice
        assert notice.capitalize() in (league.folder / PAGE).read_text()

    def test_a_larger_budget_goes_on_and_a_finished_league_is_the_same_as_one_in_one_go(self, league, tmp_path):
        api.run(league, workers=1, stop=Stop(games=30))
        played = api.run(league, workers=1)
        assert played.summary.games == 18
        assert not [notice for notice in played.standings.notices if "unfinished" in notice]
        whole = api.run(LeagueRun(league.config, tmp_path / "in one go"), workers=1)
        for path, other in zip(played.files[1:], whole.files[1:], strict=True):
            assert path.read_bytes() == other.read_bytes()


class TestWhatTheEndTakes:
    """How much of a budget is left for audit, standings and page."""

    def test_is_more_with_more_bots_as_long_as_nothing_is_known(self, tmp_path):
        with Store.create(tmp_path / "new") as store:
            assert PATIENCE < ending_seconds(store, 10) < PATIENCE + 4
            assert ending_seconds(store, 3000) > 60

    def test_is_what_it_was_the_last_time(self, league):
        played = api.run(league, workers=1)
        with Store.open(league.folder) as store:
            ended = store.runs()[-1].ended
            os.utime(played.files[0], (ended + 7, ended + 7))
            assert ending_seconds(store, 3) == pytest.approx(7)

    def test_a_page_that_was_written_much_later_does_not_count_in_full(self, league):
        played = api.run(league, workers=1)
        with Store.open(league.folder) as store:
            later = store.runs()[-1].ended + 86_400
            os.utime(played.files[0], (later, later))
            assert ending_seconds(store, 3) < 600
