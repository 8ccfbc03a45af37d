"""The unit of work and what it leaves behind: blocks, outcomes, faults. Plain values that every layer shares.

A contest is one game at one table size. A lineup plays it in series, one for each seat rotation; a block is a
range of deals of one series.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta
from msgspec.structs import astuple, replace

from league.tools.seeds import Secret, Seeds
from league.tools.text import first_few
from league.values.settings import Contest, Limits


def hashed(value: object) -> str:
    """The id of a value: a hash of its canonical form, in hexadecimal."""
    return blake2b(canonical(value).encode(), digest_size=16).hexdigest()


def canonical(value: object) -> str:
    """A value as sorted JSON, without fields that equal their default.

    So a later version may add a field with a default, and every id stays what it was: results that were played without
    the field are those of its default. For the same reason a default must not change and a field must not be renamed.
    """
    return msgspec.json.encode(value, order="sorted").decode()


DEAL_GROUPS = 64
"""Results are counted apart by match number modulo this, since games of one deal share their luck."""
_GROUPS = Seeds(0, "group")

Count = Annotated[int, Meta(ge=0, le=10**15)]
Seconds = Annotated[float, Meta(ge=-1e15, le=1e15)]
LuckFollows = Literal["seed", "names", "versions"]
"""What the deals and the random numbers of bots follow from, beside the seed: nothing else, so that all lineups play
the same deals; the names of a lineup, so that another version of a bot plays the deals of the one before; or its
versions, so that a new version meets deals that nobody has seen."""
FaultKind = Literal["illegal", "error", "timeout", "crash", "memory", "protocol", "import"]


class Entrant(msgspec.Struct, frozen=True, order=True):
    """A bot in a league, known by its name and the hash of its source."""

    name: str
    source: str
    """Hash of the source, in hexadecimal."""


class Terms(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that decides results beside lineup, rotation and deal."""

    contest: Contest
    seed: Secret
    limits: Limits
    luck_follows: LuckFollows = "names"

    def series(self, lineup: tuple[Entrant, ...], rotation: int) -> Series:
        """A lineup that plays under these terms."""
        return Series(self.contest, lineup, rotation, self.seed, self.limits, self.luck_follows)


class Series(msgspec.Struct, frozen=True, omit_defaults=True):
    """A lineup in a contest at one seat rotation: everything that decides results except the deals."""

    contest: Contest
    lineup: tuple[Entrant, ...]
    """Sorted by name; in duels the bot that is judged comes first. Who sits where: `plan/seating.py`."""
    rotation: int
    seed: Secret
    """What its deals and its bots' random numbers follow from."""
    limits: Limits
    luck_follows: LuckFollows = "names"
    """What its deals and its bots' random numbers follow from."""
    dealt_as: tuple[Entrant, ...] = ()
    """The lineup whose deals it plays, if that is not its own: `replay --with` compares two versions on one deal."""

    @property
    def id(self) -> str:
        """Hash of the content, the same in all versions of League that know its fields."""
        return hashed(self)

    @property
    def terms(self) -> Terms:
        """What it shares with the other series of its contest."""
        return Terms(self.contest, self.seed, self.limits, self.luck_follows)

    @property
    def luck(self) -> tuple[str, ...]:
        """The words that its deals follow from, beside the seed."""
        lineup = sorted(self.dealt_as or self.lineup)
        if self.luck_follows == "versions":
            return tuple(word for entrant in lineup for word in (entrant.name, entrant.source))
        return tuple(entrant.name for entrant in lineup) if self.luck_follows == "names" else ()

    @property
    def first_group(self) -> int:
        """The group of the first match."""
        return 0 if self.luck_follows == "seed" else first_group([entrant.name for entrant in self.lineup])

    def address(self, deal: int) -> Address:
        """The address of the game that plays `deal`."""
        return Address(self.contest.key, tuple(entrant.name for entrant in self.lineup), deal, self.rotation)


def first_group(names: Sequence[str]) -> int:
    """The group of the first match of a lineup with deals of its own. They begin at different ones, to fill all."""
    return _GROUPS.of(*sorted(names)) % DEAL_GROUPS


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


