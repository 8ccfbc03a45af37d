"""BraveRats: the rulebook's table and sentences as data, every variant and combination, and what a view may hold."""

from collections import Counter
from itertools import product
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.errors import OptionsError
from league.games.braverats import BraveRats
from league.games.braverats.rules import (
    BOTH_CLANS,
    CLAN,
    MIME,
    NOBODY,
    BraveRatsDeal,
    Packet,
    StartingCards,
    draw_setup,
    fight,
)
from league.testing import check_game
from tests.tables import each

DEALS = ("standard", "random", "draft", "princess_attack")
SWITCHES = ("traitor", "deck", "quick", "emperor", "mime")
COMBINATIONS = [
    {"deal": deal, **dict(zip(SWITCHES, switches, strict=True))}
    for deal in DEALS
    for switches in product((False, True), repeat=len(SWITCHES))
    if not (deal == "draft" and switches[0])
]


def id_of(options):
    return "+".join([options["deal"], *(name for name in SWITCHES if options[name])])


# The summary table of the rulebook. A row is Applewood's card (seat 0), a column Yarg's (seat 1), both from 7 to 0.
# A or Y: that clan wins the round, or the game with a !; X: on hold.
PRINTED = """
X  A  A  A  A  A  Y! X
Y  X  A  A  Y  A  A  X
Y  Y  X  A  A  A  A  A
Y  Y  Y  X  Y  A  A  X
Y  A  Y  A  X  Y  Y  X
Y  Y  Y  Y  A  X  A  X
A! Y  Y  Y  A  Y  X  X
X  X  Y  X  X  X  X  X
"""
# The same after Applewood's General. Worked out by hand: Applewood's values are 9 to 2. The footnotes are the cells
# 7-7 (9 to 7 wins), 3-3 (the lower value wins) and 0-0 (on hold all the same).
AFTER_APPLEWOODS_GENERAL = """
A  A  A  A  A  A  Y! X
Y  A  A  A  Y  A  A  X
X  A  A  A  A  A  A  A
Y  X  A  A  Y  A  A  X
Y  A  X  Y  Y  Y  Y  X
Y  Y  Y  X  Y  A  A  X
A! Y  Y  Y  X  A  A  X
X  X  Y  X  X  X  X  X
"""


def cells(text):
    rows = [line.split() for line in text.strip().splitlines()]
    return {(7 - row, 7 - column): cell for row, line in enumerate(rows) for column, cell in enumerate(line)}


def mirrored(table):
    return {(b, a): cell.translate(str.maketrans("AY", "YA")) for (a, b), cell in table.items()}


def written(bout):
    return "X" if bout.winner == NOBODY else "AY"[bout.winner] + "!" * bout.wins_game


TABLES = [
    ((0, 0), cells(PRINTED)),
    ((2, 0), cells(AFTER_APPLEWOODS_GENERAL)),
    ((0, 2), mirrored(cells(AFTER_APPLEWOODS_GENERAL))),
    ((2, 2), cells(PRINTED)),  # both values grow alike
]


@each(("bonus", "table"), TABLES)
def test_summary_table(bonus, table):
    assert len(table) == 64
    assert {pair: written(fight(pair, bonus)) for pair in table} == table


def duel(state, *rounds):
    """Play rounds: in each the card of seat 0 and that of seat 1, in whatever order they must be laid."""
    for cards in rounds:
        if len(state.turn) == 2:
            state.step(cards)
        else:
            for seat in (state.turn[0], 1 - state.turn[0]):
                assert state.turn == (seat,)
                state.step([cards[seat]])
    return state


def standard(**options):
    game = BraveRats(2, options)
    return game.start(game.deal(Random(0)))


