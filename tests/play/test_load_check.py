"""Whether bots can be loaded: a league of many bots does not wait for all of them, and ends as if it had."""

from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from league.api import run
from league.api.events import Observer
from league.api.run import LeagueRun
from league.errors import LeagueError
from league.play import load_check
from league.play.load_check import LoadCheck
from league.play.worker import Worker
from league.results.store import Store
from league.setup.config import parse
from league.setup.roster import scan
from league.values.block import Block, Sitting
from league.values.settings import Isolation, Limits, Stop
from tests.leagues import DICE

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("without_page")]
CONFIG = "league: small\nseed: 1\nbots: bots\nisolation: trusted\n"
GAMES = {
    "all pairs": "games: [{game: raj, deals: 4}]\n",
    "a sample": "games: [{game: raj, deals: 4, opponents: 4}, {game: raj, players: 3, deals: 2, max_lineups: 9}]\n",
    "adaptive": "games: [{game: raj, deals: 8}]\nschedule: adaptive\nsettle: {places: 1, within: 4}\n",
}
BROKEN = ("bot3", "bot5")
BOTS = 9


class Listener(Observer):
    """Hears what a user would."""

    def __init__(self):
        self.lines: list[str] = []
        self.expected: list[int | None] = []

    def planned(self, coverage, budget=None):
        self.expected.append(coverage.games_left)

    replanned = planned

    def notice(self, line):
        if line.startswith("left out: "):
            self.lines.append(line)


def league(folder: Path, games: str, listener=None, workers=2) -> LeagueRun:
    bots = folder / "bots"
    bots.mkdir(parents=True, exist_ok=True)
    for number in range(BOTS):
        name = f"bot{number}"
        (bots / f"{name}.py").write_text(("import no_such_module\n" if name in BROKEN else "") + DICE)
    return LeagueRun(parse(CONFIG + games, folder), folder / "results", observer=listener, workers=workers)


def play(league: LeagueRun, stop=None) -> dict[str, bytes]:
    """Try the bots and play; returns the files of the standings without the page, which has times in it."""
    with league:
        league.check_bots()
        league.play(stop)
        return {path.name: path.read_bytes() for path in league.report().files if path.suffix != ".html"}


@pytest.fixture
def few_at_a_time(monkeypatch):
    monkeypatch.setattr(run, "AT_FIRST", 2)
    monkeypatch.setattr(load_check, "AT_ONCE", 1)


@pytest.fixture
def tried(monkeypatch):
    """The names of the bots that were tried."""
    names: list[str] = []
    unloadable = Worker.unloadable

    def listed(self, bots):
        names.extend(bot.name for bot in bots)
        return unloadable(self, bots)

    monkeypatch.setattr(Worker, "unloadable", listed)
    return names


@pytest.mark.parametrize("games", GAMES.values(), ids=GAMES)
def test_bots_tried_on_the_way_lead_to_the_same_end(tmp_path, games, request, tried):
    at_first = play(league(tmp_path / "at first", games))
    assert b"bot3.py: cannot be loaded: " in at_first["notices.txt"]
    request.getfixturevalue("few_at_a_time")
    del tried[:]
    listener = Listener()
    on_the_way = play(league(tmp_path / "on the way", games, listener))
    assert sorted(tried) == [f"bot{number}" for number in range(BOTS)]
    assert len(listener.lines) == len(BROKEN)
    assert all("cannot be loaded: " in line for line in listener.lines)
    shown = [text.replace(b"on the way", b"at first") for text in on_the_way.values()]
    assert dict(zip(on_the_way, shown, strict=True)) == at_first


def test_observer_hears_of_a_new_plan(tmp_path, few_at_a_time):
    listener = Listener()
    play(league(tmp_path, GAMES["all pairs"], listener))
    assert listener.expected[0] == BOTS * (BOTS - 1) * 4
    assert 1 < len(listener.expected) <= 1 + len(BROKEN)
    assert listener.expected[-1] < (BOTS - len(BROKEN)) * (BOTS - len(BROKEN) - 1) * 4


def test_those_that_were_left_out_are_tried_first_the_next_time(tmp_path, few_at_a_time, tried):
    games = GAMES["a sample"]
    asked = count()
    listener = Listener()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "COMMIT_SECONDS", 0)
        with league(tmp_path, games, listener, workers=1) as first:
            first.check_bots()
            first.play(stopping=lambda: len(listener.lines) == len(BROKEN) and next(asked) > 2)
    del tried[:]
    with league(tmp_path, games) as again:
        broken = again.check_bots()
    assert {one.name for one in broken} == set(BROKEN)
    assert set(BROKEN) <= set(tried)
    with Store.open(first.folder) as store:
        assert [bot.name for bot in store.bots()] == [bot.name for bot in again.roster.bots]


def test_a_bot_that_can_be_loaded_by_now_plays(tmp_path, few_at_a_time):
    games = GAMES["all pairs"]
    play(league(tmp_path, games), stop=Stop(games=100))
    mended = league(tmp_path, games)
    for name in BROKEN:
        (tmp_path / "bots" / f"{name}.py").write_text(DICE)
    mended = LeagueRun(mended.config, tmp_path / "results")
    files = play(mended)
    assert b"bot3" in files["standings.csv"]
    assert b"left out" not in files["notices.txt"]


def test_only_some_are_tried_before_the_first_block_and_none_twice(tmp_path, few_at_a_time, tried):
    small = league(tmp_path, GAMES["all pairs"])
    small.check_bots()
    assert tried == ["bot0", "bot1"]
    play(small)
    play(league(tmp_path, GAMES["all pairs"]))
    new = [name for name in tried if name not in BROKEN]
    assert len(new) == len(set(new)) + 2  # the two of the first look, whose league was not played


def test_strict_tries_all_of_them(tmp_path, few_at_a_time, tried):
    with pytest.raises(LeagueError, match=r"bot3\.py: cannot be loaded.*no_such_module"):
        league(tmp_path, GAMES["all pairs"]).check_bots(strict=True)
    assert len(tried) == BOTS


def test_a_contest_that_is_left_with_too_few_bots_is_refused(tmp_path, few_at_a_time):
    for number in range(BOTS):
        path = tmp_path / "bots" / f"bot{number}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text("import no_such_module\n" + DICE)
    broken = LeagueRun(parse(CONFIG + GAMES["all pairs"], tmp_path), tmp_path / "results")
    with pytest.raises(LeagueError, match="raj-2p needs 2 bots at a table, but 0 bots can play it"):
        play(broken)


def test_more_are_tried_at_a_time_if_some_fail(tmp_path, tried, monkeypatch):
    monkeypatch.setattr(load_check, "AT_ONCE", 1)
    plan = league(tmp_path, GAMES["all pairs"]).preview().plan
    sizes = []
    with closing(LoadCheck(scan(["bots"], tmp_path).bots, Isolation.PROCESS, Limits())) as trying:
        for other in range(1, BOTS):
            before = len(tried)
            rank = plan.fixtures[0].lineups.rank((0, other))
            trying.before(Sitting((Block(plan.series(0, rank, 0), 0, 2),)))
            sizes.append(len(tried) - before)
    assert sizes == [2, 1, 1, 2, 0, 3, 0, 0]  # bot3 fails as the opponent of bot0, bot5 beside bot4
