"""Makes the standings page from a `Page`: all of it is HTML, which scripts only sort, filter and renew.

Every number is rounded once, to the digits that are shown. What only a server has (lists of all games, comparisons,
pages of more than `BOT_PAGES` bots) is written as a link without an address, in `data-href`: a server makes it one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from math import cos, isnan, pi, sin
from typing import Any, NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from league import __version__
from league.page.charts import CHARTS, Chart, matrix, rating_scale
from league.page.data import OVERALL, Board, Cycle, Page, Row, Sample
from league.page.inline import chance, place, render_template, share, static
from league.page.svg import Scale, ranged
from league.results.lines import Line, line_columns, rating_digits
from league.results.report import WORTH_NAMING
from league.tools.table import Column, Table
from league.values.settings import PERCENT

REFRESH_SECONDS = 20
"""Between two reloads of a page from a file whose league is being played."""
FRAMES = "'self' file:"
"""What can be shown inside the page: games beside it, on a server or in files."""
LIVE = "data-live"
"""An attribute in the first tag of a page that was made while its league was being played."""
BOTS = "bots"
"""The folder with the pages of bots, beside the page."""
BOT_PAGES = 200
"""Bots of a league that get a page as a file, the best first; a server has all."""
SCRIPTS = ("table", "hall", "renew")
"""The parts of the page's own script."""
SHOWN_FAULTS = 200
WATCHED = 12
"""Games to watch that are listed below the boards."""
ROWS = 1000
"""Rows of all tables together; the files have all."""
FIRST = ("place", "bot", "best", "rating", "interval")
"""The columns that come before all others."""
TITLES = {"interval": f"{PERCENT} interval", "mean_points": "points"}
_INDENTS_AND_COMMENTS = re.compile(r"^\s+(//.*\n)?", re.MULTILINE)
"""What a script can do without, so that pages are smaller."""
RADIUS = 62
NODE = 15
LABEL_OUT = 1.5
"""How far from an arrow its percentage is placed."""


class TableContext(NamedTuple):
    """What the cells of a board's table are made from, beside the row."""

    page: Page
    board: Board
    scale: Scale | None
    """The scale of the ratings."""
    before: Mapping[int, Line]
    """After the run before, by bot."""
    linked: frozenset[int]
    """The bots that have a page beside this one."""


def render(page: Page) -> str:
    """The page as one self-contained HTML file."""
    linked = bots_with_pages(page)
    return render_template(
        "standings.html.j2",
        page_scripts(),
        frames=FRAMES,
        page=page,
        parts={part.contest: part for part in page.progress.contests} if page.progress else {},
        charts={board.key: _charts(page, board) for board in page.boards},
        matrices={board.key: matrix(board) for board in page.boards},
        titles=titles_of(page),
        why_of=lambda sample: why_of(page, sample),
        drawn={board.key: [_drawn(cycle) for cycle in board.cycles] for board in page.boards},
        tables={board.key: _table(page, board, linked) for board in page.boards},
        link=lambda bot, contest="": bot_link(page, bot, linked, contest),
        shown_faults=SHOWN_FAULTS,
        watched=WATCHED,
        worth_naming=WORTH_NAMING,
        percent=PERCENT,
        overall=OVERALL,
        live=LIVE,
        refresh=REFRESH_SECONDS,
        version=__version__,
    )


@cache
def page_scripts() -> list[str]:
    """The scripts of the pages of a league: colours, which come first, and all others."""
    return [static("theme.js"), _INDENTS_AND_COMMENTS.sub("", "\n".join(static(f"{name}.js") for name in SCRIPTS))]


def titles_of(page: Page) -> dict[str, str]:
    """By the keys of the boards."""
    return {board.key: board.title for board in page.boards}


def bots_with_pages(page: Page) -> frozenset[int]:
    """The bots that get a page as a file: the best of the first board, and others if there is room."""
    order = dict.fromkeys([row.bot for board in page.boards for row in board.rows] + [*range(len(page.bots))])
    return frozenset([*order][:BOT_PAGES])


def bot_link(page: Page, bot: int, linked: frozenset[int], contest: str = "", folder: str = f"{BOTS}/") -> Markup:
    """The name of a bot as a link to its page, and to the part of it that is about a contest."""
    part = f"#{contest}" if contest else ""
    name = page.bots[bot].name
    link = Markup('<a {}="{}{}.html{}">{}</a>')
    return link.format("href" if bot in linked else "data-href", folder, quote(name, safe=""), part, name)


def why_of(page: Page, sample: Sample) -> str:
    """Why a game was chosen: 'ann: worst loss', or 'random surprises ann'."""
    bot, reason = sample.reasons[0]
    return sample.surprise if reason == "upset" else f"{page.bots[bot].name}: {reason}"


def rated(board: Board, rating: float, low: float, high: float) -> str:
    """A rating with its interval."""
    digits = rating_digits(board.counts)
    unit = " points" if board.counts == "points" else ""
    return f"{rating:.{digits}f} ({low:.{digits}f} … {high:.{digits}f}){unit}"


def scored(board: Board, score: float) -> str:
    """How a bot did against another: per cent, or the lead in points if these count."""
    return f"{(2 * score - 1) * board.span:+.2f} points" if board.span else share(score)


def _charts(page: Page, board: Board) -> list[tuple[str, Chart, Markup]]:
    """The charts of a board that show something: the name of each, its text and its drawing."""
    names = [bot.name for bot in page.bots]
    wanted = [(name, chart) for name, chart in CHARTS.items() if not chart.once or board is page.boards[0]]
    drawn = [(name, chart, chart.draw(board, names)) for name, chart in wanted]
    return [(name, chart, drawing) for name, chart, drawing in drawn if drawing]