# What the rulebook says; rounds played; what is so afterwards. `spy` and `bonus` are those of the next round.
SENTENCES = [
    ("The card with the highest value wins.", [(6, 4)], {"scores": (1, 0)}),
    ("The winner takes one crown.", [(1, 6)], {"scores": (0, 1)}),
    ("A tie puts the round on hold.", [(4, 4)], {"scores": (0, 0), "on_hold": 1}),
    ("The winner of the next round wins two.", [(4, 4), (6, 1)], {"scores": (2, 0), "on_hold": 0}),
    ("Several rounds can be on hold.", [(4, 4), (3, 3), (1, 5)], {"scores": (0, 3)}),
    ("Four rounds end the game at once.", [(4, 2), (7, 4), (5, 3)], {"scores": (4, 0), "turn": (), "ranks": (0, 1)}),
    ("Three do not.", [(4, 2), (7, 4)], {"scores": (3, 0), "turn": (0, 1)}),
    (
        "Out of cards before: a draw, whatever the score.",
        [(4, 2), (2, 1), (1, 4), (0, 0), (3, 3), (5, 5), (6, 6), (7, 7)],
        {"scores": (3, 2), "turn": (), "ranks": (0, 0)},
    ),
    ("Musician: on hold.", [(0, 7)], {"on_hold": 1}),
    ("Musician: triumphs over a Spy,", [(0, 2)], {"spy": -1}),
    ("over a General,", [(6, 0)], {"bonus": (0, 0)}),
    ("over an Ambassador,", [(4, 0), (6, 4)], {"scores": (2, 0)}),
    ("over a Princess,", [(0, 1)], {"on_hold": 1, "turn": (0, 1)}),
    ("but not over the Wizard.", [(0, 5)], {"scores": (0, 1)}),
    ("Princess: the game, if the Prince was played.", [(1, 7)], {"scores": (1, 0), "turn": (), "ranks": (0, 1)}),
    ("Princess: whatever the rounds won.", [(2, 4), (1, 7)], {"scores": (1, 2), "turn": (), "ranks": (0, 1)}),
    ("Princess: the rounds on hold are hers too.", [(5, 5), (7, 1)], {"scores": (0, 2), "ranks": (1, 0)}),
    ("Princess: a General before does not save the Prince.", [(6, 3), (7, 1)], {"turn": (), "ranks": (1, 0)}),
    ("Spy: in the next round the opponent shows first,", [(2, 6)], {"spy": 0, "turn": (1,)}),
    ("whether the Spy lost or won,", [(1, 2)], {"spy": 1, "turn": (0,)}),
    ("and only in the next round.", [(2, 6), (4, 4)], {"spy": -1, "turn": (0, 1)}),
    ("Spies in the same round cancel each other.", [(2, 2)], {"spy": -1, "turn": (0, 1), "on_hold": 1}),
    ("Spy and Spy, one round after the other.", [(2, 6), (4, 2)], {"spy": 1, "turn": (0,)}),
    ("Assassin: the lower value wins,", [(3, 4)], {"scores": (1, 0)}),
    ("even against its owner,", [(3, 1)], {"scores": (0, 1)}),
    ("except against the Prince.", [(3, 7)], {"scores": (0, 1)}),
    ("Assassin: a General before makes it higher.", [(6, 3), (3, 4)], {"scores": (0, 3)}),
    ("Ambassador: winning with it counts as two,", [(4, 1)], {"scores": (2, 0)}),
    ("and three with a round on hold.", [(1, 1), (4, 2)], {"scores": (3, 0)}),
    ("Ambassador: nothing for losing with it.", [(4, 6)], {"scores": (0, 1)}),
    ("Ambassador: a round on hold counts one, whoever lay in it.", [(4, 4), (5, 1)], {"scores": (2, 0)}),
    ("Wizard: cancels the Ambassador.", [(6, 1), (4, 5)], {"scores": (2, 0)}),
    ("Wizard: cancels the Spy.", [(5, 2)], {"scores": (1, 0), "spy": -1}),
    ("Wizard: cancels the General.", [(6, 5)], {"scores": (1, 0), "bonus": (0, 0)}),
    ("Wizard: cancels the Assassin.", [(5, 3)], {"scores": (1, 0)}),
    ("Wizard: cancels the Prince, who wins by value.", [(5, 7)], {"scores": (0, 1)}),
    ("General: +2 in the next round, won", [(6, 1)], {"bonus": (2, 0)}),
    ("or lost,", [(7, 6)], {"bonus": (0, 2)}),
    ("on both sides,", [(6, 6)], {"bonus": (2, 2), "on_hold": 1}),
    ("and then no more.", [(6, 1), (1, 2)], {"bonus": (0, 0), "scores": (2, 0)}),
    ("General: the Wizard of the next round does not cancel it.", [(6, 1), (3, 5)], {"on_hold": 1}),
    ("General: with it a Wizard is as high as the Prince.", [(6, 1), (5, 7)], {"on_hold": 1}),
    ("Prince: wins against all,", [(7, 6)], {"scores": (1, 0)}),
    ("even against more than 7.", [(6, 1), (4, 7)], {"scores": (1, 1)}),
    ("Prince: two of them are equal.", [(7, 7)], {"on_hold": 1}),
]
MIME_SENTENCES = [
    ("Mime in the first round: a 5,", [(8, 4)], {"scores": (1, 0)}),
    ("equal to a Wizard,", [(8, 5)], {"on_hold": 1}),
    ("without power.", [(8, 3)], {"scores": (0, 1)}),
    ("Two of them in the first round are equal.", [(8, 8)], {"on_hold": 1}),
    ("Mime: copies the opponent's value of the round before,", [(7, 4), (8, 5)], {"scores": (1, 1)}),
    ("and its power: the Wizard,", [(4, 5), (8, 3)], {"scores": (1, 1)}),
    ("the Spy,", [(5, 2), (8, 6)], {"spy": 0, "scores": (1, 1)}),
    ("the General,", [(7, 6), (8, 3)], {"bonus": (2, 0)}),
    ("the Ambassador,", [(6, 4), (8, 1)], {"scores": (3, 0)}),
    ("the Musician,", [(3, 0), (8, 7)], {"on_hold": 2}),
    ("the Prince,", [(2, 7), (8, 6)], {"scores": (1, 1)}),
    ("the Assassin", [(5, 3), (8, 6)], {"scores": (2, 0)}),
    ("and the Princess.", [(2, 1), (8, 7)], {"turn": (), "ranks": (0, 1)}),
    ("Mime: as a Prince it falls for the Princess.", [(2, 7), (8, 1)], {"turn": (), "ranks": (1, 0)}),
    ("Mime: a cancelled card is copied with its power.", [(5, 6), (8, 1)], {"bonus": (2, 0)}),
    ("Mime: the General's +2 is added to what it copies.", [(6, 4), (8, 5)], {"scores": (2, 0)}),
    ("Mime: of a Mime, what that had copied.", [(1, 6), (8, 1), (4, 8)], {"scores": (1, 1), "on_hold": 1}),
    ("Mime: of a Mime that had nothing to copy, a 5 without power.", [(8, 7), (3, 8)], {"scores": (1, 1)}),
    ("Mime: two at once copy each other's round before.", [(7, 4), (8, 8)], {"scores": (1, 1)}),
    ("Nine cards then.", [(card, card) for card in (8, 0, 1, 2, 3, 4, 5, 6, 7)], {"turn": (), "ranks": (0, 0)}),
]


