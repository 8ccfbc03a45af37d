"""Bots that cannot be loaded are left out after their first games: a league ends as if it had never had them."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.errors import LeagueError, RosterError
from league.events import Observer
from league.loop import LeagueRun
from league.plan import queue
from league.play.worker import Worker
from league.results.csvs import csv_texts
from league.results.standings import Standings
from league.results.store import Store
from league.setup.config import parse
from league.values.settings import Stop
from tests.leagues import CHANCE, DICE, FIRST, LEARNER

CONFIG = "league: small\nseed: 1\nbots: bots\nisolation: trusted\n"
GAMES = {
    "all pairs": "games: [{game: raj, deals: 4}, {game: braverats, deals: 2}]\n",
    "a sample": "games: [{game: raj, deals: 4, opponents: 4}, {game: raj, players: 3, deals: 2, max_lineups: 9}]\n",
    "adaptive": "games: [{game: raj, deals: 8}]\nschedule: adaptive\nsettle: {places: 1, within: 4}\n",
    "matches": "games: [{game: braverats, deals: 8, games_per_match: 4}]\n",
}
BROKEN = [
    f"{line}\n{FIRST}" for line in ("import no_such_module", "raise RuntimeError('not today')", "import os; 1 / 0")
]
SOUND = (DICE, CHANCE, LEARNER, FIRST, DICE)


class Listener(Observer):
    """Hears what a user would."""

    def __init__(self, enough=10**9):
        self.lines: list[str] = []
        self.results = 0
        self._enough = enough

    def notice(self, line):
        self.lines += [line] if line.startswith("left out: ") else []

    def played(self, result):
        self.results += 1

    def stopping(self):
        return self.results >= self._enough


def write(folder: Path, broken=()):
    """Some sound bots, and some broken ones at these places between them."""
    (folder / "bots").mkdir(parents=True, exist_ok=True)
    for number, source in enumerate(SOUND):
        (folder / f"bots/bot{2 * number}.py").write_text(source)
    for number, place in enumerate(broken):
        (folder / f"bots/bot{2 * place + 1}.py").write_text(BROKEN[number % len(BROKEN)])


def league(folder: Path, games: str, workers=2, listener=None) -> LeagueRun:
    return LeagueRun(parse(CONFIG + games, folder), folder / "results", workers=workers, observer=listener)


def csvs(folder: Path) -> dict[str, str]:
    with Store.open(folder / "results" / "small") as store:
        return csv_texts(Standings.of(store))


@pytest.fixture(scope="module")
def without(tmp_path_factory):
    """The files of each league that never had a broken bot."""
    files = {}
    for name, games in GAMES.items():
        folder = tmp_path_factory.mktemp("without")
        write(folder)
        with league(folder, games, workers=1) as run:
            assert run.play().progress.finished
        files[name] = csvs(folder)
    return files


STOPS = st.one_of(
    st.builds(Stop, games=st.integers(1, 60)),
    st.builds(Stop, rounds=st.integers(1, 2)),
    st.integers(1, 8),
)
"""Budgets, or results after which the user wants to stop."""


@settings(max_examples=12, deadline=None)
@given(
    st.sampled_from(sorted(GAMES)),
    st.sets(st.integers(0, len(SOUND) - 1), min_size=1, max_size=3),
    st.lists(STOPS, max_size=2),
    st.integers(1, 3),
)
def test_a_league_ends_as_if_it_had_never_had_its_broken_bots(without, name, broken, stops, workers):
    with TemporaryDirectory() as place:
        folder = Path(place)
        write(folder, broken)
        for stop in (*stops, Stop()):
            listener = Listener(stop if isinstance(stop, int) else 10**9)
            with league(folder, GAMES[name], workers, listener) as run:
                run.check_bots()
                summary = run.play(None if isinstance(stop, int) else stop, stopping=listener.stopping)
        assert summary.progress.finished
        assert csvs(folder) == without[name]


def test_one_that_takes_long_to_fail_is_left_out_at_the_end(without, tmp_path, monkeypatch):
    """Rounds do not wait for its first games."""
    monkeypatch.setattr(queue, "PATIENCE", 0.0)
    write(tmp_path, [0])
    (tmp_path / "bots/bot1.py").write_text(f"import time\ntime.sleep(2)\n{BROKEN[0]}")
    with league(tmp_path, GAMES["all pairs"]) as run:
        assert run.play().progress.finished
    assert csvs(tmp_path) == without["all pairs"]


def test_they_are_named_once_and_stay_left_out(tmp_path, monkeypatch):
    write(tmp_path, [0, 3])
    listener = Listener()
    with league(tmp_path, GAMES["a sample"], listener=listener) as run:
        run.check_bots()
        run.play()
        games = run.store.games_stored()
        left_out = run.store.left_out()
    assert {*left_out} == {"bot1", "bot7"}
    assert all(".py: cannot be loaded: " in why for why in left_out.values())
    assert len(listener.lines) == 2
    monkeypatch.setattr(Listener, "played", None)
    listener = Listener()
    with league(tmp_path, GAMES["a sample"], listener=listener) as again:
        assert {broken.name for broken in again.check_bots()} == {"bot1", "bot7"}
        assert again.play().games == 0
        assert again.store.games_stored() == games
    assert len(listener.lines) == 2


def test_a_bot_that_can_be_loaded_by_now_plays(tmp_path):
    write(tmp_path, [1])
    with league(tmp_path, GAMES["all pairs"]) as run:
        run.play(Stop(games=20))
    (tmp_path / "bots/bot3.py").write_text(DICE)
    with league(tmp_path, GAMES["all pairs"]) as mended:
        mended.check_bots()
        assert mended.play().progress.finished
        assert mended.store.left_out() == {}
    assert ",bot3," in csvs(tmp_path)["standings.csv"]


def test_strict_tries_all_of_them_first(tmp_path, monkeypatch):
    write(tmp_path, [0])
    tried = []
    monkeypatch.setattr(Worker, "unloadable", lambda self, bots: tried.extend(bots) or iter([(bots[1], "no")]))
    with pytest.raises(RosterError, match=r"bot1\.py: cannot be loaded: no"):
        league(tmp_path, GAMES["all pairs"]).check_bots(strict=True)
    assert len(tried) == len(SOUND) + 1


def test_a_contest_that_is_left_with_too_few_bots_is_refused(tmp_path):
    write(tmp_path, [0])
    for number in range(1, len(SOUND)):
        (tmp_path / f"bots/bot{2 * number}.py").unlink()
    with (
        league(tmp_path, GAMES["all pairs"]) as run,
        pytest.raises(LeagueError, match="raj-2p needs 2 bots at a table, but 1 bot can play it"),
    ):
        run.play()
