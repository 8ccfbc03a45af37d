"""Games as a table: documented columns, the same in every format, whole files."""

import sys
from pathlib import Path

import pandas as pd
import pytest

from league.errors import LeagueError
from league.plan.seating import seating_of
from league.results.export import COLUMNS, DECISION_COLUMNS, frames, together, write
from league.results.games import GameColumns, games_of
from league.results.outcomes import Ending, result_of
from league.values.block import Block, Fault
from tests.leagues import FIRST, LAST, bot, series

DOCS = Path(__file__).parents[2] / "docs" / "games.md"
SERIES = series([bot("ann"), bot("bob", LAST), bot("cid", FIRST + "\n")], rotation=1)
RANKS = [(0, 1, 1), (2, 0, 0), (0, 1, 2)]
"""By seat."""


def games(number: int = 3) -> GameColumns:
    """Games in which the bots sit as they do; the bot in the second seat is at fault in the second one."""
    endings, faults = [], []
    for deal in range(number):
        by_entrant = seating_of(SERIES, deal).by_entrant
        endings.append(Ending(by_entrant(RANKS[deal % 3]), by_entrant((9, -3, deal))))
    if number > 1:
        name = SERIES.lineup[seating_of(SERIES, 1).entrants[1]].name
        faults.append(Fault(name, str(SERIES.address(1)), "error", "oh"))
    return games_of(result_of(Block(SERIES, 0, number), endings, faults))


def test_a_row_for_each_seat_of_each_game():
    table = together(frames([games(2)]))
    assert list(table.columns) == [*COLUMNS]
    assert table["seat"].tolist() == [1, 2, 3] * 2
    assert table["place"].tolist() == [1, 2, 2, 3, 1, 1]
    assert table["score"].tolist() == [1, 0.25, 0.25, 0, 0.75, 0.75]
    assert table["points"].tolist() == [9, -3, 0, 9, -3, 1]
    assert table["fault"].tolist() == [False] * 4 + [True, False]
    assert table["address"].tolist() == ["raj-3p:ann+bob+cid:0.1"] * 3 + ["raj-3p:ann+bob+cid:1.1"] * 3
    for first in (0, 3):
        bots = table["bot"][first : first + 3].tolist()
        assert bots == list(games(2).game(first // 3).bots)
        others = ["+".join(sorted({*bots} - {name})) for name in bots]
        assert table["opponents"][first : first + 3].tolist() == others
    assert dict(zip(table["bot"], table["version"], strict=True)) == {one.name: one.source for one in SERIES.lineup}


def test_every_format_holds_the_same(tmp_path):
    for name in ("games.csv", "games.jsonl", "games.parquet"):
        assert write(tmp_path / name, frames([games(2), games(5), games(3)])) == 30
    read = pd.read_csv(tmp_path / "games.csv")
    assert read["fault"].dtype == bool
    assert "true" in (tmp_path / "games.csv").read_text()  # Polars knows no other way to write it
    pd.testing.assert_frame_equal(read, pd.read_parquet(tmp_path / "games.parquet"), check_dtype=False)
    pd.testing.assert_frame_equal(read, pd.read_json(tmp_path / "games.jsonl", lines=True), check_dtype=False)
    pd.testing.assert_frame_equal(read, together(frames([games(2), games(5), games(3)])), check_dtype=False)


def test_a_number_of_games_is_enough(tmp_path):
    assert [len(part) for part in frames([games(2), games(5), games(3)], 4)] == [0, 6, 6]
    assert len(together(frames([games(2)], 9))) == 6


def test_an_empty_table_has_its_columns(tmp_path):
    for name in ("none.csv", "none.parquet"):
        assert write(tmp_path / name, frames([])) == 0
    assert (tmp_path / "none.csv").read_text() == ",".join(COLUMNS) + "\n"
    assert list(pd.read_parquet(tmp_path / "none.parquet").columns) == [*COLUMNS]


@pytest.mark.parametrize("name", ["games.csv", "games.parquet"])
def test_an_error_leaves_the_old_file(tmp_path, name):
    def broken():
        yield games(2)
        raise LeagueError("enough")

    path = tmp_path / name
    write(path, frames([games(1)]))
    before = path.read_bytes()
    with pytest.raises(LeagueError, match="enough"):
        write(path, frames(broken()))
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == [name]


def test_without_pyarrow_a_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(LeagueError, match=r"^Parquet files need pyarrow: install it with `pip install pyarrow`"):
        write(tmp_path / "games.parquet", frames([games()]))
    assert not list(tmp_path.iterdir())


def test_mistakes_are_one_line(tmp_path):
    with pytest.raises(
        LeagueError, match=r"^Expected a file that ends in \.csv, \.jsonl or \.parquet, found 'games.xlsx'\.$"
    ):
        write(tmp_path / "games.xlsx", frames([]))
    with pytest.raises(LeagueError, match=r"nowhere/games.csv cannot be written: No such file or directory\.$"):
        write(tmp_path / "nowhere" / "games.csv", frames([]))


def test_the_page_describes_every_column():
    page = DOCS.read_text(encoding="utf-8")
    for name, about in {**COLUMNS, **DECISION_COLUMNS}.items():
        assert f"| `{name}` | {about} |" in page
