"""`raj_endgame`: the end of Raj by plain enumeration, and Goofspiel as OpenSpiel knows it."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from league.games.raj import Raj
from league.games.raj.rules import CARDS, PRIZES, RajState
from league.hosts.bot import BotTable
from tests.solve.bots import module
from tests.solve.brute import matrix_value, stepped


@pytest.fixture(scope="module")
def endgame():
    return module("bots/raj_endgame.py")


def late(cards, seed):
    """A state of a random game with so many cards left."""
    game, rng = Raj(2), random.Random(seed)
    state = game.start(game.deal(rng))
    for _ in range(15 - cards):
        state.step([rng.choice(state.view(seat).legal) for seat in (0, 1)])
    return state


def value(state, seat):
    """What a state is worth to a seat, by the rules and linear programs; prizes to come are averaged over."""
    if not state.turn:
        ranks = state.outcome().ranks
        return ranks[1 - seat] - ranks[seat]
    rows, columns = state.view(seat).legal, state.view(1 - seat).legal
    order = slice(None) if seat == 0 else slice(None, None, -1)
    return matrix_value([[chance(stepped(state, (row, column)[order]), seat) for column in columns] for row in rows])


def chance(state, seat):
    """The mean over the prizes that can be next; the state has turned one up already."""
    if not state.turn:
        return value(state, seat)
    played = len(state.history)
    to_come = state.prizes[played:]
    worth = []
    for prize in to_come:
        other = state.copy()
        rest = list(to_come)
        rest.remove(prize)
        other.prizes = (*state.prizes[:played], prize, *rest)
        other.pile = (*state.pile[:-1], prize)
        other.prize = sum(other.pile)
        worth.append(value(other, seat))
    return sum(worth) / len(worth)


@pytest.mark.slow
@pytest.mark.parametrize(("cards", "seeds"), [(2, range(25)), (3, range(100, 106))])
def test_the_end_is_worth_what_plain_enumeration_says(endgame, cards, seeds):
    for seed in seeds:
        state = late(cards, seed)
        seat = seed % 2
        found, shares = endgame.perfect(state.view(seat))
        assert found == pytest.approx(value(state, seat), abs=1e-9)
        assert sum(shares) == pytest.approx(1)
        assert min(shares) >= 0


def test_both_seats_agree(endgame):
    for seed in range(20):
        state = late(4, seed)
        first, second = (endgame.perfect(state.view(seat))[0] for seat in (0, 1))
        assert first == pytest.approx(-second, abs=1e-9)


def test_five_cards_are_solved_or_left_alone(endgame):
    """Never with more work than a bid has time for."""
    solved = 0
    for seed in range(12):
        view = late(5, seed).view(0)
        try:
            found, _ = endgame.perfect(view)
        except endgame.TooMuchError:
            continue
        solved += 1
        assert -1 <= found <= 1
    assert solved >= 6


def test_the_bot_plays_whole_games(endgame):
    for players in (2, 3):
        game = Raj(players)
        for number in range(3):
            state = game.start(game.deal(random.Random(number)))
            bots = [endgame.Bot(BotTable(game, seat, number)) for seat in range(players)]
            while state.turn:
                state.step([bots[seat].choose(state.view(seat)) for seat in state.turn])


def test_codes_keep_who_is_higher(endgame):
    """Removing cards from codes is the same as coding what is left."""
    rng = random.Random(3)

    def coded(own, other):
        return tuple(2 * sum(card < mine for card in other) + (mine in other) for mine in own)

    for _ in range(100):
        own, other = (sorted(rng.sample(CARDS, 4)) for _ in (0, 1))
        for at in range(4):
            for removed in range(4):
                left = coded(own[:at] + own[at + 1 :], other[:removed] + other[removed + 1 :])
                assert endgame.without(coded(own, other), at, removed) == left


def test_prizes_and_cards_are_those_of_the_rules(endgame):
    """The endgame takes prizes as they come and cards by rank: any hands and prizes will do."""
    for own, other in combinations(combinations(range(1, 5), 2), 2):
        view = _view(own, other, prize=PRIZES[-1])
        found, _ = endgame.perfect(view)
        assert -1 <= found <= 1


def _view(own, other, prize):
    history_bids = [
        tuple(pair)
        for pair in zip(
            [card for card in CARDS if card not in own], [card for card in CARDS if card not in other], strict=True
        )
    ]
    game = Raj(2)
    prizes = [*[shown for shown in PRIZES if shown not in (prize, 1)], prize, 1]
    state: RajState = game.start(game.deal_type(tuple(prizes)))
    for bids in history_bids:
        state.step(bids)
    return state.view(0)
