"""Makes the standings page from a `Page`: HTML with its charts, and the data from which its script draws tables.

The data are small, with every number rounded once, to the digits that are shown. Rows are arrays in the order of `row`.
Meetings are one number for each pair of bots of a board, packed: for bots i < j of its table, row by row, in
little-endian 16-bit numbers, as base64. Scores are in thousandths.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from math import cos, pi, sin
from typing import Any

import numpy as np
from markupsafe import Markup

from league import __version__
from league.page.charts import BEST, CHARTS, MANY, Chart, matrix, rating_scale
from league.page.data import OVERALL, Board, ContestBracket, Cycle, Meeting, Page, Past, Row, Spread
from league.page.inline import render_template, static
from league.results.bracket import FIRST_DEALS
from league.results.columns import Line, line_columns, rating_digits
from league.tools.table import Column
from league.values.settings import PERCENT

REFRESH_SECONDS = 20
"""Between two reloads of a page whose league is being played."""
FRAMES = "'self' file:"
"""What can be shown inside the page: games beside it, on a server or in files."""
LIVE = "data-live"
"""An attribute in the first tag of a page that was made while its league was being played."""
SCRIPTS = (
    *("league", "address", "table", "subset", "matrix", "charts"),
    *("parts", "picture", "compare", "panel", "hall", "renew"),
)
"""The parts of the page's own script, in order: each uses what those before it define."""
SHOWN_FIRSTS = 3
SHOWN_FAULTS = 200
WATCHED = 12
"""Games to watch that are listed below the boards."""
PLAIN_ROWS = 100
"""Bots of each table for readers without JavaScript."""
FIRST_ROWS = 50
"""Of a table, until all are asked for."""
ROWS = 12_000
"""Rows of all tables together; the files have all."""
SPREADS = 3_000
"""Histograms of all boards together."""
BARS = 40
"""Of one histogram."""
PARTS = {"interval": ("low", "high"), "record": ("wins", "draws", "losses"), "faults": ("faults", "kinds", "forfeits")}
"""Columns that the page draws from several attributes of a line."""
IN_UNIT = ("rating", "interval", "change", "conservative")
"""Columns with as many decimals as the ratings have."""
PERCENTAGES = ("mean_score", "best")
"""Columns that the page shows per cent: everywhere on it, parts of a whole look alike."""
CHANCE_DIGITS = 4
MILLI = 1000
MOST_GAMES = 2**16 - 1
_INDENTS_AND_COMMENTS = re.compile(r"^\s+(//.*\n)?", re.MULTILINE)
"""Of scripts: a page is smaller without them."""
RADIUS = 62
NODE = 15
LABEL_OUT = 1.5
"""How far from an arrow its percentage is placed."""


def render(page: Page) -> str:
    """The page as one self-contained HTML file."""
    shown = [column for column in line_columns() if "html" in column.where]
    ended = page.before.ended if page.before else None
    return render_template(
        "standings.html.j2",
        page_scripts(),
        frames=FRAMES,
        page=page,
        parts={part.contest: part for part in page.progress.contests} if page.progress else {},
        charts={board.key: _charts(page, board) for board in page.boards},
        matrices={board.key: matrix(board) for board in page.boards},
        titles={board.key: board.title for board in page.boards},
        drawn={board.key: [_drawn(cycle) for cycle in board.cycles] for board in page.boards},
        data={
            **compact(page),
            "columns": [_column(column, ended) for column in shown if ended or column.name != "change"],
            "many": MANY,
            "bracket_deals": FIRST_DEALS,
            "best": BEST,
            "first_rows": FIRST_ROWS,
            "refresh": REFRESH_SECONDS,
        },
        shown_firsts=SHOWN_FIRSTS,
        shown_faults=SHOWN_FAULTS,
        watched=WATCHED,
        plain_rows=PLAIN_ROWS,
        most_rows=FIRST_ROWS,
        shown_text=_text,
        plain={board.key: _plain(board.counts) for board in page.boards},
        title_of=title_of,
        percent=PERCENT,
        overall=OVERALL,
        live=LIVE,
        version=__version__,
    )


