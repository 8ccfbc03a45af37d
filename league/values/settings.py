"""A league as its config asks for it: contests, isolation, rating, and the league as a whole."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import msgspec

from league.values.block import Contest, Limits

Isolation = Literal["sandbox", "process", "trusted"]

SAFE_NAME = re.compile(r"\w[\w-]{0,63}")
"""What a league or a bot may be called: it becomes part of file names, addresses and pages."""
NAME_RULE = "1 to 64 letters, digits, '_' or '-', and no '-' at the beginning"

DEALS = 100
MAX_LINEUPS = 5000


class Event(msgspec.Struct, frozen=True):
    """A contest and how much of it is played."""

    contest: Contest
    deals: int = DEALS
    """For each lineup; every deal is played in every seat rotation."""
    max_lineups: int | None = None
    """If there are more lineups, a sample of this size plays. None: `MAX_LINEUPS` at tables of three and more."""
    opponents: int | None = None
    """About how many others each bot meets. None: all, or as many as `max_lineups` allows."""


class Rating(msgspec.Struct, frozen=True):
    """How results become ratings."""

    system: Literal["trueskill"] = "trueskill"
    mode: Literal["batch", "online"] = "batch"
    """All games at once, whatever their order, or one after the other as on a ladder."""
    mu: float = 25.0
    sigma: float = 25 / 3
    beta: float = 25 / 6
    tau: float = 0.0
    draw_probability: float | None = None
    """None: measured."""


class Stop(msgspec.Struct, frozen=True):
    """When a run ends although the league is not finished; the earliest of these."""

    after: float | None = None
    """Seconds from its start."""
    at: str | None = None
    """The next time that the clock shows this hour and minute: '06:00'."""
    games: int | None = None
    """Games of one run."""


class Config(msgspec.Struct, frozen=True):
    """One league, as its config file asks for it."""

    name: str
    bots: tuple[str, ...]
    """Folders, files and globs, relative to `base`."""
    base: Path
    """The folder of the config file."""
    events: tuple[Event, ...]
    """In the order of the file; every (game, players) once."""
    seed: int = 0
    gauntlet: str | None = None
    """The bot that meets the field; None: a round robin, all against all."""
    isolation: Isolation = "sandbox"
    limits: Limits = Limits()
    rating: Rating = Rating()
    stop: Stop = Stop()
    text: str = ""
    """The file, as it was written."""

    def contests(self) -> tuple[Contest, ...]:
        """The contests of all events."""
        return tuple(event.contest for event in self.events)
