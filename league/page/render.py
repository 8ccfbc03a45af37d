"""Makes the standings page from a `Page`: all of it is HTML, which scripts only sort, filter and renew.

Every number is rounded once, to the digits that are shown. What only a server has (lists of all games, comparisons,
pages of more than `BOT_PAGES` bots) is written as a link without an address, in `data-href`: a server makes it one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache
from itertools import pairwise
from math import isnan
from urllib.parse import quote

from markupsafe import Markup

from league import __version__
from league.page.charts import CHARTS, Chart, matrix, rating_scale
from league.page.data import Board, Page, Sample, date_of
from league.page.inline import DASH, chance, place, render_template, share, static
from league.page.svg import ranged
from league.results.history import OVERALL
from league.results.lines import FEW_GAMES, Line, line_columns, placed, rating_digits
from league.results.report import NAMED, WORTH_NAMING
from league.tools.table import BLANK, Column, Table
from league.values.settings import PERCENT

LIVE = "data-live"
"""An attribute in the first tag of a page that was made while its league was being played."""
BOTS = "bots"
"""The folder with the pages of bots, beside the page."""
BOT_PAGES = 200
"""Bots of a league that get a page as a file, the best first; a server has all."""
SCRIPTS = ("table", "hall", "renew")
"""The parts of the page's own script."""
ROWS = 1000
"""Rows of all tables together; the files have all."""
FIRST = ("place", "bot", "best", "rating", "interval")
"""The columns that come before all others."""
TITLES = {"interval": f"{PERCENT} interval", "mean_points": "points"}
_INDENTS_AND_COMMENTS = re.compile(r"^\s+(//.*\n)?", re.MULTILINE)
"""What a script can do without, so that pages are smaller."""


def first_of(board: Board, baselines: frozenset[str]) -> tuple[list[Line], int, list[str]]:
    """Who may well be the best of a contest, how many others share their place, and the baselines beside or before."""
    lines = placed(board.lines)
    rivals = [line for line in lines if line.bot not in baselines] or lines
    first = min(map(_best_place, rivals))
    leaders = sorted((line for line in rivals if _best_place(line) == first), key=lambda line: -line.best)
    named = [line for line in leaders if line.best >= WORTH_NAMING][:NAMED] or leaders[:1]
    unbeaten = [line.bot for line in lines if line not in rivals and _best_place(line) <= first]
    return named, len(leaders) - len(named), unbeaten


def _best_place(line: Line) -> int:
    """1 of '1-3'."""
    return int(line.place.split("-")[0])


def render(page: Page) -> str:
    """The page as one self-contained HTML file."""
    linked = bots_with_pages(page)
    contests = [board for board in page.boards if board.key != OVERALL and placed(board.lines)]
    return render_template(
        "standings.html.j2",
        page_scripts(),
        frames="'self' file:",  # games beside it, on a server or in files
        page=page,
        parts={part.contest: part for part in page.progress.contests} if page.progress else {},
        firsts=[(board, *first_of(board, page.baselines)) for board in contests],
        charts_of=_charts,
        matrix_of=matrix,
        why_of=why_of,
        victories=_victories,
        tables={board.key: _table(page, board, linked) for board in page.boards},
        link=lambda bot, contest="": bot_link(bot, linked, contest),
        percent=PERCENT,
        overall=OVERALL,
        live=LIVE,
        version=__version__,
    )


@cache
def page_scripts() -> list[str]:
    """The scripts of the pages of a league: colours, which come first, and all others."""
    return [static("theme.js"), _INDENTS_AND_COMMENTS.sub("", "\n".join(static(f"{name}.js") for name in SCRIPTS))]


def bots_with_pages(page: Page) -> list[str]:
    """The bots that get a page as a file: the best of the first board, and others if there is room."""
    order = dict.fromkeys([*(line.bot for board in page.boards for line in board.lines), *page.docs])
    return [*order][:BOT_PAGES]


def bot_link(bot: str, linked: Collection[str], contest: str = "", folder: str = f"{BOTS}/") -> Markup:
    """The name of a bot as a link to its page, and to the part of it that is about a contest."""
    part = f"#{contest}" if contest else ""
    link = Markup('<a {}="{}{}.html{}">{}</a>')
    return link.format("href" if bot in linked else "data-href", folder, quote(bot, safe=""), part, bot)


def _charts(board: Board) -> list[tuple[str, Chart, Markup]]:
    """The charts of a board that show something: the name of each, its text and its drawing."""
    return [(name, chart, drawing) for name, chart in CHARTS.items() if (drawing := chart.draw(board))]


def why_of(sample: Sample) -> str:
    """Why a game was chosen: 'ann: worst loss', or 'random surprises ann'."""
    bot, reason = sample.reasons[0]
    return sample.surprise if reason == "upset" else f"{bot}: {reason}"


