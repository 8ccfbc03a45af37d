"""A bot's line in the standings and its columns: in files, for programs, in a terminal and on the page.

A new column is an attribute of `Line` and one entry in `line_columns`, which says where it is shown and how.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from league.errors import LeagueError
from league.rating.table import Placing
from league.tools.table import BLANK, Column, Table, is_missing, together
from league.values.block import Count
from league.values.settings import PERCENT, Counting

PARTIAL = "partial"
"""The place of a bot that does not take part in every contest: its mean is over other games than theirs."""
UNPLAYED = "unplayed"
"""The place of a bot that has not played."""
FEW_GAMES = 30
"""Below this, a rating says little."""
NAN = float("nan")
NO_PLACE = Placing(UNPLAYED, None, NAN)

Number = Annotated[float, Meta(ge=-1e15, le=1e15)]


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the standings say about one bot. The history keeps some of it: what comes from there is checked."""

    place: Annotated[str, Meta(pattern=r"\A[\w-]{1,32}\Z")]
    """'1', '1-3' where the results leave it open, `PARTIAL` or `UNPLAYED`."""
    bot: str
    games: Count = 0
    rating: Number
    sigma: Number
    low: Number
    high: Number
    wins: int = 0
    draws: int = 0
    mean_score: float = NAN
    """The place score: 1 first, 0 last, evenly between, ties averaged; not a number without games."""
    mean_points: float | None = None
    """For one contest only: the points of different games cannot be added."""
    kinds: tuple[tuple[str, int], ...] = ()
    """The faults by kind, the most frequent first."""
    forfeits: int = 0
    rank: int | None = None
    """By rating alone; None without a place."""
    counts: Literal[Counting, "mixed"] = "games"
    """What decides who is better: rating, sigma and interval are in points a game if it is points."""
    best: float = NAN
    """How probable it is that the bot is the best of all; not a number without a place."""
    anchor: float | None = None
    """The rating that the config gives it, if it is a reference bot."""

    @property
    def has_place(self) -> bool:
        """Whether the bot can be compared with the others of its table."""
        return self.place[:1].isdigit()

    @property
    def conservative(self) -> float:
        """An almost certain lower bound of the rating: the mean minus three sigma."""
        return self.rating - 3 * self.sigma

    @property
    def losses(self) -> int:
        """Games that were neither won nor drawn."""
        return self.games - self.wins - self.draws

    @property
    def faults(self) -> int:
        """Faults of all kinds."""
        return sum(count for _, count in self.kinds)

    @property
    def shown_rating(self) -> str:
        """For people; in points if these count."""
        return f"{self.rating:.{rating_digits(self.counts)}f}{' points' if self.counts == 'points' else ''}"

    @property
    def shown_interval(self) -> str:
        """For people."""
        digits = rating_digits(self.counts)
        return f"{self.low:.{digits}f} … {self.high:.{digits}f}"


FILES, SEEN, PAGE = ("csv", "json"), ("text", "html"), ("html",)
COMPARING = {"rating", "interval", "low", "high", "conservative", "mean_score", "best"}
"""Columns that are empty for a bot that does not play every game, since they compare it with the others."""


def rating_digits(counts: str) -> int:
    """Decimals of a rating where this is counted: points a game have one more."""
    return 3 if counts == "points" else 2