@each(
    ("mime", "rounds", "expected"),
    [(mime, *row[1:]) for mime, rows in ((False, SENTENCES), (True, MIME_SENTENCES)) for row in rows],
)
def test_sentence(mime, rounds, expected):
    state = duel(standard(mime=mime), *rounds)
    found = {name: state.outcome().ranks if name == "ranks" else getattr(state, name) for name in expected}
    assert found == expected


def test_the_sentences_hold_for_either_seat():
    for _, rounds, expected in SENTENCES:
        state = duel(standard(), *[(second, first) for first, second in rounds])
        if "scores" in expected:
            assert state.scores == expected["scores"][::-1]
        if "on_hold" in expected:
            assert state.on_hold == expected["on_hold"]


def test_quick_needs_three():
    state = duel(standard(quick=True), (4, 2), (7, 4))
    assert state.turn == ()
    assert state.outcome() == msgspec.structs.replace(state.outcome(), ranks=(0, 1), scores=(3, 0))


def test_round_records_cards_and_result():
    first, second = duel(standard(mime=True), (2, 7), (8, 5)).history
    assert (first.cards, first.acted, first.winner, first.crowns) == ((2, 7), (2, 7), 1, 1)
    assert (second.cards, second.acted, second.winner, second.crowns) == ((8, 5), (7, 5), 0, 1)


