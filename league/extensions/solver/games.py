"""Whole games of one opponent against a bot, played in lockstep; the bot has all other seats at the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from random import Random
from typing import Any

import msgspec

from league.extensions.solver.branches import FAULT
from league.extensions.solver.questions import Questions
from league.games.contract import Outcome, State
from league.hosts import Begin, Host, Tick
from league.rating import TAIL
from league.tools.seeds import Seeds

TOGETHER = 256

Respond = Callable[[Sequence[Any], Sequence[int]], list[int]]
"""Returns the opponent's move in each of the given states, for its seat there."""
Place = tuple[int, int]
"""The number of a game, and a seat there."""
OnDecision = Callable[[Any, int, int], None]
"""Is called with a state, the bot's seat and its move or `FAULT`, before the move is played."""


class Estimate(msgspec.Struct, frozen=True):
    """A mean with its interval."""

    mean: float
    low: float
    high: float
    games: int


def play(
    questions: Questions,
    starts: Sequence[tuple[State, int]],
    respond: Respond,
    seeds: Seeds,
    on_decision: OnDecision | None = None,
) -> list[float]:
    """What the opponent gets in each game, given as a starting state and its seat. A bot at fault has lost."""
    results: list[float] = []
    for first in range(0, len(starts), TOGETHER):
        host = questions.open()
        try:
            some = _Games(host, starts[first : first + TOGETHER], Seeds(seeds.of(first), "games"), on_decision)
            results += some.play(respond)
        finally:
            host.close()
    return results


class _Games:
    """Some games under way; a bot's place has a slot of the host."""

    def __init__(
        self, host: Host, starts: Sequence[tuple[State, int]], seeds: Seeds, on_decision: OnDecision | None
    ) -> None:
        self._host = host
        self._states = [state.copy() for state, _ in starts]
        self._seats = [seat for _, seat in starts]
        self._seeds = seeds
        self._on_decision = on_decision
        self._slots: dict[Place, int] = {}
        self._at_fault: dict[Place, Random] = {}
        """Places whose remaining moves are random."""

    def play(self, respond: Respond) -> list[float]:
        """Play all games to the end."""

        def decide(places: Sequence[Place]) -> list[int]:
            own = [game for game, seat in places if seat == self._seats[game]]
            answers = respond([self._states[game] for game in own], [self._seats[game] for game in own]) if own else []
            moves = self._ask([(game, seat) for game, seat in places if seat != self._seats[game]])
            moves |= {(game, self._seats[game]): answer for game, answer in zip(own, answers, strict=True)}
            return [moves[place] for place in places]

        play_on(self._states, decide)
        return [
            score(state.outcome(), seat, [loser for game, loser in self._at_fault if game == number])
            for number, (state, seat) in enumerate(zip(self._states, self._seats, strict=True))
        ]

    def _ask(self, places: Sequence[Place]) -> dict[Place, int]:
        """The moves of the bot, at places where it must decide."""
        asked = [place for place in places if place not in self._at_fault]
        fresh = [place for place in asked if place not in self._slots]
        for place in fresh:
            self._slots[place] = len(self._slots)
        begins = [Begin(self._slots[place], place[1], self._seeds.of(*place), True) for place in fresh]
        views = [self._states[game].view(seat) for game, seat in asked]
        self._host.send(Tick((), begins, [self._slots[place] for place in asked], views))
        reply = self._host.receive()
        troubled = {trouble.slot for trouble in reply.troubles}
        moves = {}
        for place, view, move in zip(asked, views, reply.moves, strict=True):
            fine = self._slots[place] not in troubled and move in view.legal
            if self._on_decision:
                self._on_decision(self._states[place[0]], place[1], move if fine else FAULT)
            if fine:
                moves[place] = move
            else:
                self._at_fault[place] = Random(self._seeds.of(*place, "fault"))
        for game, seat in places:
            if (game, seat) in self._at_fault:
                moves[game, seat] = self._at_fault[game, seat].choice(self._states[game].view(seat).legal)
        return moves


def play_on(states: Sequence[State], decide: Callable[[Sequence[Place]], Sequence[int]]) -> None:
    """Play states to their ends, side by side; `decide` returns a move for each place at which one is to be made."""
    while places := [(game, seat) for game, state in enumerate(states) for seat in state.turn]:
        moves: dict[int, list[int]] = {}
        for (game, _), move in zip(places, decide(places), strict=True):
            moves.setdefault(game, []).append(move)
        for game, made in moves.items():
            states[game].step(made)


def score(outcome: Outcome, seat: int, at_fault: Sequence[int] = ()) -> float:
    """What a game is worth to a seat: the mean over all others of 1 for one behind it, -1 for one ahead."""
    ranks = outcome.ranks
    others = [other for other in range(len(ranks)) if other != seat]
    points = [
        1 if other in at_fault else (ranks[other] > ranks[seat]) - (ranks[other] < ranks[seat]) for other in others
    ]
    return sum(points) / len(points)


def estimate(results: Sequence[float]) -> Estimate:
    """Mean and interval. The interval counts two more wins and losses, so that few games never look certain."""
    mean = sum(results) / len(results)
    padded = [*results, 1.0, 1.0, -1.0, -1.0]
    center = sum(padded) / len(padded)
    spread = sqrt(sum((result - center) ** 2 for result in padded) / (len(padded) - 1) / len(padded))
    return Estimate(mean, max(-1.0, center - TAIL * spread), min(1.0, center + TAIL * spread), len(results))
