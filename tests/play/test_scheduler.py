"""Rounds that are chosen by results are the same for any stops, because each is chosen from complete rounds alone."""

from pathlib import Path

import pytest

from league.loop import LeagueRun
from league.results.csvs import write_csvs
from league.results.standings import Standings
from league.results.store import ChosenLineup, Store
from league.setup.config import parse
from league.values.settings import Stop
from tests.leagues import CHANCE, DICE, FIRST, LAST, LEARNER

CONFIG = """\
league: small
bots: bots
games: [{game: raj, deals: 50}, {game: braverats, deals: 50}]
isolation: trusted
seed: 1
"""
BOTS = {"ann": DICE, "bob": CHANCE, "cid": LEARNER, "dot": LAST, "eve": FIRST}
ROUNDS = 5


def leaders_meet(store: Store) -> list[ChosenLineup]:
    """Everybody meets everybody once; then the first three of each contest do."""
    plan = store.plan()
    number = len(plan.chosen or ())
    if number == ROUNDS:
        return []
    standings = Standings.of(store)
    choices = []
    for fixture, contest in zip(plan.fixtures, standings.contests.values(), strict=True):
        names = [line.bot for line in contest.lines[: 3 if number else None]]
        chosen = [entrant for entrant in fixture.entrants if entrant.name in names]
        for at, one in enumerate(chosen):
            for other in chosen[at + 1 :]:
                rank = fixture.lineups.rank((fixture.entrants.index(one), fixture.entrants.index(other)))
                _, stop = fixture.wanted(rank or 0)
                choices.append(ChosenLineup(fixture.contest.key, (one, other), (stop, stop + 2 * number + 2)))
    return choices


def played(folder: Path, *stops: Stop) -> tuple[object, dict[str, bytes]]:
    """The rounds of a league, and the files of its standings."""
    bots = folder / "bots"
    bots.mkdir(parents=True)
    for name, source in BOTS.items():
        (bots / f"{name}.py").write_text(source)
    for stop in (*stops, Stop()):
        with LeagueRun(parse(CONFIG, folder), folder / "results", scheduler=leaders_meet, workers=2) as run:
            summary = run.play(stop)
    assert summary.progress.finished
    with Store.open(run.folder) as store:
        return store.plan().chosen, {
            path.name: path.read_bytes() for path in write_csvs(run.folder, Standings.of(store))
        }


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    return played(tmp_path_factory.mktemp("reference"))


def test_rounds_follow_the_results(reference):
    rounds, _ = reference
    assert len(rounds) == ROUNDS
    assert [len(one) for one in rounds] == [20, *[6] * (ROUNDS - 1)]


@pytest.mark.slow
def test_a_league_that_is_stopped_chooses_the_same_rounds(tmp_path, reference):
    assert played(tmp_path, *[Stop(games=games) for games in (11, 50, 23, 60, 40)]) == reference