def test_spied_seat_lays_first_and_the_spy_sees_it():
    state = duel(standard(), (2, 6))
    assert state.view(0).legal == ()
    assert state.view(1).legal == (0, 1, 2, 3, 4, 5, 7)
    state.step([7])
    assert (state.turn, state.view(0).shown, state.view(1).shown) == ((0,), 7, 7)
    assert state.view(0).opponent_cards == (0, 1, 2, 3, 4, 5)
    state.step([1])
    assert state.outcome().ranks == (0, 1)


# Variants


def dealt(**options):
    game = BraveRats(2, options)
    return [game.start(game.deal(Random(seed))) for seed in range(60)]


def test_traitor_changes_one_card_for_one():
    for state in dealt(traitor=True):
        gave = state.gave
        for seat in (0, 1):
            view = state.view(seat)
            assert (view.given, view.got) == (gave[seat], gave[1 - seat])
            assert Counter(view.hand) == Counter(CLAN) - Counter([view.given]) + Counter([view.got])
            assert view.opponent_cards == state.hands[1 - seat]
            assert view.legal == tuple(sorted(set(view.hand)))
    assert {card for state in dealt(traitor=True) for card in state.gave} == set(CLAN)


def test_a_traitor_never_gives_a_mime_which_joins_last():
    assert all(state.hands[seat].count(MIME) == 1 for state in dealt(traitor=True, mime=True) for seat in (0, 1))


def test_random_deals_all_sixteen():
    states = dealt(deal="random")
    for state in states:
        assert sorted(state.hands[0] + state.hands[1]) == list(BOTH_CLANS)
        assert [len(hand) for hand in state.hands] == [8, 8]
    assert any(len(set(state.hands[0])) < 8 for state in states)


def test_princess_attack_gives_one_both_princes_and_the_other_both_princesses():
    princes, princesses = (0, 2, 3, 4, 5, 6, 7, 7), (0, 1, 1, 2, 3, 4, 5, 6)
    found = {state.hands for state in dealt(deal="princess_attack")}
    assert found == {(princes, princesses), (princesses, princes)}


def test_deck_gives_three_and_draws_after_each():
    for state in dealt(deck=True):
        for left in (5, 4, 3, 2, 1, 0, 0, 0):
            if not state.turn:
                break
            assert [len(hand) + len(pile) for hand, pile in zip(state.hands, state.piles, strict=True)] == [
                8 - len(state.history)
            ] * 2
            assert state.view(0).piles == (left, left)
            assert len(state.hands[0]) == min(3, 8 - len(state.history))
            assert state.view(0).pile == tuple(sorted(state.piles[0]))
            duel(state, (state.hands[0][0], state.hands[1][0]))


def test_deck_draws_the_top_card_as_soon_as_one_is_played():
    order = (2, 0, 1, 7, 6, 5, 4, 3)
    game = BraveRats(2, {"deck": True})
    state = game.start(BraveRatsDeal((StartingCards(hands=(CLAN, CLAN), orders=(order, order)),)))
    assert state.hands == ((0, 1, 2), (0, 1, 2))
    state.step([2, 1])
    assert state.hands == ((0, 1, 7), (0, 2, 7))
    state.step([7])  # seat 1 must show first: the Spy of seat 0 is watching
    assert state.hands == ((0, 1, 7), (0, 2, 6))
    assert state.view(0).piles == (4, 3)


