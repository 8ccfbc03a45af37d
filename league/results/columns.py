"""One bot's line in the standings, and its columns: in files, for programs, in a terminal and on the page.

`COLUMNS` has every column once. The tuples of names below it say which of them are shown where, and in which order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec

PARTIAL = "partial"
"""The place of a bot that does not take part in every contest: its mean is over other games than theirs."""
UNPLAYED = "unplayed"
"""The place of a bot that has not played."""
SURE = 3
"""Standard deviations that are subtracted for the conservative rating."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """What the standings say about one bot."""

    place: str
    """'1', '1-3' where intervals do not separate, `PARTIAL` or `UNPLAYED`."""
    bot: str
    games: int
    rating: float
    sigma: float
    low: float
    high: float
    wins: int
    draws: int
    mean_score: float
    """The place score: 1 first, 0 last, evenly between, ties averaged; not a number without games."""
    mean_points: float | None = None
    """Of one contest only: the points of different games cannot be added."""
    kinds: tuple[tuple[str, int], ...] = ()
    """The faults by kind, the most frequent first."""
    forfeits: int = 0
    exploitability: float | None = None
    """What the best response gets a game, where that is asked for and was measured."""

    @property
    def conservative(self) -> float:
        """An almost certain lower bound of the rating: the mean minus three sigma."""
        return self.rating - SURE * self.sigma

    @property
    def losses(self) -> int:
        """Games that were neither won nor drawn."""
        return self.games - self.wins - self.draws

    @property
    def faults(self) -> int:
        """Of all kinds."""
        return sum(count for _, count in self.kinds)


class Column(NamedTuple):
    """A column of the standings."""

    name: str
    """In files, for programs and of --sort: an attribute of `Line`, except for what only people see."""
    text: Callable[[Line], str]
    """The value of a bot that has played, as people read it."""
    heading: str
    """In a terminal."""
    title: str
    """On the page."""
    about: str = ""
    """What it means; the page shows it as a tooltip."""

    def value(self, line: Line) -> Any:
        """The value for programs."""
        return getattr(line, self.name)


def _column(name: str, spec: str = "", *, heading: str = "", title: str = "", about: str = "") -> Column:
    """A column of an attribute, in the format that `spec` says."""
    heading = heading or name
    return Column(name, lambda line: format(getattr(line, name), spec), heading, title or heading.capitalize(), about)


COLUMNS = {
    column.name: column
    for column in (
        _column("place"),
        _column("bot"),
        _column("games", ","),
        _column("rating", ".2f"),
        _column("sigma", ".2f"),
        _column("low", ".2f"),
        _column("high", ".2f"),
        Column("interval", lambda line: f"{line.low:.2f} … {line.high:.2f}", "95 %", "95 % interval"),
        _column("conservative", ".2f", about="An almost certain lower bound of the rating: the mean minus three sigma"),
        _column("wins", ","),
        _column("draws", ","),
        _column("losses", ","),
        Column(
            "record",
            lambda line: f"{line.wins:,} · {line.draws:,} · {line.losses:,}",
            "record",
            "Won · drawn · lost",
            "Won alone, shared first place, lost",
        ),
        _column("mean_score", ".3f", heading="score", about="1 for the first place, 0 for the last, evenly between"),
        Column("faults", lambda line: f"{line.faults:,}" if line.faults else "-", "faults", "Faults"),
        _column("mean_points", ".2f", heading="points", about="The game's own points, on average"),
        Column(
            "exploitability",
            lambda line: "-" if line.exploitability is None else f"{line.exploitability:.4f}",
            "exploitability",
            "Exploitability",
            "What a perfect opponent gets a game: 0 is unbeatable, 1 always loses",
        ),
        # Times are no part of a line, which is the same on every machine: the page adds them.
        Column("ms", lambda _: "-", "ms", "ms", "Milliseconds for one decision"),
    )
}

FILE = (
    *("place", "bot", "games", "rating", "sigma", "low", "high", "conservative"),
    *("wins", "draws", "losses", "mean_score", "faults"),
)
"""Of standings.csv."""
POINTS = "mean_points"
"""What the files of single contests add."""
EXPLOITABILITY = "exploitability"
"""What is added where it was asked for."""
DATA = (*FILE, POINTS, "kinds", "forfeits")
"""Of JSON: these are attributes of a line, though not all of them are columns."""
SORTS = ("place", "rating", "conservative", "mean_score", "wins", "games", "faults", "bot")
TERMINAL = ("rating", "interval", "conservative", "games", "wins", "draws", "losses", "mean_score", "faults")
"""What follows place and bot."""
ON_REQUEST = "conservative"
"""Shown in a terminal only if it is sorted by."""
PAGE_ON_REQUEST = ("conservative", "ms")
"""Shown on the page only on request: 'More columns'."""
SPARE = ("draws", "losses", "faults", "wins", "mean_score", "games", "interval")
"""What is left out in a narrow terminal, the first ones first."""
UNCOMPARED = ("rating", "interval", "conservative", "mean_score")
"""What is not shown of a bot that does not play every game: its mean is over other games than theirs."""
PAGE = ("place", "bot", "rating", "interval", "mean_score", POINTS, "record", "games", "faults", *PAGE_ON_REQUEST)


def data(line: Line) -> dict[str, Any]:
    """A line for programs."""
    return {name: getattr(line, name) for name in (*DATA, *asked_for([line]))}


def asked_for(lines: Sequence[Line]) -> tuple[str, ...]:
    """The columns that are shown because they were asked for."""
    return (EXPLOITABILITY,) if any(line.exploitability is not None for line in lines) else ()


def sorted_lines(lines: Sequence[Line], by: str) -> list[Line]:
    """Lines in the order asked for: names ascending, numbers descending; as they are for 'place'."""
    if by == "place":
        return list(lines)
    if by == "bot":
        return sorted(lines, key=lambda line: line.bot)
    return sorted(lines, key=lambda line: (line.games == 0, -COLUMNS[by].value(line)))
