"""The files of a league's standings, for spreadsheets and pandas: same results, same bytes.

`standings.csv` holds all contests together, `standings-<game>-<players>p.csv` one of them, and `head_to_head.csv` how
every bot did against every other one. `notices.txt` has what to know before believing them, a sentence a line.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from league.results.columns import Line, file_columns
from league.tools.files import write_text
from league.tools.text import safe

if TYPE_CHECKING:
    from pandas import DataFrame

    from league.results.contest_standings import ContestStandings
    from league.results.standings import Standings

DECIMALS = 4
NOTICES = "notices.txt"
HEAD_TO_HEAD_COLUMNS = (
    *("game", "players", "bot", "opponent", "games", "wins", "draws", "losses"),
    *("score", "low", "high", "expected", "p_value"),
)
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
PlainTable = tuple[list[str], Iterable[Sequence[Any]]]
"""Columns and rows, without pandas, which takes longer to import than most standings to make."""


def write_csvs(folder: Path, standings: Standings, *, running: bool = False) -> list[Path]:
    """Write all files, each whole or not at all; returns their paths, the overall standings first.

    The head-to-head file is by far the largest: it is not written while a league is `running`.
    """
    files = csv_texts(standings, running=running)
    files[NOTICES] = "".join(f"{safe(notice)}\n" for notice in standings.notices)
    for name, text in files.items():
        write_text(folder / name, text)
    return [folder / name for name in files]


def csv_texts(standings: Standings, *, running: bool = False) -> dict[str, str]:
    """The text of each file, by name."""
    tables = {"standings.csv": _board(standings.overall)}
    for key, contest in standings.contests.items():
        tables[f"standings-{key}.csv"] = _board(contest.lines, points=True)
    if not running:
        tables["head_to_head.csv"] = _head_to_head(standings)
    return {name: csv_text(*table) for name, table in tables.items()}


def frame(lines: Sequence[Line], *, points: bool = False) -> DataFrame:
    """Standings as a table, best first; `points` adds the mean of the game's own points."""
    import pandas as pd

    columns, rows = _board(lines, points=points)
    return pd.DataFrame(rows, columns=columns).astype({"rank": "Int64"})


def boards_frame(boards: dict[str, list[Line]], *, points: bool = False) -> DataFrame:
    """Several standings as one table; a column in front tells them apart if there is more than one."""
    import pandas as pd

    frames = {key: frame(lines, points=points) for key, lines in boards.items()}
    if len(frames) > 1:
        for key, table in frames.items():
            table.insert(0, "contest", key)
    return pd.concat(frames.values(), ignore_index=True)


def head_to_head_frame(standings: Standings) -> DataFrame:
    """A row for each two bots that sat at one table, in each contest, seen from both sides."""
    import pandas as pd

    columns, rows = _head_to_head(standings)
    return pd.DataFrame(list(rows), columns=columns)


def to_csv(table: DataFrame) -> str:
    """A table as CSV, like `csv_text`."""
    cells = table.astype(object).where(table.notna(), None)
    return csv_text(list(table.columns), cells.itertuples(index=False))


def to_markdown(table: DataFrame) -> str:
    """As a table in Markdown, with everything escaped that could be taken for markup."""
    rows = [[_markdown_cell(value) for value in row] for row in table.itertuples(index=False)]
    right = ["---" if table[column].dtype.kind not in "if" else "---:" for column in table.columns]
    return "\n".join(f"| {' | '.join(row)} |" for row in (list(table.columns), right, *rows))


def _markdown_cell(value: object) -> str:
    if isinstance(value, float):
        return _fixed(value)
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>()#|!~" else char for char in safe(str(value)))


def _fixed(value: Any) -> str:
    """A fixed number of decimals, the same in every format; never -0.0000."""
    return f"{value:z.{DECIMALS}f}"


def _no_formula(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell


def _board(lines: Sequence[Line], *, points: bool = False) -> PlainTable:
    columns = file_columns(lines, points=points)
    rows = [[column.value(line) for column in columns] for line in lines]
    return [column.name for column in columns], rows


def _head_to_head(standings: Standings) -> PlainTable:
    contests = standings.contests.values()
    if all(contest.count == "games" for contest in contests):
        return list(HEAD_TO_HEAD_COLUMNS), (row for contest in contests for row in _pairs(contest))
    rows = ((*row, contest.count) for contest in contests for row in _pairs(contest))
    return [*HEAD_TO_HEAD_COLUMNS, "counts"], rows


def _pairs(contest: ContestStandings) -> Iterable[Sequence[Any]]:
    pairs = contest.pairs
    bot, opponent = np.nonzero(pairs.met)
    numbers = [pairs.games, pairs.wins, pairs.draws, pairs.wins.T, *contest.shown_scores()]
    return zip(
        [contest.contest.game] * len(bot),
        [contest.contest.players] * len(bot),
        [contest.bots[index] for index in bot],
        [contest.bots[index] for index in opponent],
        *(values[bot, opponent].tolist() for values in numbers),
        [f"{p_value:.3g}" for p_value in pairs.p_value[bot, opponent]],  # small ones matter most
        strict=True,
    )


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table as CSV: a fixed number of decimals, and no cell that a spreadsheet would take for a formula."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_no_formula(column) for column in columns])
    writer.writerows([_csv_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _csv_cell(value: Any) -> str:
    if value is None or value != value:  # not a number
        return ""
    if isinstance(value, float):
        return _fixed(value)
    return str(value) if isinstance(value, int) else _no_formula(str(value))
