"""A league as its config asks for it: contests, isolation, rating, and the league as a whole."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, Self

import msgspec

from league import games
from league.errors import LeagueError, did_you_mean
from league.games.contract import Game, GameFile, plain

SAFE_NAME = re.compile(r"\w[\w-]{0,63}")
"""What a league or a bot may be called: it becomes part of file names, addresses and pages."""
NAME_RULE = "1 to 64 letters, digits, '_' or '-', and no '-' at the beginning"

LONGEST_WORD = 48
"""Of a game's name in file names; longer ones are cut."""

LEVEL = 0.95
"""Of all intervals: how often they hold the true value."""
PERCENT = f"{100 * LEVEL:g} %"
"""The level for people."""
DEALS = 100
ADAPTIVE_DEALS = 10_000
"""The most that one lineup plays where the results decide who plays how much."""
MAX_LINEUPS = 5000
FOLDER_MB = 64
DEFAULT_SIGMA = 25 / 3
"""How far bots are expected to differ, before anything is known of them."""


class Isolation(StrEnum):
    """How bots are kept apart from each other and from this machine. Stored, and written in configs, as its word."""

    runs_inside: bool
    """Bots run in the process that plays: nothing separates them from it."""
    confines: bool
    """The kernel refuses bots files, network and other processes. Only Linux can."""

    SANDBOX = "sandbox", False, True
    PROCESS = "process"
    TRUSTED = "trusted", True

    def __new__(cls, word: str, runs_inside: bool = False, confines: bool = False) -> Self:
        mode = str.__new__(cls, word)
        mode._value_ = word
        mode.runs_inside = runs_inside
        mode.confines = confines
        return mode

    @classmethod
    def _missing_(cls, value: object) -> Self:
        near = did_you_mean(str(value), cls)
        raise LeagueError(f"expected isolation as one of {', '.join(cls)}, found {value!r}.{near}")

    @property
    def outside(self) -> Isolation:
        """The same, or the nearest to it that runs no bot in this process."""
        return Isolation.PROCESS if self.runs_inside else self


class Contest(msgspec.Struct, frozen=True):
    """One game at one table size, under its options. A league has each (game, players) at most once."""

    game: str
    players: int
    options: dict[str, Any]
    """Those that are not the rulebook's, as plain data."""
    version: int
    """Of the rules."""
    games_per_match: int = 1
    source: str = ""
    """Hash of the game's file, if it is a file of a user's own: another text is another game."""

    @classmethod
    def of(cls, game: Game, games_per_match: int = 1) -> Contest:
        """The contest that plays this game as it is set up."""
        usual = plain(game.options_type())
        chosen = {name: value for name, value in plain(game.options).items() if value != usual[name]}
        source = game.file.hash if game.file else ""
        return cls(game.name, game.players, chosen, game.version, games_per_match, source)

    def rules(self) -> type[Game]:
        """The rules of its game."""
        return games.find(self.game, self.source)

    def set_up(self) -> Game:
        """Its game, as it is played here."""
        return self.rules()(self.players, self.options)

    def __hash__(self) -> int:
        return hash((self.game, self.players))  # options are a dict

    @property
    def key(self) -> str:
        """As in file names and addresses: 'raj-2p'."""
        return f"{file_word(self.game)}-{self.players}p"


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


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a bot may use."""

    move_ms: int = 100
    """Milliseconds of processor time for one decision; other load on the machine does not count."""
    match_ms: int = 60_000
    """Milliseconds of processor time for all decisions of one match."""
    start_ms: int = 5_000
    """Milliseconds of processor time to be loaded."""
    memory_mb: int = 512
    """Megabytes of memory."""
    max_faults: int = 3
    """The number of faults in one match after which the bot forfeits the rest of it."""


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
    isolation: Isolation = Isolation.SANDBOX
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


@cache
def file_word(name: str) -> str:
    """A game's name as a part of file names and addresses: as it is, or readable and with a hash of what is lost.

    'raj' stays 'raj'; 'openspiel:goofspiel(players=3)' becomes 'openspiel-goofspiel-players-3-', then six digits.
    """
    kept = re.sub(r"[^\w-]+", "-", name.replace(":", "-", 1)).strip("-")
    if len(kept) == len(name) and len(name) <= LONGEST_WORD:
        return kept
    return f"{kept[:LONGEST_WORD].rstrip('-')}-{blake2b(name.encode(), digest_size=3).hexdigest()}"