def test_draft_goes_packet_by_packet():
    packets = ((7, 7, 1, 0), (0, 1, 2, 2), (3, 3, 4, 4), (5, 5, 6, 6))
    game = BraveRats(2, {"deal": "draft"})
    state = game.start(BraveRatsDeal((StartingCards(packets=packets),)))
    order = []
    for legal, card in [((0, 1, 7), 7), ((0, 1, 7), 1), ((0, 7), 7), ((0,), 0)]:
        order.append(state.turn)
        assert state.view(state.turn[0]).legal == legal
        state.step([card])
    assert order == [(0,), (1,), (0,), (1,)]
    assert state.turn == (1,)
    assert state.view(0).packets == (Packet(0, (0, 1, 7, 7), (7, 1, 7, 0)), Packet(1, (), ()))
    assert state.view(1).packets == (Packet(0, (0, 1, 7), (-1, 1, 7, 0)), Packet(1, (0, 1, 2, 2), ()))
    state.step([2])
    assert (state.turn, state.view(0).packet, state.view(0).legal) == ((0,), (0, 1, 2), (0, 1, 2))
    assert (state.view(1).packet, state.view(1).legal) == ((0, 1, 2), ())
    for card in (2, 1, 0, 3, 3, 4, 4, 5, 5, 6, 6):
        assert state.view(0).drafting
        state.step([card])
    assert state.turn == (0, 1)
    assert state.hands == ((0, 2, 3, 4, 5, 6, 7, 7), (0, 1, 1, 2, 3, 4, 5, 6))
    assert state.view(1).opponent_cards == state.hands[0]


WON = [(1, 7)]
LOST = [(7, 1)]
DRAWN = [(card, card) for card in CLAN]


@each(
    ("games", "ranks", "scores"),
    [
        ([WON, WON], (0, 1), (2, 0)),
        ([LOST, LOST], (1, 0), (0, 2)),
        ([WON, LOST, WON], (0, 1), (2, 1)),
        ([WON, LOST, DRAWN], (0, 0), (1, 1)),
        ([WON, DRAWN, DRAWN], (0, 1), (1, 0)),
        ([DRAWN, WON, LOST], (0, 0), (1, 1)),
        ([DRAWN, WON, WON], (0, 1), (2, 0)),
        ([DRAWN, DRAWN, DRAWN], (0, 0), (0, 0)),
    ],
)
def test_emperor_counts_games(games, ranks, scores):
    state = standard(emperor=True)
    for number, rounds in enumerate(games):
        assert state.turn == (0, 1)
        assert state.view(0).game == number + 1
        assert [[past.cards for past in game.history] for game in state.view(1).earlier] == games[:number]
        duel(state, *rounds)
    assert state.turn == ()
    assert (state.outcome().ranks, state.outcome().scores) == (ranks, scores)


def test_nothing_pends_from_one_game_of_the_emperor_to_the_next():
    state = duel(standard(emperor=True, mime=True), (4, 1), (7, 6), (6, 2))  # won with a General against a Spy
    assert len(state.earlier[0]) == 1
    assert (state.scores, state.on_hold, state.bonus, state.spy, state.history) == ((0, 0), 0, (0, 0), -1, ())
    duel(state, (8, 4))
    assert state.history[0].acted == (8, 4)


def test_an_emperor_remembers_the_drafts_as_each_seat_saw_them():
    game = BraveRats(2, {"deal": "draft", "emperor": True})
    state = game.start(game.deal(Random(3)))
    rng = Random(4)
    known = []
    while state.turn:
        if not state.view(0).drafting:
            known.append([state.view(seat).packets for seat in (0, 1)])
        state.step([rng.choice(state.view(seat).legal) for seat in state.turn])
    drafts = [draft for at, draft in enumerate(known) if draft not in known[:at]]
    assert len(drafts) >= 2
    for seat in (0, 1):
        view = state.view(seat)
        assert [past.packets for past in view.earlier] == [draft[seat] for draft in drafts[:-1]]
        assert view.packets == drafts[-1][seat]
        for past in view.earlier:
            assert all((packet.takes[0] == -1) == (packet.opener != seat) for packet in past.packets)


