"""Cheese Rescue: every sentence of the rulebook that decides something, and what must hold in every playing."""

from collections import Counter
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.games.cheese_rescue import CheeseRescue
from league.games.cheese_rescue.people import draw
from league.games.cheese_rescue.rules import (
    ANIMALS,
    CAT,
    CHEESES,
    DOG,
    MOUSE,
    NOBODY,
    ORIGIN,
    START,
    CheeseRescueDeal,
    CheeseRescueOptions,
    CheeseRescueState,
    Laid,
    card_of,
    encode,
    neighbours,
    place_of,
    rescue,
    spot,
    xy,
)
from league.testing import check_game
from tests.tables import each

SETUPS = [*product((2, 3, 4), ("floating", "centred"))]
SIGNS = {"*": Laid(START, NOBODY), "D": Laid(DOG, 0), "C": Laid(CAT, 0), "M": Laid(MOUSE, 0)}
TAKEN_OUT = {2: {DOG: 3, CAT: 6, MOUSE: 9}, 3: {DOG: 2, CAT: 3, MOUSE: 4}, 4: {DOG: 0, CAT: 0, MOUSE: 0}}
BOX = {DOG: 6, CAT: 12, MOUSE: 18}
SIDE = {2: 5, 3: 6, 4: 7}


def board(*rows):
    """A table from a map such as `draw` makes: 'D C a5 .', the top row first; its bottom left is the origin."""
    cells = {}
    for y, row in enumerate(reversed(rows)):
        for x, sign in enumerate(row.split()):
            if sign != ".":
                cells[encode(0, x, y)] = SIGNS.get(sign) or Laid(int(sign[1]), "abcd".index(sign[0]))
    return cells


def play(game, seed, stop=None):
    """A playing at random, up to `stop` moves."""
    rng = Random(seed)
    state = game.start(game.deal(rng))
    while state.turn and len(state.history) != stop:
        state.step([rng.choice(state.view(state.turn[0]).legal)])
    return state


def all_cards(state):
    """How many there are of each card, wherever they are."""
    return sum(map(Counter, state.hands), Counter([*state.pile, *map(card_of, state.history)]))


def begin(players, surface="floating", **options):
    game = CheeseRescue(players, {"surface": surface, **options})
    return game.start(game.deal(Random(1)))


def lay(state, *places):
    """Lay the first card of whoever is in turn at each place, given as (x, y); it must be legal."""
    for x, y in places:
        view = state.view(state.turn[0])
        move = encode(view.hand[0], x, y)
        assert move in view.legal
        state.step([move])
    return state


def free(state):
    return {xy(place) for place in state.view(state.turn[0]).places}


# Setting up


@each("players", [2, 3, 4])
def test_the_box_less_what_the_rulebook_takes_out_is_dealt(players):
    deal = CheeseRescue(players).deal(Random(5))
    assert Counter(deal.animals) == Counter(BOX) - Counter(TAKEN_OUT[players])


@each("players", [2, 3, 4])
def test_each_player_begins_with_six_cheeses_and_two_animals_and_the_oldest_is_seat_0(players):
    deal = CheeseRescue(players).deal(Random(5))
    state = CheeseRescue(players).start(deal)
    for seat in range(players):
        assert state.hands[seat] == (*CHEESES, *sorted(deal.animals[2 * seat : 2 * seat + 2]))
    assert state.pile == deal.animals[2 * players :]
    assert state.turn == (0,)


@each(("players", "start_card"), [(2, True), (3, False), (4, True)])
def test_the_start_card_is_used_by_two_and_four(players, start_card):
    view = begin(players).view(0)
    assert view.board == ({ORIGIN: Laid(START, NOBODY)} if start_card else {})


@each(
    ("players", "surface", "places"),
    [
        (2, "floating", {(0, 1), (1, 0), (0, -1), (-1, 0)}),
        (2, "centred", {(0, 1), (1, 0), (0, -1), (-1, 0)}),
        (4, "floating", {(0, 1), (1, 0), (0, -1), (-1, 0)}),
        (4, "centred", {(0, 1), (1, 0), (0, -1), (-1, 0)}),
        (3, "floating", {(0, 0)}),
        (3, "centred", {(0, 0)}),
    ],
)
def test_where_the_first_card_goes(players, surface, places):
    assert free(begin(players, surface)) == places


# Laying cards


