"""The life of a run: planned, played, audited and reported, in one piece or in parts."""

import os
import re
import subprocess
import sys
from collections import Counter
from threading import Event as Flag
from threading import Thread
from types import SimpleNamespace

import msgspec
import pytest

from league import loop
from league.api.forecast import forecast
from league.api.printer import Printer
from league.events import Observer
from league.loop import LeagueRun
from league.page import is_up_to_date, reports
from league.page.data import PAGE
from league.page.reports import GROWTH, ending_seconds
from league.page.samples import PATIENCE
from league.plan.costs import Costs
from league.plan.limit import Limit
from league.results.lock import is_being_played
from league.results.standings import read_standings
from league.results.store import Store
from league.setup.config import parse
from league.setup.roster import scan
from league.values.settings import Config, Event, PageSettings, Stop
from tests.leagues import DICE, FIRST, LAST, SLEEPY
from tests.tables import each

pytestmark = pytest.mark.usefixtures("without_page")
CONFIG = """\
league: small
bots: bots
games: [{game: raj, deals: 6}, {game: braverats, deals: 2}]
isolation: trusted
seed: 1
"""
BOTS = {"ann": FIRST, "bob": LAST, "cid": DICE}


class Notes(Observer):
    """Writes down what an observer hears."""

    def __init__(self):
        self.heard = []

    def planned(self, coverage, limit, costs):
        self.heard.append(f"planned {coverage.games_left}")

    def played(self, result):
        self.heard.append("played")

    def watched(self, standings, folder):
        self.heard.append(f"watched {len(standings.overall)}")

    def ended(self, summary):
        self.heard.append(f"ended {summary.games}")

    def reported(self, played):
        self.heard.append(f"reported {len(played.files)}")

    def close(self):
        self.heard.append("closed")


@pytest.fixture
def base(tmp_path):
    (tmp_path / "bots").mkdir()
    for name, source in BOTS.items():
        (tmp_path / f"bots/{name}.py").write_text(source)
    return tmp_path


@pytest.fixture
def config(base):
    return parse(CONFIG, base)


@pytest.fixture
def folder(base):
    return base / "results" / "small"


def run(config, stop=None, results="results", observer=None, **how):
    """Play and report."""
    with LeagueRun(config, config.base / results, workers=1, observer=observer) as league:
        league.play(stop, **how)
        return league.report()


def test_run_writes_and_returns_its_standings(config, folder, with_page):
    played = run(config)
    assert played.summary.games == 3 * 2 * (6 + 2)
    assert sorted(line.bot for line in played.standings.overall) == sorted(BOTS)
    assert not played.findings
    assert [path.name for path in played.files] == [
        *(PAGE, "standings.csv", "standings-raj-2p.csv", "standings-braverats-2p.csv", "head_to_head.csv"),
        "notices.txt",
    ]
    assert played.files[1].read_text().startswith("place,bot,games,rating,sigma,low,high,")
    assert read_standings(folder).overall == played.standings.overall


def counting(monkeypatch, owner, name, calls, what=None):
    real = getattr(owner, name)

    def counted(*args, **kwargs):
        calls[what or name] += 1
        return real(*args, **kwargs)

    monkeypatch.setattr(owner, name, counted)


def test_page_is_not_older_than_the_results_when_the_store_is_closed(config, folder, with_page):
    run(config)
    assert not is_being_played(folder)
    assert is_up_to_date(folder, running=False)


def renewed(folder):
    with Store.open(folder) as store:
        reports.write_reports(store, read_standings(folder), running=True)


@each(
    ("change", "again"),
    [
        (lambda config, folder: None, False),
        (lambda config, folder: msgspec.structs.replace(config, page=PageSettings(title="Cards")), True),
        (lambda config, folder: (config.base / "bots/dot.py").write_text(FIRST), True),
        (lambda config, folder: (config.base / "bots/cid.py").unlink(), True),
        (lambda config, folder: (folder / PAGE).unlink(), True),
        (lambda config, folder: (folder / PAGE).write_text("scribbled"), True),
        (lambda config, folder: renewed(folder), True),
    ],
)
def test_a_page_is_written_again_if_it_has_something_new_to_show(config, folder, with_page, monkeypatch, change, again):
    run(config)
    calls = Counter()
    counting(monkeypatch, reports, "write_page", calls)
    changed = change(config, folder)
    calls.clear()
    run(changed if isinstance(changed, Config) else config)
    assert calls["write_page"] == again


