"""Raj: fifteen rounds of secret bids for mice, and against vultures. By Alex Randolph, 2 to 5 players.

Everybody has the cards 1 to 15. Each round a prize is turned up and all bid one card at once: the highest
bid takes a mouse, the lowest must take a vulture, and equal bids cancel each other.
`docs/rules/raj.md` describes all of it.

A move is the value of the card that is bid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from operator import add
from random import Random
from typing import ClassVar, Literal

import msgspec

from league.games.contract import (
    Bounded,
    Deal,
    Encoding,
    Every,
    Game,
    Options,
    Outcome,
    Shape,
    State,
    UpTo,
    View,
    competition_ranks,
    each,
    shuffled,
)

CARDS = tuple(range(1, 16))
MICE = tuple(range(1, 11))
VULTURES = tuple(range(-5, 0))
PRIZES = VULTURES + MICE
ROUNDS = len(PRIZES)
bit_of = (1).__lshift__
"""The bit of a card in a hand: 1 << card."""
FULL_HAND = sum(map(bit_of, CARDS))
HAND_BITS = 16
MOST_PLAYERS = 5
SHIFTS = tuple(range(0, MOST_PLAYERS * HAND_BITS, HAND_BITS))
"""By seat: where its hand begins in an int that holds all hands."""
ALL_HANDS = sum(map(FULL_HAND.__lshift__, SHIFTS))
NOBODY = -1
FEW = 3
"""Tables of up to this size remember how bids are resolved: three players can bid in 3,375 ways, four in 50,625."""


class RajOptions(Options, frozen=True):
    """The choices of a game of Raj."""

    tie_break: Literal["second_best", "highest_mouse"] = "second_best"
    """Who wins if the top score is shared: the best score that only one player has, or who took the best mouse."""


class RajDeal(Deal, frozen=True):
    """The chance of a game of Raj."""

    prizes: tuple[int, ...]
    """The fifteen prizes in the order in which they are turned up; vultures are negative."""


class RajRound(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One round that is over."""

    shown: int
    """The prize that was turned up in it."""
    bids: tuple[int, ...]
    """What each seat bid."""
    winner: int
    """The seat that took everything on the table, or -1 if no bid was unique and it stayed there."""


class RajView(View, frozen=True, array_like=True, gc=False):
    """What one seat sees of a game of Raj; `legal` is its hand."""

    prize: int
    """What is at stake: the sum of `pile`. Zero or more goes to the highest unique bid, less to the lowest."""
    pile: tuple[int, ...]
    """The prizes on the table: the one just shown, last, and those left over from rounds without a unique bid."""
    scores: tuple[int, ...]
    """Points so far, by seat."""
    history: tuple[RajRound, ...]
    """Every round so far."""

    @property
    def hand(self) -> tuple[int, ...]:
        """The cards still to bid."""
        return self.legal

    @property
    def hands(self) -> tuple[tuple[int, ...], ...]:
        """Everybody's cards still to bid, by seat: all know them, since every bid was shown."""
        spent = [{past.bids[seat] for past in self.history} for seat in range(len(self.scores))]
        return tuple(tuple(card for card in CARDS if card not in gone) for gone in spent)

    @property
    def unseen(self) -> tuple[int, ...]:
        """The prizes still to come, in ascending order: all know which, nobody knows when."""
        seen = {past.shown for past in self.history} | {*self.pile}
        return tuple(prize for prize in PRIZES if prize not in seen)


class RajState(State):
    """A game of Raj under way."""

    options: RajOptions
    prizes: tuple[int, ...]
    hands: int
    """All hands in one int, which is quicker to play from than tuples: bit c of a hand is card c."""
    prize: int
    """What is at stake, the sum of `pile`."""
    pile: tuple[int, ...]
    scores: tuple[int, ...]
    history: tuple[RajRound, ...] = ()

    def view(self, seat: int) -> RajView:
        hand = self.hands >> HAND_BITS * seat & FULL_HAND
        return RajView(seat, cards_of(hand), self.prize, self.pile, self.scores, self.history)

    def legal(self, seat: int) -> tuple[int, ...]:
        return cards_of(self.hands >> HAND_BITS * seat & FULL_HAND)

    def step(self, moves: Sequence[int]) -> None:
        bids = tuple(moves)
        prize, pile = self.prize, self.pile
        winner, spent = resolved(prize, bids)
        self.hands -= spent
        self.history = history = (*self.history, RajRound(pile[-1], bids, winner))
        if winner != NOBODY:
            scores = [*self.scores]
            scores[winner] += prize
            self.scores = tuple(scores)
            prize, pile = 0, ()
        if len(history) < ROUNDS:
            shown = self.prizes[len(history)]
            prize, pile = prize + shown, (*pile, shown)
        else:
            self.turn = ()
        self.prize, self.pile = prize, pile

    def outcome(self) -> Outcome:
        scores, options = self.scores, self.options
        best_mice = self._best_mice() if options.tie_break == "highest_mouse" else ()
        return Outcome(final_ranks(scores, best_mice, options), scores)

    def playout(self, rng: Random) -> Outcome:
        # To bid at random is to shuffle the hand once and to bid it from the top.
        if not self.turn:
            return self.outcome()
        prize, pile = self.prize, [*self.pile]
        scores, history = [*self.scores], [*self.history]
        orders = [shuffled(self.legal(seat), rng) for seat in self.turn]
        no_prize = 0
        to_come = (*self.prizes[len(history) + 1 :], no_prize)
        for bids, following in zip(zip(*orders, strict=True), to_come, strict=True):
            winner = round_winner(prize, bids)
            history.append(RajRound(pile[-1], bids, winner))
            if winner != NOBODY:
                scores[winner] += prize
                prize = 0
                pile.clear()
            prize += following
            pile.append(following)
        self.turn, self.hands = (), 0
        self.prize, self.pile = prize, tuple(pile[:-1])
        self.scores, self.history = tuple(scores), tuple(history)
        return self.outcome()

    def redeal(self, seat: int, rng: Random) -> None:
        shown = len(self.history) + bool(self.turn)
        to_come = list(self.prizes[shown:])
        rng.shuffle(to_come)
        self.prizes = (*self.prizes[:shown], *to_come)

    def _best_mice(self) -> tuple[int, ...]:
        """The most valuable mouse that each seat took, 0 for none."""
        best = [0] * len(self.scores)
        table: list[int] = []
        for past in self.history:
            table.append(past.shown)
            if past.winner != NOBODY:
                best[past.winner] = max(best[past.winner], *table)
                table.clear()
        return tuple(best)


