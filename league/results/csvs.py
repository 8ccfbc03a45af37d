"""The files of a league's standings, for spreadsheets and pandas: same results, same bytes.

`standings.csv` holds all contests together, `standings-<game>-<players>p.csv` one of them, and `head_to_head.csv` how
every bot did against every other one. `notices.txt` is what to know before believing them, a sentence a line.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from league.results.contest_standings import ContestStandings
from league.results.lines import board
from league.results.standings import Standings
from league.tools.files import write_text
from league.tools.table import Column, Table
from league.tools.text import safe


class PairLine(NamedTuple):
    """How a bot did against another one in a contest, seen from its side."""

    game: str
    players: int
    bot: str
    opponent: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    low: float
    high: float
    expected: float
    p_value: str
    """Three digits: small ones matter most."""
    counts: str | None
    """What the score counts; None in a league in which it is always places."""


def head_to_head(standings: Standings) -> Table:
    """A row for each two bots that sat at one table, in each contest, seen from both sides."""
    contests = standings.contests.values()
    places = all(contest.count == "games" for contest in contests)
    rows = [row for contest in contests for row in _pairs(contest, None if places else contest.count)]
    return Table([Column(name, optional=name == "counts") for name in PairLine._fields], rows)


def _pairs(contest: ContestStandings, counts: str | None) -> Iterator[PairLine]:
    pairs = contest.pairs
    met = np.nonzero(pairs.met)
    scores = pairs.score, pairs.low, pairs.high, contest.expected
    numbers = [pairs.games, pairs.wins, pairs.draws, pairs.wins.T, *scores, pairs.p_value]
    for bot, opponent, *values, p_value in zip(*met, *(values[met].tolist() for values in numbers), strict=True):
        names = contest.bots[bot], contest.bots[opponent]
        game = contest.contest.game, contest.contest.players
        yield PairLine._make((*game, *names, *values, f"{p_value:.3g}", counts))


def write_csvs(folder: Path, standings: Standings, *, running: bool = False) -> list[Path]:
    """Write all files, each whole or not at all; returns their paths, the overall standings first."""
    files = csv_texts(standings, running=running)
    files["notices.txt"] = "".join(f"{safe(notice)}\n" for notice in standings.notices)
    for name, text in files.items():
        write_text(folder / name, text)
    return [folder / name for name in files]


def csv_texts(standings: Standings, *, running: bool = False) -> dict[str, str]:
    """The text of each file, by name. That of pairs is by far the largest: not while a league is `running`."""
    tables = {"standings.csv": board(standings.overall)}
    for key, contest in standings.contests.items():
        tables[f"standings-{key}.csv"] = board(contest.lines)
    if not running:
        tables["head_to_head.csv"] = head_to_head(standings)
    return {name: table.csv() for name, table in tables.items()}