@cache
def page_scripts() -> list[str]:
    """The scripts of the page: colours, which come first, and all others."""
    return [static("theme.js"), _INDENTS_AND_COMMENTS.sub("", "\n".join(static(f"{name}.js") for name in SCRIPTS))]


def _charts(page: Page, board: Board) -> list[tuple[str, Chart, Markup]]:
    """The charts of a board that show something: the name of each, its text and its drawing."""
    names = [bot.name for bot in page.bots]
    drawn = [(name, chart, chart.draw(board, names)) for name, chart in CHARTS.items()]
    return [(name, chart, drawing) for name, chart, drawing in drawn if drawing]


def _column(column: Column, ended: str | None) -> dict[str, Any]:
    """A column for the script; `ended` is when the run before did."""
    return {
        "name": column.name,
        "heading": column.title or column.name,
        "title": title_of(column),
        "counted": {
            counts: title_of(other)
            for counts in ("points", "match")
            for other in line_columns(counts)
            if other.name == column.name and other.title != column.title
        },
        "about": column.about.format(before=ended),
        "page": column.style or "always",
        "digits": digits_of(column),
        "in_unit": column.name in IN_UNIT,
        "rising": not column.spec or column.name == "rank",
        "number": bool(column.spec) and column.name not in PARTS,
        "percent": column.name in PERCENTAGES,
    }


def _plain(counts: str) -> list[Column]:
    """The columns for readers without JavaScript."""
    usual = [column for column in line_columns(counts) if "html" in column.where and not column.optional]
    return [column for column in usual if column.style != "more" and column.name != "change"]


def title_of(column: Column) -> str:
    """What stands above a column."""
    title = column.title or column.name
    return title if column.name == "ms" else title[0].upper() + title[1:]


def digits_of(column: Column, counts: str = "games") -> int | None:
    """The number of decimals where this is counted; None if it has none."""
    if column.name in IN_UNIT:
        return rating_digits(counts)
    return int(column.spec[1:-1]) if column.spec.endswith("f") else None


def _text(column: Column, row: Row) -> str:
    """A cell of the table for readers without JavaScript."""
    if column.name == "place":
        return row.place or "\N{EN DASH}"
    if column.name in PERCENTAGES and row.line.games:
        return f"{100 * column.of(row.line):.1f} %"
    return column.text(row.line)


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


