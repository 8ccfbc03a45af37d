"""The contract's own helpers: options are read, or a mistake is told, ranks are competition ranks."""

from __future__ import annotations

import re
from random import Random
from typing import Annotated, Literal

import msgspec
import pytest

from league import games
from league.errors import LeagueError, OptionsError
from league.games.contract import (
    Deal,
    Game,
    Options,
    Outcome,
    State,
    View,
    competition_ranks,
    parse_options,
    plain,
)
from league.games.raj import Raj
from league.games.raj.rules import RajOptions, RajRound
from league.testing import check_game
from tests.tables import each

Points = Annotated[int, msgspec.Meta(ge=0, le=9)]


class SomeOptions(Options, frozen=True):
    flag: bool = False
    mode: Literal["slow", "fast"] = "slow"
    size: Annotated[int, msgspec.Meta(ge=2, le=8)] = 4
    points: tuple[Points, Points] = (1, 2)
    row: Annotated[tuple[Points, ...], msgspec.Meta(min_length=1, max_length=3)] = (1,)


def test_options_left_out_are_the_defaults():
    assert parse_options("some", SomeOptions, {}) == SomeOptions()


def test_options_are_read_from_plain_data():
    found = {"flag": True, "mode": "fast", "size": 8, "points": [0, 9], "row": [1, 2, 3]}
    assert parse_options("some", SomeOptions, found) == SomeOptions(True, "fast", 8, (0, 9), (1, 2, 3))


KEYS = "expected a key of the options (flag, mode, size, points, row)"
SIZE = "expected size as a whole number from 2 to 8"

MISTAKES = [
    ({"flga": True}, f"{KEYS}, found 'flga'. Did you mean 'flag'?"),
    ({"zzz": 1}, f"{KEYS}, found 'zzz'."),
    ({"flag": "yes"}, "expected flag as true or false, found 'yes'. Did you mean true?"),
    ({"flag": 1}, "expected flag as true or false, found 1."),
    ({"mode": "fats"}, "expected mode as one of slow, fast, found 'fats'. Did you mean 'fast'?"),
    ({"mode": None}, "expected mode as one of slow, fast, found nothing."),
    ({"size": 9}, f"{SIZE}, found 9."),
    ({"size": 1}, f"{SIZE}, found 1."),
    ({"size": 2.5}, f"{SIZE}, found 2.5."),
    ({"size": True}, f"{SIZE}, found true."),
    ({"size": 10**5000}, f"{SIZE}, found a very long number."),
    ({"points": [1]}, "expected points as a list of 2, each a whole number from 0 to 9, found a list of 1."),
    ({"points": [1, 10]}, "expected each of points as a whole number from 0 to 9, found 10."),
    ({"row": []}, "expected row as a list of 1 to 3, each a whole number from 0 to 9, found an empty list."),
    ({"row": 1}, "expected row as a list of 1 to 3, each a whole number from 0 to 9, found 1."),
    ({3: 1}, f"{KEYS}, found 3."),
]


@each(("given", "message"), MISTAKES)
def test_a_mistake_names_the_option_and_what_it_may_be(given, message):
    with pytest.raises(OptionsError) as caught:
        parse_options("some", SomeOptions, given)
    assert str(caught.value) == f"some: {message}"


def test_a_game_without_options_says_so():
    with pytest.raises(OptionsError, match=r"^bare: expected no key in the options, found 'fast'\.$"):
        parse_options("bare", Options, {"fast": True})


def test_options_that_cannot_go_together_are_refused_with_the_reason():
    class Choosy(RajOptions, frozen=True):
        def check(self, players: int) -> None:
            if players > 4:
                raise ValueError("at most four may play like that.")

    class ChoosyRaj(Raj):
        options_type = Choosy

    ChoosyRaj(4)
    with pytest.raises(OptionsError) as caught:
        ChoosyRaj(5)
    assert str(caught.value) == "raj: at most four may play like that."


@each(
    ("name", "players", "told"),
    [
        ("raj", 1, "raj: it is played by 2 to 5 players, not by 1"),
        ("raj", 6, "raj: it is played by 2 to 5 players, not by 6"),
        ("braverats", 3, "braverats: it is played by 2 players, not by 3"),
    ],
)
def test_other_numbers_of_players_are_refused(name, players, told):
    with pytest.raises(OptionsError, match=told):
        games.make(name, players)