def _table(page: Page, board: Board, linked: frozenset[int]) -> Table:
    """The table of a board."""
    past = page.before.boards.get(board.key, {}) if page.before else {}
    shown = TableContext(page, board, rating_scale(board.rows), past, linked)
    before = page.before.ended if page.before else ""
    columns = [
        column._replace(
            value=_of_line(column),
            spec=column.spec or "s" * (column.name == "place"),
            shown=partial(_cell, column, shown),
            title=TITLES.get(column.name, column.title),
            about=column.about.format(before=before),
        )
        for column in line_columns(board.counts)
        if (column.name != "change" or before) and (column.name != "mean_points" or board.counts != "points")
    ]
    columns.sort(key=lambda column: FIRST.index(column.name) if column.name in FIRST else len(FIRST))
    return Table(columns, board.rows[: max(ROWS // max(len(page.boards), 1), 1)])


def _of_line(column: Column) -> Callable[[Row], Any]:
    return lambda row: column.of(row.line)


def _cell(column: Column, shown: TableContext, row: Row) -> str:
    if not row.line.games and column.name not in ("place", "bot", "games"):
        return "\N{EN DASH}"
    if column.name in _CELLS:
        return _CELLS[column.name](row, shown)
    value = getattr(row.line, column.name)
    return "\N{EN DASH}" if value is None else format(value, column.spec)


def _name(row: Row, shown: TableContext) -> Markup:
    page = shown.page
    name = bot_link(page, row.bot, shown.linked)
    if row.notes:
        name += Markup(' <abbr class="mark" title="{}">*</abbr>').format(", ".join(row.notes))
    if page.bots[row.bot].baseline:
        name += Markup(' <small class="chip" title="There for comparison only: it leads no contest">baseline</small>')
    reached = [mark for mark in page.milestones.get(row.bot, ()) if mark.state == "reached"]
    if reached:
        name += Markup(" <small class=medal>✓ {}</small>").format(reached[-1].title)
    return name


def _best(row: Row, _: TableContext) -> Markup:
    if isnan(row.line.best):
        return Markup("\N{EN DASH}")
    return Markup("<b class=p style=--p:{}>{}</b>").format(f"{100 * row.line.best:.0f}", chance(row.line.best))


def _interval(row: Row, shown: TableContext) -> Markup:
    line, digits = row.line, rating_digits(row.line.counts)
    bar = ranged(shown.scale, line.low, line.high, line.rating) if shown.scale else Markup("")
    return Markup("{}<small>{}</small>").format(bar, f"{line.low:.{digits}f} … {line.high:.{digits}f}")


def _change(row: Row, shown: TableContext) -> Markup:
    before = shown.before.get(row.bot)
    if before is None:
        return Markup("<small class=chip>new</small>")
    moved = ""
    if before.place and row.place and before.place != row.place:
        moved = f"{place(before.place)} → {place(row.place)}"
    text = f"{row.line.rating - before.rating:+z.{rating_digits(row.line.counts)}f}"
    return Markup("{}{}").format(text, Markup(" <small>{}</small>").format(moved) if moved else "")


def _record(row: Row, _: TableContext) -> Markup:
    line = row.line
    bar = f"<i class=wdl style=--w:{100 * line.wins / line.games:.0f};--d:{100 * line.draws / line.games:.0f}></i>"
    counts = f"{line.wins:,} · {line.draws:,} · {line.losses:,}"
    return Markup("{}<small>{}</small>").format(Markup(bar), counts)  # noqa: S704 - numbers


def _faults(row: Row, _: TableContext) -> Markup:
    line = row.line
    if not line.faults and not line.forfeits:
        return Markup("\N{EN DASH}")
    kinds = [f"{count:,} {kind}" for kind, count in line.kinds]
    kinds += [f"{line.forfeits:,} games forfeited"] if line.forfeits else []
    return Markup('<span class="fault" title="{}">{}</span>').format(
        ", ".join(kinds), f"{line.faults + line.forfeits:,}"
    )


_CELLS: dict[str, Callable[[Row, TableContext], str]] = {
    "bot": _name,
    "place": lambda row, _: place(row.place),
    "best": _best,
    "interval": _interval,
    "mean_score": lambda row, _: share(row.line.mean_score),
    "change": _change,
    "record": _record,
    "faults": _faults,
}
"""Columns that are more than a number."""


def _drawn(cycle: Cycle) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """A cycle as a small graph: bots evenly around a circle, and an arrow from each to the one that it beats.

    Of a bot, that is x, y, and y of its name; of an arrow its start, its end, the place of its text, and the score.
    """
    number = len(cycle.bots)
    angles = [2 * pi * position / number - pi / 2 for position in range(number)]
    spots = [(RADIUS * cos(angle), RADIUS * sin(angle)) for angle in angles]
    nodes = []
    for bot, (x, y) in zip(cycle.bots, spots, strict=True):
        nodes.append((bot, round(x, 1), round(y, 1), round(y + (NODE + 14) * (1 if y > 0 else -0.75), 1)))
    arrows = []
    for position, score in enumerate(cycle.scores):
        (x1, y1), (x2, y2) = spots[position], spots[(position + 1) % number]
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        dx, dy = (x2 - x1) / length, (y2 - y1) / length
        start, end = (x1 + dx * NODE, y1 + dy * NODE), (x2 - dx * (NODE + 6), y2 - dy * (NODE + 6))
        outside = ((x1 + x2) / 2 * LABEL_OUT, (y1 + y2) / 2 * LABEL_OUT + 4)
        arrows.append((start, end, outside, score))
    return nodes, arrows
