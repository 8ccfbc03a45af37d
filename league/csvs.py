"""The files of a league's standings, for spreadsheets and pandas: same results, same bytes.

`standings.csv` holds all contests together, `standings-<game>-<players>p.csv` one of them, and `head_to_head.csv` how
every bot did against every other one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from league.files import write_text
from league.standings import COLUMNS, ContestStandings, Line, Standings

if TYPE_CHECKING:
    from pandas import DataFrame

DECIMALS = 4
HEAD_TO_HEAD_COLUMNS = (
    *("game", "players", "bot", "opponent", "games", "wins", "draws", "losses"),
    *("score", "low", "high", "expected", "p_value"),
)
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def write_csvs(folder: Path, standings: Standings) -> list[Path]:
    """Write all files, each whole or not at all; gives their paths, the overall standings first."""
    files = {"standings.csv": to_csv(frame(standings.overall))}
    for key, contest in standings.contests.items():
        files[f"standings-{key}.csv"] = to_csv(frame(contest.lines, points=True))
    files["head_to_head.csv"] = to_csv(head_to_head_frame(standings))
    for name, text in files.items():
        write_text(folder / name, text)
    return [folder / name for name in files]


def frame(lines: Sequence[Line], *, points: bool = False) -> DataFrame:
    """Standings as a table, best first; `points` adds the mean of the game's own points."""
    import pandas as pd

    columns = [*COLUMNS, "mean_points"] if points else list(COLUMNS)
    return pd.DataFrame([[getattr(line, column) for column in columns] for line in lines], columns=columns)


def head_to_head_frame(standings: Standings) -> DataFrame:
    """A row for each two bots that sat at one table, in each contest, seen from both sides."""
    import pandas as pd

    parts = [_pairs_frame(contest) for contest in standings.contests.values()]
    parts = [part for part in parts if len(part)]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(HEAD_TO_HEAD_COLUMNS))


def to_csv(table: DataFrame) -> str:
    """As CSV: a fixed number of decimals, and no cell that a spreadsheet would take for a formula."""
    safe = table.copy()
    for column in safe.columns:
        if column in ("place", "bot", "opponent", "game"):
            safe[column] = [_no_formula(str(cell)) for cell in safe[column]]
        elif safe[column].dtype.kind == "f":
            safe[column] = safe[column].round(DECIMALS) + 0.0  # no -0.0000
    return safe.to_csv(index=False, float_format=f"%.{DECIMALS}f", lineterminator="\n")


def _no_formula(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell


def _pairs_frame(contest: ContestStandings) -> DataFrame:
    import numpy as np
    import pandas as pd

    pairs = contest.pairs
    one, other = np.nonzero(pairs.met)
    names = np.array(contest.bots, dtype=object)
    values = {
        "game": contest.contest.game,
        "players": contest.contest.players,
        "bot": names[one],
        "opponent": names[other],
        "games": pairs.games[one, other],
        "wins": pairs.wins[one, other],
        "draws": pairs.draws[one, other],
        "losses": pairs.wins[other, one],
        "score": pairs.score[one, other],
        "low": pairs.low[one, other],
        "high": pairs.high[one, other],
        "expected": contest.expected[one, other],
        "p_value": pairs.p_value[one, other],
    }
    return pd.DataFrame(values, columns=list(HEAD_TO_HEAD_COLUMNS))
