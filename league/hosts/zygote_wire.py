"""The messages between the launcher and the zygote. Apart from both, so that neither loads what the other needs."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import msgspec

from league.games.contract import GameFile

REQUEST = struct.Struct("<cI")
"""`f`: fork, with descriptors and a game of N bytes. `w`: wait for process N and report. `d`: wait without a report."""
ANSWER = struct.Struct("=i")
"""The process id, or how the process ended, as the kernel puts it. The first answer is the length of a `Ready`."""
PLACE = str(Path(__file__).resolve().parents[1])
"""The folder of the package that this process runs."""


class Ready(msgspec.Struct, frozen=True, array_like=True):
    """The zygote's first answer: which League it runs, and whether it is as it should be."""

    version: str
    place: str
    refused: str
    """Why it could not enclose itself, in words. It ends then."""


class GameSpec(msgspec.Struct, frozen=True, array_like=True):
    """Which rules a host needs."""

    name: str
    players: int
    options: dict[str, Any]
    file: GameFile | None = None
    """Of a game that is a file of a user's own: a host cannot read the file itself."""
