"""`fill`: copies of a bot take the seats that would stay empty."""

from pathlib import Path

import pytest

from league.errors import RosterError
from league.loop import LeagueRun
from league.plan.schedule import plan
from league.results.standings import read_standings
from league.setup.config import parse
from league.setup.roster import Roster
from tests.leagues import DICE, FIRST, bot
from tests.tables import each


def config(games):
    return parse(f"league: t\nseed: 1\nbots: bots\nisolation: trusted\ngames: [{games}]\n", Path())


def roster(*names):
    return Roster(tuple(bot(name, FIRST) for name in sorted(names)))


def tables(games, *names):
    """The lineups of every contest, by name."""
    league = config(games)
    fixtures = plan(league, roster(*names).filled(league.events)).fixtures
    return {
        fixture.event.contest.key: [
            tuple(fixture.entrants[at].name for at in fixture.lineups[rank]) for rank in range(len(fixture.lineups))
        ]
        for fixture in fixtures
    }


ALL = ("ann", "bob", "cid")
PAIRS = [("ann", "bob"), ("ann", "cid"), ("bob", "cid")]


@each(
    ("games", "names", "lineups"),
    [
        ("{game: raj, players: 4, fill: random}", "ann bob cid", {"raj-4p": [(*ALL, "random")]}),
        (
            "{game: raj, players: [2, 3, 5], fill: random}",
            "ann bob cid",
            {
                "raj-2p": PAIRS,
                "raj-3p": [("ann", "bob", "cid")],
                "raj-5p": [("ann", "bob", "cid", "random", "random_2")],
            },
        ),
        ("{game: raj, players: 4, fill: bob}", "ann bob", {"raj-4p": [("ann", "bob", "bob_2", "bob_3")]}),
        ("{game: raj, players: 3, fill: random}", "ann random", {"raj-3p": [("ann", "random", "random_2")]}),
        ("{game: raj, players: 4, fill: bob}", "ann bob bob_2", {"raj-4p": [("ann", "bob", "bob_2", "bob_3")]}),
    ],
)
def test_copies_sit_only_where_they_are_needed_under_names_of_their_own(games, names, lineups):
    assert tables(games, *names.split()) == lineups


def test_who_is_not_there_cannot_fill():
    told = "There is no bot 'bbo' among the 2 bots of this league. Did you mean 'bob'"
    with pytest.raises(RosterError, match=told):
        tables("{game: raj, players: 4, fill: bbo}", "ann", "bob")


def test_a_copy_is_rated_under_its_own_name_where_it_sat(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    for name, source in (("ann", FIRST), ("bob", DICE)):
        Path(f"bots/{name}.py").write_text(source)
    settings = config("{game: raj, deals: 4}, {game: raj, players: 4, deals: 4, fill: bob}")
    with LeagueRun(settings, Path("results"), workers=1) as league:
        assert league.play().games == 8 + 16
        assert league.preview().games_left == 0
    standings = read_standings(league.folder)
    four = {line.bot: line for line in standings.contests["raj-4p"].lines}
    assert {name: line.games for name, line in four.items()} == dict.fromkeys(("ann", "bob", "bob_2", "bob_3"), 16)
    assert len({line.mean_points for line in four.values()}) == 4  # copies have random numbers of their own
    assert {line.bot: line.place for line in standings.overall}["bob_2"] == "partial"
    assert sorted(line.bot for line in standings.contests["raj-2p"].lines) == ["ann", "bob"]
