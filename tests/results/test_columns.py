"""One list of columns for files, programs, terminal and page."""

import pytest

from league.results import columns
from league.results.columns import COLUMNS, Line, sorted_lines
from league.results.report import lines_table


def line(**changes):
    values = {"place": "1", "bot": "ann", "games": 1200, "rating": 25.0, "sigma": 1.5, "low": 22.0, "high": 28.0}
    values |= {"wins": 1000, "draws": 50, "mean_score": 0.75, "kinds": (("error", 3), ("timeout", 1))}
    return Line(**values | changes)


def test_what_follows_from_other_values_is_worked_out():
    one = line()
    assert (one.conservative, one.losses, one.faults) == (20.5, 150, 4)


@pytest.mark.parametrize("names", [columns.FILE, columns.SORTS, columns.TERMINAL, columns.SPARE, columns.PAGE])
def test_every_list_names_columns_once(names):
    assert set(names) <= set(COLUMNS)
    assert len(names) == len(set(names))


def test_every_column_is_shown_somewhere():
    assert set(COLUMNS) == {
        *columns.FILE,
        *columns.SORTS,
        *columns.TERMINAL,
        *columns.PAGE,
        columns.POINTS,
        columns.EXPLOITABILITY,
    }


@pytest.mark.parametrize(
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
    assert COLUMNS[name].text(line()) == text


def test_a_terminal_shows_conservative_ratings_to_those_who_sort_by_them(tmp_path):
    assert "conservative" not in lines_table([line()], tmp_path)
    assert "conservative" in lines_table([line()], tmp_path, sort="conservative").splitlines()[0].split()


def test_a_bot_without_games_comes_last_whatever_the_order(tmp_path):
    idle = line(bot="bob", games=0, wins=0, draws=0, mean_score=float("nan"), rating=99.0)
    for by in columns.SORTS:
        if by not in ("place", "bot"):
            assert [one.bot for one in sorted_lines([idle, line()], by)] == ["ann", "bob"], by
    assert lines_table([idle], tmp_path).splitlines()[1].split()[2:] == ["-"] * 8
