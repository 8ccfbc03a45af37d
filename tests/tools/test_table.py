"""What a cell looks like, wherever a table goes."""

from typing import NamedTuple

import pytest

from league.tools.table import Column, Table, together
from tests.tables import each


class Bot(NamedTuple):
    name: str
    rating: float | None = 25.0
    games: int | None = None


COLUMNS = [Column("name", title="bot"), Column("rating", spec=".2f"), Column("games", spec=",", optional=True)]
NAN = float("nan")


@each(
    ("value", "csv", "markdown", "people"),
    [
        ("ann", "ann", "ann", "ann"),
        ("=cmd()", "'=cmd()", "=cmd\\(\\)", "=cmd()"),
        ("+1", "'+1", "+1", "+1"),
        ("-1", "'-1", "-1", "-1"),
        ("@x", "'@x", "@x", "@x"),
        ("a,b", '"a,b"', "a,b", "a,b"),
        ("a|b\x1b[2J", "a|b\x1b[2J", "a\\|b\\\\x1b\\[2J", "a|b\\x1b[2J"),
        ("", "", "", ""),
        (None, "", "", "-"),
        (NAN, "", "", "-"),
        (0, "0", "0", "0"),
        (-7, "-7", "-7", "-7"),
        (0.32475, "0.3247", "0.3247", "0.32475"),  # halfway, as far as one can see
        (0.32475 + 1e-14, "0.3247", "0.3247", "0.32475000000001"),  # and as another processor has it
        (0.00005, "0.0001", "0.0001", "5e-05"),
        (-0.00001, "0.0000", "0.0000", "-1e-05"),
    ],
)
def test_a_cell(value, csv, markdown, people):
    table = Table([Column("name"), Column("end", lambda row: "x")], [Bot(value)])
    assert table.csv() == f"name,end\n{csv},x\n"
    assert table.markdown().splitlines()[2] == f"| {markdown} | x |"
    assert table.text().splitlines()[1].removesuffix("x").strip() == people
    assert table.json()[0]["name"] is value


def test_numbers_are_at_the_right():
    table = Table(COLUMNS, [Bot("ann", 9.5, 1200), Bot("bob", None)])
    assert table.text() == "bot  rating  games\nann    9.50  1,200\nbob       -      -"
    assert table.markdown().splitlines()[1] == "| --- | ---: | ---: |"


@each(
    ("games", "csv"),
    [((None, None), "name,rating\n"), ((None, 3), "name,rating,games\n"), ((0, 0), "name,rating,games\n")],
)
def test_an_optional_column_is_left_out_where_no_row_has_a_value(games, csv):
    table = Table(COLUMNS, [Bot("ann", games=one) for one in games])
    assert table.csv().startswith(csv)
    assert ("games" in table.text()) == ("games" in table.frame()) == ("games" in table.json()[0]) == ("games" in csv)


def test_a_column_is_where_it_belongs():
    columns = [Column("name", where=[where]) for where in ("csv", "json", "text", "html")]
    table = Table([column._replace(title=column.where[0]) for column in columns], [Bot("ann")])
    assert [table.seen(where)[0].title for where in ("csv", "json", "text", "html")] == ["csv", "json", "text", "html"]
    assert table.text() == "text\nann"


def test_several_tables_are_one_with_a_column_in_front():
    one, other = Table(COLUMNS, [Bot("ann")]), Table(COLUMNS, [Bot("bob", games=2)])
    assert together({"raj-2p": one}, "contest") is one
    assert together({"raj-2p": one, "raj-3p": other}, "contest").csv() == (
        "contest,name,rating,games\nraj-2p,ann,25.0000,\nraj-3p,bob,25.0000,2\n"
    )


def test_tables_line_up():
    rows = [("猫", 5, ""), ("ann", 12345, "x\ny")]
    assert Table.of(["bot", "games", "note"], rows, ["games"]).text() == (
        "bot  games  note\n"
        "猫       5\n"
        "ann  12345  x\\ny"
    )  # fmt: skip


WINS = Table.of(
    ("bot", "wins", "idea"), [("ann", 12, "bids what the prize is worth"), ("bob", 7, "bids low")], ["wins"], ["wins"]
)


@pytest.mark.parametrize("most", [None, 39])
def test_a_table_is_whole_where_there_is_room(most):
    assert WINS.text(most) == (
        "bot  wins  idea\n"
        "ann    12  bids what the prize is worth\n"
        "bob     7  bids low"
    )  # fmt: skip


def test_a_table_does_without_spare_columns_and_says_so():
    columns = [column._replace(spare=at) for at, column in enumerate(WINS.columns)]
    assert Table(columns, WINS.rows).text(38, "`x --csv` has all.") == (
        "bot  idea\n"
        "ann  bids what the prize is worth\n"
        "bob  bids low\n"
        "Left out for lack of room: wins.\n"
        "    `x --csv` has all."
    )  # fmt: skip


def test_a_table_cuts_its_last_column_of_text_short():
    kept = Table([column._replace(spare=0) for column in WINS.columns], WINS.rows)
    assert kept.text(31) == (
        "bot  wins  idea\n"
        "ann    12  bids what the prize…\n"
        "bob     7  bids low"
    )  # fmt: skip
    assert max(map(len, kept.text(5).split("\n"))) == 11 + 18, "there is a least"
    numbers = Table([column._replace(spec=">") for column in kept.columns], WINS.rows)
    assert numbers.text(5) == numbers.text(), "numbers are never cut"


def test_a_table_without_rows_fits():
    assert Table(WINS.columns, []).text(18) == "bot  wins  idea"
