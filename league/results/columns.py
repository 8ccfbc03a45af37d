"""One bot's line in the standings, and its columns: in files, for programs, in a terminal and on the page.

A new column is an attribute of `Line` and one entry in `COLUMNS`, which says where it is shown and how.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from league.errors import LeagueError
from league.values.settings import PERCENT, Counting

PARTIAL = "partial"
"""The place of a bot that does not take part in every contest: its mean is over other games than theirs."""
UNPLAYED = "unplayed"
"""The place of a bot that has not played."""
SURE = 3
"""Standard deviations that are subtracted for the conservative rating."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """What the standings say about one bot."""

    place: str
    """'1', '1-3' where the results leave it open, `PARTIAL` or `UNPLAYED`."""
    bot: str
    games: int = 0
    rating: float
    sigma: float
    low: float
    high: float
    wins: int = 0
    draws: int = 0
    mean_score: float = float("nan")
    """The place score: 1 first, 0 last, evenly between, ties averaged; not a number without games."""
    mean_points: float | None = None
    """Of one contest only: the points of different games cannot be added."""
    kinds: tuple[tuple[str, int], ...] = ()
    """The faults by kind, the most frequent first."""
    forfeits: int = 0
    rank: int | None = None
    """By rating alone; None without a place."""
    counts: Literal[Counting, "mixed"] = "games"
    """What decides who is better: rating, sigma and interval are in points a game if it is points."""
    best: float = float("nan")
    """How probable it is that the bot is the best of all; not a number without a place."""
    anchor: float | None = None
    """The rating that the config gives it, if it is a reference bot."""
    ms: float | None = None
    """Milliseconds for one decision. Only the page has it: times differ between machines, and standings do not."""

    @property
    def has_place(self) -> bool:
        """Whether the bot can be compared with the others of its table."""
        return self.place[:1].isdigit()

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
    """A column of the standings: what it is made of, where it is shown, and how."""

    name: str
    """In files, for programs and of --sort: an attribute of `Line`, except for what only people see."""
    spec: str = ""
    """The format of numbers for people, such as '.2f'."""
    file: int = 0
    """Its position in CSV files and JSON; 0: it is not there. Positions stay as they are: a new column comes last."""
    terminal: bool = False
    """Whether a terminal shows it; a column that is sorted by is always shown."""
    spare: int = 0
    """A narrow terminal leaves out columns with the lowest numbers first; 0: never."""
    page: Literal["", "always", "from-640", "from-760", "from-1040", "more"] = ""
    """The page shows it always, from this width in pixels, or on request; '': never."""
    only: Literal["", "contest", "asked", "before", "counted"] = ""
    """Where it is meaningful: in single contests, if it was asked for, if there was a run before, or if not only the
    places of games are counted."""
    compares: bool = False
    """Whether it compares bots: not shown for a bot that does not play every game."""
    rising: bool = False
    """Whether it is sorted from the lowest to the highest."""
    heading: str = ""
    """In a terminal, if it is not the name."""
    title: str = ""
    """On the page, if it is not the heading."""
    about: str = ""
    """What it means; the page shows it as a tooltip."""
    parts: tuple[str, ...] = ()
    """The attributes that are shown, if it is more than one."""
    between: str = ""
    """What stands between the parts."""
    also: tuple[str, ...] = ()
    """More attributes that belong to it, for programs and the page's script."""
    blank: Any = None
    """The value that is shown as a dash."""
    in_unit: bool = False
    """Whether it is in the unit of the ratings: in points a game, if these count."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes of a line that it is made of."""
        return (*(self.parts or (self.name,)), *self.also)

    def heading_of(self, counts: str = "games") -> str:
        """In a terminal, where this is counted."""
        return COUNTED_HEADINGS.get((self.name, counts), self.heading or self.name)

    def title_of(self, counts: str = "games") -> str:
        """On the page, where this is counted."""
        counted = COUNTED_HEADINGS.get((self.name, counts), "")
        return counted.capitalize() or self.title or self.heading_of().capitalize()

    def digits_of(self, counts: str = "games") -> int | None:
        """The number of decimals where this is counted; None if it has none."""
        spec = self._spec_of(counts)
        return int(spec[1:-1]) if spec.endswith("f") else None

    def _spec_of(self, counts: str) -> str:
        return f".{rating_digits(counts)}f" if self.in_unit else self.spec

    def asked_for(self, lines: Sequence[Line]) -> bool:
        """Whether it was asked for, and some of these lines have it."""
        return self.only == "asked" and any(self.value(line) is not None for line in lines)

    def value(self, line: Line) -> Any:
        """The value for programs."""
        return getattr(line, self.name)

    def text(self, line: Line) -> str:
        """The value for people; a dash where there is nothing, or nothing that can be compared."""
        if not line.games and self.name not in IDENTITY:
            return "-"
        values = [getattr(line, part) for part in self.parts or (self.name,)]
        if values[0] == self.blank or (line.place == PARTIAL and self.compares):
            return "-"
        return self.between.join(format(value, self._spec_of(line.counts)) for value in values)


def rating_digits(counts: str) -> int:
    """Decimals of a rating where this is counted: points a game have one more."""
    return 3 if counts == "points" else 2


