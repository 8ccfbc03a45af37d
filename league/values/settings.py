"""A league as its config asks for it: contests, limits, isolation, rating, and the league as a whole.

The type of a field says what may be written in a config, and its docstring what it means: `league.setup.config` reads
it and docs/config.md lists it, so a new key or limit is one field here.
"""

from __future__ import annotations

import re
import sys
from enum import StrEnum
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import msgspec
from msgspec import Meta

from league import games
from league.errors import LeagueError, did_you_mean
from league.games.contract import Game, GameFile, plain
from league.tools import system
from league.tools.text import CLOCK, DURATION, clock_in, safe, seconds_in

SAFE_NAME = re.compile(r"\w[\w-]{0,63}")
"""What a league or a bot may be called: it becomes part of file names, addresses and pages."""
NAME_RULE = "1 to 64 letters, digits, '_' or '-', and no '-' at the beginning"

TAKEN_MODULES = sys.stdlib_module_names | {"league", "msgspec", "numpy"}
"""Names that no module of a bot can have."""

LONGEST_WORD = 48
"""The longest name of a game in file names; longer ones are cut."""

LEVEL = 0.95
"""How often an interval holds the true value."""
PERCENT = f"{100 * LEVEL:g} %"
"""The level for people."""
DEALS = 100
ADAPTIVE_DEALS = 10_000
"""The most that one lineup plays where the results decide who plays how much."""
MAX_LINEUPS = 5000
FOLDER_MB = 64
DEFAULT_SIGMA = 25 / 3
"""How far bots are expected to differ, before anything is known of them."""

Seed = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Duration = Annotated[float, Meta(extra={"words": DURATION, "parse": seconds_in}, examples=["8h"])]
"""A span of time, in seconds."""
TimeOfDay = Annotated[str, Meta(extra={"words": CLOCK, "parse": clock_in})]
LeagueName = Annotated[
    str,
    Meta(
        pattern=rf"\A{SAFE_NAME.pattern}\Z",
        extra={"words": f"a name of {NAME_RULE} (it names a folder)"},
        examples=["NAME"],
    ),
]
BotName = Annotated[str, Meta(extra={"words": "the name of a bot"}, examples=["BOT"])]
BotPattern = Annotated[str, Meta(extra={"words": "a folder, file or glob with bots"})]
Milliseconds = Annotated[int, Meta(ge=1, le=86_400_000)]
Players = Annotated[int, Meta(ge=1, le=100)]
"""Seats at a table."""
Million = Annotated[int, Meta(ge=1, le=10**6)]
Billion = Annotated[int, Meta(ge=1, le=10**9)]
Scale = Annotated[float, Meta(ge=0.001, le=1e5)]
"""A difference of ratings."""
Rated = Annotated[float, Meta(ge=-1e5, le=1e5)]
"""A rating."""
Counting = Literal["games", "points", "match"]
"""What decides who is better: the places of single games, the mean points of a game, or the places of whole matches."""
Auto = Meta(extra={"auto": "auto"})
"""Marks what may be left to the results: `auto`, or None."""


class Isolation(StrEnum):
    """How bots are kept apart from each other and from this machine. Stored, and written in configs, as its word."""

    SANDBOX = "sandbox"
    PROCESS = "process"
    TRUSTED = "trusted"

    @property
    def runs_inside(self) -> bool:
        """Whether bots run in the process that plays: nothing separates them from it."""
        return self is Isolation.TRUSTED

    @property
    def confines(self) -> bool:
        """Whether the kernel refuses bots files, network and other processes. Only Linux can."""
        return self is Isolation.SANDBOX

    @classmethod
    def _missing_(cls, value: object) -> Self:
        near = did_you_mean(str(value), cls)
        raise LeagueError(f"expected isolation as one of {', '.join(cls)}, found {value!r}.{near}")

    @property
    def here(self) -> Isolation:
        """The same, or the one that this system has. For a user's own bots: it may confine less."""
        return Isolation.TRUSTED if system.PLAIN else self

    @property
    def outside(self) -> Isolation:
        """The same, or the nearest to it that runs no bot in this process."""
        return Isolation.PROCESS.here if self.runs_inside else self


