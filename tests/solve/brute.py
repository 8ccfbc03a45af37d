"""Games solved in the plainest way, to compare with: every state of the rules, and a linear program at each."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from league.games.braverats import BraveRats
from league.games.braverats.rules import BraveRatsDeal, BraveRatsOptions, StartingCards


def matrix_value(matrix) -> float:
    """The value of a matrix game, by scipy."""
    matrix = np.asarray(matrix, dtype=float)
    rows, columns = matrix.shape
    found = linprog(
        np.r_[np.zeros(rows), -1],
        A_ub=np.c_[-matrix.T, np.ones(columns)],
        b_ub=np.zeros(columns),
        A_eq=[np.r_[np.ones(rows), 0]],
        b_eq=[1],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    assert found.success
    return -found.fun


def stepped(state, moves):
    after = state.copy()
    after.step(moves)
    return after


def mirrored(state):
    """The same state with the seats exchanged."""
    other = state.copy()
    other.cards, other.hands = state.cards[::-1], state.hands[::-1]
    other.scores, other.bonus = state.scores[::-1], state.bonus[::-1]
    other.spy = 1 - state.spy if state.spy >= 0 else state.spy
    other.history = tuple(
        type(past)(past.cards[::-1], past.acted[::-1], 1 - past.winner if past.winner >= 0 else -1, past.crowns)
        for past in state.history
    )
    other.turn = tuple(sorted(1 - seat for seat in state.turn))
    return other


def begin(hands, **options):
    """A game of BraveRats with these hands."""
    game = BraveRats(options=BraveRatsOptions(deal="random", **options))
    deal = BraveRatsDeal((StartingCards(hands=hands),))
    return game, deal


def rats_value(state) -> float:
    """What a state of BraveRats is worth to seat 0."""
    if not state.turn:
        return state.games_won[0] - state.games_won[1]
    if len(state.turn) == 1:
        (seat,) = state.turn
        best = max if seat == 0 else min
        return best(rats_value(stepped(state, (card,))) for card in state.view(seat).legal)
    rows, columns = state.view(0).legal, state.view(1).legal
    return matrix_value([[rats_value(stepped(state, (row, column))) for column in columns] for row in rows])


def exploited(state, seat, mix) -> float:
    """What the best response gets against the player at `seat`, who plays `mix(view)`."""
    other = 1 - seat
    if not state.turn:
        return state.games_won[other] - state.games_won[seat]
    mine = mix(state.view(seat)) if seat in state.turn else {None: 1.0}
    totals = []
    for answer in state.view(other).legal if other in state.turn else (None,):
        total = 0.0
        for card, often in mine.items():
            moves = (card, answer) if seat == 0 else (answer, card)
            total += often * exploited(stepped(state, [move for move in moves if move is not None]), seat, mix)
        totals.append(total)
    return max(totals)
