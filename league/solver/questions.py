"""Asks a bot what it plays, in a host at any level of isolation: many questions at once, a fresh instance for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from league.games.contract import Game, View
from league.hosts import Begin, Host, Tick
from league.hosts.factory import HostFactory
from league.setup.roster import Bot
from league.values.settings import Isolation, Limits

FAULT = -1
"""Instead of a move: the bot was at fault."""
TOGETHER = 512
"""Questions in one message."""
MESSAGES = 100
"""The number of messages after which the host is replaced: it keeps everything it was sent."""


class Questions:
    """One bot, ready to be asked. Close it to end its processes."""

    def __init__(self, bot: Bot, game: Game, isolation: Isolation, limits: Limits | None = None) -> None:
        self._bot = bot
        self._game = game
        self._factory = HostFactory(isolation, limits or Limits())
        self._host: Host | None = None
        self._sent = 0
        self.asked = 0

    def ask(self, views: Sequence[View], seeds: Sequence[int]) -> list[int]:
        """A move for each view, with random numbers from its seed, or `FAULT`."""
        moves: list[int] = []
        for start in range(0, len(views), TOGETHER):
            moves += self._ask(views[start : start + TOGETHER], seeds[start : start + TOGETHER])
        return moves

    def open(self) -> Host:
        """Another host, for whole games; the caller closes it."""
        return self._factory.open(self._bot, self._game)

    def folder(self) -> str:
        """Where the bot's folder is unpacked; empty for a bot that is one file."""
        return self._factory.folder_of(self._bot)

    def _ask(self, views: Sequence[View], seeds: Sequence[int]) -> list[int]:
        if self._sent == MESSAGES and self._host:
            self._host.close()
            self._host, self._sent = None, 0
        if self._host is None:
            self._host = self.open()
        begins = [
            Begin(slot, view.seat, seed, True) for slot, (view, seed) in enumerate(zip(views, seeds, strict=True))
        ]
        self._host.send(Tick((), begins, list(range(len(views))), views))
        reply = self._host.receive()
        self._sent += 1
        self.asked += len(views)
        troubled = {trouble.slot for trouble in reply.troubles}
        return [
            move if slot not in troubled and move in view.legal else FAULT
            for slot, (view, move) in enumerate(zip(views, reply.moves, strict=True))
        ]

    def close(self) -> None:
        """End the bot and its hosts."""
        if self._host:
            self._host.close()
        self._factory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
