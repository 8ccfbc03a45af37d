"""The files of a league's standings, for spreadsheets and pandas: same results, same bytes.

`standings.csv` holds all contests together, `standings-<game>-<players>p.csv` one of them, and `head_to_head.csv` how
every bot did against every other one. `notices.txt` has what to know before believing them, a sentence a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from league.results.columns import Line, file_columns
from league.results.standings import ContestStandings, Standings
from league.tools.files import write_text
from league.tools.text import safe

if TYPE_CHECKING:
    from pandas import DataFrame

DECIMALS = 4
NOTICES = "notices.txt"
HEAD_TO_HEAD_COLUMNS = (
    *("game", "players", "bot", "opponent", "games", "wins", "draws", "losses"),
    *("score", "low", "high", "expected", "p_value"),
)
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


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
    files = {"standings.csv": to_csv(frame(standings.overall))}
    for key, contest in standings.contests.items():
        files[f"standings-{key}.csv"] = to_csv(frame(contest.lines, points=True))
    if not running:
        files["head_to_head.csv"] = to_csv(head_to_head_frame(standings))
    return files


def frame(lines: Sequence[Line], *, points: bool = False) -> DataFrame:
    """Standings as a table, best first; `points` adds the mean of the game's own points."""
    import pandas as pd

    columns = file_columns(lines, points=points)
    rows = [[column.value(line) for column in columns] for line in lines]
    return pd.DataFrame(rows, columns=[column.name for column in columns]).astype({"rank": "Int64"})


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

    parts = [_pairs_frame(contest) for contest in standings.contests.values()]
    parts = [part for part in parts if len(part)]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(HEAD_TO_HEAD_COLUMNS))


def to_csv(table: DataFrame) -> str:
    """As CSV: a fixed number of decimals, and no cell that a spreadsheet would take for a formula."""
    harmless = table.copy()
    for column in harmless.columns:
        if harmless[column].dtype.kind not in "if":
            harmless[column] = [_no_formula(str(cell)) for cell in harmless[column]]
    return harmless.to_csv(index=False, float_format=_fixed, lineterminator="\n")


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
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell


def _pairs_frame(contest: ContestStandings) -> DataFrame:
    import numpy as np
    import pandas as pd

    pairs = contest.pairs
    bot, opponent = np.nonzero(pairs.met)
    names = np.array(contest.bots, dtype=object)
    values = {
        "game": contest.contest.game,
        "players": contest.contest.players,
        "bot": names[bot],
        "opponent": names[opponent],
        "games": pairs.games[bot, opponent],
        "wins": pairs.wins[bot, opponent],
        "draws": pairs.draws[bot, opponent],
        "losses": pairs.wins[opponent, bot],
        "score": pairs.score[bot, opponent],
        "low": pairs.low[bot, opponent],
        "high": pairs.high[bot, opponent],
        "expected": contest.expected[bot, opponent],
        "p_value": [f"{p_value:.3g}" for p_value in pairs.p_value[bot, opponent]],  # small ones matter most
    }
    return pd.DataFrame(values, columns=list(HEAD_TO_HEAD_COLUMNS))
