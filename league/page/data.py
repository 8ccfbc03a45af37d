"""All that the standings page shows, as plain values. A bot is an index into `Page.bots`.

`build` makes a `Page` from a league's results, and `render` makes HTML of it. Numbers are not rounded here but where
they are shown: rounded twice, 22.3147 would become 22.315 and then 22.32.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from league.plan.coverage import LeagueProgress
from league.results.lines import Line
from league.tools.text import safe
from league.values.block import MilestoneStep

PAGE = "standings.html"
"""The name of the page's file."""
FIRST_TAGS = 200
"""Bytes of a page that hold its first tag, which says what the page is."""
Hidden = Literal["", "causes", "names"]
"""What a page hides: nothing, what faults were about, or also the names of bots."""
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
    """'1', or '1-3' where the results leave it open; '' for a bot without a place."""
    line: Line
    notes: tuple[str, ...] = ()
    """What a reader should know before comparing: too few games, a pool of its own."""


class Meeting(NamedTuple):
    """How two bots did when they met; `a` comes before `b` in `Page.bots`."""

    a: int
    b: int
    games: int
    score: float
    """The score of a against b: the part of their games in which a came in before b, ties as one half. If points count,
    one half is no lead, and 1 is a lead of `Board.span` points."""
    low: float
    high: float
    expected: float
    """The score that their ratings predict."""


class Spread(NamedTuple):
    """The distribution of one bot's points: quantiles, mean and histogram."""

    bot: int
    lowest: int
    quarter: int
    median: int
    three_quarters: int
    highest: int
    mean: float
    histogram: tuple[tuple[int, int], ...]


class SeatScore(NamedTuple):
    """The mean place score of a seat, over all bots or of one of them."""

    seat: int
    """From 1."""
    games: int
    score: float
    interval: tuple[float, float] | tuple[()] = ()
    """Empty after too few deals to tell."""


class Cycle(msgspec.Struct, frozen=True):
    """A beats B beats C beats A."""

    bots: tuple[int, ...]
    scores: tuple[float, ...]
    """The score of each bot against the next one, and of the last against the first."""


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
    own_seats: dict[int, tuple[SeatScore, ...]] = {}
    """By bot."""
    cycles: tuple[Cycle, ...] = ()
    """The clearest ones."""
    cycle_count: int = 0
    """How many there are in total."""
    counts: str = "games"
    """What is counted: ratings are in points a game if it is points."""
    span: float = 0.0
    """If points count: the lead in points that the score of a meeting or a cycle of 1 stands for."""
    means: str = ""
    """What a rating means, in one sentence."""


class FaultNote(msgspec.Struct, frozen=True):
    """Faults of one bot in one contest with the same kind and cause."""

    bot: int
    contest: str
    """Its key."""
    kind: str
    cause: str
    count: int
    address: str
    """The address of the first of them."""
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
    """The players with their points, best first."""
    differs: bool = False
    """Whether it ended differently when it was played again."""
    reasons: tuple[tuple[int, str], ...] = ()
    """Why it was chosen: pairs of a bot and a reason, such as 'worst loss'."""
    surprise: str = ""
    """'random surprises ann': the winner that was rated furthest below a loser, if there is one."""


class First(msgspec.Struct, frozen=True):
    """The leaders of a contest: more than one where the results do not separate them."""

    contest: str
    """Its key."""
    title: str
    bots: tuple[int, ...]
    """The best rated first."""
    field: int
    """Bots that have played."""
    games: int
    unbeaten: tuple[int, ...] = ()
    """Baselines that the leaders are not ahead of."""
    chances: tuple[float, ...] = ()
    """How probable it is that each of `bots` is the best; empty where it is not known."""
    named: int = 0
    """How many of `bots` are named: those that may well be the best; 0 is all."""


class Past(msgspec.Struct, frozen=True):
    """The standings after an earlier run."""

    ended: str
    boards: dict[str, dict[int, Line]]
    """By the keys of the boards, and bots: where they stood, on the scale of today."""
    edited: tuple[int, ...] = ()
    """Bots whose source changed since the run before."""
    anchors: dict[str, int] = {}
    """By board: the number of bots that were there, did not change since, and have the same mean rating as today."""


def cut(text: str, most: int, *, end: bool = False) -> str:
    """Untrusted text without control characters, cut to a length: at its beginning if the `end` matters."""
    text = "\n".join([safe(line) for line in text.expandtabs().splitlines()])
    if len(text) <= most:
        return text
    return f"… {text[-most:]}" if end else f"{text[:most]} …"


def with_capital(sentence: str) -> str:
    """A sentence with a capital letter at its beginning."""
    return sentence[:1].upper() + sentence[1:]


SEATINGS = ("first", "second", "third", "fourth", "fifth", "sixth")


def game_words(deal: int, rotation: int) -> str:
    """Which game of a lineup it is, for people: 'deal 1, first seating' is 0.0 in an address."""
    seating = SEATINGS[rotation] if rotation < len(SEATINGS) else f"{rotation + 1}th"
    return f"deal {deal + 1}, {seating} seating"


class Page(msgspec.Struct, frozen=True):
    """The whole page."""

    league: str
    when: str
    what: str
    facts: tuple[tuple[str, str], ...]
    """Other settings: isolation, seed, limits, rating."""
    bots: tuple[BotCard, ...]
    boards: tuple[Board, ...]
    """The most informative one first. If there is more than one contest, one board is `OVERALL`."""
    remarks: tuple[str, ...] = ()
    """What a reader of every board should know."""
    faults: tuple[FaultNote, ...] = ()
    samples: tuple[Sample, ...] = ()
    config: str = ""
    progress: LeagueProgress | None = None
    """None if everything that was planned has been played."""
    running: bool = False
    """Whether it is being played now."""
    written: float = 0.0
    """When the page of a league that is being played was made, in seconds since 1970."""
    firsts: tuple[First, ...] = ()
    """Empty if there is only one contest."""
    past: tuple[Past, ...] = ()
    """After each finished run, the oldest first; nothing if there was only one."""
    before: Past | None = None
    """The run before the one whose standings are shown."""
    changes: tuple[str, ...] = ()
    """Which bots, or whether the config, changed in the last run: a sentence each."""
    logo: str = ""
    """A line above the title."""
    hides: Hidden = ""
    """What it hides."""
    milestones: dict[int, tuple[MilestoneStep, ...]] = {}
    """The milestones of each bot, in the order of the config."""
    folder: str = ""
    """The league's folder, for commands that the page mentions; empty if its readers do not have it."""
