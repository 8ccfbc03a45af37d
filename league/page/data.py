"""All that the pages of a league show, as plain values. Bots have the names under which they are shown.

`build` makes a `Page` from a league's results, and `render` makes HTML of it. Numbers are not rounded here but where
they are shown: rounded twice, 22.3147 would become 22.315 and then 22.32.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from math import nan
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from league.plan.coverage import LeagueProgress
from league.rating.table import Floats
from league.results.history import HistoryEntry
from league.results.lines import Line
from league.tools.text import safe
from league.values.block import Fault, MilestoneStep

if TYPE_CHECKING:
    from league.rating.pairs import Pairs  # it loads scipy, which those who only serve pages do without

PAGE = "standings.html"
"""The name of the page's file."""
FIRST_TAGS = 200
"""Bytes of a page that hold its first tag, which says what the page is."""
Hidden = Literal["", "causes", "names"]
"""What a page hides: nothing, what faults were about, or also the names of bots."""


class SeatScore(NamedTuple):
    """The mean place score of a seat, over all bots or of one of them."""

    seat: int
    """From 1."""
    games: int
    score: float
    interval: tuple[float, float] | tuple[()] = ()
    """Empty after too few deals to tell."""


class Board(msgspec.Struct, frozen=True):
    """One tab: a contest, or all of them, which has no arrays. Arrays and matrices are in the order of `bots`."""

    key: str
    title: str
    lines: Sequence[Line]
    """Best first."""
    games: int
    subtitle: str = ""
    """Deals, the number of lineups, and the options that are not the rulebook's."""
    notes: Sequence[str] = ()
    means: str = ""
    """What the chance and the rating mean, in two sentences."""
    counts: str = "games"
    """What is counted: ratings are in points a game if it is points."""
    settling: Sequence[tuple[int, Mapping[str, float]]] = ()
    """After N games in all, the ratings."""
    times: Mapping[str, float] = {}
    """Milliseconds for one decision; only the first board has them."""
    bots: Sequence[str] = ()
    pairs: Pairs | None = None
    expected: Floats | None = None
    """What the ratings expect of the scores of pairs."""
    cycles: Sequence[Sequence[str]] = ()
    """A beats B beats C beats A; the clearest first."""
    histograms: Mapping[str, Mapping[int, int]] = {}
    """By bot: points to how often it had them."""
    seats: Sequence[SeatScore] = ()
    own_seats: Mapping[str, Sequence[SeatScore]] = {}
    """By bot."""

    def score(self, bot: str, other: str) -> float:
        """The score of one bot against another one."""
        return float(self.pairs.score[self.bots.index(bot), self.bots.index(other)]) if self.pairs else nan


class Sample(msgspec.Struct, frozen=True):
    """A game to watch, as a page of its own."""

    contest: str
    """Key of the contest."""
    href: str
    bots: tuple[str, ...]
    """By seat."""
    result: str
    """The players with their points, best first."""
    differs: bool = False
    """Whether it ended differently when it was played again."""
    reasons: tuple[tuple[str, str], ...] = ()
    """Why it was chosen: pairs of a bot and a reason, such as 'worst loss'."""
    surprise: str = ""
    """'random surprises ann': the winner that was rated furthest below a loser, if there is one."""


class Page(msgspec.Struct, frozen=True):
    """A league."""

    league: str
    when: str
    what: str
    facts: Sequence[tuple[str, str]]
    """Other settings: isolation, seed, limits, rating."""
    docs: Mapping[str, str]
    """All bots, by name, with what their authors say about them."""
    boards: Sequence[Board]
    """The most informative one first. If there is more than one contest, one board is `OVERALL`."""
    baselines: frozenset[str] = frozenset()
    """Bots that are there for comparison only."""
    remarks: Sequence[str] = ()
    """What a reader of every board should know."""
    faults: Sequence[tuple[Fault, int]] = ()
    """The first fault of each bot, contest, kind and cause, and how many there are."""
    samples: Sequence[Sample] = ()
    config: str = ""
    progress: LeagueProgress | None = None
    """None if everything that was planned has been played."""
    running: bool = False
    """Whether it is being played now."""
    written: float = 0.0
    """When the page of a league that is being played was made, in seconds since 1970."""
    past: Sequence[tuple[HistoryEntry, Mapping[str, int]]] = ()
    """The standings after each finished run, on the scale of today, the oldest first; and by board how many bots were
    there, did not change since, and have the same mean rating as today."""
    before: HistoryEntry | None = None
    """The one of the run before that whose standings are shown."""
    changes: Sequence[str] = ()
    """Which bots, or whether the config, changed in the last run: a sentence each."""
    logo: str = ""
    """A line above the title."""
    hides: Hidden = ""
    """What it hides."""
    milestones: Mapping[str, Sequence[MilestoneStep]] = {}
    """The milestones of each bot, in the order of the config."""
    folder: str = ""
    """The league's folder, for commands that the page mentions; empty if its readers do not have it."""

    @property
    def titles(self) -> dict[str, str]:
        """By the keys of the boards."""
        return {board.key: board.title for board in self.boards}


def cut(text: str, most: int, *, end: bool = False) -> str:
    """Untrusted text without control characters, cut to a length: at its beginning if the `end` matters."""
    text = "\n".join([safe(line) for line in text.expandtabs().splitlines()])
    if len(text) <= most:
        return text
    return f"… {text[-most:]}" if end else f"{text[:most]} …"


def with_capital(sentence: str) -> str:
    """A sentence with a capital letter at its beginning."""
    return sentence[:1].upper() + sentence[1:]


def date_of(seconds: float) -> str:
    """A moment of this machine's zone."""
    return f"{datetime.fromtimestamp(seconds).astimezone():%-d %B %Y, %H:%M}"
