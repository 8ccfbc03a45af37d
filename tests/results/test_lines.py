"""One list of columns for files, programs, terminal and page."""

from league.page import render
from league.results import lines
from league.results.lines import PARTIAL, SORTS, Line, board, line_columns, sorted_lines
from league.results.report import lines_table
from league.tools.table import Column
from tests.page import made_up
from tests.tables import each


def line(**changes):
    values = {"place": "1", "bot": "ann", "games": 1200, "rating": 25.0, "sigma": 1.5, "low": 22.0, "high": 28.0}
    values |= {"wins": 1000, "draws": 50, "mean_score": 0.75, "kinds": (("error", 3), ("timeout", 1))}
    return Line(**values | changes)


def test_a_new_column_is_one_entry(monkeypatch, tmp_path):
    new = Column("forfeits", spec=",", title="given up", about="Games that were lost")
    usual = [column for column in line_columns() if column.name != "forfeits"]
    for module in (lines, render):
        monkeypatch.setattr(module, "line_columns", lambda counts="games": [*usual, new])
    shown = line(forfeits=1234)
    header, cells, _ = board([shown]).csv().split("\n")
    assert header.endswith(",forfeits")
    assert cells.endswith(",1234")
    assert board([shown]).json()[0]["forfeits"] == 1234
    assert lines_table([shown], tmp_path).split()[-1] == "1,234"
    page = render.render(made_up.page(2))
    assert ">Given up</th>" in page


@each(
    ("name", "text"),
    [
        ("games", "1,200"),
        ("rating", "25.00"),
        ("interval", "22.00 … 28.00"),
        ("conservative", "20.50"),
        ("losses", "150"),
        ("record", "1,000 · 50 · 150"),
        ("mean_score", "0.750"),
        ("faults", "4"),
    ],
)
def test_text_for_people(name, text):
    assert [column.text(line()) for column in line_columns() if column.name == name] == [text]


def test_a_terminal_shows_conservative_ratings_to_those_who_sort_by_them(tmp_path):
    assert "conservative" not in lines_table([line()], tmp_path)
    assert "conservative" in lines_table([line()], tmp_path, sort="conservative").splitlines()[0].split()


def test_a_bot_without_games_comes_last_whatever_the_order(tmp_path):
    idle = line(bot="bob", games=0, wins=0, draws=0, mean_score=float("nan"), rating=99.0)
    for by in SORTS:
        if by not in ("place", "bot"):
            shown = [idle, line(mean_points=7.0, rank=1, best=0.5)]
            assert [one.bot for one in sorted_lines(shown, by)] == ["ann", "bob"], by
    partial = line(bot="cid", place=PARTIAL, mean_points=7.0)
    assert [one.bot for one in sorted_lines([partial, line(rank=2), line(bot="dot", rank=1)], "rank")][:1] == ["dot"]
    assert lines_table([idle], tmp_path).splitlines()[1].split()[2:] == ["-"] * 8
