"""The charts of the standings page, drawn as SVG, so that they can be read without a script, in the dark and on paper.

Each chart is an entry of `CHARTS`: a title, a sentence, and a function that draws one board. Of a large pool the best
bots are drawn; the table has all, and each bot has a page.
The head-to-head table is no chart: it has numbers, and `matrix` prepares it for the template.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from markupsafe import Markup

from league.page.data import Board, Meeting, Row
from league.page.svg import Curve, Lane, Scale, bar, curves, dot, fenced, lanes, spanning, thousands, words
from league.results.lines import rating_digits
from league.tools.text import counted
from league.values.settings import PERCENT

MANY, BEST = 40, 30
"""If there are more bots than `MANY`, only the `BEST` ones are drawn."""
CURVES, TOP = 12, 6
"""Curves that are drawn, and those with a colour and a name."""
EDGES = (0.1, 0.25, 0.4, 0.48, 0.52, 0.6, 0.75, 0.9)
"""Scores between the shades of the head-to-head table."""
Names = Sequence[str]


class Chart(NamedTuple):
    """A chart of a board: its text, and what draws it."""

    title: str
    about: str
    draw: Callable[[Board, Names], Markup]
    """Returns nothing if the board has nothing to draw."""
    wide: bool = False
    """Whether it takes the whole width of the page."""
    once: bool = False
    """Whether only the first board has it."""


def rating_scale(rows: Sequence[Row]) -> Scale | None:
    """The axis of the ratings of these rows: one bot far from all others does not squash the rest."""
    lines = [row.line for row in rows if row.line.games]
    if not lines:
        return None
    low, high = fenced(*([getattr(line, name) for line in lines] for name in ("rating", "low", "high")))
    return Scale(low, high)


def _played(board: Board) -> list[Row]:
    """The rows that are drawn."""
    rows = [row for row in board.rows if row.line.games]
    return rows if len(rows) <= MANY else rows[:BEST]


def _number(board: Board, value: float) -> str:
    return f"{value:.{rating_digits(board.counts)}f}"


def _unit(board: Board) -> str:
    return "points a game" if board.counts == "points" else "rating"


def _ratings(board: Board, names: Names) -> Markup:
    rows = _played(board)
    scale = rating_scale(rows)
    if scale is None:
        return Markup("")
    drawn = []
    for row in rows:
        line = row.line
        rating, low, high = (_number(board, value) for value in (line.rating, line.low, line.high))
        said = f"{rating}, {low} to {high}" + f", place {row.place}" * bool(row.place)
        marks = dot(scale, line.rating, number=rating)
        if scale.inside(line.rating):  # otherwise the number stands where the bar would be
            marks = bar(scale, line.low, line.high) + marks
        drawn.append(Lane(names[row.bot], said, marks))
    return lanes(drawn, scale, _unit(board))


def _settling(board: Board, names: Names) -> Markup:
    if len(board.settling) < 2:
        return Markup("")
    games = [played for played, _ in board.settling]
    points: dict[int, list[tuple[float, float]]] = {}
    for played, ratings in board.settling:
        for bot, rating in ratings:
            points.setdefault(bot, []).append((played, rating))
    order = [row.bot for row in _played(board) if row.bot in points][:CURVES]
    values = [rating for bot in order for _, rating in points[bot]]
    if not values or games[0] == games[-1]:
        return Markup("")
    drawn = [
        Curve(
            names[bot],
            f"{names[bot]}: {_number(board, points[bot][-1][1])}",
            points[bot],
            f"top top-{number}" if number < TOP else "",
        )
        for number, bot in enumerate(order)
    ]
    across, up = Scale(games[0], games[-1], log=True), Scale(*fenced(values, values, values))
    titles = ("games played", _unit(board))
    return curves(drawn, across, up, titles, thousands)


def _spreads(board: Board, names: Names) -> Markup:
    of_bot = {spread.bot: spread for spread in board.spreads}
    kept = [of_bot[row.bot] for row in _played(board) if row.bot in of_bot]
    if not kept:
        return Markup("")
    scale = Scale(
        *fenced(*([float(getattr(spread, name)) for spread in kept] for name in ("median", "lowest", "highest")))
    )
    drawn = []
    for spread in kept:
        half, most = f"{spread.quarter} to {spread.three_quarters}", f"{spread.lowest} to {spread.highest}"
        said = f"half {half}, nine in ten {most}, median {spread.median}, mean {spread.mean:.2f}"
        marks = bar(scale, spread.lowest, spread.highest, "thin") + bar(scale, spread.quarter, spread.three_quarters)
        marks += dot(scale, spread.mean, "mean")
        drawn.append(Lane(names[spread.bot], said, marks))
    return lanes(drawn, scale, "points")


def _times(board: Board, names: Names) -> Markup:
    timed = [row for row in _played(board) if row.line.ms]
    if not timed:
        return Markup("")
    powers = [log10(row.line.ms) for row in timed if row.line.ms]
    scale = Scale(10.0 ** floor(min(powers)), 10.0 ** max(ceil(max(powers)), floor(min(powers)) + 1), log=True)
    drawn = [
        Lane(names[row.bot], f"{row.line.ms:.3g} ms", dot(scale, row.line.ms, "time")) for row in timed if row.line.ms
    ]
    return lanes(drawn, scale, "milliseconds per decision")


def _seats(board: Board, names: Names) -> Markup:
    if not board.seats:
        return Markup("")
    ends = [end for seat in board.seats for end in (seat.score, *seat.interval)]
    scale = Scale(*spanning([0.5, *ends], margin=0.06))
    drawn = []
    for number, seat in enumerate(board.seats):
        between = " to ".join(f"{100 * end:.1f} %" for end in seat.interval) or "too few deals for an interval"
        said = f"{board.title}, seat {seat.seat}: {100 * seat.score:.1f} %, {between}, {counted(seat.games, 'game')}"
        marks = bar(scale, *seat.interval, f"seat-{seat.seat}") if seat.interval else Markup("")
        marks += dot(scale, seat.score, f"seat-{seat.seat}") + words(scale, seat.score, str(seat.seat))
        drawn.append(Lane("" if number else board.title, said, marks))
    return lanes(drawn, scale, "mean place score of the seat", lambda tick: f"{100 * tick:g} %", even=0.5)


CHARTS = {
    "ratings": Chart(
        "Ratings",
        f"Dots are ratings, bars their {PERCENT} intervals. Where bars overlap, more games may change the order.",
        _ratings,
    ),
    "settling": Chart(
        "How ratings settled",
        "Ratings from the first games only, then from more and more of them. Where lines are still moving, more games "
        "are needed.",
        _settling,
        wide=True,
    ),
    "spreads": Chart(
        "Points",
        "Bars cover the middle half of the games, lines nine in ten. The dot is the mean.",
        _spreads,
    ),
    "times": Chart(
        "Time per decision",
        "Mean milliseconds on the machine that played. It does not affect places.",
        _times,
        once=True,
    ),
    "seats": Chart(
        "Seats",
        f"The mean score of each seat, over all bots, with its {PERCENT} interval. Every bot plays every deal from "
        "every seat, so no bot has an advantage.",
        _seats,
    ),
}
"""In the order of the page. A new chart is an entry here, and a new attribute of `Board` if it shows new data."""


MatrixCell = tuple[str, str]
"""The text of a cell of the head-to-head table, and its class: 'd4' is a shade, 'e4' if it is settled who is better."""


def matrix(board: Board) -> list[tuple[int, list[MatrixCell]]]:
    """The head-to-head table of the bots that are drawn: rows of a bot and its cells."""
    if not board.meetings:
        return []
    met = {(meeting.a, meeting.b): meeting for meeting in board.meetings}
    bots = [row.bot for row in _played(board)]
    return [(bot, [_cell(board, met, bot, other) for other in bots]) for bot in bots]


def _cell(board: Board, met: dict[tuple[int, int], Meeting], bot: int, other: int) -> MatrixCell:
    if bot == other:
        return "", ""
    meeting = met.get((min(bot, other), max(bot, other)))
    if meeting is None:
        return "·", "unmet"
    score = meeting.score if bot < other else 1 - meeting.score
    text = f"{(2 * score - 1) * board.span:+.2f}" if board.span else f"{100 * score:.0f}"
    settled = meeting.low > 0.5 or meeting.high < 0.5
    return text, f"{'e' if settled else 'd'}{sum(score >= edge for edge in EDGES)}"
