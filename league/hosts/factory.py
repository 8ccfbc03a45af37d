"""Opens the host that an isolation level asks for."""

from __future__ import annotations

from league.block import Limits
from league.config import Isolation
from league.errors import IsolationError
from league.game import Game
from league.hosts import Host
from league.hosts.trusted import TrustedHost
from league.roster import Bot


class HostFactory:
    """Opens hosts, one for each entrant and block. Close it, so that nothing it started is left behind."""

    def __init__(self, isolation: Isolation, limits: Limits) -> None:
        if isolation != "trusted":
            raise IsolationError(f"isolation {isolation} is not there yet")

    def open(self, bot: Bot, game: Game) -> Host:
        """A host for one block."""
        return TrustedHost(bot.name, bot.source, game)

    def close(self) -> None:
        """End what was started."""