@each(
    ("keys", "ranks"),
    [
        ([], ()),
        ([5], (0,)),
        ([9, 4, 9], (0, 2, 0)),
        ([1, 2, 3], (2, 1, 0)),
        ([7, 7, 7], (0, 0, 0)),
        ([3, 5, 5, 1], (2, 0, 0, 3)),
        ([(1, 0), (1, 2), (0, 9)], (1, 0, 2)),
    ],
)
def test_competition_ranks(keys, ranks):
    assert competition_ranks(keys) == ranks


def test_plain_gives_named_fields_all_the_way_down():
    assert plain((RajRound(6, (14, 3), 0), "x")) == [{"shown": 6, "bids": [14, 3], "winner": 0}, "x"]


# -- The registry ----------------------------------------------------------------------------------------------------


def test_every_game_can_be_found_and_carries_the_name_it_is_registered_under():
    for name in games.names():
        assert games.find(name).name == name
        assert games.make(name).players == games.find(name).player_counts[0]


def test_an_unknown_game_gets_the_nearest_name():
    with pytest.raises(
        LeagueError, match=r"There is no game 'brave_rats'; the games are .*\. Did you mean 'braverats'\?"
    ):
        games.find("brave_rats")


@pytest.fixture
def add_package(tmp_path, monkeypatch):
    """Install a package for real: a module and its metadata in a folder on the path."""

    def add(name: str, source: str, entry_point: str) -> None:
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[league.games]\n{entry_point}\n")
        (tmp_path / f"{name}.py").write_text(source)
        monkeypatch.syspath_prepend(str(tmp_path))

    return add


def test_a_game_of_another_package_is_found_by_its_entry_point(add_package):
    source = "from league.games.raj import Raj\n\n\nclass Maharaja(Raj):\n    name = 'maharaja'\n"
    add_package("other_games_one", source, "maharaja = other_games_one:Maharaja")
    assert "maharaja" in games.names()
    assert games.make("maharaja", 3).players == 3


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("Rules = 3", "'spoilt': the entry point spoilt_0:Rules must name a class"),
        (
            "from league.games.raj import Raj as Rules",
            "the class behind its entry point spoilt_1:Rules calls itself 'raj'",
        ),
        ("import nowhere_at_all", "'spoilt': its entry point spoilt_2:Rules cannot be loaded.*nowhere_at_all"),
    ],
)
def test_an_entry_point_that_leads_to_no_game_is_refused(add_package, source, told):
    module = re.search(r"spoilt_\d", told)[0]
    add_package(module, source + "\n", f"spoilt = {module}:Rules")
    with pytest.raises(LeagueError, match=told):
        games.find("spoilt")


class HighState(State):
    """Both lay 1 or 2 at once, and the higher one wins."""

    laid: tuple[int, ...] = ()

    def view(self, seat: int) -> View:
        return View(seat, (1, 2) if self.turn else ())

    def step(self, moves):
        self.laid, self.turn = tuple(moves), ()

    def outcome(self) -> Outcome:
        return Outcome(competition_ranks(self.laid), self.laid)


class High(Game):
    """A game with the methods that every game must have, and no other."""

    name = "high"
    title = "High"
    player_counts = range(2, 3)
    deal_type = Deal
    view_type = View

    def deal(self, rng):
        return Deal()

    def start(self, deal):
        return HighState((0, 1))


def test_a_game_needs_five_methods_alone():
    assert check_game(High).hidden == set()
    game = High()
    states = [game.start(game.deal(Random(1)))]
    states.append(states[0].copy())
    states[1].step((1, 2))
    assert game.tell(states[0], (1, 2), states[1], ("Ann", "Bob")) == ["Ann plays 1.", "Bob plays 2."]
    assert [scene.title for (scene,) in game.scenes(states, [(1, 2)])] == ["Before the first move", "Step 1 of 1"]
    assert game.picks(states[0].view(0), game.scenes(states[:1], [])[0][0]) == {}
    with pytest.raises(LeagueError, match="high has no imagine"):
        game.imagine(states[0].view(0), Random(1))
