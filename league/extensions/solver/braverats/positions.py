"""Positions of BraveRats as numbers, many at once.

A position is what both know between two rounds and what matters for the rest: hands, rounds won, rounds on hold,
Generals, Spies, and what a Mime would copy. It is packed into one 64-bit number, so that a level of the game, all
positions with the same number of cards left, is one sorted array.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from league.extensions.solver.matrix import Floats, Ints
from league.games.braverats.rules import GENERAL_BONUS, MIME, NAMES, NO_CARD, NOBODY, BraveRatsState, Cards, fight

CHUNK = 16_384
"""Positions that are processed together: few enough for the processor's cache."""
KINDS = len(NAMES)
_BITS = 2 * KINDS
"""Bits of a hand: two for each card, for the number of copies."""
_SECOND = _BITS
_HANDS = (1 << 2 * _BITS) - 1
_WON = (2 * _BITS, 2 * _BITS + 2)
"""Two bits each: a game is over when a player has four rounds."""
_HOLD = _WON[1] + 2
_GENERALS = _HOLD + 4
_SPY = _GENERALS + 2
_COPIES = (_SPY + 2, _SPY + 6)
"""What each seat's Mime would copy, plus one; 0 for nothing, and for a Mime that copied nothing itself."""


class Verdicts(NamedTuple):
    """The rules' own `fight` for all cards and bonuses, as arrays; index them by `_verdict`."""

    winner: Ints
    """0 nobody, 1 seat 0, 2 seat 1."""
    ends: npt.NDArray[np.bool_]
    worth: Ints
    follows: Ints
    """Generals and Spy of the next round, at their bits of a position."""


def _verdict(first: Ints, second: Ints, generals: Ints) -> Ints:
    return (first * KINDS + second) * 4 + generals


@cache
def verdicts() -> Verdicts:
    """Ask the rules about every possible round."""
    rows = []
    for first in range(KINDS):
        for second in range(KINDS):
            for generals in range(4):
                bonus = GENERAL_BONUS * (generals & 1), GENERAL_BONUS * (generals >> 1)
                bout = fight((first, second), bonus)
                follows = (bool(bout.bonus[0]) | bool(bout.bonus[1]) << 1) << _GENERALS
                rows.append((bout.winner + 1, bout.wins_game, bout.past.crowns, follows | bout.spy + 1 << _SPY))
    winner, ends, worth, follows_ = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return Verdicts(winner, ends.astype(np.bool_), worth, follows_)


def opening(hands: tuple[Cards, Cards]) -> int:
    """The position in which a game with these hands begins."""
    return sum(1 << 2 * card for card in hands[0]) | sum(1 << 2 * card for card in hands[1]) << _SECOND


def position_of(state: BraveRatsState, first: int = 0) -> int:
    """The position of a state, with the seat `first` as seat 0; a card that a Spy was shown is not played yet."""
    seats = (first, 1 - first)
    hands = [list(state.hands[seat]) for seat in seats]
    if state.shown != NO_CARD:
        hands[seats.index(1 - state.spy)].append(state.shown)
    position = opening((tuple(hands[0]), tuple(hands[1]))) | state.on_hold << _HOLD
    position |= (NOBODY if state.spy == NOBODY else seats.index(state.spy)) + 1 << _SPY
    acted = state.history[-1].acted if state.history else (MIME, MIME)
    for at, seat in enumerate(seats):
        position |= state.scores[seat] << _WON[at] | bool(state.bonus[seat]) << _GENERALS + at
        if MIME in hands[at] and acted[1 - seat] != MIME:
            position |= acted[1 - seat] + 1 << _COPIES[at]
    return position


def spies(positions: Ints) -> Ints:
    """The seat that spies in each position, or -1."""
    return (positions >> _SPY & 3) + NOBODY


def cards(positions: Ints, seat: int) -> Ints:
    """The different cards of a seat in ascending order, shape (most, positions); -1 below where there are fewer."""
    counts = positions[None] >> (seat * _SECOND + 2 * np.arange(KINDS)[:, None]) & 3
    held = np.where(counts > 0, np.arange(KINDS)[:, None], KINDS)
    held.sort(axis=0)
    held = held[: max(1, int((held < KINDS).sum(axis=0).max()))]
    return np.where(held == KINDS, NO_CARD, held)


def play(positions: Ints, first: Ints, second: Ints, target: int) -> tuple[Ints, Floats]:
    """Play a round in every position: the positions that follow, and the result where the game is over, else NaN."""
    rules = verdicts()
    acted = _unmasked(positions, first, 0), _unmasked(positions, second, 1)
    verdict = _verdict(*acted, positions >> _GENERALS & 3)
    winner = rules.winner[verdict]
    on_hold = positions >> _HOLD & 15
    crowns = rules.worth[verdict] + on_hold
    won = [(positions >> _WON[seat] & 3) + crowns * (winner == seat + 1) for seat in (0, 1)]
    hands = (positions & _HANDS) - (1 << 2 * first) - (1 << _SECOND + 2 * second)
    results = np.where(hands == 0, 0.0, np.nan)
    results[(winner == 1) & (rules.ends[verdict] | (won[0] >= target))] = 1
    results[(winner == 2) & (rules.ends[verdict] | (won[1] >= target))] = -1
    follow = hands | won[0] << _WON[0] | won[1] << _WON[1] | rules.follows[verdict]
    follow |= np.where(winner == 0, on_hold + 1, 0) << _HOLD
    for seat in (0, 1):
        has_mime = hands >> (seat * _SECOND + 2 * MIME) & 3 > 0
        copied = acted[1 - seat]
        follow |= np.where(has_mime & (copied != MIME), copied + 1, 0) << _COPIES[seat]
    return follow, results


def _unmasked(positions: Ints, played: Ints, seat: int) -> Ints:
    """What the cards act as: a Mime as what it copies, if there is anything."""
    copied = positions >> _COPIES[seat] & 15
    return np.where((played == MIME) & (copied > 0), copied - 1, played)


def levels(hands: tuple[Cards, Cards], target: int) -> list[Ints]:
    """All positions that can be reached, sorted, by the number of rounds played before them."""
    all_levels = [np.array([opening(hands)], dtype=np.int64)]
    while len(all_levels) < len(hands[0]):
        all_levels.append(_next_level(all_levels[-1], target))
    return [level for level in all_levels if level.size]


def _next_level(level: Ints, target: int) -> Ints:
    follow: list[Ints] = [np.empty(0, dtype=np.int64)]
    for start in range(0, level.size, CHUNK):
        part = level[start : start + CHUNK]
        following = []
        for first in cards(part, 0):
            for second in cards(part, 1):
                there = (first >= 0) & (second >= 0)
                after, results = play(part[there], first[there], second[there], target)
                following.append(after[np.isnan(results)])
        follow.append(np.unique(np.concatenate(following)))
    return np.unique(np.concatenate(follow))