def test_a_card_must_share_a_side_with_a_card():
    state = lay(begin(2), (1, 0), (1, 1))
    assert free(state) == {(0, 1), (0, -1), (-1, 0), (1, -1), (2, 0), (2, 1), (1, 2)}
    assert (2, 2) not in free(state), "a corner is not a side"


@each(("players", "side"), SIDE.items())
@each("direction", [1, -1])
def test_a_floating_square_may_begin_at_the_origin_but_is_not_longer_than_its_side(players, side, direction):
    first = [] if players != 3 else [(0, 0)]
    state = lay(begin(players), *first, *[(direction * x, 0) for x in range(1, side)])
    columns = {x for x, _ in free(state)}
    assert columns == {direction * x for x in range(side)}


def test_a_place_that_was_free_is_lost_when_the_square_grows_away_from_it():
    state = lay(begin(2), (1, 0), (2, 0), (3, 0))
    assert (-1, 0) in free(state)
    lay(state, (4, 0))
    assert (-1, 0) not in free(state)


def test_rows_are_limited_like_columns():
    state = lay(begin(2), (0, -1), (0, -2), (0, 1), (0, 2))
    assert {y for _, y in free(state)} == {-2, -1, 0, 1, 2}


@each(("players", "half"), [(2, 2), (4, 3)])
def test_the_start_card_is_the_middle_of_a_centred_square(players, half):
    state = lay(begin(players, "centred"), *[(x, 0) for x in range(1, half + 1)])
    assert (half + 1, 0) not in free(state)
    assert (-1, 0) in free(state)
    while state.turn:
        state.step([state.view(state.turn[0]).legal[-1]])
    assert {xy(place) for place in state.view(0).board} == {*product(range(-half, half + 1), repeat=2)}


def test_three_players_have_no_middle_so_that_both_surfaces_are_the_same():
    floating, centred = (lay(begin(3, surface), (0, 0), (1, 0), (2, 0)) for surface in ("floating", "centred"))
    assert free(floating) == free(centred)


def test_equal_animals_are_one_choice():
    game = CheeseRescue(2)
    state = game.start(CheeseRescueDeal((MOUSE, MOUSE, CAT, DOG, *[MOUSE] * 14)))
    assert len(state.view(0).legal) == 4 * 7
    assert len(state.view(0).legal) == len({*state.view(0).legal})


def test_the_top_of_the_pile_is_drawn_after_laying_a_card():
    game = CheeseRescue(2)
    state = game.start(CheeseRescueDeal((MOUSE, MOUSE, CAT, DOG, DOG, CAT, *[MOUSE] * 12)))
    state.step([encode(MOUSE, 1, 0)])
    assert state.hands[0] == (*CHEESES, DOG, MOUSE)
    assert state.hands[1] == (*CHEESES, DOG, CAT)
    state.step([encode(4, 2, 0)])
    assert state.hands[1] == (1, 2, 3, 5, 6, DOG, CAT, CAT)


def test_nobody_draws_when_the_pile_is_used_up():
    state = play(CheeseRescue(2), 3, stop=14)
    assert not state.pile
    before = state.hands[0]
    state.step([state.view(0).legal[0]])
    assert len(state.hands[0]) == len(before) - 1


# The end


@each(
    ("why", "before", "after"),
    [
        ("a cat next to a dog leaves", ["D C"], ["D ."]),
        ("all cats next to a dog leave", ["C D C", ". C ."], [". D .", ". . ."]),
        ("a corner is not next to", ["D .", ". C"], ["D .", ". C"]),
        ("a mouse next to a cat leaves", ["C M"], ["C ."]),
        ("a mouse next to a cat that left stays", ["D C M"], ["D . M"]),
        ("a mouse leaves if one of two cats stays", ["D C M C"], ["D . . C"]),
        ("a cheese next to a mouse leaves", ["M a5"], ["M ."]),
        ("a cheese next to a mouse that left stays", ["C M a5"], ["C . a5"]),
        ("the dog saves the mouse, which eats the cheese", ["D C M a5"], ["D . M ."]),
        ("nobody's own mice spare their cheeses", ["M b1 a1"], ["M . a1"]),
        ("each step looks at the whole board at once: one dog, two cats", ["C D", ". C"], [". D", ". ."]),
        ("a dog does not chase mice", ["D M"], ["D M"]),
        ("a dog does not eat cheese", ["D a1"], ["D a1"]),
        ("a cat does not eat cheese", ["C a1"], ["C a1"]),
        ("cats do not chase each other", ["C C"], ["C C"]),
        ("a start card neither chases nor leaves", ["M C", "D *", "C a1"], [". C", "D *", ". a1"]),
        ("a start card is not eaten", ["M *"], ["M *"]),
        ("a row end does not touch the next row", [". . D", "C . ."], [". . D", "C . ."]),
    ],
)
def test_who_leaves_the_table(why, before, after):
    assert rescue(board(*before)) == board(*after), why