def compact(page: Page) -> dict[str, Any]:
    """All that the script needs."""
    boards = max(len(page.boards), 1)
    columns = [column for column in line_columns() if "html" in column.where and column.name != "change"]
    attributes = {name: column for column in columns for name in PARTS.get(column.name, (column.name,))}
    digits = {board.key: rating_digits(board.counts) for board in page.boards}
    return {
        "league": page.league,
        "folder": page.folder,
        "private": page.hides != "names",
        "written": page.written,
        "row": ("notes", *attributes),
        "bots": [(bot.name, bot.doc) for bot in page.bots],
        "baselines": [number for number, bot in enumerate(page.bots) if bot.baseline],
        "boards": [_board(board, attributes, ROWS // boards, SPREADS // boards) for board in page.boards],
        "faults": page.faults,
        "samples": page.samples,
        "comparisons": page.comparisons,
        "brackets": [_bracket(bracket) for bracket in page.brackets],
        "milestones": {str(bot): marks for bot, marks in page.milestones.items()},
        "past": [_past(past, digits) for past in page.past],
        "before": None if page.before is None else _past(page.before, digits),
    }


def _board(board: Board, attributes: Mapping[str, Column], rows: int, spreads: int) -> dict[str, Any]:
    scale = rating_scale(board)
    return {
        "key": board.key,
        "title": board.title,
        "rows": [_row(row, attributes) for row in board.rows[:rows]],
        "bots": len(board.rows),
        "games": board.games,
        "meetings": _meetings(board),
        "counts": board.counts,
        "span": board.span,
        "scale": None if scale is None else [_rounded(end, rating_digits(board.counts)) for end in scale[:2]],
        "spreads": [_spread(spread) for spread in board.spreads[:spreads]],
        "own_seats": [
            (bot, seat, games, *(_rounded(number, 3) for number in (score, *interval)))
            for bot, seat, games, score, interval in board.own_seats[:rows]
        ],
    }


def _row(row: Row, attributes: Mapping[str, Column]) -> list[Any]:
    """The notes of a row and the attributes of its line, each rounded as the column shows it that it is for."""
    own = {"bot": row.bot, "place": row.place}
    values = [own.get(name, _shown(getattr(row.line, name), column, row.line)) for name, column in attributes.items()]
    return [row.notes or 0, *values]


def _bracket(bracket: ContestBracket) -> dict[str, Any]:
    rounds = [
        [
            pairing._replace(chance=None if pairing.chance is None else _rounded(pairing.chance, 3))
            for pairing in pairings
        ]
        for pairings in bracket.rounds
    ]
    return {"contest": bracket.contest, "seeds": bracket.seeds, "rounds": rounds}


def _past(past: Past, digits: Mapping[str, int]) -> dict[str, Any]:
    boards = {}
    for key, rows in past.boards.items():
        most = digits.get(key, rating_digits("games"))
        boards[key] = [(bot, place, *(_rounded(number, most) for number in numbers)) for bot, place, *numbers in rows]
    return {"ended": past.ended, "boards": boards, "edited": past.edited, "anchors": past.anchors}


def _shown(value: Any, column: Column, line: Line) -> Any:
    """A value of a line, rounded as its column shows it."""
    digits = CHANCE_DIGITS if column.name == "best" else digits_of(column, line.counts)
    return _rounded(value, digits) if isinstance(value, float) and digits is not None else value


def _rounded(number: float, digits: int) -> float:
    return float(f"{number:.{digits}f}")


def _meetings(board: Board) -> dict[str, Any] | None:
    """The meetings of the bots of a board, packed."""
    if not board.meetings:
        return None
    order = {row.bot: position for position, row in enumerate(board.rows)}
    met = [meeting for meeting in board.meetings if meeting.a in order and meeting.b in order]
    bots = 1 + max((max(order[meeting.a], order[meeting.b]) for meeting in met), default=0)
    games, score, low, high, expected = np.zeros((5, bots * (bots - 1) // 2))
    position, turned = _positions(met, order, bots)
    columns = np.array([meeting[2:] for meeting in met], dtype=float).reshape(-1, 5).T
    games[position] = columns[0]
    score[position], expected[position] = (np.where(turned, 1 - columns[of], columns[of]) for of in (1, 4))
    low[position] = np.where(turned, 1 - columns[3], columns[2])
    high[position] = np.where(turned, 1 - columns[2], columns[3])
    scale = int(games.max(initial=1) // MOST_GAMES) + 1  # beyond that number, games are rounded
    packed = [_packed(column * MILLI) for column in (score, low, high, expected)]
    return {"bots": bots, "scale": scale, "games": _packed(games / scale), "values": packed}


def _positions(met: Sequence[Meeting], order: dict[int, int], bots: int) -> tuple[np.ndarray, np.ndarray]:
    """Where each meeting stands in the packed arrays, and whether it is seen from its second bot there."""
    a = np.array([order[meeting.a] for meeting in met], dtype=np.int64)
    b = np.array([order[meeting.b] for meeting in met], dtype=np.int64)
    i, j = np.minimum(a, b), np.maximum(a, b)
    return i * bots - i * (i + 1) // 2 + (j - i - 1), a > b


def _packed(numbers: np.ndarray) -> str:
    return b64encode(np.rint(numbers).astype("<u2").tobytes()).decode()


def _spread(spread: Spread) -> tuple[Any, ...]:
    """The bot, its mean, the first value of its histogram, the width of a bar, and the bars."""
    first, last = spread.histogram[0][0], spread.histogram[-1][0]
    width = (last - first) // BARS + 1
    bars = [0] * ((last - first) // width + 1)
    for value, games in spread.histogram:
        bars[(value - first) // width] += games
    return spread.bot, _rounded(spread.mean, 2), first, width, bars
