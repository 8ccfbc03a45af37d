"""What a worker does: it plays one block after the other, with the bots and the isolation it was given."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from league import games
from league.games import files
from league.games.contract import Game, GameFile
from league.hosts import Begin, Host, Tick
from league.hosts.factory import HostFactory
from league.play.match import OnFault, Watch, play_block
from league.setup.roster import Bot
from league.values.block import Block, BlockResult, Entrant, Limits
from league.values.settings import Isolation


class Team(msgspec.Struct, frozen=True):
    """All that a worker needs to know beside its blocks. Bots come with their sources: later edits change nothing."""

    bots: tuple[Bot, ...]
    isolation: Isolation
    limits: Limits
    games: tuple[GameFile, ...] = ()
    """The games that are files, with their text: later edits change nothing."""


class Worker:
    """Plays blocks in this process. Close it, so that nothing it started is left behind.

    `guests` are hosts for entrants that are no bots of the team: a person, say.
    """

    def __init__(self, team: Team, guests: Mapping[Entrant, Host] | None = None) -> None:
        for file in team.games:
            files.run(file)
        self._guests = guests or {}
        self._bots = {bot.entrant(): bot for bot in team.bots}
        self._hosts = HostFactory(team.isolation, team.limits)

    def play(self, block: Block, watch: Watch | None = None, on_fault: OnFault | None = None) -> BlockResult:
        """Play one block; `watch` hears of every game, `on_fault` of every fault."""
        return play_block(block, self._open, watch, on_fault)

    def why_not_loaded(self, bot: Bot) -> str | None:
        """Why a bot cannot be loaded, in one line, from trying it; None if it can."""
        name = next(filter(games.is_known, bot.games or ()), games.names()[0])
        tables = bot.tables(games.find(name).player_counts)
        host = self._open(bot.entrant(), games.make(name, tables[0] if tables else None))
        try:
            host.send(Tick((), [Begin(0, 0, 0, True)], (), ()))
            troubles = host.receive().troubles
        finally:
            host.close()
        return next((trouble.cause for trouble in troubles if trouble.kind == "import"), None)

    def _open(self, entrant: Entrant, game: Game) -> Host:
        return self._guests[entrant] if entrant in self._guests else self._hosts.open(self._bots[entrant], game)

    def close(self) -> None:
        """End the hosts' server."""
        self._hosts.close()