@cache
def cards_of(hand: int) -> tuple[int, ...]:
    """The cards of a hand that is given as an int with bit c for card c."""
    return tuple([card for card in CARDS if hand >> card & 1])


def hands_of(cards: Iterable[tuple[int, ...]]) -> int:
    """All hands in one int, from the cards of each seat."""
    return sum([sum(map(bit_of, hand)) << HAND_BITS * seat for seat, hand in enumerate(cards)])


def round_winner(prize: int, bids: tuple[int, ...]) -> int:
    """The seat that takes the prize: the highest unique bid, or the lowest if the prize is below zero."""
    if len(bids) > FEW:
        return _best_unique(max if prize >= 0 else min, bids)
    return (_HIGHEST if prize >= 0 else _LOWEST)[bids][0]


def resolved(prize: int, bids: tuple[int, ...]) -> tuple[int, int]:
    """The seat that takes the prize, and the cards bid as bits of all hands."""
    return (_HIGHEST if prize >= 0 else _LOWEST)[bids]


def _best_unique(best: Callable[[Sequence[int]], int], bids: tuple[int, ...]) -> int:
    bid = best(bids)
    if bids.count(bid) > 1:
        unique = [bid for bid in bids if bids.count(bid) == 1]
        if not unique:
            return NOBODY
        bid = best(unique)
    return bids.index(bid)


class _Resolved(dict[tuple[int, ...], tuple[int, int]]):
    """What `resolved` returns for which bids, for tables of few: filled as it is used."""

    def __init__(self, best: Callable[[Sequence[int]], int]) -> None:
        self.best = best

    def __missing__(self, bids: tuple[int, ...]) -> tuple[int, int]:
        result = _best_unique(self.best, bids), sum(map(bit_of, map(add, bids, SHIFTS)))
        if len(bids) <= FEW:
            self[bids] = result
        return result


_HIGHEST, _LOWEST = _Resolved(max), _Resolved(min)


@lru_cache(maxsize=8192)
def final_ranks(scores: tuple[int, ...], best_mice: tuple[int, ...], options: RajOptions) -> tuple[int, ...]:
    """Places by score; the tie break may set one player before all others, and nobody else moves among themselves."""
    winner = _set_apart(scores, best_mice, options)
    return competition_ranks([(seat == winner, score) for seat, score in enumerate(scores)])


def _set_apart(scores: tuple[int, ...], best_mice: tuple[int, ...], options: RajOptions) -> int:
    if options.tie_break == "second_best":
        unique = [score for score in scores if scores.count(score) == 1]
        return scores.index(max(unique)) if unique else NOBODY
    top = [seat for seat, score in enumerate(scores) if score == max(scores)]
    best = max(best_mice[seat] for seat in top)
    return next(seat for seat in top if best_mice[seat] == best) if best else NOBODY


class RajRules(Game):
    """The rules of Raj."""

    name: ClassVar[str] = "raj"
    title: ClassVar[str] = "Raj"
    player_counts: ClassVar[range] = range(2, MOST_PLAYERS + 1)
    options_type = RajOptions
    deal_type = RajDeal
    view_type = RajView
    options: RajOptions

    def deal(self, rng: Random) -> RajDeal:
        prizes = list(PRIZES)
        rng.shuffle(prizes)
        return RajDeal(tuple(prizes))

    def start(self, deal: RajDeal) -> RajState:
        seats = range(self.players)
        return RajState(
            turn=tuple(seats),
            options=self.options,
            prizes=deal.prizes,
            hands=ALL_HANDS >> HAND_BITS * (MOST_PLAYERS - self.players),
            prize=deal.prizes[0],
            pile=deal.prizes[:1],
            scores=(0,) * self.players,
        )

    def imagine(self, view: RajView, rng: Random) -> RajState:
        playing = bool(view.legal)
        shown = tuple(past.shown for past in view.history) + (view.pile[-1:] if playing else ())
        state = RajState(
            turn=tuple(range(self.players)) if playing else (),
            options=self.options,
            prizes=shown + view.unseen,
            hands=hands_of(view.hands),
            prize=view.prize,
            pile=view.pile,
            scores=view.scores,
            history=view.history,
        )
        state.redeal(view.seat, rng)
        return state

    def encoding(self) -> Encoding:
        seat, points, prize = Bounded(self.players), Bounded(sum(MICE)), Bounded(MICE[-1])
        past = Every((prize, each(self.players, Bounded(CARDS[-1])), seat))
        fields: dict[str, Shape] = {
            "seat": seat,
            "prize": points,
            "pile": UpTo(ROUNDS, prize),
            "scores": each(self.players, points),
            "history": UpTo(ROUNDS, past),
        }
        return Encoding(CARDS, fields, longest=ROUNDS * self.players)