def test_a_page_follows_aliases_that_were_removed(config, folder, with_page):
    hidden = msgspec.structs.replace(config, page=PageSettings(anonymous=True))
    run(hidden)
    (folder / "aliases.json").unlink()
    (folder / PAGE).write_bytes(before := (folder / PAGE).read_bytes() + b"<!-- before -->")
    run(hidden)
    assert (folder / PAGE).read_bytes() != before


def test_observer_hears_everything_in_order(config):
    notes = Notes()
    run(config, observer=notes)
    assert notes.heard == ["planned 48", *["played"] * (len(notes.heard) - 4), "ended 48", "reported 6", "closed"]
    assert len(notes.heard) > 14


def test_observer_is_closed_after_an_error(config):
    notes = Notes()
    with pytest.raises(ZeroDivisionError), LeagueRun(config, config.base / "results", observer=notes):
        _ = 1 / 0
    assert notes.heard == ["closed"]


def slow_down(config, deals=40):
    """Give all bots a rest at each move, so that a run takes some seconds."""
    for name in BOTS:
        config.base.joinpath(f"bots/{name}.py").write_text(SLEEPY)
    return msgspec.structs.replace(config, events=(Event(config.contests()[0], deals=deals),))


@pytest.mark.slow
def test_observer_may_watch_the_standings(config):
    notes = Notes()
    run(slow_down(config, 5000), observer=notes, watch_seconds=0.01, stopping=lambda: "watched 3" in notes.heard)
    assert "watched 3" in notes.heard


def test_a_renewal_that_is_killed_leaves_no_draft(tmp_path, monkeypatch):
    monkeypatch.setattr(reports, "_START", "import signal; signal.pause()")
    renewal = reports.Renewal(tmp_path, watch_seconds=1)
    assert renewal.news() is None
    draft, other = (tmp_path / f".{PAGE}.{process}.tmp" for process in (renewal._process.pid, 1))
    draft.touch()
    other.touch()
    renewal.close()
    assert [*tmp_path.iterdir()] == [other]


@pytest.mark.slow
def test_reports_are_renewed_while_it_is_played(base, folder):
    """By a process of its own, which leaves nothing behind.

    It does not import the script that plays, as `multiprocessing` would: one that deletes old results at its top
    deleted those of its own league.
    """
    (base / "script.py").write_text(
        "import pathlib, shutil\n"
        "pathlib.Path('starts').open('a').write('x')\n"
        "shutil.rmtree('results', ignore_errors=True)\n"
        "import league\n"
        "from league.page import reports\n"
        "reports.PAGE_SECONDS = 0.01\n"
        "page = pathlib.Path('results/small/standings.html')\n"
        "live = lambda: page.exists() and 'data-live' in page.read_text()[:200]\n"
        "games = [{'game': 'raj', 'deals': 9999}]\n"
        "config = {'league': 'small', 'isolation': 'trusted', 'bots': 'bots', 'games': games}\n"
        "played = league.run(config, workers=1, stopping=live).played\n"
        "assert played.summary.interrupted\n"
        "assert not live()\n"
    )
    for name in BOTS:
        (base / f"bots/{name}.py").write_text(SLEEPY)
    subprocess.run([sys.executable, "script.py"], cwd=base, check=True, capture_output=True)
    assert (base / "starts").read_text() == "x"
    assert (folder / "league.db").exists()
    assert not list(folder.glob(".*"))


