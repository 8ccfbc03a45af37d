"""A bot that is asked in a host of any isolation: many questions at once, or whole games against an opponent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from random import Random
from typing import Any, Self

import msgspec

from league.extensions.solver.branches import FAULT, Branches, Mix
from league.games.contract import Game, Outcome, State, View
from league.hosts import Begin, Host, Tick
from league.hosts.factory import HostFactory
from league.hosts.trusted import TrustedHost
from league.rating import TAIL
from league.setup.roster import Bot
from league.tools.seeds import Seeds
from league.values.settings import Isolation, Limits

QUESTIONS = 512
"""Questions in one message."""
MESSAGES = 100
"""To one host, which keeps what it was sent for the case that its process dies."""
TOGETHER = 256
"""Games that are played side by side."""

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


class Questions:
    """One bot, ready to be asked. Close it to end its processes."""

    def __init__(self, bot: Bot, game: Game, isolation: Isolation, limits: Limits | None = None) -> None:
        self._bot = bot
        self._game = game
        self._factory = HostFactory(isolation, limits or Limits())
        self._host = self.open()
        self._sent = 0
        self._branches = Branches(self._host, game) if isinstance(self._host, TrustedHost) else None

    def ask(self, views: Sequence[View], seeds: Sequence[int]) -> list[int]:
        """A move for each view, with random numbers from its seed, or `FAULT`."""
        answers: list[int] = []
        for start in range(0, len(views), QUESTIONS):
            answers += self._ask(views[start : start + QUESTIONS], seeds[start : start + QUESTIONS])
        return answers

    def mixes(self, views: Sequence[View]) -> list[Mix] | None:
        """How often the bot makes each move in each view, exactly: every branch of its random numbers is followed.

        None if that is not possible: it is not trusted, is a program, answers many views at once, or draws in another
        way.
        """
        return self._branches.mixes(views) if self._branches else None

    def open(self) -> Host:
        """Another host, for whole games; the caller closes it."""
        return self._factory.open(self._bot, self._game)

    def close(self) -> None:
        """End the bot and its hosts."""
        self._host.close()
        self._factory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, views: Sequence[View], seeds: Sequence[int]) -> list[int]:
        if self._sent == MESSAGES:
            self._host.close()
            self._host, self._sent = self.open(), 0
        slots = range(len(views))
        begins = [Begin(slot, view.seat, seed, True) for slot, view, seed in zip(slots, views, seeds, strict=True)]
        self._host.send(Tick((), begins, list(slots), views))
        reply = self._host.receive()
        self._sent += 1
        troubled = {trouble.slot for trouble in reply.troubles}
        answers = zip(slots, reply.moves, views, strict=True)
        return [move if move in view.legal and slot not in troubled else FAULT for slot, move, view in answers]


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