def test_the_whole_example():
    before = board(
        "C  M  C  b1 M",
        "D  b2 M  a2 M",
        "a4 M  b6 b3 b4",
        "a6 a5 *  D  C",
        "C  a1 D  M  b5",
    )
    saved = rescue(before)
    assert saved == board(
        ".  .  C  .  M",
        "D  .  .  .  M",
        ".  M  .  b3 .",
        "a6 .  *  D  .",
        "C  a1 D  M  .",
    )


@each(
    ("why", "cheeses", "points", "ranks", "scores"),
    [
        ("most points win", "a6 b5", (1, 2, 3, 4, 5, 6), (0, 1), (6, 5)),
        ("equal points: most cheeses win", "a6 b2 b4", (1, 2, 3, 4, 5, 6), (1, 0), (6, 6)),
        ("more cheeses do not beat more points", "a6 b1 b2", (1, 2, 3, 4, 5, 6), (0, 1), (6, 3)),
        ("equal points and cheeses: shared", "a1 a5 b2 b4", (1, 2, 3, 4, 5, 6), (0, 0), (6, 6)),
        ("nothing saved: shared", "", (1, 2, 3, 4, 5, 6), (0, 0), (0, 0)),
        ("a cheese worth nothing still breaks a tie", "a6 b5 b1", (0, 2, 3, 4, 9, 9), (1, 0), (9, 9)),
        ("points are as set", "a1 b6", (50, 0, 0, 0, 0, 7), (0, 1), (50, 7)),
    ],
)
def test_places(why, cheeses, points, ranks, scores):
    laid = {cheese: encode(int(cheese[1]), x, 0) for x, cheese in enumerate(cheeses.split(), start=1)}
    alternating = []
    for seat in "ab":
        alternating.append([laid[cheese] for cheese in sorted(laid) if cheese[0] == seat])
    turns = max(map(len, alternating))
    filler = (encode(DOG, x, y) for y in range(1, 5) for x in range(-2, 3))
    for moves in alternating:
        moves += [next(filler) for _ in range(turns - len(moves))]
    history = tuple(move for pair in zip(*alternating, strict=True) for move in pair)
    options = CheeseRescueOptions(cheese_points=points)
    state = CheeseRescueState(turn=(), options=options, hands=((), ()), pile=(), fits=0, history=history)
    outcome = state.outcome()
    assert (outcome.ranks, outcome.scores) == (ranks, scores), why


def test_three_can_share_places():
    history = (encode(3, 0, 0), encode(3, 1, 0), encode(6, 2, 0))
    options = CheeseRescueOptions()
    state = CheeseRescueState(turn=(), options=options, hands=((),) * 3, pile=(), fits=0, history=history)
    assert state.outcome().ranks == (1, 1, 0)


# What holds in every playing