class TestParts:
    """Whoever plays a league on and on plays some rounds at a time."""

    @pytest.mark.slow
    def test_rounds_at_a_time_end_as_one_run_does(self, config, base):
        whole = run(config, results="whole")
        with LeagueRun(config, base / "results", workers=1) as league:
            first = league.play(Stop(rounds=1))
            assert (first.progress.round, first.out_of_budget) == (1, True)
            second = league.play(Stop(rounds=5))
            assert second.progress.finished
            assert first.games + second.games == whole.summary.games
            parts = league.report()
        for path, other in zip(parts.files[1:], whole.files[1:], strict=True):
            assert path.read_bytes() == other.read_bytes()

    @pytest.mark.slow
    def test_rounds_of_an_adaptive_league_are_counted_too(self, base):
        text = CONFIG + "schedule: adaptive\nsettle: {order: all}\n"
        with LeagueRun(parse(text.replace("deals: 2", "deals: 40"), base), base / "results", workers=1) as league:
            assert [league.play(Stop(rounds=1)).progress.round for _ in range(3)] == [1, 2, 3]

    @pytest.mark.slow
    def test_bots_may_come_and_go_between_rounds(self, config, base):
        with LeagueRun(config, base / "results", workers=1) as league:
            league.play(Stop(rounds=1))
            (base / "bots/dan.py").write_text(DICE)
            (base / "bots/bad.py").write_text("import no_such_module\n" + FIRST)
            (base / "bots/bob.py").unlink()
            league.roster = scan(config.bots, config.base)
            league.play()
            assert [broken.name for broken in league.roster.broken] == ["bad"]
            standings = league.report().standings
        assert sorted(line.bot for line in standings.overall) == ["ann", "cid", "dan"]
        assert {line.games for line in standings.overall} == {2 * 2 * (6 + 2)}

    def test_another_thread_stops_it(self, config, folder):
        stop = Flag()

        class Stopper(Observer):
            def played(self, result):
                Thread(target=stop.set).start()

        played = run(slow_down(config), observer=Stopper(), stopping=stop.is_set)
        assert played.summary.interrupted
        assert 0 < played.summary.games < 3 * 2 * 40
        assert played.standings is not None
        assert (folder / "standings.csv").exists()