def test_which_packet_of_an_earlier_draft_held_which_first_take_stays_hidden():
    packets = ((7, 6, 5, 4), (0, 1, 2, 3), (0, 1, 2, 3), (4, 5, 6, 7))
    game = BraveRats(2, {"deal": "draft", "emperor": True})
    state = game.start(BraveRatsDeal((StartingCards(packets=packets),) * 3))
    while not state.earlier[0]:
        state.step([max(state.view(seat).legal) for seat in state.turn])
    assert state.turn
    view = state.view(1)
    firsts = Counter()
    for other in redealt(state, 1, Random(12), 1000):
        assert other.view(1) == view
        firsts[tuple(packet.takes[0] for packet in other.view(0).earlier[0].packets[::2])] += 1
    assert_even(firsts, [(7, 3), (3, 7)], 1000)


# Options


def test_traitor_and_draft_are_refused_with_a_reason():
    with pytest.raises(OptionsError, match=r"traitor cannot go with deal: draft, since .*take one of the two"):
        BraveRats(2, {"traitor": True, "deal": "draft"})


# Every combination


def all_cards(state):
    """Every card of both clans, wherever it is; Mimes join late in a draft, so they are counted elsewhere."""
    if state.cards[0]:
        played = [card for past in state.history for card in past.cards]
        shown = [state.shown] if state.shown >= 0 else []
        places = [played, shown, *state.hands, *state.piles]
    else:
        places = [card for packet in state.packets for card in packet], []
    return sorted(card for place in places for card in place if card != MIME)


@pytest.mark.slow
@pytest.mark.parametrize("setups", [36, pytest.param(len(COMBINATIONS), marks=pytest.mark.soak)])
def test_the_kit_finds_nothing(setups):
    hidden = ("to_come", "orders", "packets", "takes", "seen", "hands", "piles", "drafts", "earlier")
    report = check_game(BraveRats, hides=hidden, conserved=all_cards, playings=1, endings=2, max_setups=setups)
    assert report.setups == setups


@settings(max_examples=150, deadline=None)
@given(options=st.sampled_from(COMBINATIONS), seed=st.integers(0, 10**9), data=st.data())
def test_cards_and_crowns_are_conserved(options, seed, data):
    game = BraveRats(2, options)
    state = game.start(game.deal(Random(seed)))
    size = 8 + options["mime"]
    while state.turn:
        assert all_cards(state) == list(BOTH_CLANS)
        for seat in (0, 1):
            view = state.view(seat)
            assert view.hand == tuple(sorted(view.hand))
            assert set(view.legal) <= (set(view.packet) if view.drafting else set(view.hand))
            if not view.drafting:
                laid = len(state.history) + (state.shown >= 0 and state.spy != seat)
                assert len(view.cards[seat]) == size
                assert len(view.hand) + view.piles[seat] == size - laid
                assert view.cards[seat].count(MIME) == options["mime"]
                assert Counter(view.remaining[seat]) == Counter(state.hands[seat] + state.piles[seat])
        ambassadors = sum(past.crowns > 0 and resolve_worth(past) == 2 for past in state.history)
        assert sum(state.scores) + state.on_hold == len(state.history) + ambassadors
        assert max(state.scores) < game.options.target
        state.step([data.draw(st.sampled_from(state.view(seat).legal)) for seat in state.turn])
    assert len(state.history) <= size
    outcome = state.outcome()
    assert outcome.ranks in ((0, 1), (1, 0), (0, 0))
    assert outcome.scores == (state.games_won if options["emperor"] else state.scores)
    assert len(state.earlier[0]) <= (2 if options["emperor"] else 0)