@settings(deadline=None)
@given(setup=st.sampled_from(SETUPS), seed=st.integers(0, 2**32))
def test_every_playing_fills_the_square_with_twelve_cards_each(setup, seed):
    players, surface = setup
    game = CheeseRescue(players, {"surface": surface})
    rng = Random(seed)
    state = game.start(game.deal(rng))
    everything = all_cards(state)
    while state.turn:
        (seat,) = state.turn
        view = state.view(seat)
        assert seat == len(state.history) % players
        assert view.hand_sizes == tuple(map(len, state.hands))
        assert view.pile_size == len(state.pile)
        assert len(view.hand) == min(8, 15 - len(state.history) // players)
        _check_legal(view, surface)
        state.step([rng.choice(view.legal)])
        assert all_cards(state) == everything
    places = {xy(place) for place in state.view(0).board}
    assert len(places) == SIDE[players] ** 2
    assert all(len(range(min(line), max(line) + 1)) == SIDE[players] for line in zip(*places, strict=True))
    assert [len(state.history[seat::players]) for seat in range(players)] == [12] * players
    assert [*map(len, state.hands)] == [3] * players
    _check_outcome(state)


def _check_legal(view, surface):
    """The legal moves, found the slow way: every card in hand in every place that touches and fits."""
    taken = {xy(place) for place in view.board}
    side = SIDE[view.players]
    if not taken:
        expected = {(0, 0)}
    else:
        spots = product(range(-8, 9), repeat=2)
        expected = {(x, y) for x, y in spots if (x, y) not in taken and _touches(x, y, taken)}
        expected = {new for new in expected if _fits({*taken, new}, side)}
        if surface == "centred" and view.players != 3:
            expected = {(x, y) for x, y in expected if max(abs(x), abs(y)) <= side // 2}
    assert view.legal == tuple(sorted(encode(card, x, y) for card in {*view.hand} for x, y in expected))


def _touches(x, y, taken):
    return not taken.isdisjoint([(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)])


def _fits(places, side):
    return all(max(line) - min(line) < side for line in zip(*places, strict=True))


def _check_outcome(state):
    """The outcome, found the slow way: from neighbour to neighbour."""
    table = {xy(place): laid for place, laid in state.view(0).board.items()}
    for chased, hunter in ((CAT, DOG), (MOUSE, CAT), (CHEESES, MOUSE)):
        prey = chased if isinstance(chased, tuple) else (chased,)
        hunters = {at for at, laid in table.items() if laid.card == hunter}
        table = {at: laid for at, laid in table.items() if laid.card not in prey or not _touches(*at, hunters)}
    points = [
        sum(laid.card for laid in table.values() if laid.card in CHEESES and laid.seat == seat) for seat in range(4)
    ]
    assert state.outcome().scores == tuple(points[: len(state.hands)])


@pytest.mark.slow
def test_the_kit_finds_nothing_wrong():
    check_game(CheeseRescue, hides=("hands", "pile"), conserved=all_cards, playings=1, endings=2)


# What a seat may know


def test_other_hands_are_imagined_in_proportion_to_what_is_unseen():
    game = CheeseRescue(2)
    state = play(game, seed=4, stop=6)
    view = state.view(0)
    rng = Random(2)
    dreams = [game.imagine(view, rng) for _ in range(2000)]
    held = Counter(card for dream in dreams for card in dream.hands[1] if card in ANIMALS)
    next_drawn = Counter(dream.pile[0] for dream in dreams)
    for animal in ANIMALS:
        share = view.unseen.count(animal) / len(view.unseen)
        assert held[animal] / held.total() == pytest.approx(share, abs=0.05)
        assert next_drawn[animal] / len(dreams) == pytest.approx(share, abs=0.05)


def test_what_follows_from_a_view():
    state = begin(2)
    state = lay(state, (1, 0), (0, 1), (2, 0))
    view = state.view(1)
    assert view.board == {
        ORIGIN: Laid(START, NOBODY),
        place_of(encode(0, 1, 0)): Laid(1, 0),
        place_of(encode(0, 0, 1)): Laid(1, 1),
        place_of(encode(0, 2, 0)): Laid(2, 0),
    }
    assert view.cheeses == ((3, 4, 5, 6), (2, 3, 4, 5, 6))
    assert view.scores == (3, 1)
    assert view.size == 5
    assert view.pile_size == 14 - 3
    hidden = [card for card in (*state.hands[0], *state.pile) if card in ANIMALS]
    assert view.unseen == tuple(sorted(hidden))


# Moves, options, words


def test_moves_read_as_card_row_column():
    assert encode(DOG, 0, 1) == 7_08_07
    assert encode(3, -6, 6) == 3_13_01
    assert card_of(7_08_07) == DOG
    assert place_of(7_08_07) == 807
    assert xy(807) == (0, 1)
    assert neighbours(ORIGIN) == (607, 706, 708, 807)


def test_places_have_names_as_on_a_chessboard():
    assert spot(ORIGIN) == "G7"
    assert spot(place_of(encode(0, -6, 6))) == "A13"
    assert spot(place_of(encode(0, 6, -6))) == "M1"


def test_the_map():
    assert draw(board("a5 .  M", "*  D  C")) == [
        "   8  a5  .   M",
        "   7  *   D   C",
        "      G   H   I",
    ]
