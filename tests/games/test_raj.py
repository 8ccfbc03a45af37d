"""Raj: every sentence of the rulebook that decides something, and what must hold whatever is played."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from league.games.contract import Outcome
from league.games.raj import Raj
from league.games.raj.rules import (
    CARDS,
    MICE,
    NOBODY,
    PRIZES,
    VULTURES,
    RajDeal,
    RajOptions,
    RajState,
    final_ranks,
    resolved,
    round_winner,
)
from league.testing import check_game
from tests.tables import each

SECOND_BEST = RajOptions("second_best")
HIGHEST_MOUSE = RajOptions("highest_mouse")


def started(prizes: list[int], players: int = 2, **options: str) -> RajState:
    """A game in which these prizes are turned up first."""
    rest = [prize for prize in PRIZES if prize not in prizes]
    return Raj(players, options).start(RajDeal((*prizes, *rest)))


def play_out(state: RajState, rounds: list[tuple[int, ...]]) -> RajState:
    for bids in rounds:
        state.step(bids)
    return state


# -- What is in the box ----------------------------------------------------------------------------------------------


def test_box_holds_ten_mice_and_five_vultures():
    assert MICE == (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
    assert VULTURES == (-5, -4, -3, -2, -1)


@each("players", [2, 3, 4, 5])
def test_two_to_five_players_hold_one_to_fifteen_each(players):
    state = Raj(players).start(Raj(players).deal(Random(0)))
    assert state.turn == tuple(range(players))
    assert all(state.view(seat).hand == tuple(range(1, 16)) for seat in range(players))
    assert state.scores == (0,) * players


def test_mice_and_vultures_are_shuffled_together():
    firsts = {Raj(2).deal(Random(seed)).prizes[0] for seed in range(400)}
    assert firsts == {*PRIZES}


# -- One round -------------------------------------------------------------------------------------------------------

LEO, ALEX, CARLO, DARIO = range(4)

ROUNDS = {
    # The examples that the rulebook draws; where it does not print all bids, others that fit stand in.
    "Leo's 14 is highest: he wins the mouse of 6": (6, (14, 9, 11, 3), LEO),
    "Alex's 5 is lowest: he must take the vulture of -2": (-2, (9, 5, 12, 8), ALEX),
    "the 14s of Alex and Dario are not considered; the mouse of 7 is for Carlo's 12": (7, (3, 14, 12, 14), CARLO),
    "only ties: nobody gets the mouse": (5, (8, 8, 3, 3), NOBODY),
    "two cards whose sum is 3 are played for like a mouse": (3, (2, 9), 1),
    # Its sentences.
    "a mouse goes to the highest card": (1, (1, 2), 1),
    "a vulture goes to the lowest card": (-1, (1, 2), 0),
    "two tied for highest: the second highest takes the mouse": (10, (15, 15, 14), 2),
    "three tied for highest": (10, (15, 15, 15, 1), 3),
    "two tied for lowest: the second lowest takes the vulture": (-5, (1, 1, 2, 3), 2),
    "a tie that is not for highest changes nothing": (4, (9, 2, 2), 0),
    "a tie that is not for lowest changes nothing": (-4, (9, 9, 2), 2),
    "a sum of zero is played for like a mouse": (0, (3, 12), 1),
    "a sum below zero is played for like a vulture": (-1, (3, 12), 0),
    "all alike": (9, (7, 7, 7, 7, 7), NOBODY),
    "two alike of two": (9, (7, 7), NOBODY),
    # The rulings.
    "every tied value is out, not only the top one": (5, (14, 14, 12, 12, 3), 4),
    "every tied value is out, not only the bottom one": (-5, (1, 1, 4, 4, 15), 4),
    "two pairs and nobody else": (-5, (1, 1, 4, 4), NOBODY),
    "a pair and a triple": (5, (6, 6, 6, 2, 2), NOBODY),
    "the lone bid may lie between two tied values": (5, (14, 14, 8, 2, 2), 2),
}


@each(("prize", "bids", "winner"), ROUNDS.values())
def test_who_takes_the_prize(prize, bids, winner):
    assert round_winner(prize, bids) == resolved(prize, bids)[0] == winner


# -- Prizes that stay ------------------------------------------------------------------------------------------------


def test_prize_of_a_round_of_ties_waits_for_the_next_and_both_go_together():
    state = play_out(started([5, -2, 9]), [(8, 8)])
    view = state.view(0)
    assert (view.pile, view.prize, view.scores) == ((5, -2), 3, (0, 0))
    state.step((4, 3))  # a sum of 3 is played for like a mouse
    assert state.scores == (3, 0)
    assert state.view(0).pile == (9,)


def test_bids_of_a_round_of_ties_are_spent_and_count_for_that_round_only():
    state = play_out(started([5, 9]), [(15, 15)])
    assert 15 not in state.view(0).hand
    assert 15 not in state.view(1).hand
    state.step((2, 1))
    assert state.scores == (14, 0)


@each(
    ("prizes", "winner"),
    [([2, -2], 0), ([1, -2], 1), ([-5, 5], 0), ([-5, 4], 1)],
)
def test_sum_of_the_pile_decides_whether_it_is_a_mouse(prizes, winner):
    state = play_out(started(prizes), [(8, 8), (12, 3)])
    assert state.scores[winner] == sum(prizes)
    assert state.history[-1].winner == winner


def test_ties_as_often_as_they_happen():
    state = play_out(started([10, 9, 8, -1]), [(1, 1), (2, 2), (3, 3)])
    assert state.view(1).pile == (10, 9, 8, -1)
    state.step((4, 5))
    assert state.scores == (0, 26)


def test_what_is_left_after_the_last_round_belongs_to_nobody():
    state = play_out(started([]), [(card, card) for card in CARDS])
    assert state.turn == ()
    assert state.outcome() == Outcome((0, 0), (0, 0))
    assert state.view(0).pile == PRIZES
    last_only = play_out(started([]), [(card, card % 14 + 1) for card in range(1, 15)] + [(15, 15)])
    assert sum(last_only.scores) == sum(PRIZES[:-1])


# -- The end ---------------------------------------------------------------------------------------------------------


def test_it_is_over_after_fifteen_rounds():
    state = started([])
    for number, card in enumerate(CARDS):
        assert (state.turn, len(state.history)) == ((0, 1), number)
        state.step((card, 16 - card))
    assert state.turn == ()
    assert state.view(0).legal == state.view(1).legal == ()


PLACES = {
    # tie_break: second_best. "If two or more share the top score they are out, and the second best wins."
    "most points win": (SECOND_BEST, (12, 20, 8), None, (1, 0, 2)),
    "top shared: the second best wins": (SECOND_BEST, (20, 20, 15), None, (1, 1, 0)),
    "top shared by three": (SECOND_BEST, (20, 20, 20, 1), None, (1, 1, 1, 0)),
    "second best shared as well: the third wins": (SECOND_BEST, (20, 20, 9, 9, 3), None, (1, 1, 3, 3, 0)),
    "the winner is first, all others follow by score": (SECOND_BEST, (20, 20, 15, 9), None, (1, 1, 0, 3)),
    "a tie below the winner is shared": (SECOND_BEST, (20, 9, 9, 4), None, (0, 1, 1, 3)),
    "no score is unique: nobody is set apart": (SECOND_BEST, (5, 5), None, (0, 0)),
    "two pairs: places by score": (SECOND_BEST, (7, 9, 7, 9), None, (2, 0, 2, 0)),
    "the only unique score may be below zero": (SECOND_BEST, (6, -3, 6), None, (1, 0, 1)),
    "all alike of five": (SECOND_BEST, (8, 8, 8, 8, 8), None, (0, 0, 0, 0, 0)),
    "best mice do not matter here": (SECOND_BEST, (5, 5), (10, 9), (0, 0)),
    # tie_break: highest_mouse. "Of those who share the top score, the best mouse wins."
    "most points win, whoever has the best mouse": (HIGHEST_MOUSE, (12, 20, 8), (10, 9, 8), (1, 0, 2)),
    "top shared: the best mouse wins": (HIGHEST_MOUSE, (20, 20, 15), (9, 8, 10), (0, 1, 2)),
    "top shared: the loser keeps the second place": (HIGHEST_MOUSE, (15, 20, 20), (10, 8, 9), (2, 1, 0)),
    "top shared by three: two of them still share": (HIGHEST_MOUSE, (11, 11, 11), (7, 10, 8), (1, 0, 1)),
    "none of the top took a mouse: they share": (HIGHEST_MOUSE, (0, 0, -5), (0, 0, 3), (0, 0, 2)),
    "one of the top took a mouse, the other none": (HIGHEST_MOUSE, (0, 0), (0, 1), (1, 0)),
    "ties below the top stay, whatever mice they have": (HIGHEST_MOUSE, (20, 9, 9), (1, 10, 8), (0, 1, 1)),
    "alone on top without a mouse": (HIGHEST_MOUSE, (0, -1), (0, 0), (0, 1)),
}


@each(("options", "scores", "mice", "ranks"), PLACES.values())
def test_places(options, scores, mice, ranks):
    assert final_ranks(scores, mice or (0,) * len(scores), options) == ranks


WHOLE_GAMES = {
    # The first prizes, the first bids (both spend the same cards), the scores, and the places by either tie break.
    # All further bids are alike, so that nothing more is taken.
    "the best mouse may come in a pile": ([10, -5, 1, 4], [(8, 8), (9, 1), (1, 2), (2, 9)], (5, 5), (0, 0), (0, 1)),
    "even in a pile below zero": ([1, -2, -1], [(8, 8), (1, 2), (2, 1)], (-1, -1), (0, 0), (0, 1)),
    "vultures only, and equal": ([-3, -1, -2], [(1, 3), (3, 2), (2, 1)], (-3, -3), (0, 0), (0, 0)),
    "a prize that nobody took gives no mouse": ([3, 2, 1], [(1, 2), (2, 3), (3, 1)], (1, 5), (1, 0), (1, 0)),
    "no prize taken at all": ([], [], (0, 0), (0, 0), (0, 0)),
}


@each(("prizes", "rounds", "scores", "by_second_best", "by_highest_mouse"), WHOLE_GAMES.values())
def test_whole_games(prizes, rounds, scores, by_second_best, by_highest_mouse):
    alike = [(card, card) for card in CARDS if card not in {bids[0] for bids in rounds}]
    for tie_break, ranks in (("second_best", by_second_best), ("highest_mouse", by_highest_mouse)):
        state = play_out(started(prizes, tie_break=tie_break), rounds + alike)
        assert state.outcome() == Outcome(ranks, scores)


# -- What a seat sees ------------------------------------------------------------------------------------------------


def test_view_holds_what_everybody_may_know():
    state = play_out(started([6, -2, 7], players=3), [(14, 9, 2), (5, 8, 5)])
    view = state.view(2)
    assert view.seat == 2
    assert (view.prize, view.pile) == (7, (7,))
    assert view.scores == (6, -2, 0)
    assert [(past.shown, past.bids, past.winner) for past in view.history] == [
        (6, (14, 9, 2), 0),
        (-2, (5, 8, 5), 1),
    ]
    assert view.hand == view.legal == tuple(card for card in CARDS if card not in {2, 5})
    assert view.hands[0] == tuple(card for card in CARDS if card not in {14, 5})
    assert view.hands[1] == tuple(card for card in CARDS if card not in {9, 8})
    assert view.unseen == tuple(prize for prize in PRIZES if prize not in {6, -2, 7})


def test_conformance():
    report = check_game(Raj, hides={"prizes"}, conserved=lambda state: sorted(state.prizes))
    assert report.setups == len(Raj.player_counts) * 2


# -- Whatever is played ----------------------------------------------------------------------------------------------


@st.composite
def playings(draw):
    """A game of Raj, stopped after some rounds."""
    players = draw(st.integers(2, 5))
    tie_break = draw(st.sampled_from(["second_best", "highest_mouse"]))
    prizes = tuple(draw(st.permutations(PRIZES)))
    orders = [draw(st.permutations(CARDS)) for _ in range(players)]
    rounds = list(zip(*orders, strict=True))[: draw(st.integers(0, 15))]
    return play_out(Raj(players, {"tie_break": tie_break}).start(RajDeal(prizes)), rounds)


@given(playings())
def test_every_prize_is_taken_on_the_table_or_to_come(state):
    shown = len(state.history) + bool(state.turn)
    assert sum(state.scores) + sum(state.pile) == sum(state.prizes[:shown])
    assert state.prize == sum(state.pile)
    for seat in range(len(state.scores)):
        view = state.view(seat)
        assert sorted([*view.unseen, *state.prizes[:shown]]) == sorted(PRIZES)


@given(playings())
def test_every_card_is_in_hand_or_was_bid_once(state):
    hands = tuple(map(state.legal, range(len(state.scores))))
    for seat, hand in enumerate(hands):
        bids = [past.bids[seat] for past in state.history]
        assert sorted([*hand, *bids]) == list(CARDS)
        assert state.view(seat).legal == hand
        assert state.view(seat).hands == hands


def test_imagine_samples_all_orders_evenly():
    # Three prizes are to come: six orders, each one sixth of the time. 600 samples, 6 standard deviations either side.
    state = play_out(started([]), [(card, card) for card in range(1, 12)])
    counts: dict[tuple[int, ...], int] = {}
    rng = Random(3)
    for _ in range(600):
        order = Raj(2).imagine(state.view(0), rng).prizes[-3:]
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 6
    deviation = (600 * 1 / 6 * 5 / 6) ** 0.5
    assert all(abs(count - 100) < 6 * deviation for count in counts.values())


# -- Words -----------------------------------------------------------------------------------------------------------


@each(
    ("players", "prizes", "rounds", "tie_break", "told"),
    [
        (
            3,
            [5, 6, -1],
            [(3, 1, 2), (1, 2, 3), (2, 3, 1)],
            "second_best",
            ["Ann and Cid share the top score and so cancel each other: the best score that stands alone wins."],
        ),
        (
            2,
            [10, -5, 1, 4],
            [(8, 8), (9, 1), (1, 2), (2, 9)],
            "highest_mouse",
            ["Ann and Bob share the top score, and Ann took the more valuable mouse."],
        ),
        (2, [10, -5, 1, 4], [(8, 8), (9, 1), (1, 2), (2, 9)], "second_best", []),
        (2, [3], [(1, 2), (2, 1)], "second_best", []),
    ],
)
def test_the_end_says_how_a_shared_top_score_is_settled(players, prizes, rounds, tie_break, told):
    """Or else somebody with few points seems to win for no reason."""
    state = started(prizes, players=players, tie_break=tie_break)
    play_out(state, rounds + [(card,) * players for card in CARDS if card not in {bids[0] for bids in rounds}][:-1])
    before = state.copy()
    last = (before.view(0).legal[0],) * players
    state.step(last)
    assert not state.turn
    _, *why = Raj(players).tell(before, last, state, ["Ann", "Bob", "Cid"][:players])
    assert why == told