def resolve_worth(past):
    """An Ambassador that won against anything but a Wizard."""
    return 2 if past.acted[past.winner] == 4 and past.acted[1 - past.winner] != 5 else 1


# Fair samples: counts of what must be equally likely, with a seeded stream, so that they never change by chance.


def assert_even(counts, outcomes, samples):
    expected = samples / len(outcomes)
    assert set(counts) == set(outcomes)
    chi_square = sum((counts[outcome] - expected) ** 2 / expected for outcome in outcomes)
    freedom = len(outcomes) - 1
    assert chi_square < freedom + 5 * (2 * freedom) ** 0.5


def test_redeal_deals_the_opponents_hand_of_a_deck_evenly():
    state = duel(standard(deck=True))
    counts = Counter()
    rng = Random(5)
    for _ in range(5600):
        other = state.copy()
        other.redeal(0, rng)
        assert other.hands[0] == state.hands[0]
        counts[other.hands[1]] += 1
    assert_even(counts, [hand for hand in product(CLAN, repeat=3) if hand[0] < hand[1] < hand[2]], 5600)


def test_redeal_hides_the_order_of_the_own_pile():
    state = standard(deck=True)
    rng = Random(6)
    counts = Counter(imagined.piles[0][0] for imagined in redealt(state, 0, rng, 2000))
    assert_even(counts, state.piles[0], 2000)


def redealt(state, seat, rng, samples):
    for _ in range(samples):
        other = state.copy()
        other.redeal(seat, rng)
        yield other


def test_redeal_of_a_draft_samples_what_was_taken_before_the_packet_came():
    packets = ((7, 6, 5, 4), (0, 1, 2, 3), (0, 1, 2, 3), (4, 5, 6, 7))
    game = BraveRats(2, {"deal": "draft"})
    state = game.start(BraveRatsDeal((StartingCards(packets=packets),)))
    state.step([7])  # seat 1 sees 4, 5, 6 and nothing else: what was taken is one of the other thirteen
    rng = Random(7)
    counts = Counter(other.takes[0] for other in redealt(state, 1, rng, 6500))
    assert counts[4] + counts[5] + counts[6] == pytest.approx(3 * 500, abs=5 * 1500**0.5)
    for card in (0, 1, 2, 3, 7):  # two of each unseen
        assert counts[card] == pytest.approx(1000, abs=5 * 1000**0.5)
    assert {other.takes[0] for other in redealt(state, 0, rng, 50)} == {7}


def test_after_the_draft_only_which_packet_held_which_first_take_is_hidden():
    packets = ((7, 6, 5, 4), (0, 1, 2, 3), (0, 1, 2, 3), (4, 5, 6, 7))
    game = BraveRats(2, {"deal": "draft"})
    state = game.start(BraveRatsDeal((StartingCards(packets=packets),)))
    while state.view(0).drafting:
        state.step([max(state.view(state.turn[0]).legal)])
    firsts = Counter((other.takes[0], other.takes[8]) for other in redealt(state, 1, Random(8), 1000))
    assert_even(firsts, [(7, 3), (3, 7)], 1000)
    assert all(other.hands == state.hands for other in redealt(state, 1, Random(9), 20))


def test_redeal_draws_the_games_to_come_again():
    state = standard(emperor=True, deal="random")
    rng = Random(10)
    assert len({other.to_come for other in redealt(state, 0, rng, 20)}) == 20
    assert {other.hands for other in redealt(state, 0, rng, 20)} == {state.hands}


def test_setup_draws_each_lot_evenly():
    options = BraveRats(2, {"deal": "princess_attack", "traitor": True}).options
    rng = Random(11)
    setups = [draw_setup(options, rng) for _ in range(4000)]
    assert_even(Counter(setup.hands[0].count(7) for setup in setups), [0, 2], 4000)
    # seat 0's hand has seven different cards, one of them twice
    singles = Counter(setup.gives[0] for setup in setups if setup.hands[0].count(7) == 2)
    assert singles[7] == pytest.approx(sum(singles.values()) / 4, rel=0.15)


# Words