USUAL = Isolation.SANDBOX.here
"""How a user's own bots are isolated unless something else is asked for: in a sandbox, if the system has one."""


class Contest(msgspec.Struct, frozen=True, omit_defaults=True):
    """One game at one table size, under its options. A league has each (game, players) at most once."""

    game: Annotated[str, Meta(pattern=r"\A[A-Za-z_][\w.-]{0,63}(:[^\x00-\x1f\x7f-\x9f]{1,1000})?\Z")]
    """What comes after a colon is up to another project."""
    players: Players
    options: dict[str, Any]
    """Those that are not the rulebook's, as plain data."""
    version: int
    """The version of the rules."""
    games_per_match: Million = 1
    source: Annotated[str, Meta(pattern=r"\A([0-9a-f]{32})?\Z")] = ""
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

    @property
    def title(self) -> str:
        """For people: 'Raj, 3 players'."""
        try:
            games.refuse_immodest(self.game, self.options)
            rules = self.rules()
        except LeagueError:  # a game that is not installed any more, or a file that was not run: reading runs no code
            return self.key
        return safe(rules.title if len(rules.player_counts) == 1 else f"{rules.title}, {self.players} players")


class Amount(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a contest is played, and what counts in it."""

    deals: Annotated[Billion, Meta(extra={"if_left_out": f"{DEALS}, adaptive: {ADAPTIVE_DEALS}"})] = DEALS
    """Deals for each lineup, each played in every seat rotation: 200 deals of a table of 3 are 600 games. An even
    number is [fairer](ratings-mathematics.md#seats). If you change it, only the difference is played, or the first
    deals count. With `schedule: adaptive` it is the most that a lineup plays."""
    max_lineups: Annotated[
        Billion | None,
        Meta(extra={"if_left_out": f"{MAX_LINEUPS} at tables of three and more; all pairs at tables of two"}),
    ] = None
    """If there are more lineups, only a [sample](rounds.md#more-bots-than-can-meet) of this many plays, or one for each
    bot if there are more bots."""
    opponents: Annotated[Million | None, Meta(extra={"if_left_out": "all, or as `max_lineups` says"})] = None
    """About how many others each bot meets: a sample whose size grows with the number of bots."""
    fill: Annotated[BotName, Meta(extra={"if_left_out": "such a league is refused"})] = ""
    """A bot whose [copies take the empty seats](#copies-that-fill-a-table), if fewer bots play the game than a table
    has seats: `random` or a bot of the league."""
    count: Annotated[Counting, Meta(extra={"if_left_out": "as the game says: `games`, or `points` at poker"})] = "games"
    """[What decides](#what-counts) who is better."""


class Event(Amount, frozen=True):
    """A contest and how much of it is played."""

    contest: Contest


class GameKeys(Amount, frozen=True):
    """The keys of an entry of `games`: it becomes one event for each number of players."""

    game: Annotated[str, Meta(extra={"words": "a name or a file"}, examples=["raj"])]
    """One that `league games` lists, such as `raj`; a [file of your own](tutorial-game.md), relative to the config,
    such as `./crown.py`; or one of [OpenSpiel's](learners.md#games-of-openspiel-in-leagues), such as
    `openspiel:kuhn_poker`."""
    players: Annotated[
        tuple[int, ...], Meta(min_length=1, extra={"alone": True, "if_left_out": "the fewest that the game takes"})
    ] = ()
    """Seats at a table: a number, or a list of numbers. Each pair of game and players may occur only once."""
    options: Annotated[dict[str, Any], Meta(extra={"words": "keys with values", "if_left_out": "the rulebook's"})] = {}
    """The game's own choices."""
    games_per_match: Million = 1
    """How many games a lineup plays in a row, during which bots may remember. `deals` must be a multiple of it."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a bot may use."""

    move_ms: Milliseconds = 100
    """Milliseconds of processor time for one decision; other load on the machine does not count."""
    match_ms: Milliseconds = 60_000
    """Milliseconds of processor time for all decisions of one match."""
    start_ms: Milliseconds = 5_000
    """Milliseconds of processor time for loading the bot."""
    memory_mb: Annotated[int, Meta(ge=64, le=1_048_576)] = 512
    """Megabytes of memory."""
    max_faults: Million = 3
    """The number of faults in one match after which the bot forfeits the rest of it."""


class LimitKeys(Limits, frozen=True):
    """The keys of `limits`: what a bot may use, and limits that change no result."""

    folder_mb: Annotated[int, Meta(ge=1, le=4096)] = FOLDER_MB
    """Megabytes that the folder of a bot may have. It decides who may play, and changes no result."""
    tries: Annotated[Million | None, Meta(extra={"if_left_out": "matches stay open"})] = None
    """How often a match is tried if a bot says that it is [unavailable](languages.md#the-protocol), at most four times
    a run. In the last try that is a fault, so the bot loses the game."""


class Rating(msgspec.Struct, frozen=True):
    """How results become ratings."""

    system: Literal["trueskill"] = "trueskill"
    """The rating system."""
    mode: Literal["batch", "online"] = "batch"
    """All games at once, whatever their order, or one after the other as on a ladder."""
    mu: Annotated[float, Meta(ge=-1e5, le=1e5)] = 25.0
    """The mean rating."""
    sigma: Annotated[Scale | None, Auto] = DEFAULT_SIGMA
    """How far bots are expected to differ before their first game; auto: learned from the results of each contest."""
    beta: Scale = 25 / 6
    """How much luck there is in one game."""
    tau: Annotated[float, Meta(ge=0, le=1e5)] = 0.0
    """How much a bot may change from game to game, in online mode. Bots do not change, so 0."""
    draw_probability: Annotated[Annotated[float, Meta(ge=0, le=0.999)] | None, Auto] = None
    """How often neighbours in a final order share a place; auto: measured in each contest."""

    @property
    def sigma_at_first(self) -> float:
        """What is expected before any game: `sigma`, or the default where it is learned."""
        return DEFAULT_SIGMA if self.sigma is None else self.sigma


class PageSettings(msgspec.Struct, frozen=True):
    """How the standings page is made."""

    public: bool = False
    """Whether it leaves out tracebacks, source lines, the config and the seed."""
    anonymous: bool = False
    """Whether it has aliases instead of the names of bots; then it is public too."""
    title: str = ""
    """The title, instead of the league's name."""
    logo: str = ""
    """A line above the title, such as the name of a course."""


class Stop(msgspec.Struct, frozen=True):
    """When a run ends although the league is not finished; the earliest of these."""

    after: Duration | None = None
    """How long a run takes, standings and page included."""
    at: TimeOfDay | None = None
    """The time of day at which a run ends, standings and page included."""
    games: Annotated[int, Meta(ge=1, le=10**15)] | None = None
    """How many games a run plays."""
    rounds: Billion | None = None
    """How many rounds a run plays at most."""


class Settle(msgspec.Struct, frozen=True):
    """What an adaptive schedule finds out in each contest: one of `places`, `order` and `interval`."""

    places: Annotated[Million, Meta(examples=[10])] | None = None
    """Who the best N are, and in which order."""
    order: Literal["all"] | None = None
    """The order of all bots."""
    interval: Scale | None = None
    """How wide the interval of each rating may be; where points count, in points a game."""
    within: Scale = 0.3
    """For `places`: bots that differ by less, in points of the rating, may come in either order."""
    within_points: Annotated[Scale | None, Meta(extra={"if_left_out": "`within`, if a game's luck were `beta`"})] = None
    """The same in points a game, for contests in which points count."""


class Milestone(msgspec.Struct, frozen=True):
    """A bot to be ahead of. A bot has the milestone when it is settled that it is better than this one."""

    bot: BotName
    """Which bot; it plays in the league like all others."""
    title: str = ""
    """What the milestone is called; the bot's name if it is left out."""
    points: Annotated[float, Meta(ge=0, le=1e6)] = 1.0
    """What it is worth, for `league class grades`."""
    margin: Annotated[float, Meta(ge=0, le=1e5)] = 0.0
    """How much worse a bot may be, in points of the rating, and still reach it."""
    game: str = ""
    """Only in this game or contest (`raj`, `raj-2p`); all that both play if it is left out."""

    @property
    def name(self) -> str:
        """For people."""
        return self.title or self.bot


class Gauntlet(msgspec.Struct, frozen=True):
    """A schedule in which one bot meets all others."""

    gauntlet: BotName


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of a league that mean what they say: a config and a league have them alike."""

    seed: Annotated[Seed | None, Meta(extra={"if_left_out": "drawn at random"})] = None
    """The same seed, bots and config give the same standings, to the last byte.
    [Not for strangers' bots](#with-a-seed-or-without)."""
    settle: Annotated[Settle | None, Meta(extra={"if_left_out": "`{places: 10}`"})] = None
    """What an adaptive schedule [finds out](#settle)."""
    luck_follows: Literal["names", "versions"] = "names"
    """Whether a new version of a bot plays the deals of the one before, or [others](rounds.md#deals). Use `versions` if
    authors see games before they hand in the next version: otherwise a bot may know deals by heart."""
    isolation: Isolation = Isolation.SANDBOX
    """`sandbox`: a bot sees its views and nothing else. `process`: a process of its own with limits. Both need Linux.
    `trusted`: no protection, for your own bots."""
    rating: Rating = Rating()
    """[How results become ratings](#rating)."""
    moves: Literal["all", "none"] = "all"
    """Whether every move is kept, in a few bytes a game, so that games can be [shown](games.md) without running a bot.
    With `none` they are played again for that."""
    page: PageSettings = PageSettings()
    """[How the standings page is made](#page)."""
    stop: Annotated[Stop, Meta(extra={"if_left_out": "when all is played"})] = Stop()
    """[When a run ends](#stop) although the league is not finished."""
    milestones: tuple[Milestone, ...] = ()
    """[Bots to be ahead of](#milestones), with a title and points."""
    anchors: Annotated[dict[str, Rated], Meta(extra={"words": "bots with their ratings ('{BOT: 25.0}')"})] = {}
    """Reference bots [whose ratings are given](#anchors), so that leagues can be compared."""


class ConfigKeys(Settings, frozen=True):
    """The keys of a config file."""

    league: LeagueName
    """Its name, and that of its folder of results."""
    bots: Annotated[tuple[BotPattern, ...], Meta(min_length=1, extra={"alone": True})]
    """A folder, a file, a glob (`"../bots/**/*.py"`) or a list of them, relative to the config file. A bot is a file,
    or a folder with `bot.py` or `bot.toml`. Names that begin with `_` or `.` are left out of folders and globs."""
    games: Annotated[
        tuple[GameKeys, ...], Meta(min_length=1, extra={"words": "a list of games ('- game: raj')", "each": "a game"})
    ]
    """[What is played](#each-entry-of-games)."""
    schedule: Literal["round_robin", "adaptive"] | Gauntlet = "round_robin"
    """`round_robin`: all against all. `{gauntlet: ann}`: only the lineups in which `ann` plays. `adaptive`:
    [the results decide](#settle) who plays."""
    limits: LimitKeys = LimitKeys()
    """[What a bot may use](#limits)."""


class Config(Settings, frozen=True):
    """One league, as its config file asks for it."""

    name: LeagueName
    bots: tuple[str, ...]
    """Folders, files and globs, relative to `base`."""
    base: Path
    """The folder of the config file."""
    events: Annotated[tuple[Event, ...], Meta(min_length=1, max_length=1000)]
    """In the order of the file; every (game, players) once."""
    gauntlet: LeagueName | None = None
    """The bot that meets the field; None: all bots meet each other."""
    limits: Limits = Limits()
    folder_mb: Annotated[int, Meta(ge=1, le=4096)] = FOLDER_MB
    """How large a bot's folder may be, in megabytes."""
    tries: int | None = None
    """After how many tries of a match being unavailable is a fault; None: never."""
    text: str = ""
    """The file, as it was written."""
    shared_deals: bool = False
    """Whether all lineups play the same deals, as in a duel; in leagues, each has deals of its own."""

    def contests(self) -> tuple[Contest, ...]:
        """The contests of all events."""
        return tuple(event.contest for event in self.events)

    def titles(self) -> dict[str, str]:
        """What each contest is called for people, by its key, and the standings of all."""
        return {"overall": "Overall", **{contest.key: contest.title for contest in self.contests()}}

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