def line_columns(counts: str = "games") -> list[Column]:
    """The columns of standings in which this is counted, in their order."""
    unit = f".{rating_digits(counts)}f"
    change = (
        "Rating and place compared with the run that ended on {before}; bots that did not change keep their mean rating"
    )
    best = "How probable it is that this bot is the best of all, or as near to it as an adaptive league was asked for"
    score = "1 for the first place, 0 for the last, evenly between"
    own = "The game's own points, on average"
    return [
        Column("place"),
        Column("bot"),
        _column("games", ",", title="matches" if counts == "match" else "", spare=6, style="m"),
        _column("rating", unit, title="points a game" if counts == "points" else ""),
        _column("interval", unit, ("low", "high"), " … ", title=PERCENT, where=SEEN, spare=7, style="s"),
        _column("change", unit, where=PAGE, style="m", about=change),
        _column("sigma", unit, where=FILES),
        _column("low", unit, where=FILES),
        _column("high", unit, where=FILES),
        _column("conservative", unit, where=FILES),
        _column("wins", ",", where=(*FILES, "text"), spare=4),
        _column("draws", ",", where=(*FILES, "text"), spare=1),
        _column("losses", ",", where=(*FILES, "text"), spare=2),
        _column("mean_score", ".3f", title="score", spare=5, style="s", about=score),
        _column(
            *("record", ",", ("wins", "draws", "losses"), " · "),
            title="Won · drawn · lost",
            where=PAGE,
            style="l",
            about="Won alone, shared first place, lost",
        ),
        _column("faults", ",", spare=3),
        _column("mean_points", ".3f", title="mean points", where=(*FILES, *PAGE), optional=True, style="l", about=own),
        Column("rank", spec="d", where=FILES),
        _column("best", ".0%", where=(*FILES, *PAGE), about=best),
        Column("counts", lambda line: None if line.counts == "games" else line.counts, where=FILES, optional=True),
        _column("anchor", ".2f", where=(*FILES, "text"), optional=True),
        Column("kinds", where=("json",)),
        Column("forfeits", spec=",", where=("json",)),
    ]


def _column(name: str, spec: str, parts: Sequence[str] = (), between: str = "", **more: Any) -> Column:
    """A number of a bot, or several: a dash before its first game, and where it has none. No fault is none, too."""

    def value(line: Line) -> Any:
        return tuple(getattr(line, part) for part in parts) if parts else getattr(line, name)

    def shown(line: Line) -> str:
        found = value(line)
        hidden = not line.games or found is None or (name in COMPARING and line.place == PARTIAL)
        if hidden or (name == "faults" and not line.faults):
            return BLANK
        return between.join(format(one, spec) for one in (found if parts else (found,)))

    return Column(name, value, spec, shown, **more)


SORTS = tuple(
    column.name for column in line_columns() if "csv" in column.where and column.name not in ("counts", "anchor")
)
"""What the standings can be sorted by, which is what files have of every contest."""


def board(lines: Sequence[Line], sort: str = "place") -> Table:
    """Standings as a table, in the order asked for; what they are sorted by is always shown."""
    counts = lines[0].counts if lines else "games"
    shown = [
        column._replace(where=(*column.where, "text"), spare=0) if column.name == sort else column
        for column in line_columns(counts)
    ]
    return Table(shown, sorted_lines(lines, sort))


def boards(every: Mapping[str, Sequence[Line]], sort: str = "place") -> Table:
    """Several standings as one table, for files; a column in front tells them apart if there is more than one."""
    return together({key: board(lines, sort) for key, lines in every.items()}, "contest")


def placed(lines: Sequence[Line]) -> list[Line]:
    """The lines of the bots that have a place."""
    return [line for line in lines if line.has_place]


def best_first(lines: Sequence[Line], pools: Sequence[Sequence[str]]) -> list[Line]:
    """Lines pool by pool, and those of bots that are in none of them last."""
    number = {name: number for number, pool in enumerate(pools) for name in pool}
    return sorted(
        lines, key=lambda line: (number.get(line.bot, len(lines)), line.place == UNPLAYED, -line.rating, line.bot)
    )


def sorted_lines(lines: Sequence[Line], by: str) -> list[Line]:
    """Lines in the order asked for, numbers falling, bots without one last; as they are for 'place'."""
    if by == "place":
        return list(lines)
    if by == "bot":
        return sorted(lines, key=attrgetter(by))
    if by == "mean_points" and any(line.mean_points is None for line in lines if line.games):
        raise LeagueError("The points of different games cannot be added: give --game to sort by mean_points.")
    sign = 1 if by == "rank" else -1

    def order(line: Line) -> tuple[bool, float]:
        value = getattr(line, by)
        missing = not line.games or is_missing(value)
        return missing, 0 if missing else sign * value

    return sorted(lines, key=order)