def rated(line: Line) -> str:
    """A rating with its interval."""
    digits = rating_digits(line.counts)
    unit = " points" if line.counts == "points" else ""
    return f"{line.rating:.{digits}f} ({line.low:.{digits}f} … {line.high:.{digits}f}){unit}"


def warning(line: Line) -> str:
    """What a reader should know before comparing a bot with others."""
    return "no games yet" if not line.games else "few games" if line.games < FEW_GAMES else ""


def _table(page: Page, board: Board, linked: Collection[str]) -> Table:
    """The table of a board."""
    cells = BoardCells(page, board, linked)
    columns = [
        column._replace(
            spec=column.spec or "s" * (column.name == "place"),
            shown=cells.of(column),
            title=TITLES.get(column.name, column.title),
            about=column.about.format(before=page.before and date_of(page.before.ended)),
        )
        for column in line_columns(board.counts)
        if (column.name != "change" or page.before) and (column.name != "mean_points" or board.counts != "points")
    ]
    columns.sort(key=lambda column: FIRST.index(column.name) if column.name in FIRST else len(FIRST))
    return Table(columns, board.lines[: max(ROWS // max(len(page.boards), 1), 1)])


class BoardCells:
    """The cells of a board's table that are more than a number, each by the name of its column."""

    def __init__(self, page: Page, board: Board, linked: Collection[str]) -> None:
        self._page, self._linked = page, linked
        self._scale = rating_scale(board.lines)
        self._before = page.before.boards.get(board.key, {}) if page.before else {}
        self._cells: dict[str, Callable[[Line], str]] = {
            "bot": self._bot,
            "place": lambda line: place(line.place),
            "best": self._best,
            "interval": self._interval,
            "mean_score": lambda line: share(line.mean_score),
            "change": self._change,
            "record": self._record,
            "faults": self._faults,
        }

    def of(self, column: Column) -> Callable[[Line], str]:
        """What a column shows of a line: a dash before the first game."""
        cell: Callable[[Line], str] = self._cells.get(column.name, column.text)

        def shown(line: Line) -> str:
            if not line.games and column.name not in ("place", "bot"):
                return DASH
            text = cell(line)
            return DASH if text == BLANK else text

        return shown

    def _bot(self, line: Line) -> Markup:
        name = bot_link(line.bot, self._linked)
        if text := warning(line):
            name += Markup(' <abbr class="mark" title="{}">*</abbr>').format(text)
        if line.bot in self._page.baselines:
            name += Markup(
                ' <small class="chip" title="There for comparison only: it leads no contest">baseline</small>'
            )
        reached = [mark for mark in self._page.milestones.get(line.bot, ()) if mark.reached]
        if reached:
            name += Markup(" <small class=medal>✓ {}</small>").format(reached[-1].title)
        return name

    def _best(self, line: Line) -> str:
        if isnan(line.best):
            return DASH
        return Markup("<b class=p style=--p:{}>{}</b>").format(f"{100 * line.best:.0f}", chance(line.best))

    def _interval(self, line: Line) -> Markup:
        bar = ranged(self._scale, line.low, line.high, line.rating) if self._scale else Markup("")
        return Markup("{}<small>{}</small>").format(bar, line.shown_interval)

    def _change(self, line: Line) -> Markup:
        before = self._before.get(line.bot)
        if before is None:
            return Markup("<small class=chip>new</small>")
        text = f"{line.rating - before.rating:+z.{rating_digits(line.counts)}f}"
        if before.has_place and line.has_place and before.place != line.place:
            return Markup("{} <small>{} → {}</small>").format(text, place(before.place), place(line.place))
        return Markup(text)  # noqa: S704 - a number

    def _record(self, line: Line) -> Markup:
        bar = f"<i class=wdl style=--w:{100 * line.wins / line.games:.0f};--d:{100 * line.draws / line.games:.0f}></i>"
        counts = f"{line.wins:,} · {line.draws:,} · {line.losses:,}"
        return Markup("{}<small>{}</small>").format(Markup(bar), counts)  # noqa: S704 - numbers

    def _faults(self, line: Line) -> str:
        kinds = [f"{count:,} {kind}" for kind, count in line.kinds]
        kinds += [f"{line.forfeits:,} games forfeited"] if line.forfeits else []
        text = Markup('<span class="fault" title="{}">{}</span>')
        return text.format(", ".join(kinds), f"{line.faults + line.forfeits:,}") if kinds else DASH


def _victories(board: Board, cycle: Sequence[str]) -> list[tuple[str, str, str]]:
    """The bots of a cycle, with the one that each beats and the score."""
    found = []
    for bot, beaten in pairwise((*cycle, cycle[0])):
        score = board.score(bot, beaten)
        found.append((bot, beaten, f"{score:+z.2f}" if board.counts == "points" else f"{100 * score:.0f} %"))
    return found
