"""Magilla't: the rulebook sentence by sentence, what can be known, and bots that show its ideas."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.errors import OptionsError
from league.games.magillat import Magillat
from league.games.magillat.rules import (
    MagillatDeal,
    MagillatOptions,
    card_name,
    cards_needed,
    family_of,
    most_turns,
    number_of,
    point_cards,
)
from league.testing import check_game
from tests.tables import each

NAMES = ("Ann", "Bob", "Cleo")
SECRETS = ("deck", "markers", "marks", "shuffles")


def start(players=3, first=0, placed=None, shuffle=None, **options):
    """A playing with a deck in ascending order, except for the cards `placed` at the positions given."""
    game = Magillat(players, options)
    placed = placed or {}
    rest = iter([card for card in game.cards if card not in placed.values()])
    deck = tuple(placed[at] if at in placed else next(rest) for at in range(len(game.cards)))
    turns = most_turns(players, game.options.tie_break_turns)
    shuffles = (tuple(shuffle or range(2 * players)),) * turns
    return game.start(MagillatDeal(first=first, deck=deck, shuffles=shuffles))


def play_turn(state, right=()):
    """One turn in which all mark their left card, and the storyteller names it for the seats in `right` only."""
    storyteller = state.storyteller
    state.step([0] * len(state.turn))
    players = len(state.picks)
    for away in range(1, players):
        state.step([0 if (storyteller + away) % players in right else 1])


def told(state, *turns):
    for right in turns:
        play_turn(state, right)
    return state


def points(state):
    return point_cards(state.history, len(state.picks))


def all_cards(state):
    """Every card wherever it is, the same for every moment of a playing."""
    on_table = [card for three in state.stories for card in three] + [*state.centre, *state.markers]
    return sorted([*state.deck, *on_table, *(card for cards in points(state) for card in cards)])


def first_storyteller_by_lot():
    drawn = {Magillat(4).deal(Random(seed)).first for seed in range(60)}
    return drawn, {0, 1, 2, 3}


def three_markers_for_each_guesser():
    state = start()
    return (state.markers, state.deck[0]), ((109, 110, 111, 112, 201, 202), 203)


def guessers_mark_at_once():
    state = start(players=5, first=2)
    return (state.turn, [state.view(seat).legal for seat in range(5)]), (
        (0, 1, 3, 4),
        [(0, 1, 2), (0, 1, 2), (), (0, 1, 2), (0, 1, 2)],
    )


def marks_are_not_seen():
    one, other = start(), start()
    one.step([0, 2])
    other.step([1, 2])
    return [one.view(0), one.view(2), one.view(1).mark], [other.view(0), other.view(2), 0]


def story_goes_round_from_the_left():
    state = start(players=5, first=2)
    state.step([0, 0, 0, 0])
    listeners = []
    while state.view(2).phase == "tell":
        listeners.append((state.turn, state.view(2).listener))
        state.step([0])
    return listeners, [((2,), 3), ((2,), 4), ((2,), 0), ((2,), 1)]


def five_players_make_a_story_of_six_cards():
    turn = told(start(players=5), ()).history[0]
    return len(turn.centre) + len(turn.awards), 6


def marks_are_shown_after_the_last_card():
    state = start()
    state.step([2, 1])
    state.step([2])
    before = len(state.history)
    state.step([0])
    return (before, state.history[0].marks, state.history[0].picks), (0, (-1, 2, 1), (-1, 2, 0))


def the_rest_goes_under_the_deck():
    state = told(start(), (1,))
    return state.deck[-6:], (102, 103, 104, 106, 107, 108)


def the_rest_is_shuffled():
    state = told(start(shuffle=(5, 4, 3, 2, 1, 0)), (1,))
    return state.deck[-6:], (108, 107, 106, 104, 103, 102)


def storyteller_goes_left():
    state = start(players=4, first=2)
    tellers = [state.storyteller]
    for _ in range(3):
        play_turn(state)
        tellers.append(state.storyteller)
    return tellers, [2, 3, 0, 1]


def markers_become_story_cards_of_the_left_neighbour():
    state = start(players=4)
    markers = {seat: state.markers[3 * seat - 3 : 3 * seat] for seat in (1, 2, 3)}
    play_turn(state)
    return state.stories, (markers[3], (), markers[1], markers[2])


def new_centre_and_markers_come_from_the_deck():
    state = start()
    deck = state.deck
    play_turn(state)
    return (state.centre, state.markers), (deck[:2], deck[2:8])


def everybody_tells_once():
    state = start(families=8)
    turns = 0
    while state.turn:
        play_turn(state, (0,))
        turns += 1
    return (turns, sorted(turn.storyteller for turn in state.history)), (3, [0, 1, 2])


def most_point_cards_win():
    outcome = told(start(), (), (0,), (0, 1)).outcome()
    return (outcome.scores, outcome.ranks), ((4, 2, 0), (0, 1, 2))


def families_break_a_tie():
    placed = {1: 101, 4: 201, 9: 102, 12: 103, 17: 104, 20: 105}  # where the cards lie that are named in turns 1 to 3
    state = told(start(placed=placed), (), (), ())
    return (state.turn, state.view(0).families, state.outcome().ranks), ((), (2, 1, 1), (0, 1, 1))


def the_tied_tell_once_more():
    state = told(start(players=4, first=1, families=1, cards_per_family=50), (0, 2), (0,), (0, 2), (1, 3))
    tellers = []
    while state.turn:
        tellers.append(state.storyteller)
        play_turn(state)
    return (state.view(0).tied, tellers), ((2, 0), [2, 0])


def everybody_else_guesses_in_a_tie_break():
    state = told(start(families=1, cards_per_family=50), (), (), (0, 1))
    return (state.storyteller, state.turn), (0, (1, 2))


def markers_go_as_far_left_as_the_role():
    state = told(start(players=4, first=1, families=1, cards_per_family=50), (0, 2), (0,), (0, 2), (1, 3))
    old, markers = state.storyteller, state.markers
    play_turn(state)
    moved = {(old + 1 + i + 2) % 4: markers[3 * i : 3 * i + 3] for i in range(3)}  # the role goes from 2 to 0
    return {seat: three for seat, three in enumerate(state.stories) if three}, moved


def tie_break_cards_count():
    state = told(start(families=1, cards_per_family=50), (), (), (0, 1), (2,), (0, 2))
    return (state.outcome().scores, state.outcome().ranks), ((5, 3, 2), (0, 1, 2))


def tie_break_goes_by_families_again():
    same = {1: 101, 4: 102, 9: 103, 12: 104, 17: 105, 20: 106, 25: 107, 28: 108, 41: 109, 44: 110}
    state = told(start(placed=same | {33: 111, 36: 201}), *[()] * 6)
    return (state.outcome().scores, state.outcome().ranks), ((4, 4, 4), (1, 0, 1))


def tied_again_they_share():
    state = told(start(families=1, cards_per_family=50), *[()] * 6)
    return (state.turn, state.outcome().ranks), ((), (0, 0, 0))


def others_keep_their_places():
    placed = {1: 101, 4: 201, 9: 102, 12: 202, 17: 103, 20: 104}
    state = told(start(placed=placed), (), (), (), (1, 2), (0, 2))  # seat 2 lacks a family, then guesses best
    return (state.outcome().scores, state.outcome().ranks), ((3, 3, 4), (0, 0, 2))


def no_tie_break_turns():
    state = told(start(families=1, cards_per_family=50, tie_break_turns=0), (), (), ())
    return (state.turn, state.outcome().ranks), ((), (0, 0, 0))


RULEBOOK = [
    ("1. Who gets the storyteller's card, dealt at random, tells first", first_storyteller_by_lot),
    (
        "2. Everybody else gets three story cards, face up",
        lambda: (start(first=1).stories, ((104, 105, 106), (), (101, 102, 103))),
    ),
    ("3. The storyteller lays two cards of the deck in the centre", lambda: (start().centre, (107, 108))),
    ("4. All guessers take three more cards, face down, as markers", three_markers_for_each_guesser),
    ("5. The guessers mark one of their cards", guessers_mark_at_once),
    ("5. The storyteller does not see it", marks_are_not_seen),
    ("6. The story uses a card of each, from the left neighbour on", story_goes_round_from_the_left),
    ("6. Five players: six cards, of which two from the centre", five_players_make_a_story_of_six_cards),
    ("7. When the story is over, the marks are looked at", marks_are_shown_after_the_last_card),
    ("7. Right: the guesser keeps the card", lambda: (points(told(start(), (1, 2))), ((), (101,), (104,)))),
    ("7. Wrong: the storyteller takes the card", lambda: (points(told(start(), (1,))), ((105,), (101,), ()))),
    ("8. Two cards of each and the centre go under the deck", the_rest_goes_under_the_deck),
    ("8. They are shuffled before", the_rest_is_shuffled),
    ("9. The storyteller's card goes left", storyteller_goes_left),
    ("9. Markers go left and become story cards", markers_become_story_cards_of_the_left_neighbour),
    ("9. New centre cards and markers are dealt", new_centre_and_markers_come_from_the_deck),
    ("10. It ends when all have told", everybody_tells_once),
    ("10. Most point cards win", most_point_cards_win),
    ("11. Then most families", families_break_a_tie),
    ("12. Then those who are tied tell again, from the left of the last storyteller", the_tied_tell_once_more),
    ("12. Everybody else guesses", everybody_else_guesses_in_a_tie_break),
    ("12. Markers go left as far as the role", markers_go_as_far_left_as_the_role),
    ("12. Cards taken then count", tie_break_cards_count),
    ("12. Then by families again", tie_break_goes_by_families_again),
    ("12. Tied again: several winners", tied_again_they_share),
    ("12. Who was not tied keeps the place", others_keep_their_places),
    ("12. New turns may be left out", no_tie_break_turns),
]


@each("row", [pytest.param(row, id=sentence) for sentence, row in RULEBOOK])
def test_rulebook(row):
    found, expected = row()
    assert found == expected


@each(("card", "family", "number", "name"), [(101, 1, 1, "Dragon 1"), (2050, 20, 50, "Dream 50")])
def test_card_coding(card, family, number, name):
    assert (family_of(card), number_of(card), card_name(card)) == (family, number, name)


SMALLEST_DECKS = [(3, 0, 18), (3, 1, 24), (4, 0, 29), (4, 1, 41), (5, 0, 42), (5, 1, 62), (6, 0, 57), (6, 1, 87)]
"""Players, tie-break turns, cards: in the last turn 6 for each guesser, 2 in the centre, and the points until then."""


@each(("players", "extra", "cards"), SMALLEST_DECKS)
def test_smallest_deck_lasts_and_is_used_up(players, extra, cards):
    assert cards_needed(players, extra) == cards
    options = MagillatOptions(families=1, cards_per_family=cards, tie_break_turns=extra)  # one family: all are tied
    game = Magillat(players, options)
    state = game.start(game.deal(Random(0)))
    for _ in range(most_turns(players, extra) - 1):
        play_turn(state)
    assert len(state.turn) == players - 1
    assert (len(state.markers), state.deck) == (3 * (players - 1), ())
    play_turn(state)
    assert state.turn == ()
    with pytest.raises(OptionsError, match=f"may need {cards} cards, .* gives only {cards - 1};"):
        Magillat(players, MagillatOptions(families=1, cards_per_family=cards - 1, tie_break_turns=extra))


MISTAKES = [
    (
        {"families": 5, "cards_per_family": 12},
        "magillat: 5 players may need 62 cards, but families 5 times cards_per_family 12 gives only 60; "
        "raise one of them, or set tie_break_turns to 0, for which 42 cards are enough.",
    ),
    (
        {"families": 4, "cards_per_family": 10},
        "magillat: 5 players may need 62 cards, but families 4 times cards_per_family 10 gives only 40; "
        "raise one of them.",
    ),
]


@each(("options", "line"), MISTAKES)
def test_a_deck_that_could_run_out_is_refused_with_what_would_do(options, line):
    with pytest.raises(OptionsError) as caught:
        Magillat(5, options)
    assert str(caught.value) == line


SETUPS = [
    {},
    {"tie_break_turns": 0},
    {"families": 3, "cards_per_family": 29},  # six players may use up all 87 cards
    {"families": 2, "cards_per_family": 31},  # five players: 62
    {"families": 1, "cards_per_family": 41},  # four players: 41, and many ties
    {"families": 3, "cards_per_family": 8},  # three players: 24
    {"families": 3, "cards_per_family": 19, "tie_break_turns": 0},  # six players without extra turns: 57
]


def fitting(players):
    """The setups whose deck is large enough."""
    for options in SETUPS:
        there = options.get("families", 8) * options.get("cards_per_family", 12)
        if there >= cards_needed(players, options.get("tie_break_turns", 1)):
            yield options


PLAYINGS = st.integers(3, 6).flatmap(
    lambda players: st.tuples(
        st.builds(Magillat, st.just(players), st.sampled_from(list(fitting(players)))),
        st.builds(Random, st.integers(0, 2**32)),
    )
)


def moments(game, rng):
    """Every moment of a random playing, before and after each step."""
    state = game.start(game.deal(rng))
    while True:
        yield state
        if not state.turn:
            return
        state.step([rng.choice(state.view(seat).legal) for seat in state.turn])


@settings(max_examples=40, deadline=None)
@given(PLAYINGS)
def test_every_turn_gives_one_point_card_for_each_guesser(playing):
    game, rng = playing
    *_, state = moments(game, rng)
    for turn in state.history:
        assert len(turn.awards) == game.players - 1
        for guesser, (taker, card) in zip(turn.guessers, turn.awards, strict=True):
            assert taker in (guesser, turn.storyteller)
            assert card in turn.stories[guesser]
    assert sum(state.outcome().scores) == len(state.history) * (game.players - 1)
    assert state.outcome().scores == state.view(0).scores == tuple(map(len, points(state)))


@settings(max_examples=40, deadline=None)
@given(PLAYINGS)
def test_roles(playing):
    game, rng = playing
    for state in moments(game, rng):
        teller = state.storyteller
        assert [len(three) for three in state.stories] == [
            0 if not state.turn or seat == teller else 3 for seat in range(game.players)
        ]
        phases = {state.view(seat).phase for seat in range(game.players)}
        assert len(phases) == 1
        assert phases == {"over"} or state.turn == (
            (teller,) if phases == {"tell"} else tuple(seat for seat in range(game.players) if seat != teller)
        )
    tellers = [turn.storyteller for turn in state.history]
    assert sorted(tellers[: game.players]) == list(range(game.players))
    assert len(set(tellers[game.players :])) == len(tellers) - game.players


def went_under(state):
    """For each card that lies face down, from the top: the turn after which it went under the deck, 0 for none."""
    turns = {}
    for number, turn in enumerate(state.history, start=1):
        turns.update(dict.fromkeys(turn.leftovers, number))
    return [turns.get(card, 0) for card in state.markers + state.deck]


@settings(max_examples=25, deadline=None)
@given(PLAYINGS)
def test_what_is_imagined_could_be_so(playing):
    game, rng = playing
    for state in moments(game, rng):
        layers = went_under(state)
        assert layers == sorted(layers)
        for seat in range(game.players):
            view = state.view(seat)
            imagined = game.imagine(view, rng)
            assert imagined.view(seat) == view
            assert all_cards(imagined) == list(game.cards)
            assert went_under(imagined) == layers
            assert [imagined.turn, imagined.to_tell, imagined.listener] == [state.turn, state.to_tell, state.listener]
            assert [sorted(shuffle) for shuffle in imagined.shuffles] == [sorted(shuffle) for shuffle in state.shuffles]


@each("players", [3, 4, 5, 6])
def test_deals_are_shuffled(players):
    game = Magillat(players)
    deals = [game.deal(Random(seed)) for seed in range(20)]
    assert all(sorted(deal.deck) == list(game.cards) for deal in deals)
    assert len({deal.deck for deal in deals}) == len(deals)
    shuffles = [shuffle for deal in deals for shuffle in deal.shuffles]
    assert len(shuffles) == len(deals) * 2 * players
    assert all(sorted(shuffle) == list(range(2 * players)) for shuffle in shuffles)
    assert {shuffle[0] for shuffle in shuffles} == set(range(2 * players))


def test_cards_just_put_under_a_deep_deck_are_no_markers():
    state = told(start(players=6), ())
    game, rng = Magillat(6), Random(1)
    gone = set(state.history[0].leftovers)
    for _ in range(50):
        assert gone.isdisjoint(game.imagine(state.view(1), rng).markers)


def test_hidden_marks_are_imagined_evenly():
    state = start(players=4)
    state.step([1, 1, 1])
    state.step([2])
    game, rng = Magillat(4), Random(2)
    storyteller = Counter(game.imagine(state.view(0), rng).marks for _ in range(2700))
    assert {*storyteller} == {(-1, *marks) for marks in product(range(3), repeat=3)}
    assert all(60 < times < 140 for times in storyteller.values())  # 100 each, give or take four deviations
    guesser = {game.imagine(state.view(2), rng).marks for _ in range(300)}
    assert guesser == {(-1, one, 1, other) for one in range(3) for other in range(3)}


def test_hidden_cards_are_imagined_evenly():
    game, rng = Magillat(3, {"families": 2, "cards_per_family": 12}), Random(3)
    state = game.start(game.deal(rng))
    hidden = set(state.markers + state.deck)
    for at in (0, 5, 15):
        drawn = Counter((lambda s: s.markers + s.deck)(game.imagine(state.view(0), rng))[at] for _ in range(1600))
        assert {*drawn} == hidden
        assert all(60 < times < 140 for times in drawn.values())


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_the_kit_finds_nothing(players):
    game = Magillat(players)
    check_game(game, hides=SECRETS, conserved=all_cards, playings=1, endings=5)


def test_story_does_not_reveal_marks_or_markers():
    game = Magillat(3)
    one, other = start(), start()
    other.redeal(0, Random(1))
    assert game.opening(one, NAMES) == game.opening(other, NAMES)
    before = one.copy()
    one.step([0, 1])
    other.step([2, 2])
    assert game.tell(before, [0, 1], one, NAMES) == game.tell(before, [2, 2], other, NAMES)
    assert game.label(1, before.view(2)) == "marks Dragon 5"
    assert game.label(1, one.view(0)) == "names Dragon 2 of seat 2"
