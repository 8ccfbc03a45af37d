"""The history has a line for each run that changed something."""

from pathlib import Path

import pytest

from league.results.history import last_changes, read_history, remember
from league.results.standings import Standings
from league.results.store import Store
from league.setup.config import parse
from tests.leagues import DICE, FIRST, LAST, bot, missing, play

BOTS = (bot("ann"), bot("bob", LAST))


def run(store, bots, deals=8, ended=0.0):
    """Play what is missing, and add to the history what came of it."""
    text = f"league: t\nseed: 1\nbots: bots\ngames: [{{game: raj, deals: {deals}}}, {{game: braverats, deals: 4}}]\n"
    config = parse(text, Path())
    store.begin(config, bots)
    for block in missing(store.coverage()):
        store.add(play(block, bots))
    standings = Standings.of(store)
    remember(store, standings, ended)
    return standings


@pytest.fixture
def store(tmp_path):
    with Store.create(tmp_path) as store:
        yield store


def test_an_entry_holds_the_standings_and_the_versions(store):
    standings = run(store, BOTS, ended=7.0)
    (entry,) = read_history(store)
    assert entry.ended == 7.0
    assert entry.games == 2 * 8 + 2 * 4
    assert entry.versions == {one.name: one.hash for one in BOTS}
    assert list(entry.boards) == ["overall", "raj-2p", "braverats-2p"]
    lines = {"overall": standings.overall} | {key: one.lines for key, one in standings.contests.items()}
    for key, board in entry.boards.items():
        assert [(name, one.place, one.rating, one.games) for name, one in board.items()] == [
            (line.bot, line.place, line.rating, line.games) for line in lines[key]
        ]
    assert last_changes(store) == ()


def test_a_run_that_changes_nothing_adds_nothing(store):
    run(store, BOTS, ended=1.0)
    run(store, BOTS, ended=2.0)
    assert [entry.ended for entry in read_history(store)] == [1.0]


def test_what_changed(store):
    run(store, (*BOTS, bot("cid", DICE)), deals=2)
    run(store, (bot("ann", FIRST + "# better\n"), BOTS[1], bot("dot", DICE)), deals=40)
    assert last_changes(store) == (
        "new since the run before: dot",
        "edited since the run before: ann",
        "gone since the run before: cid",
        "the config changed since the run before",
        "BraveRats: places since the run before: bob 1-2 → 1-3 and ann 2-3 → 1-3",
    )


def test_the_part_of_one_bot(store):
    run(store, BOTS)
    part = read_history(store)[0].of("ann")
    assert set(part.versions) == {"ann"}
    assert {name for board in part.boards.values() for name in board} == {"ann"}
