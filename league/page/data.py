"""All that the standings page shows, as plain values. Bots are meant by their index in `Page.bots`.

`gather` fills it from a league's results, `render` makes HTML of it; between the two there is only this. Numbers are
not rounded here but where they are shown: rounded twice, 22.3147 would become 22.315 and then 22.32.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from league.results.lines import Line
from league.tools.text import safe

PAGE = "standings.html"
"""The name of the page's file."""
OVERALL = "overall"
"""The key of the board on which all contests count equally."""


class BotCard(msgspec.Struct, frozen=True):
    """A bot, with what its author says about it."""

    name: str
    doc: str = ""
    baseline: bool = False
    """Whether it is there for comparison only."""


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """One bot's line in a table of standings, and what the page adds to it."""

    bot: int
    place: str
    """'1', or '1-3' where intervals do not separate; '' for a bot without a place."""
    line: Line
    ms: float | None = None
    """Milliseconds for one decision; None if it never decided."""
    notes: tuple[str, ...] = ()
    """What a reader should know before comparing: too few games, a pool of its own."""


class Meeting(NamedTuple):
    """How two bots did when they met; `a` comes before `b` in `Page.bots`."""

    a: int
    b: int
    games: int
    score: float
    """Of a against b: the part of their games in which a came in before b, ties as one half."""
    low: float
    high: float
    expected: float
    """As their ratings would have it."""


class Spread(NamedTuple):
    """How the points of one bot are spread: quantiles, and every value with how often it came."""

    bot: int
    lowest: int
    quarter: int
    median: int
    three_quarters: int
    highest: int
    mean: float
    histogram: tuple[tuple[int, int], ...]


class SeatScore(NamedTuple):
    """How well a seat did, whoever sat there."""

    contest: str
    """Its title."""
    seat: int
    """From 1."""
    games: int
    score: float


class OwnSeat(NamedTuple):
    """How well one bot did in one seat."""

    bot: int
    seat: int
    """From 1."""
    games: int
    score: float


class Cycle(msgspec.Struct, frozen=True):
    """A beats B beats C beats A."""

    bots: tuple[int, ...]
    scores: tuple[float, ...]
    """Of each against the next, of the last against the first."""


class Board(msgspec.Struct, frozen=True):
    """One tab: a contest, or all of them."""

    key: str
    title: str
    rows: tuple[Row, ...]
    """Best first."""
    games: int
    subtitle: str = ""
    """Deals, the number of lineups, and the options that are not the rulebook's."""
    notes: tuple[str, ...] = ()
    meetings: tuple[Meeting, ...] = ()
    settling: tuple[tuple[int, tuple[tuple[int, float], ...]], ...] = ()
    """After N games in all, the ratings: pairs of bot and rating."""
    spreads: tuple[Spread, ...] = ()
    seats: tuple[SeatScore, ...] = ()
    own_seats: tuple[OwnSeat, ...] = ()
    cycles: tuple[Cycle, ...] = ()
    """The clearest ones."""
    cycle_count: int = 0
    """How many there are in all."""


class FaultNote(msgspec.Struct, frozen=True):
    """Faults that are alike: one bot, one contest, one kind and one cause."""

    bot: int
    contest: str
    """Its key."""
    kind: str
    cause: str
    count: int
    address: str
    """Of the first of them."""
    tail: str = ""


class Sample(msgspec.Struct, frozen=True):
    """A game to watch, as a page of its own."""

    contest: str
    """Key of the contest."""
    address: str
    href: str
    bots: tuple[int, ...]
    """By seat."""
    result: str
    """In a few words."""
    differs: bool = False
    """Whether it ended differently when it was played again."""
    reasons: tuple[tuple[int, str], ...] = ()
    """Why it was chosen: pairs of bot and what the game is for it, such as 'worst loss'."""


class Part(NamedTuple):
    """How far a contest is."""

    contest: str
    """Its key."""
    played: int
    total: int


class Progress(msgspec.Struct, frozen=True):
    """How far a league is, in games."""

    played: int
    total: int
    contests: tuple[Part, ...] = ()
    round: int = 0
    """The last one that is complete."""
    rounds: int = 0

    def of(self, contest: str) -> Part | None:
        """How far one contest is; None if it is not planned."""
        return next((part for part in self.contests if part.contest == contest), None)


class First(msgspec.Struct, frozen=True):
    """Who may deserve the first place of a contest."""

    contest: str
    """Its key."""
    title: str
    bots: tuple[int, ...]
    """The best rated first."""
    field: int
    """Bots that have played."""
    games: int
    notes: int = 0
    """Notes that a reader of this contest should know."""


class PastRow(NamedTuple):
    """Where a bot stood after an earlier run."""

    bot: int
    place: str
    """'' for a bot without a place."""
    rating: float
    low: float
    high: float


class Past(msgspec.Struct, frozen=True):
    """The standings after an earlier run."""

    ended: str
    boards: dict[str, tuple[PastRow, ...]]
    """By the keys of the boards."""
    edited: tuple[int, ...] = ()
    """Bots whose source had changed since the run before."""


class Comparing(msgspec.Struct, frozen=True):
    """What `league compare` says about two bots, as text."""

    a: int
    b: int
    verdict: str
    ratings: tuple[tuple[str, ...], ...]
    """A table, its header first."""
    meetings: tuple[tuple[str, ...], ...] = ()
    """A table, its header first; empty if they never met."""
    notices: tuple[str, ...] = ()


def cut(text: str, most: int, *, end: bool = False) -> str:
    """A stranger's text, cut where it gets too long for a page; of a traceback the end matters.

    Control characters are written as escapes.
    """
    text = "\n".join([safe(line) for line in text.expandtabs().splitlines()])
    if len(text) <= most:
        return text
    return f"… {text[-most:]}" if end else f"{text[:most]} …"


class Page(msgspec.Struct, frozen=True):
    """The whole page."""

    league: str
    when: str
    what: str
    facts: tuple[tuple[str, str], ...]
    """What else was asked for: isolation, seed, limits, rating."""
    bots: tuple[BotCard, ...]
    boards: tuple[Board, ...]
    """The most telling one first. Where there is more than one contest, one is `OVERALL`."""
    remarks: tuple[str, ...] = ()
    """What a reader of every board should know."""
    faults: tuple[FaultNote, ...] = ()
    samples: tuple[Sample, ...] = ()
    config: str = ""
    progress: Progress | None = None
    """None: everything that was planned has been played."""
    running: bool = False
    """Whether it is being played now."""
    written: float = 0.0
    """When the page of a league that is being played was made, in seconds since 1970."""
    firsts: tuple[First, ...] = ()
    """Where there is more than one contest."""
    comparisons: tuple[Comparing, ...] = ()
    past: tuple[Past, ...] = ()
    """After each finished run, the oldest first; nothing if there was only one."""
    before: Past | None = None
    """The run before the one whose standings are shown."""
    changes: tuple[str, ...] = ()
    """Which bots, or whether the config, changed in the last run: a sentence each."""
    logo: str = ""
    """A line above the title."""
    private: bool = True
    """Whether names are those of the league, so that a server can be asked about them."""
    folder: str = ""
    """How commands name the league's folder."""
