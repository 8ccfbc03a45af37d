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
    """The rating system."""
    mode: Literal["batch", "online"] = "batch"
    """All games at once, whatever their order, or one after the other as on a ladder."""
    mu: float = 25.0
    """The mean rating."""
    sigma: float | None = DEFAULT_SIGMA
    """How far bots are expected to differ before their first game; auto: learned from the results of each contest."""
    beta: float = 25 / 6
    """How much luck there is in one game."""
    tau: float = 0.0
    """How much a bot may change from game to game, in online mode. Bots do not change, so 0."""
    draw_probability: float | None = None
    """How often neighbours in a final order share a place; auto: measured in each contest."""

    @property
    def sigma_at_first(self) -> float:
        """What is expected before any game: `sigma`, or the default where it is to be learned."""
        return DEFAULT_SIGMA if self.sigma is None else self.sigma


class PageSettings(msgspec.Struct, frozen=True):
    """How the standings page is made."""

    public: bool = False
    """Whether it leaves out tracebacks, printed text, source lines, the config and the seed."""
    anonymous: bool = False
    """Whether it has aliases instead of the names of bots; then it is public too."""
    title: str = ""
    """A title instead of the league's name."""
    logo: str = ""
    """A line above the title, such as the name of a course."""


class Stop(msgspec.Struct, frozen=True):
    """When a run ends although the league is not finished; the earliest of these."""

    after: float | None = None
    """How long a run takes, standings and page included; here in seconds."""
    at: str | None = None
    """The time of day at which a run ends, standings and page included."""
    games: int | None = None
    """How many games a run plays."""


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
