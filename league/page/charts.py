"""The charts of the standings page, drawn as SVG, so that they can be read without a script, in the dark and on paper.

Each chart is an entry of `CHARTS`: a title, a sentence, and a function that draws one board. Of a large pool the best
bots are drawn; the table has all, and each bot has a page.
The head-to-head table is no chart: it has numbers, and `matrix` prepares it for the template.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from league.page.data import Board
from league.page.svg import Scale, bar, curves, dot, fenced, lanes, spanning, words
from league.results.lines import Line, rating_digits
from league.tools.text import counted
from league.values.settings import PERCENT

MANY, BEST = 40, 30
"""If there are more bots than `MANY`, only the `BEST` ones are drawn."""
CURVES = 12
"""Curves that are drawn."""
EDGES = (0.1, 0.25, 0.4, 0.48, 0.52, 0.6, 0.75, 0.9)
"""Scores between the shades of the head-to-head table."""
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


class Chart(NamedTuple):
    """A chart of a board: its text, and what draws it."""

    title: str
    about: str
    draw: Callable[[Board], Markup]
    """Returns nothing if the board has nothing to draw."""


def rating_scale(lines: Sequence[Line]) -> Scale | None:
    """The axis of the ratings of these lines: one bot far from all others does not squash the rest."""
    lines = [line for line in lines if line.games]
    if not lines:
        return None
    return Scale(*fenced(*([getattr(line, name) for line in lines] for name in ("rating", "low", "high"))))


def pair_scale(board: Board) -> Scale:
    """The axis of the scores of pairs: from none to all of the games, or the largest lead in points either way."""
    if board.counts != "points" or board.pairs is None:
        return Scale(0.0, 1.0)
    ends = np.abs(board.pairs.high)
    span = float(ends[np.isfinite(ends)].max(initial=0.0)) or 1.0
    return Scale(-span, span)


def _played(board: Board) -> list[Line]:
    """The lines that are drawn."""
    lines = [line for line in board.lines if line.games]
    return lines if len(lines) <= MANY else lines[:BEST]


def _number(board: Board, value: float) -> str:
    return f"{value:.{rating_digits(board.counts)}f}"


def _unit(board: Board) -> str:
    return "points a game" if board.counts == "points" else "rating"


def _ratings(board: Board) -> Markup:
    lines = _played(board)
    scale = rating_scale(lines)
    if scale is None:
        return Markup("")
    drawn = []
    for line in lines:
        rating, low, high = (_number(board, value) for value in (line.rating, line.low, line.high))
        said = f"{rating}, {low} to {high}" + f", place {line.place}" * line.has_place
        marks = dot(scale, line.rating, number=rating)
        if scale.inside(line.rating):  # otherwise the number stands where the bar would be
            marks = bar(scale, line.low, line.high) + marks
        drawn.append((line.bot, said, marks))
    return lanes(drawn, scale, _unit(board))


def _settling(board: Board) -> Markup:
    points = {
        line.bot: [(games, ratings[line.bot]) for games, ratings in board.settling if line.bot in ratings]
        for line in _played(board)
    }
    drawn = [(bot, of_bot) for bot, of_bot in points.items() if of_bot][:CURVES]
    games = [played for played, _ in board.settling]
    if len(games) < 2 or games[0] == games[-1] or not drawn:
        return Markup("")
    values = [rating for _, of_bot in drawn for _, rating in of_bot]
    shown = [(bot, f"{bot}: {_number(board, of_bot[-1][1])}", of_bot) for bot, of_bot in drawn]
    across, up = Scale(games[0], games[-1], log=True), Scale(*fenced(values, values, values))
    return curves(shown, across, up, ("games played", _unit(board)), "{:,.0f}".format)


def _points(board: Board) -> Markup:
    kept = [(line.bot, board.histograms[line.bot]) for line in _played(board) if board.histograms.get(line.bot)]
    if not kept:
        return Markup("")
    parts = [quantiles(histogram) for _, histogram in kept]
    lowest, _, medians, _, highest = zip(*parts, strict=True)
    scale = Scale(*fenced(medians, lowest, highest))
    drawn = []
    for (bot, histogram), (low, quarter, median, three_quarters, high) in zip(kept, parts, strict=True):
        mean = mean_of(histogram)
        half, most = f"{quarter} to {three_quarters}", f"{low} to {high}"
        said = f"half {half}, nine in ten {most}, median {median}, mean {mean:.2f}"
        marks = bar(scale, low, high, "thin") + bar(scale, quarter, three_quarters)
        drawn.append((bot, said, marks + dot(scale, mean, "mean")))
    return lanes(drawn, scale, "points")


def quantiles(histogram: Mapping[int, int]) -> list[int]:
    """The smallest values that at least these parts of the games do not exceed."""
    values = sorted(histogram)
    games = np.cumsum([histogram[value] for value in values])
    return [values[at] for at in np.searchsorted(games, np.array(QUANTILES) * games[-1]).tolist()]


def mean_of(histogram: Mapping[int, int]) -> float:
    """The mean number of points."""
    return sum(value * games for value, games in histogram.items()) / sum(histogram.values())


def _times(board: Board) -> Markup:
    timed = [(line.bot, board.times[line.bot]) for line in _played(board) if board.times.get(line.bot)]
    if not timed:
        return Markup("")
    powers = [log10(time) for _, time in timed]
    scale = Scale(10.0 ** floor(min(powers)), 10.0 ** max(ceil(max(powers)), floor(min(powers)) + 1), log=True)
    drawn = [(bot, f"{time:.3g} ms", dot(scale, time, "time")) for bot, time in timed]
    return lanes(drawn, scale, "milliseconds per decision")


def _seats(board: Board) -> Markup:
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
        drawn.append(("" if number else board.title, said, marks))
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
    ),
    "spreads": Chart(
        "Points",
        "Bars cover the middle half of the games, lines nine in ten. The dot is the mean.",
        _points,
    ),
    "times": Chart(
        "Time per decision",
        "Mean milliseconds on the machine that played. It does not affect places.",
        _times,
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


def matrix(board: Board) -> list[tuple[str, list[MatrixCell]]]:
    """The head-to-head table of the bots that are drawn: rows of a bot and its cells."""
    if board.pairs is None or not board.pairs.met.any():
        return []
    at = {bot: number for number, bot in enumerate(board.bots)}
    scale, drawn = pair_scale(board), [line.bot for line in _played(board)]
    return [(bot, [_cell(board, scale, at[bot], at[other]) for other in drawn]) for bot in drawn]


def _cell(board: Board, scale: Scale, bot: int, other: int) -> MatrixCell:
    pairs = board.pairs
    if pairs is None or bot == other:
        return "", ""
    if not pairs.met[bot, other]:
        return "·", "unmet"
    score = float(pairs.score[bot, other])
    text = f"{score:+z.2f}" if board.counts == "points" else f"{100 * score:.0f}"
    settled = pairs.low[bot, other] > pairs.even or pairs.high[bot, other] < pairs.even
    return text, f"{'e' if settled else 'd'}{sum(scale.at(score) >= 100 * edge for edge in EDGES)}"
