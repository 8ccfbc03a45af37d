"""Makes the standings page from `Page`: tables as plain HTML, and the data that the script draws charts from."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin
from typing import NamedTuple

from league import __version__
from league.page.charts import size_of, specs
from league.page.data import OVERALL, Board, Cycle, Page, Row
from league.page.inline import render as render_template
from league.page.inline import static
from league.page.vega import vega_script
from league.results.lines import COLUMNS, PAGE, POINTS, Column

REFRESH_SECONDS = 20
"""How often a page reloads itself while its league is being played."""
LIVE = "data-live"
"""The mark, in the first tag, of a page that was made while its league was being played."""
PODIUM = 3
RADIUS = 62
NODE = 15
LABEL_OUT = 1.5
"""How far outside of an arrow its percentage stands."""


def render(page: Page) -> str:
    """The whole page as HTML that needs nothing else."""
    sizes = {board.key: size_of(len(board.rows)) for board in page.boards}
    return render_template(
        "standings.html.j2",
        [static("theme.js"), vega_script(), static("standings.js"), static("charts.js"), static("panel.js")],
        page=page,
        podium=_podium(page),
        columns={board.key: _columns(board) for board in page.boards},
        scales={board.key: Scale.of(board.rows) for board in page.boards},
        drawn={board.key: [_drawn(cycle) for cycle in board.cycles] for board in page.boards},
        data={
            "page": page,
            "sizes": sizes,
            "specs": {size: specs(size) for size in sorted({*sizes.values()})},
            "refresh": REFRESH_SECONDS if page.progress else 0,
        },
        leaders=_leaders(page),
        live=LIVE,
        version=__version__,
    )


class Scale(NamedTuple):
    """From ratings to percent of a bar's width."""

    low: float
    high: float

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Scale:
        """Wide enough for the interval of every bot that has played."""
        played = [row.line for row in rows if row.line.games]
        return cls(min((line.low for line in played), default=0.0), max((line.high for line in played), default=1.0))

    def at(self, rating: float) -> float:
        """Where a rating is, in percent."""
        part = (rating - self.low) / ((self.high - self.low) or 1.0)
        return round(100 * min(max(part, 0.0), 1.0), 1)


def _podium(page: Page) -> list[Row]:
    """The best of the first board, who have a place there and are no baselines."""
    if not page.boards:
        return []
    ranked = [row for row in page.boards[0].rows if row.place and row.line.games]
    return [row for row in ranked if not page.bots[row.bot].baseline][:PODIUM]


def _columns(board: Board) -> list[Column]:
    """Points of different games cannot be added, so the board of all contests has none."""
    return [COLUMNS[name] for name in PAGE if name != POINTS or board.key != OVERALL]


def _leaders(page: Page) -> list[tuple[str, Row]]:
    """Who leads in each contest, where there is more than one."""
    return [(board.title, board.rows[0]) for board in page.boards[1:] if board.rows and board.rows[0].place]


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
