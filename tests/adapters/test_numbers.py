"""Moves as actions and views as numbers: complete, always equally many, from -1 to 1, and one view, one row."""

from random import Random

import msgspec
import pytest

from league import games
from league.errors import LeagueError
from league.extensions.learners.numbers import Numbers
from league.extensions.learners.turns import Turns, place_points
from league.games.contract import Game

SETUPS = [
    *[(name, players, {}) for name in games.BUILT_IN for players in games.find(name).player_counts],
    ("braverats", 2, {"deal": "draft", "emperor": True, "mime": True, "deck": True}),
    ("braverats", 2, {"deal": "random", "traitor": True, "emperor": True, "mime": True}),
    ("magillat", 3, {"families": 20, "cards_per_family": 50}),
    ("cheese_rescue", 4, {"surface": "centred", "cheese_points": [0, 99, 3, 4, 5, 6]}),
]


@pytest.mark.parametrize(("name", "players", "options"), SETUPS)
def test_every_view_is_a_row_of_equally_many_numbers_from_minus_one_to_one(name, players, options):
    game = games.make(name, players, options)
    numbers = Numbers(game)
    rows = {}
    for seed in range(4):
        rng = Random(seed)
        state = game.start(game.deal(rng))
        decisions = 0
        while True:
            for seat in range(players):
                view = state.view(seat)
                row = numbers.observe(view)
                assert len(row) == numbers.size
                assert -1 <= min(row) <= max(row) <= 1
                assert [numbers.moves[action] for action in numbers.legal(view)] == [*view.legal]
                assert rows.setdefault(tuple(row), msgspec.msgpack.encode(view)) == msgspec.msgpack.encode(view)
            if not state.turn:
                break
            decisions += len(state.turn)
            state.step([rng.choice(state.view(seat).legal) for seat in state.turn])
        assert decisions <= numbers.longest


@pytest.mark.parametrize("name", games.BUILT_IN)
def test_every_field_of_a_view_has_numbers(name):
    game = games.make(name)
    assert [*game.encoding().fields] == [field for field in game.view_type.__struct_fields__ if field != "legal"]


@pytest.mark.parametrize(("name", "players", "options"), SETUPS)
def test_rows_do_not_depend_on_what_was_encoded_before(name, players, options):
    game = games.make(name, players, options)
    views, rng = [], Random(3)
    for _ in range(3):
        state = game.start(game.deal(rng))
        while state.turn:
            views += [state.view(seat) for seat in range(players)]
            state.step([rng.choice(state.legal(seat)) for seat in state.turn])
    numbers = Numbers(game)
    rows = numbers.encode(views)
    for index in rng.sample(range(len(views)), 40 if len(views) > 40 else len(views)):
        fresh = Numbers(games.make(name, players, options))
        assert (fresh.encode([views[index]])[0] == rows[index]).all()
        row, mask = numbers.encode_one(views[index])
        assert (row == rows[index]).all()
        assert mask.tolist() == fresh.mask(views[index])
        assert row.tolist() == pytest.approx(fresh.observe(views[index]), abs=1e-6)


def test_a_view_of_raj_in_numbers():
    game = games.make("raj", 2)
    state = game.start(game.deal_type(prizes=(10, -5, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, -3, -4)))
    state.step([15, 3])
    row = Numbers(game).observe(state.view(1))
    hand, rest = row[:15], row[15:]
    assert hand == [1, 1, 0] + [1] * 12
    assert rest[:2] == [1 / 2, -5 / 55]  # seat and prize
    assert rest[2:18] == [1 / 15, -5 / 10] + [0] * 14  # one prize on the pile
    assert rest[18:20] == [10 / 55, 0]  # scores
    assert rest[20:26] == [1 / 15, 10 / 10, 15 / 15, 3 / 15, 0, 0]  # one round: shown, bids, winner, and then nothing


def test_a_packed_move_is_taken_apart():
    game = games.make("cheese_rescue", 2)
    state = game.start(game.deal(Random(1)))
    move = next(move for move in state.view(0).legal if move == 10708)
    state.step([move])
    row = Numbers(game).observe(state.view(1))
    assert row[-25 * 3 : -24 * 3] == [1 / 9, 7 / 13, 8 / 13]  # cheese 1, row 7, column 8


def test_a_game_without_an_encoding_is_refused(monkeypatch):
    game = games.make("raj")
    monkeypatch.setattr(type(game), "encoding", Game.encoding)
    with pytest.raises(LeagueError, match="The game raj has no encoding for learners"):
        Numbers(game)


def test_those_who_decide_at_once_are_asked_in_turn_and_see_nothing():
    game = games.make("raj", 3)
    turns = Turns(game.start(game.deal(Random(1))))
    before = [turns.view(seat) for seat in range(3)]
    assert (turns.seat, turns.play(4), turns.seat, turns.play(5)) == (0, False, 1, False)
    assert [turns.view(seat) for seat in range(3)] == before
    assert turns.play(6)
    assert turns.view(0).history[0].bids == (4, 5, 6)


@pytest.mark.parametrize(
    ("ranks", "points"),
    [((0, 1), [1, -1]), ((0, 0), [0, 0]), ((2, 0, 1), [-1, 1, 0]), ((0, 0, 2), [0.5, 0.5, -1])],
)
def test_places_are_worth_one_to_minus_one(ranks, points):
    assert place_points(ranks) == points