class Sitting(msgspec.Struct, frozen=True):
    """What a worker plays at once: blocks of one contest in one rotation, with one host for each bot."""

    blocks: tuple[Block, ...]
    is_apart: bool = False
    """Whether a bot in it is slow, bad or not known yet, so that nobody else should have to wait for it."""
    is_fresh: bool = False
    """Whether it needs processes of its own, because some of its deals may have been seen by one before."""
    is_last_try: bool = False
    """Whether being unavailable is a fault, because these matches were tried too often."""

    @property
    def id(self) -> str:
        """That of its first block, which is in no other sitting."""
        return self.blocks[0].id

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """All who play in it, each once."""
        return tuple(dict.fromkeys([entrant for block in self.blocks for entrant in block.series.lineup]))

    @property
    def games(self) -> int:
        """How many games it holds."""
        return sum([block.games for block in self.blocks])

    def __str__(self) -> str:
        """'raj-2p with ann and bob', or '... and 14 others'."""
        names = sorted({entrant.name for block in self.blocks for entrant in block.series.lineup})
        return f"{self.blocks[0].series.contest.key} with {first_few(names, most=5)}"


class Address(NamedTuple):
    """Which game: contest, lineup, deal and the rotation of its series, written 'raj-2p:ann+bob:17.1'."""

    contest: str
    lineup: tuple[str, ...]
    deal: int
    rotation: int

    def __str__(self) -> str:
        return f"{self.contest}:{'+'.join(self.lineup)}:{self.deal}.{self.rotation}"


class Fault(msgspec.Struct, frozen=True):
    """One misbehaviour of one seat in one game."""

    bot: str
    address: str
    kind: FaultKind
    cause: str
    """One line."""
    tail: str = ""
    """The end of its traceback, or which moves were legal."""

    @property
    def contest(self) -> str:
        """The key of the contest in which it happened."""
        return self.address.partition(":")[0]

    @property
    def deal(self) -> int:
        """The deal of the game in which it happened."""
        return int(self.address.rpartition(":")[2].partition(".")[0])


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an entrant used in a block. Timings are never part of standings.csv."""

    decisions: Count
    seconds: Seconds
    """Processor time for its decisions."""
    overhead: Seconds = 0.0
    """Its share of the processor time in seconds that the worker itself needed."""
    starting: Seconds = 0.0
    """Seconds of processor time that its processes needed to be loaded."""
    asleep: Seconds = 0.0
    memory_mb: Count = 0
    """Megabytes that one of its processes had at most; 0 if that is not known."""
    starts: Seconds = 0.0
    """How many processes were loaded; less than 1 if blocks shared one."""

    @property
    def cost(self) -> float:
        """Seconds that it kept a worker busy, once its process was loaded."""
        return self.seconds + self.overhead + self.asleep

    def plus(self, other: Usage) -> Usage:
        """Both together; of memory, what one of them had at most."""
        sums = [mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)]
        return replace(Usage(*sums), memory_mb=max(self.memory_mb, other.memory_mb))

    def share(self, part: float) -> Usage:
        """A part of it: what one of several blocks used that shared a host."""
        parts = [value * part for value in astuple(self)]
        return replace(Usage(*parts), decisions=round(self.decisions * part), memory_mb=self.memory_mb)


class BlockResult(msgspec.Struct, frozen=True, tag=True):
    """A block that was played."""

    block: Block
    outcomes: bytes
    """How every game ended, packed: see `league.results.outcomes`."""
    faults: tuple[Fault, ...] = ()
    usage: tuple[Usage, ...] = ()
    """By entrant, in the order of the lineup."""
    forfeits: tuple[tuple[int, int], ...] = ()
    """Each game that was forfeited after too many faults in its match: its deal, and the bot's place in the lineup."""
    moves: bytes = b""
    """Every move, packed: see `league.results.moves`. Empty if they are not kept."""

    @property
    def work(self) -> float:
        """Seconds that it kept a worker busy, starts included."""
        return sum([used.cost + used.starting for used in self.usage])


class Unavailable(msgspec.Struct, frozen=True, tag=True):
    """Matches that were not played to their end, because a bot could not be asked: they count for nobody."""

    block: Block
    bot: str
    cause: str
    """One line, in the bot's own words."""


class Abandoned(NamedTuple):
    """A block that ended its worker again and again, and was left unplayed."""

    block: Block
    reason: str


class MilestoneStep(msgspec.Struct, frozen=True):
    """How far a bot is from one milestone."""

    title: str
    bot: str
    """The bot to be ahead of."""
    points: float
    state: Literal["reached", "not reached", "undecided"]
    """Undecided is neither: more games would tell."""
    about: str
    """'ahead of raj_nearest, settled'."""
    games: int = 0
    """If it is undecided: at least about how many more games would decide it; 0 if nobody knows."""
    lead: float = 0.0
    """If it is undecided: the lead over the milestone that these games show with a probability of 80 %."""

    @property
    def reached(self) -> bool:
        """Whether the bot has it."""
        return self.state == "reached"


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
