"""A league as its config asks for it: contests, isolation, rating, and the league as a whole."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import msgspec

from league.games.contract import GameFile
from league.values.block import Contest, Limits

Isolation = Literal["sandbox", "process", "trusted"]

SAFE_NAME = re.compile(r"\w[\w-]{0,63}")
"""What a league or a bot may be called: it becomes part of file names, addresses and pages."""
NAME_RULE = "1 to 64 letters, digits, '_' or '-', and no '-' at the beginning"

DEALS = 100
ADAPTIVE_DEALS = 10_000
"""The most that one lineup plays where the results decide who plays how much."""
MAX_LINEUPS = 5000
FOLDER_MB = 64
DEFAULT_SIGMA = 25 / 3
"""How far bots are expected to differ, before anything is known of them."""


class Event(msgspec.Struct, frozen=True):
    """A contest and how much of it is played."""

    contest: Contest
    deals: int = DEALS
    """For each lineup, or at most where rounds are chosen; every deal is played in every seat rotation."""
    max_lineups: int | None = None
    """If there are more lineups, a sample of this size plays. None: `MAX_LINEUPS` at tables of three and more."""
    opponents: int | None = None
    """About how many others each bot meets. None: all, or as many as `max_lineups` allows."""
    fill: str = ""
    """The bot whose copies take the seats that are left empty where too few bots play; nothing: none does."""


class Rating(msgspec.Struct, frozen=True):
    """How results become ratings."""

    system: Literal["trueskill"] = "trueskill"
    mode: Literal["batch", "online"] = "batch"
    """All games at once, whatever their order, or one after the other as on a ladder."""
    mu: float = 25.0
    sigma: float | None = DEFAULT_SIGMA
    """None: learned from the pool."""
    beta: float = 25 / 6
    tau: float = 0.0
    draw_probability: float | None = None
    """None: measured."""

    @property
    def sigma_at_first(self) -> float:
        """What is expected before any game: `sigma`, or the default where it is to be learned."""
        return DEFAULT_SIGMA if self.sigma is None else self.sigma


class PageSettings(msgspec.Struct, frozen=True):
    """How the standings page is made."""

    public: bool = False
    """Without tracebacks, printed text, source lines, the config and the seed."""
    anonymous: bool = False
    """With aliases instead of names; public too."""
    title: str = ""
    """Instead of the league's name."""
    logo: str = ""
    """A line above the title."""


class Stop(msgspec.Struct, frozen=True):
    """When a run ends although the league is not finished; the earliest of these."""

    after: float | None = None
    """Seconds from its start."""
    at: str | None = None
    """The next time that the clock shows this hour and minute: '06:00'."""
    games: int | None = None
    """Games of one run."""


class Settle(msgspec.Struct, frozen=True):
    """What an adaptive schedule is to find out in each contest: one of `places`, `order` and `interval`."""

    places: int | None = None
    """Who the best N are, and in which order."""
    order: Literal["all"] | None = None
    """The order of all bots."""
    interval: float | None = None
    """How wide the interval of each rating may be."""
    within: float = 0.3
    """Of `places`: bots that differ by less, in points of the rating, may come in either order."""


class Config(msgspec.Struct, frozen=True):
    """One league, as its config file asks for it."""

    name: str
    bots: tuple[str, ...]
    """Folders, files and globs, relative to `base`."""
    base: Path
    """The folder of the config file."""
    events: tuple[Event, ...]
    """In the order of the file; every (game, players) once."""
    seed: int | None = None
    """None: a secret is drawn when the league is first played, and kept with its results."""
    gauntlet: str | None = None
    """The bot that meets the field; None: all bots meet each other."""
    settle: Settle | None = None
    """What an adaptive schedule is to find out; None: all lineups play all deals."""
    isolation: Isolation = "sandbox"
    limits: Limits = Limits()
    folder_mb: int = FOLDER_MB
    """How large a bot's folder may be, in megabytes."""
    rating: Rating = Rating()
    page: PageSettings = PageSettings()
    stop: Stop = Stop()
    text: str = ""
    """The file, as it was written."""

    def contests(self) -> tuple[Contest, ...]:
        """The contests of all events."""
        return tuple(event.contest for event in self.events)

    def game_files(self) -> tuple[GameFile, ...]:
        """The games that are files of a user's own, each once."""
        files = (contest.rules().file for contest in self.contests() if contest.source)
        return tuple({file.hash: file for file in files if file}.values())
