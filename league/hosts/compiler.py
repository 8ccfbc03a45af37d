"""Has the sources of bots compiled, each once, by confined processes that do nothing else.

So no process of a bot gets anything from one that has run the bot, and all of them have the same memory to begin with.
"""

from __future__ import annotations

import msgspec

from league.games.contract import Game
from league.hosts.launcher import Launcher
from league.hosts.process import BotProcess, Death
from league.hosts.wire import HostSetup

MOST_BYTES = 64 << 20
"""Of all compiled sources that are remembered."""


class Compiler:
    """The compiled sources of a worker's bots. They are only handed on; nothing of them is run here."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, bytes, str], bytes] = {}

    def added_to(self, setup: HostSetup, launcher: Launcher, game: Game) -> HostSetup:
        """The setup of a host, with its bot's compiled source; empty if the host has to compile it itself."""
        key = setup.name, setup.source, setup.folder
        if key not in self._codes:
            code = _compiled(setup, launcher, game)
            if sum(map(len, self._codes.values())) + len(code) > MOST_BYTES:
                self._codes.clear()
            self._codes[key] = code
        return msgspec.structs.replace(setup, code=self._codes[key])


def _compiled(setup: HostSetup, launcher: Launcher, game: Game) -> bytes:
    process = BotProcess(launcher, setup, game)
    try:
        return process.compiled()
    except Death:
        return b""  # what is wrong with the source will be found again when it is loaded
    finally:
        process.close()
