"""The unit of work and what it leaves behind: blocks, tallies, faults. Plain values that every layer shares.

A contest is one game at one table size. A lineup plays it in series, one for each seat rotation; a block is a
range of deals of one series. A series' id is a hash of all that decides results but for the deals (`identity` says in
which form), so a league is resumed by asking which deals of which ids are missing.
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import blake2b
from typing import Any, Literal, NamedTuple

import msgspec

from league import games
from league.games.contract import Game, plain
from league.tools.seeds import Secret
from league.values.identity import hashed

LONGEST_WORD = 48
"""Of a game's name in file names; longer ones are cut."""
DEAL_GROUPS = 64
"""Tallies are kept apart by match number modulo this, for intervals by resampling groups of deals."""

FaultKind = Literal["illegal", "error", "timeout", "crash", "memory", "protocol", "import"]


class Entrant(msgspec.Struct, frozen=True, order=True):
    """A bot in a league, known by its name and the hash of its source."""

    name: str
    source: str
    """Hash of the source, in hexadecimal."""


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


class Terms(msgspec.Struct, frozen=True):
    """All that decides results beside lineup, rotation and deal."""

    contest: Contest
    seed: Secret
    limits: Limits


class Series(msgspec.Struct, frozen=True):
    """A lineup in a contest at one seat rotation: everything that decides results but for the deals."""

    contest: Contest
    lineup: tuple[Entrant, ...]
    """Sorted by name, but for duels, in which the one to be judged comes first. Who sits where: `plan/seating.py`."""
    rotation: int
    seed: Secret
    """What its deals and its bots' random numbers follow from."""
    limits: Limits

    @property
    def id(self) -> str:
        """Hash of the content, the same in all versions of League that know its fields."""
        return hashed(self)

    @property
    def terms(self) -> Terms:
        """What it shares with the other series of its contest."""
        return Terms(self.contest, self.seed, self.limits)

    def address(self, deal: int) -> Address:
        """Of the game that plays `deal`."""
        return Address(self.contest.key, tuple(entrant.name for entrant in self.lineup), deal, self.rotation)


class Block(msgspec.Struct, frozen=True):
    """The deals `first` up to but not including `stop` of a series: whole matches, each deal once."""

    series: Series
    first: int
    stop: int

    @property
    def id(self) -> str:
        """Its series and its deals."""
        return f"{self.series.id}:{self.first}-{self.stop}"

    @property
    def games(self) -> int:
        """How many games it holds."""
        return self.stop - self.first


class Address(NamedTuple):
    """Which game: contest, lineup, deal and the rotation of its series, written 'raj-2p:ann+bob:17.1'."""

    contest: str
    lineup: tuple[str, ...]
    deal: int
    rotation: int

    def __str__(self) -> str:
        return f"{self.contest}:{'+'.join(self.lineup)}:{self.deal}.{self.rotation}"


class Ranking(NamedTuple):
    """The number of games of a block with the same seating and ranking."""

    group: int
    """Match number modulo `DEAL_GROUPS`, where match number is deal // games_per_match."""
    seating: int
    """Who sat where in that game: the number of a seating of `plan/seating.py`."""
    ranks: tuple[int, ...]
    """By entrant, in the order of the lineup."""
    games: int


class Tally(msgspec.Struct, frozen=True):
    """The games of a block, counted. Everything is sorted, so equal results are equal bytes."""

    rankings: tuple[Ranking, ...]
    points: tuple[tuple[int, tuple[int, ...]], ...]
    """(group, sum of the game's own points by entrant)."""
    histogram: tuple[tuple[int, int, int], ...]
    """(index of the entrant, points, games): how points are distributed."""


class Fault(msgspec.Struct, frozen=True):
    """One misbehaviour of one seat in one game."""

    bot: str
    address: str
    kind: FaultKind
    cause: str
    """One line."""
    tail: str = ""
    """The end of the bot's traceback, or which moves were legal."""

    @property
    def deal(self) -> int:
        """Of the game in which it happened."""
        return int(self.address.rpartition(":")[2].partition(".")[0])


class Usage(msgspec.Struct, frozen=True):
    """What an entrant used in a block. Timings are never part of standings.csv."""

    decisions: int
    seconds: float
    overhead: float = 0.0
    """Its share of the processor time in seconds that the worker itself needed."""


class BlockResult(msgspec.Struct, frozen=True):
    """A block that was played."""

    block: Block
    tally: Tally
    faults: tuple[Fault, ...] = ()
    usage: tuple[Usage, ...] = ()
    """By entrant, in the order of the lineup."""
    forfeits: tuple[int, ...] = ()
    """Games that each entrant forfeited after too many faults in a match, in the order of the lineup."""
    outcomes: bytes = b""
    """How every game ended, packed: see `league.results.outcomes`."""


@cache
def file_word(name: str) -> str:
    """A game's name as a part of file names and addresses: as it is, or readable and with a hash of what is lost.

    'raj' stays 'raj'; 'openspiel:goofspiel(players=3)' becomes 'openspiel-goofspiel-players-3-', then six digits.
    """
    kept = re.sub(r"[^\w-]+", "-", name.replace(":", "-", 1)).strip("-")
    if len(kept) == len(name) and len(name) <= LONGEST_WORD:
        return kept
    return f"{kept[:LONGEST_WORD].rstrip('-')}-{blake2b(name.encode(), digest_size=3).hexdigest()}"
