"""What an author is told about a bot, as values; whoever reads them needs none of what computes them."""

from __future__ import annotations

import msgspec


class MilestoneStep(msgspec.Struct, frozen=True):
    """How far a bot is from one milestone."""

    title: str
    bot: str
    """The bot to be ahead of."""
    points: float
    reached: bool
    about: str
    """'ahead of raj_nearest, settled'."""


class FaultCause(msgspec.Struct, frozen=True):
    """What a bot did wrong, and how often."""

    count: int
    kind: str
    cause: str
    line: str
    """Where in its source; empty if nobody knows."""
    address: str
    tail: str = ""
    """The end of the bot's traceback, or which moves were legal."""


class HardOpponent(msgspec.Struct, frozen=True):
    """How a bot did against another one."""

    bot: str
    contest: str
    score: float
    expected: float
    games: int
