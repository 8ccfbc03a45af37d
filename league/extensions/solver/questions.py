"""Asks a bot what it plays, in a host at any level of isolation: many questions at once, a fresh instance for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from league.extensions.solver.branches import FAULT, Branches, Mix
from league.games.contract import Game, View
from league.hosts import Begin, Host, Tick
from league.hosts.factory import HostFactory
from league.hosts.trusted import TrustedHost
from league.setup.roster import Bot
from league.values.settings import Isolation, Limits

TOGETHER = 512
"""Questions in one message."""
MESSAGES = 100
"""To one host, which keeps what it was sent for the case that its process dies."""


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
        for start in range(0, len(views), TOGETHER):
            answers += self._ask(views[start : start + TOGETHER], seeds[start : start + TOGETHER])
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
