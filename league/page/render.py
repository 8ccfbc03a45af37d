"""Makes the standings page from a `Page`: HTML, and the data from which its script draws tables and charts."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any, NamedTuple

from league import __version__
from league.page.compact import compact
from league.page.data import OVERALL, Cycle, Page
from league.page.inline import render as render_template
from league.page.inline import static
from league.page.vega import chart_specs, vega_script
from league.results.columns import COLUMNS, Column
from league.values.settings import PERCENT

REFRESH_SECONDS = 20
"""Between two reloads of a page whose league is being played."""
LIVE = "data-live"
"""An attribute in the first tag of a page that was made while its league was being played."""
SCRIPTS = ("league", "address", "table", "subset", "matrix", "charts", "panel", "renew")
"""The parts of the page's own script, in order: each uses what those before it define."""
SHOWN_FIRSTS = 4
SHOWN_FAULTS = 200
WATCHED = 12
"""Games to watch that are listed below the boards."""
PLAIN_ROWS = 100
"""Bots of each table for readers without JavaScript."""
RADIUS = 62
NODE = 15
LABEL_OUT = 1.5
"""How far from an arrow its percentage is placed."""


def render(page: Page) -> str:
    """The page as one self-contained HTML file."""
    shown = [column for column in COLUMNS.values() if column.page]
    ended = page.before.ended if page.before else None
    return render_template(
        "standings.html.j2",
        [static("theme.js"), "\n".join(static(f"{name}.js") for name in SCRIPTS), vega_script()],
        page=page,
        titles={board.key: board.title for board in page.boards},
        drawn={board.key: [_drawn(cycle) for cycle in board.cycles] for board in page.boards},
        data={
            **compact(page),
            "columns": [_column(column, ended) for column in shown if ended or column.only != "before"],
            "specs": chart_specs(),
            "refresh": REFRESH_SECONDS,
        },
        shown_firsts=SHOWN_FIRSTS,
        shown_faults=SHOWN_FAULTS,
        watched=WATCHED,
        plain_rows=PLAIN_ROWS,
        plain=[column for column in shown if column.page != "more" and not column.only],
        percent=PERCENT,
        overall=OVERALL,
        live=LIVE,
        version=__version__,
    )


def _column(column: Column, ended: str | None) -> dict[str, Any]:
    """A column for the script; `ended` is when the run before did."""
    return {
        "name": column.name,
        "heading": column.shown_heading,
        "title": column.shown_title,
        "about": column.about.format(before=ended),
        "page": column.page,
        "digits": column.digits,
        "rising": column.rising,
        "number": bool(column.spec) and not column.between,
    }


class CycleNode(NamedTuple):
    """A bot in the drawing of a cycle."""

    bot: int
    x: float
    y: float
    label_y: float


class Arrow(NamedTuple):
    """From a bot to the one that it beats."""

    start: tuple[float, float]
    end: tuple[float, float]
    text: tuple[float, float]
    score: float


class DrawnCycle(NamedTuple):
    """A cycle as a small graph."""

    nodes: list[CycleNode]
    arrows: list[Arrow]


def _drawn(cycle: Cycle) -> DrawnCycle:
    """Bots evenly around a circle, and an arrow from each to the next."""
    number = len(cycle.bots)
    angles = [2 * pi * at / number - pi / 2 for at in range(number)]
    spots = [(RADIUS * cos(angle), RADIUS * sin(angle)) for angle in angles]
    nodes = []
    for bot, (x, y) in zip(cycle.bots, spots, strict=True):
        nodes.append(CycleNode(bot, round(x, 1), round(y, 1), round(y + (NODE + 14) * (1 if y > 0 else -0.75), 1)))
    arrows = []
    for at, score in enumerate(cycle.scores):
        (x1, y1), (x2, y2) = spots[at], spots[(at + 1) % number]
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        dx, dy = (x2 - x1) / length, (y2 - y1) / length
        start, end = (x1 + dx * NODE, y1 + dy * NODE), (x2 - dx * (NODE + 6), y2 - dy * (NODE + 6))
        outside = ((x1 + x2) / 2 * LABEL_OUT, (y1 + y2) / 2 * LABEL_OUT + 4)
        arrows.append(Arrow(start, end, outside, score))
    return DrawnCycle(nodes, arrows)
