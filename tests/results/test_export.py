"""Games as a table: documented columns, the same in every format, whole files."""

import csv
import io
import json
import sys
from pathlib import Path

import pandas as pd
import pytest

from league.errors import LeagueError
from league.results import export
from league.results.decisions import DECISION_COLUMNS
from league.results.export import COLUMNS, NAMES, TableColumn, frame, rows, write_csv, write_games, write_pieces
from league.results.games import FoundGame
from tests.leagues import FIRST, LAST, bot, series

DOCS = Path(__file__).parents[2] / "docs" / "games.md"
SERIES = series([bot("ann"), bot("bob", LAST), bot("cid", FIRST + "\n")], rotation=1)


def games(number=3):
    ranks = [(0, 1, 1), (2, 0, 0), (0, 1, 2)]
    for deal in range(number):
        yield FoundGame(
            SERIES, deal, ("cid", "ann", "bob"), ranks[deal % 3], (9, -3, deal), (False, deal == 1, False), (False,) * 3
        )


def test_a_row_for_each_seat_of_each_game():
    table = frame(games(2))
    assert list(table.columns) == NAMES
    assert table["seat"].tolist() == [1, 2, 3] * 2
    assert table["place"].tolist() == [1, 2, 2, 3, 1, 1]
    assert table["score"].tolist() == [1, 0.25, 0.25, 0, 0.75, 0.75]
    assert table["points"].tolist() == [9, -3, 0, 9, -3, 1]
    assert table["fault"].tolist() == [False] * 4 + [True, False]
    assert table["opponents"].tolist() == ["ann+bob", "bob+cid", "ann+cid"] * 2
    assert table["address"].tolist() == ["raj-3p:ann+bob+cid:0.1"] * 3 + ["raj-3p:ann+bob+cid:1.1"] * 3
    assert dict(zip(table["bot"], table["version"], strict=True)) == {one.name: one.source for one in SERIES.lineup}


def test_csv_and_parquet_hold_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(export, "BATCH_ROWS", 4)
    for name in ("games.csv", "games.parquet"):
        assert write_games(tmp_path / name, games(7)) == 21
    read = pd.read_csv(tmp_path / "games.csv")
    assert read["fault"].dtype == bool
    pd.testing.assert_frame_equal(read, pd.read_parquet(tmp_path / "games.parquet"), check_dtype=False)
    pd.testing.assert_frame_equal(read, frame(games(7)), check_dtype=False)


def test_csv_is_what_the_standard_library_writes():
    columns = [
        TableColumn("name", "string", ""),
        TableColumn("number", "float64", ""),
        TableColumn("count", "int64", ""),
    ]
    columns += [TableColumn("view", "json", ""), TableColumn("legal", "moves", ""), TableColumn("true", "bool_", "")]
    values = [('a "b", c', 0.1, -3, '{"a":"x,y"}', (1, 2), True), ("é\n", 1e-9, 2**40, '{"a":[1]}', (7,), False)]
    values += [("", 1.0, 0, '{"é":null}', (), True)]
    expected, written = io.StringIO(), io.StringIO()
    writer = csv.writer(expected, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    for name, number, count, view, legal, truth in values:
        writer.writerow([name, number, count, view, json.dumps(legal, separators=(",", ":")), str(truth).lower()])
    write_csv(written, columns, values)
    assert written.getvalue() == expected.getvalue()


@pytest.mark.parametrize("name", ["games.csv", "games.jsonl", "games.parquet"])
def test_files_are_the_same_for_any_number_of_processes(tmp_path, name):
    every = [row for game in games(40) for row in rows([game])]
    pieces = [[*zip(*every[first : first + 7], strict=True)] for first in range(0, len(every), 7)]
    for processes in (1, 2, 3):
        assert write_pieces(tmp_path / f"{processes}{name}", COLUMNS, pieces, list, processes) == 120
    written = [(tmp_path / f"{processes}{name}").read_bytes() for processes in (1, 2, 3)]
    assert written[0] == written[1] == written[2]
    write_games(tmp_path / name, games(40))
    assert (tmp_path / name).read_bytes() == written[0]


def test_an_error_of_a_process_is_raised(tmp_path):
    def broken(number):
        if number == 5:
            raise LeagueError("enough")
        return []

    with pytest.raises(LeagueError, match="enough"):
        write_pieces(tmp_path / "games.csv", COLUMNS, range(100), broken, 2)
    assert not list(tmp_path.iterdir())


def test_an_empty_table_has_its_columns(tmp_path):
    file = io.StringIO()
    write_csv(file, COLUMNS, ())
    assert file.getvalue() == ",".join(NAMES) + "\n"
    write_games(tmp_path / "none.parquet", ())
    assert list(pd.read_parquet(tmp_path / "none.parquet").columns) == NAMES


@pytest.mark.parametrize("name", ["games.csv", "games.parquet"])
def test_an_error_leaves_the_old_file(tmp_path, name):
    def broken():
        yield from games(2)
        raise LeagueError("enough")

    path = tmp_path / name
    write_games(path, games(1))
    before = path.read_bytes()
    with pytest.raises(LeagueError, match="enough"):
        write_games(path, broken())
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == [name]


def test_without_pyarrow_a_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(LeagueError, match=r"^Parquet files need pyarrow: install it with `pip install pyarrow`"):
        write_games(tmp_path / "games.parquet", games())
    assert not list(tmp_path.iterdir())


def test_mistakes_are_one_line(tmp_path):
    with pytest.raises(
        LeagueError, match=r"^Expected a file that ends in \.csv, \.jsonl or \.parquet, found 'games.xlsx'\.$"
    ):
        write_games(tmp_path / "games.xlsx", games())
    with pytest.raises(LeagueError, match=r"nowhere/games.csv cannot be written: No such file or directory\.$"):
        write_games(tmp_path / "nowhere" / "games.csv", games())


def test_the_page_describes_every_column():
    page = DOCS.read_text(encoding="utf-8")
    for column in (*COLUMNS, *DECISION_COLUMNS):
        assert f"| `{column.name}` | {column.about} |" in page