COUNTED_HEADINGS = {("rating", "points"): "points a game", ("games", "match"): "matches"}
"""Headings that depend on what is counted."""
IDENTITY = ("place", "bot")
"""What every line begins with."""
COLUMNS = {
    column.name: column
    for column in (  # in the order in which people see them
        Column("place", file=1, terminal=True, page="always", rising=True),
        Column("bot", file=2, terminal=True, page="always", rising=True),
        Column("rating", ".2f", file=4, terminal=True, page="always", compares=True, in_unit=True),
        Column(
            "interval",
            ".2f",
            terminal=True,
            spare=7,
            page="always",
            compares=True,
            heading=PERCENT,
            title=f"{PERCENT} interval",
            parts=("low", "high"),
            between=" … ",
            in_unit=True,
        ),
        Column(
            "change",
            ".2f",
            page="from-640",
            only="before",
            about="Rating and place compared with the run that ended on {before}; bots that did not change keep their "
            "mean rating",
        ),
        Column("sigma", ".2f", file=5, in_unit=True),
        Column("low", ".2f", file=6, compares=True, in_unit=True),
        Column("high", ".2f", file=7, compares=True, in_unit=True),
        Column(
            "conservative",
            ".2f",
            file=8,
            page="more",
            compares=True,
            about="An almost certain lower bound of the rating: the mean minus three sigma",
            in_unit=True,
        ),
        Column("games", ",", file=3, terminal=True, spare=6, page="from-640"),
        Column("wins", ",", file=9, terminal=True, spare=4),
        Column("draws", ",", file=10, terminal=True, spare=1),
        Column("losses", ",", file=11, terminal=True, spare=2),
        Column(
            "mean_score",
            ".3f",
            file=12,
            terminal=True,
            spare=5,
            page="from-640",
            compares=True,
            heading="score",
            about="1 for the first place, 0 for the last, evenly between",
        ),
        Column(
            "mean_points",
            ".3f",
            file=14,
            page="from-1040",
            only="contest",
            heading="mean points",
            title="Points",
            about="The game's own points, on average",
        ),
        Column(
            "record",
            ",",
            page="from-760",
            title="Won · drawn · lost",
            about="Won alone, shared first place, lost",
            parts=("wins", "draws", "losses"),
            between=" · ",
        ),
        Column("faults", ",", file=13, terminal=True, spare=3, page="always", also=("kinds", "forfeits"), blank=0),
        Column("rank", file=15, page="more", rising=True, about="By rating alone, however close the others are"),
        Column(
            "best",
            ".0%",
            file=16,
            page="from-640",
            compares=True,
            about="How probable it is that this bot is the best of all",
        ),
        Column("counts", file=17, only="counted"),
        Column("anchor", ".2f", file=18, terminal=True, only="asked", about="The rating that the config gives it"),
        Column("ms", ".3f", page="more", title="ms", about="Milliseconds for one decision"),
    )
}


def file_columns(lines: Sequence[Line] = (), *, points: bool = False) -> list[Column]:
    """The columns of CSV files: with the game's points for single contests, and with what was asked for of `lines`."""
    counted = ("counted",) if any(line.counts != "games" for line in lines) else ()
    shown = ("", "contest", *counted) if points else ("", *counted)
    kept = [column for column in COLUMNS.values() if column.file and (column.only in shown or column.asked_for(lines))]
    return sorted(kept, key=lambda column: (column.only == "asked", column.file))


FILE = tuple(column.name for column in file_columns())
"""The columns of standings.csv."""
CONTEST_FILE = tuple(column.name for column in file_columns(points=True))
"""The columns of the files of single contests."""
SORTS = tuple(name for name in COLUMNS if name in CONTEST_FILE)
"""What the standings can be sorted by."""


def data(line: Line) -> dict[str, Any]:
    """A line for programs."""
    columns = file_columns([line], points=True)
    names = [column.name for column in columns] + [name for column in columns for name in column.also]
    return {name: getattr(line, name) for name in names}


def terminal_columns(lines: Sequence[Line], sort: str = "place") -> list[Column]:
    """What a terminal shows after place and bot."""
    shown = [column for column in COLUMNS.values() if column.terminal or column.name == sort]
    there = [column for column in shown if not column.only or column.asked_for(lines) or column.name == sort]
    return [column for column in there if column.name not in IDENTITY]


def placed(lines: Sequence[Line]) -> list[Line]:
    """The lines of the bots that have a place."""
    return [line for line in lines if line.has_place]


def sorted_lines(lines: Sequence[Line], by: str) -> list[Line]:
    """Lines in the order asked for, bots without games last; as they are for 'place'."""
    if by == "place":
        return list(lines)
    column = COLUMNS[by]
    if by == "mean_points" and any(line.mean_points is None for line in lines if line.games):
        raise LeagueError("The points of different games cannot be added: give --game to sort by mean_points.")

    def order(line: Line) -> tuple[bool, Any]:
        value = column.value(line)
        if by != "bot" and not line.games:
            return True, 0
        return False, value if column.rising else -value

    return sorted(lines, key=order)
