"""A league whose results decide who plays: the same rounds however it is played, until its goal is reached."""

from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from league.loop import LeagueRun
from league.plan.lineups import Combinations
from league.plan.schedule import Fixture
from league.play import adaptive_rounds
from league.results.csvs import write_csvs
from league.results.standings import Standings
from league.results.store import Store
from league.setup.config import parse
from league.tools.seeds import Seeds
from league.values.block import Abandoned, Entrant
from league.values.settings import Contest, Event, Stop

CONFIG = """\
league: small
seed: 3
bots: bots
games: [{game: raj, players: [2, 3], deals: 60}]
isolation: trusted
schedule: adaptive
settle: {places: 2, within: 1}
"""
BOT = """
class Bot:
    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        if self.rng.random() < SKILL:
            return min(view.legal, key=lambda card: abs(card - abs(view.prize)))
        return self.rng.choice(view.legal)
"""
BOTS = 5


def league(folder: Path, config: str = CONFIG) -> LeagueRun:
    bots = folder / "bots"
    bots.mkdir(parents=True, exist_ok=True)
    for number in range(BOTS):
        (bots / f"bot{number}.py").write_text(BOT.replace("SKILL", str(number / BOTS)))
    return LeagueRun(parse(config, folder), folder / "results", workers=2)


def outcome(run: LeagueRun) -> tuple[object, dict[str, bytes]]:
    """The rounds of a league, and the files of its standings."""
    with Store.open(run.folder) as store:
        files = write_csvs(run.folder, Standings.of(store))
        return store.plan().chosen, {path.name: path.read_bytes() for path in files}


def play(run: LeagueRun, **how):
    with run:
        return run.play(**how)


def preview(run: LeagueRun):
    with run:
        return run.preview()


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    run = league(tmp_path_factory.mktemp("finished"))
    return run, play(run)


@pytest.fixture(scope="module")
def reference(finished):
    return outcome(finished[0])


def test_it_ends_when_its_goal_is_reached(finished, reference):
    _, summary = finished
    rounds, files = reference
    assert summary.progress.finished
    assert not summary.out_of_budget
    assert len(rounds) > 2
    notices = files["notices.txt"].decode()
    assert "Raj, 2 players: settled: the first 2 and their order are right, apart from differences within 1" in notices
    assert "Raj, 2 players: who met whom followed from the results" in notices
    assert "unfinished" not in notices


def test_a_finished_one_plays_nothing_more_and_chooses_nothing(finished, reference, monkeypatch):
    monkeypatch.setattr("league.loop.next_round", pytest.fail)
    run, _ = finished
    summary = play(league(run.folder.parents[1]))
    assert summary.games == 0
    assert outcome(run) == reference


@pytest.mark.slow
def test_any_number_of_workers_plays_the_same_rounds(tmp_path, reference):
    run = league(tmp_path)
    run.workers = 1
    play(run)
    assert outcome(run) == reference


@pytest.mark.slow
def test_any_budgets_play_the_same_rounds(tmp_path, reference):
    for games in (10, 151, 300, 77, 402):
        summary = play(league(tmp_path), stop=Stop(games=games))
        assert summary.games <= games
    run = league(tmp_path)
    play(run)
    assert outcome(run) == reference


@pytest.mark.slow
def test_any_interruptions_play_the_same_rounds(tmp_path, reference):
    for patience in (3, 40, 9, 25):
        asked = count()
        play(league(tmp_path), stopping=lambda asked=asked, patience=patience: next(asked) > patience)
    run = league(tmp_path)
    play(run)
    assert outcome(run) == reference


def test_a_stop_between_two_rounds_says_that_it_is_not_settled(tmp_path):
    run = league(tmp_path)
    first = sum(preview(run).to_play())
    summary = play(run, stop=Stop(games=first))
    assert summary.games == first
    assert summary.out_of_budget
    assert str(summary.progress) == f"after round 1, {first:,} games, not settled yet"
    _, files = outcome(run)
    assert f"unfinished: {summary.progress}." in files["notices.txt"].decode()


def test_lineups_play_on_from_an_even_offset_of_their_own(finished):
    run, _ = finished
    with Store.open(run.folder) as store:
        for fixture in store.plan().fixtures:
            firsts = [first for first, _ in fixture.spans.values()]
            assert all(first % 2 == 0 for first in firsts)
            assert len(set(firsts)) > len(firsts) / 3
            assert all(stop - first <= fixture.event.deals for first, stop in fixture.spans.values())


def test_contests_take_turns(finished):
    run, _ = finished
    with Store.open(run.folder) as store:
        fixtures = [portion.fixture for portion in store.plan().chosen[0]]
    half = len(fixtures) // 2
    assert abs(sum(fixtures[:half]) - sum(fixtures[half:])) <= 2


@pytest.mark.slow
def test_another_goal_begins_again_but_plays_only_what_is_missing(tmp_path, reference):
    other = league(tmp_path, CONFIG.replace("{places: 2, within: 1}", "{order: all}"))
    before = play(other, stop=Stop(games=600)).games
    run = league(tmp_path)
    coverage = preview(run)
    assert len(coverage.plan.chosen) == 1
    assert not any(coverage.to_play())
    summary = play(run)
    assert summary.progress.played - before <= summary.games < summary.progress.played
    assert outcome(run) == reference


def test_a_preview_of_a_league_under_way_knows_its_rounds(tmp_path):
    summary = play(league(tmp_path), stop=Stop(games=250))
    coverage = preview(league(tmp_path))
    assert coverage.games_left is None
    assert len(coverage.plan.chosen) >= summary.progress.round
    assert coverage.games_played == summary.progress.played


def test_lineups_without_deals_left_end_a_contest(tmp_path):
    few = CONFIG.replace("deals: 60", "deals: 4").replace("within: 1", "within: 0.001")
    summary = play(league(tmp_path, few))
    assert summary.progress.finished
    with Store.open(tmp_path / "results" / "small") as store:
        assert any("not settled yet" in notice for notice in Standings.of(store).notices)


def test_what_cannot_be_played_ends_the_choosing(tmp_path):
    """The next round follows from complete rounds alone: otherwise another machine would choose another one."""

    class Unlucky:
        wants_more = True

        def __init__(self):
            self.sittings = []

        def submit(self, sitting):
            self.sittings.append(sitting)

        def wait(self):
            while self.sittings:
                sitting = self.sittings.pop()
                yield sitting, [Abandoned(block, "it ended three workers") for block in sitting.blocks]

        def close(self, *, in_peace=False):
            pass

    run = league(tmp_path)
    run._open_workers = lambda *_: Unlucky()
    summary = play(run)
    assert summary.abandoned
    with Store.open(run.folder) as store:
        assert len(store.plan().chosen) == 1


@pytest.mark.parametrize(("left", "lineups"), [(2, 0), (6, 1), (60, 1)])
def test_a_contest_ends_when_hardly_anything_of_a_round_is_left_to_play(left, lineups):
    """A lineup is drawn ten times, for 20 deals; a fifth of them must be left."""
    entrants = (Entrant("ann", "1"), Entrant("bob", "2"))
    contest = Contest("raj", 2, {}, 1, 1)
    spans = {0: (0, 100 - left)}
    fixture = Fixture(Event(contest, deals=100), entrants, Combinations(2, 2), spans)
    chosen = adaptive_rounds._with_deals(0, fixture, Counter({(0, 1): 10}), Seeds(1))
    assert [deals for _, _, deals in chosen] == [(100 - left, 100 - left + min(left, 20))][:lineups]