def test_a_second_interrupt_goes_without_standings(config, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(loop, "write_reports", interrupted)
    played = run(config, stopping=lambda: True)
    assert (played.standings, played.files) == (None, ())
    with pytest.raises(KeyboardInterrupt):
        run(config)


def test_nondeterministic_bots_are_found_and_remembered(config, folder):
    erratic = "import os\n" + FIRST.replace("[0]", "[os.urandom(1)[0] % len(view.legal)]")
    for name in BOTS:
        (config.base / f"bots/{name}.py").write_text(erratic)
    findings = run(config).findings
    assert findings
    assert {finding.bot for finding in findings} <= set(BOTS)
    with Store.open(folder) as store:
        assert set(store.erratic()) == {finding.bot for finding in findings}


class TestBudget:
    def test_a_run_ends_at_a_whole_round_and_says_so_everywhere(self, config, folder, with_page):
        played = run(config, Stop(games=30))
        summary = played.summary
        assert summary.out_of_budget
        assert not summary.interrupted
        assert str(summary.progress) == "after round 1 of 2, 30 of 48 games"
        notice = "unfinished: after round 1 of 2, 30 of 48 games."
        assert played.standings.notices[0] == notice
        assert (folder / "notices.txt").read_text().splitlines()[0] == notice
        assert notice.capitalize() in (folder / PAGE).read_text()


def test_a_round_that_is_shortened_is_announced(config):
    lines = []
    told = Observer()
    told.notice = lines.append
    run(config, Stop(games=24))
    run(config, Stop(games=12), observer=told)
    assert re.fullmatch(
        r"round 2 is shortened to 12 of 24 games\. All of it would take [\d.]+ (to [\d.]+ )?s\.", lines[0]
    )
    lines.clear()
    run(config, observer=told)
    assert not [line for line in lines if "shortened" in line]


class TestForecast:
    def test_new_bots_play_for_some_seconds_of_which_nothing_is_kept(self, config):
        with LeagueRun(config, config.base / "results", workers=2, read_only=True) as planned:
            foreseen = forecast(planned)
        assert foreseen.coverage.games_played == 0
        assert [part.games for part in foreseen.rounds] == [24, 24]
        assert 0 < foreseen.rounds[0].expected.low < foreseen.rounds[1].expected.low
        assert not (config.base / "results").exists()

    def test_bots_that_are_known_play_nothing(self, config, folder, monkeypatch):
        run(config, Stop(rounds=1))
        monkeypatch.setattr(LeagueRun, "play", None)
        with LeagueRun(config, config.base / "results", workers=2, read_only=True) as planned:
            assert [part.games for part in forecast(planned).rounds] == [24]


@pytest.mark.slow
def test_watching_prints_each_kind_of_notice_once(config, folder, capsys):
    printer = Printer(quiet=True)
    run(config, Stop(rounds=1), observer=printer)
    printer.watched(read_standings(folder), folder)
    assert "! Raj, 2 players: fewer than 30 games" in capsys.readouterr().err
    run(config, Stop(rounds=1))
    printer.watched(read_standings(folder), folder)
    again = capsys.readouterr().err
    assert "the leaders after" in again
    assert "fewer than 30 games" not in again
    assert "unfinished" not in again


@each(("quiet", "total"), [(False, 7), (True, None)])
def test_the_bar_follows_what_is_planned_anew(quiet, total):
    printer, coverage = Printer(quiet=quiet, bar=True), SimpleNamespace(games_left=5, games_played=0)
    coverage.plan = SimpleNamespace(fixtures=())
    printer.planned(coverage, Limit(Stop()), Costs())
    coverage.games_left = 7
    printer.replanned()
    assert (printer._bar and printer._bar.total) == total
    printer.close()


class TestWhatTheEndTakes:
    """How much of a budget is left for audit, standings and page."""

    def test_is_more_with_more_bots_as_long_as_nothing_is_known(self, tmp_path, monkeypatch):
        monkeypatch.setattr(os, "getloadavg", lambda: (0.5, 0.5, 0.5))
        with Store.create(tmp_path / "new") as store:
            assert PATIENCE < ending_seconds(store, 10) < PATIENCE + 4
            assert ending_seconds(store, 3000) > 60

    def test_is_more_on_a_busy_machine(self, tmp_path, monkeypatch):
        monkeypatch.setattr(os, "getloadavg", lambda: (8.0, 8.0, 8.0))
        monkeypatch.setattr(os, "cpu_count", lambda: 2)
        with Store.create(tmp_path / "new") as store:
            assert ending_seconds(store, 10) - PATIENCE == pytest.approx(4 * 3, rel=0.01)

    @pytest.mark.parametrize("writing", [0.5, 4.0, 9.0])
    def test_bots_that_take_all_the_time_they_get_exceed_no_limit_by_more_than_5_seconds(
        self, config, monkeypatch, writing
    ):
        now = [0.0]

        def audit_after_run(store, played, isolation, most_seconds):
            now[0] += most_seconds
            return ()

        def write_reports(store, standings, *, isolation, seconds):
            now[0] += writing + seconds
            return []

        with LeagueRun(config, config.base / "results", workers=1) as league:
            league.play(Stop(rounds=1))
            monkeypatch.setattr(loop, "audit_after_run", audit_after_run)
            monkeypatch.setattr(loop, "write_reports", write_reports)
            league._limit = Limit(Stop(after=15), clock=lambda: now[0])
            league.report()
        assert now[0] <= 20

    def test_is_what_it_was_the_last_time_and_a_page_that_is_older_or_much_younger_says_little(
        self, config, folder, monkeypatch
    ):
        monkeypatch.setattr(os, "getloadavg", lambda: (0.5, 0.5, 0.5))
        played, seconds = run(config), {}
        with Store.open(folder) as store:
            for after in (-7, 7, 86_400):
                moment = store.runs()[-1].ended + after
                os.utime(played.files[0], (moment, moment))
                seconds[after] = ending_seconds(store, 3)
        assert seconds[7] == pytest.approx(GROWTH * 7)
        assert PATIENCE < seconds[-7] < PATIENCE + 4
        assert seconds[86_400] < 600
