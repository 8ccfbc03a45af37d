"""Asks a bot what it plays, in a host at any level of isolation: many questions at once, a fresh instance for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

from league.extensions.solver.branches import FAULT, Branches, Mix
from league.games.contract import Game, View
from league.hosts import Begin, Host, Tick
from league.hosts.confined import ConfinedHost
from league.hosts.factory import HostFactory
from league.hosts.trusted import TrustedHost
from league.setup.roster import Bot
from league.values.settings import Isolation, Limits

TOGETHER = 512
"""Questions in one message."""
MESSAGES = 100
"""The number of messages after which what the host was sent is forgotten, or the host replaced."""


class Questions:
    """One bot, ready to be asked. Close it to end its processes."""

    def __init__(self, bot: Bot, game: Game, isolation: Isolation, limits: Limits | None = None) -> None:
        self._bot = bot
        self._game = game
        self._factory = HostFactory(isolation, limits or Limits())
        self._moves = _Asked(self.open)
        host = self._moves.host
        self._branches = Branches(host, game) if isinstance(host, TrustedHost) else None
        self.asked = 0

    def ask(self, views: Sequence[View], seeds: Sequence[int]) -> list[int]:
        """A move for each view, with random numbers from its seed, or `FAULT`."""
        moves = self._moves.answers(views, seeds)
        self.asked += len(views)
        return [move if move in view.legal else FAULT for move, view in zip(moves, views, strict=True)]

    def mixes(self, views: Sequence[View]) -> list[Mix] | None:
        """How often the bot makes each move in each view, exactly: every branch of its random numbers is followed.

        None if that is not possible: it is not trusted, is a program, answers many views at once, or draws in another
        way.
        """
        mixes = self._branches.mixes(views) if self._branches else None
        if mixes is None:
            return None
        self.asked += len(views)
        return mixes

    def open(self) -> Host:
        """Another host, for whole games; the caller closes it."""
        return self._factory.open(self._bot, self._game)

    def close(self) -> None:
        """End the bot and its hosts."""
        self._moves.close()
        self._factory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Asked:
    """A host that stays: it answers one message after the other, until something goes wrong in it."""

    def __init__(self, open_host: Callable[[], Host]) -> None:
        self._open = open_host
        self.host = open_host()
        self._sent = 0

    def answers(self, views: Sequence[View], seeds: Sequence[int]) -> list[int]:
        """What the host answers to each view, or `FAULT`."""
        answers: list[int] = []
        for start in range(0, len(views), TOGETHER):
            answers += self._ask(views[start : start + TOGETHER], seeds[start : start + TOGETHER])
        return answers

    def close(self) -> None:
        self.host.close()

    def _ask(self, views: Sequence[View], seeds: Sequence[int]) -> list[int]:
        if self._sent == MESSAGES:
            self._forget()
        slots = range(len(views))
        begins = [Begin(slot, view.seat, seed, True) for slot, view, seed in zip(slots, views, seeds, strict=True)]
        self.host.send(Tick((), begins, list(slots), views))
        reply = self.host.receive()
        self._sent += 1
        answers = list(reply.moves)
        for trouble in reply.troubles:
            answers[trouble.slot] = FAULT
        return answers

    def _forget(self) -> None:
        """Let the host forget what it was sent, which it keeps for the case that its process dies."""
        self._sent = 0
        if isinstance(self.host, ConfinedHost):
            if self.host.rest() is None:
                self.host.close()
                self.host = self._open()
            else:
                self.host.wake()
