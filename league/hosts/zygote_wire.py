"""What the launcher and the zygote say to each other. Apart from both, so that neither loads what the other needs."""

from __future__ import annotations

import struct
from typing import Any

import msgspec

REQUEST = struct.Struct("<cI")
"""`f`: fork, with descriptors and a game of so many bytes. `w`: wait for this process, and tell. `d`: do not tell."""
ANSWER = struct.Struct("<i")
"""The process id (with a handle on it), or how the process ended. The first answer is the version of Landlock."""


class GameSpec(msgspec.Struct, frozen=True, array_like=True):
    """Which rules a host needs."""

    name: str
    players: int
    options: dict[str, Any]
