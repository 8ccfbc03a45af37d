"""Who sits where, and which deal they play.

A lineup sits around the table in a circular order, which changes from match to match, and each series turns it by its
rotation. So a deal is played with every entrant in every seat, and over a cycle of orders each entrant sits to the left
of each other one equally often. Within a match the order stays, and every game turns it by one seat more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from random import Random
from typing import Any, NamedTuple, TypeVar

import msgspec

from league.games.contract import Game
from league.tools.seeds import Secret, Seeds
from league.values.block import Series
from league.values.settings import Contest

T = TypeVar("T")

Order = tuple[int, ...]
"""Entrants around the table, to the left of each other, from entrant 0."""


class Seating(NamedTuple):
    """Who sits where in one game."""

    number: int
    """Its index in `seatings`."""
    entrants: tuple[int, ...]
    """By seat."""
    seats: tuple[int, ...]
    """By entrant."""

    @property
    def rotation(self) -> int:
        """By how many seats the circular order is turned."""
        return self.seats[0]

    def by_seat(self, values: Sequence[T]) -> tuple[T, ...]:
        """Values of entrants in the order of the seats."""
        return tuple([values[entrant] for entrant in self.entrants])

    def by_entrant(self, values: Sequence[T]) -> tuple[T, ...]:
        """Values of seats in the order of the lineup."""
        return tuple([values[seat] for seat in self.seats])


def seating_of(series: Series, deal: int) -> Seating:
    """Who sits where when a series plays a deal."""
    players = series.contest.players
    match, game = divmod(deal, series.contest.games_per_match)
    turned = (series.rotation + game) % players
    every = seatings(players)
    return every[(match * players + turned) % len(every)]


@lru_cache
def seatings(players: int) -> tuple[Seating, ...]:
    """All seatings of a table: the first circular order in every rotation, then the second one, and so on."""
    seatings: list[Seating] = []
    for order in circular_orders(players):
        for rotation in range(players):
            entrants = order[players - rotation :] + order[: players - rotation]
            seats = tuple(entrants.index(entrant) for entrant in range(players))
            seatings.append(Seating(len(seatings), entrants, seats))
    return tuple(seatings)


@lru_cache
def circular_orders(players: int) -> tuple[Order, ...]:
    """A cycle of orders that favours no entrant, beginning with that of the lineup.

    Every second order is the reverse of the one before, so in any even number of them each entrant sits to the left of
    another as often as to its right. Of all orders that are left, the next is the one that repeats least of who sat
    how far to the left of whom, so a part of the cycle is nearly balanced too.
    """
    waiting = _cycle(players)
    chosen: list[Order] = []
    seen: Counter[tuple[int, int, int]] = Counter()
    while waiting:
        order = min(waiting, key=lambda order: sum(seen[place] for place in _places(order)))
        for either in dict.fromkeys((order, order[:1] + order[:0:-1])):
            chosen.append(either)
            seen.update(_places(either))
        waiting = [other for other in waiting if other not in chosen[-2:]]
    return tuple(chosen)


def _places(order: Order) -> list[tuple[int, int, int]]:
    """(entrant, other, distance): the other sits this many seats to the left of the entrant."""
    size = len(order)
    return [(order[index], order[(index + far) % size], far) for far in range(1, size) for index in range(size)]


def _cycle(players: int) -> list[Order]:
    """Orders in which, with their reverses, each entrant sits next to the left of each other one equally often.

    Up to six players these are all orders, of which there are 120 at most. At larger tables one entrant stays, and a
    zigzag through a circle of all others is turned step by step.
    """
    if players <= 6:
        return [(0, *rest) for rest in permutations(range(1, players))]
    others = players - 1
    zigzag = [(step + 1) // 2 * (-1) ** step for step in range(others)]
    named = {step % others: entrant for entrant, step in enumerate(zigzag, 1)}  # the first order is the lineup's
    return [(0, *(named[(turn + step) % others] for step in zigzag)) for turn in range(others)]


def dealt(series: Series, number: int) -> Any:
    """A deal by its number: the same for every rotation, and for every lineup if they share their deals."""
    return deal_of(packed_contest(series.contest), series.seed, series.luck, number)


def packed_contest(contest: Contest) -> bytes:
    """A contest as a value that can be a key."""
    return msgspec.msgpack.encode(contest, order="deterministic")


@lru_cache(maxsize=4096)
def deal_of(contest: bytes, secret: Secret, luck: tuple[str, ...], number: int) -> Any:
    """A deal, drawn once for all the series that play it one after the other."""
    game, seeds = _drawing(contest, secret, luck)
    return game.deal(Random(seeds.of(number)))


@lru_cache(maxsize=1024)
def _drawing(packed: bytes, secret: Secret, luck: tuple[str, ...]) -> tuple[Game, Seeds]:
    contest, game = _set_up(packed)
    return game, Seeds(secret, "deal", contest.game, contest.players, *luck)


@lru_cache(maxsize=64)
def _set_up(packed: bytes) -> tuple[Contest, Game]:
    contest = msgspec.msgpack.decode(packed, type=Contest)
    return contest, contest.set_up()
