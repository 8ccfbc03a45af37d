"""Moves as actions and views as numbers: complete, always equally many, from -1 to 1, and one view, one row."""

from random import Random

import msgspec
import pytest

from league import games
from league.errors import LeagueError
from league.extensions.learners import Turns, place_points
from league.games.arrays import derived, encoder_of
from league.games.contract import Game, View

SETUPS = [
    *[(name, players, {}) for name in games.BUILT_IN for players in games.find(name).player_counts],
    ("braverats", 2, {"deal": "draft", "emperor": True, "mime": True, "deck": True}),
    ("braverats", 2, {"deal": "random", "traitor": True, "emperor": True, "mime": True}),
    ("magillat", 3, {"families": 20, "cards_per_family": 50}),
    ("cheese_rescue", 4, {"surface": "centred", "cheese_points": [0, 99, 3, 4, 5, 6]}),
]


def observed(numbers, view):
    """The row of a view, as Python's own numbers."""
    return numbers.encode_one(view)[0].tolist()


@pytest.mark.parametrize(("name", "players", "options"), SETUPS)
def test_every_view_is_a_row_of_equally_many_numbers_from_minus_one_to_one(name, players, options):
    game = games.make(name, players, options)
    numbers = encoder_of(game)
    rows = {}
    for seed in range(4):
        rng = Random(seed)
        state = game.start(game.deal(rng))
        decisions = 0
        while True:
            for seat in range(players):
                view = state.view(seat)
                row = observed(numbers, view)
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
    numbers = encoder_of(game)
    rows = numbers.encode(views)
    for index in rng.sample(range(len(views)), 40 if len(views) > 40 else len(views)):
        fresh = encoder_of(games.make(name, players, options))
        assert (fresh.encode([views[index]])[0] == rows[index]).all()
        row, mask = numbers.encode_one(views[index])
        assert (row == rows[index]).all()
        assert [*mask.nonzero()[0]] == fresh.legal(views[index])


def test_a_view_of_raj_in_numbers():
    game = games.make("raj", 2)
    state = game.start(game.deal_type(prizes=(10, -5, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, -3, -4)))
    state.step([15, 3])
    row = observed(encoder_of(game), state.view(1))
    hand, rest = row[:15], row[15:]
    assert hand == [1, 1, 0] + [1] * 12
    assert rest[:2] == pytest.approx([1 / 2, -5 / 55])  # seat and prize
    assert rest[2:18] == pytest.approx([1 / 15, -5 / 10] + [0] * 14)  # one prize on the pile
    assert rest[18:20] == pytest.approx([10 / 55, 0])  # scores
    assert rest[20:26] == pytest.approx(
        [1 / 15, 10 / 10, 15 / 15, 3 / 15, 0, 0]
    )  # one round: shown, bids, winner, and then nothing


def test_a_packed_move_is_taken_apart():
    game = games.make("cheese_rescue", 2)
    state = game.start(game.deal(Random(1)))
    move = next(move for move in state.view(0).legal if move == 10708)
    state.step([move])
    row = observed(encoder_of(game), state.view(1))
    assert row[-25 * 3 : -24 * 3] == pytest.approx([1 / 9, 7 / 13, 8 / 13])  # cheese 1, row 7, column 8


def test_an_encoding_is_derived_from_types_and_playings():
    game = games.make("examples/crown.py", 3)
    encoder = encoder_of(game)
    assert encoder.moves == tuple(range(1, 13))
    state = game.start(game.deal_type(tuple(range(1, 13))))
    state.step((3, 6, 9))
    row = observed(encoder, state.view(1))
    hand, (seat, *rest) = row[:12], row[12:]
    assert [move for move, held in enumerate(hand, 1) if held] == [4, 5]
    assert seat == 1 / 2
    assert rest[:4] == pytest.approx([1, 0, 0, 1 / 3]), "three seats, of which the last has one trick of three"
    assert rest[4:9] == pytest.approx([1 / 3, 1, 3 / 12, 6 / 12, 9 / 12]), "one trick of three, with three cards"
    assert len(row) == encoder.size == len(observed(encoder_of(games.make("examples/crown.py", 3)), state.view(0)))


@pytest.mark.parametrize("name", games.BUILT_IN)
def test_a_derived_encoding_has_the_moves_and_fields_of_the_true_one(name):
    game = games.make(name)
    true, found = game.encoding(), derived(game)
    assert set(found.moves) <= set(true.moves)
    assert [*found.fields] == [*true.fields]


def test_what_no_playing_showed_is_an_error(monkeypatch):
    """A game whose rare moves and long rows are found by nobody who plays at random."""
    game = games.make("raj")
    monkeypatch.setattr(type(game), "encoding", Game.encoding)
    encoder = encoder_of(game)
    view = game.start(game.deal(Random(1))).view(0)
    for field, value in {"legal": (77,), "pile": (1,) * 99}.items():
        with pytest.raises(LeagueError, match=r"The encoding of the game .* a method encoding\(\) of its own"):
            encoder.encode([msgspec.structs.replace(view, **{field: value})])


def test_views_that_are_not_made_of_numbers_have_no_encoding(monkeypatch):
    class Told(View, frozen=True, array_like=True):
        words: tuple[str, ...] = ()

    game = games.make("raj")
    monkeypatch.setattr(type(game), "encoding", Game.encoding)
    monkeypatch.setattr(type(game), "view_type", Told)
    monkeypatch.setattr(type(game.start(game.deal(Random(1)))), "view", lambda self, seat: Told(seat, self.legal(seat)))
    with pytest.raises(LeagueError, match="In views of raj, words is not made of numbers"):
        encoder_of(game)


def test_those_who_decide_at_once_are_asked_in_turn_and_see_nothing():
    game = games.make("raj", 3)
    turns = Turns(game.start(game.deal(Random(1))))
    before = [turns.state.view(seat) for seat in range(3)]
    assert (turns.seat, turns.play(4), turns.seat, turns.play(5)) == (0, False, 1, False)
    assert [turns.state.view(seat) for seat in range(3)] == before
    assert turns.play(6)
    assert turns.state.view(0).history[0].bids == (4, 5, 6)


@pytest.mark.parametrize(
    ("ranks", "points"),
    [((0, 1), [1, -1]), ((0, 0), [0, 0]), ((2, 0, 1), [-1, 1, 0]), ((0, 0, 2), [0.5, 0.5, -1])],
)
def test_places_are_worth_one_to_minus_one(ranks, points):
    assert place_points(ranks) == points
