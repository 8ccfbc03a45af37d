"""Text for the terminal lines up and cannot take the terminal over."""

from pathlib import Path

import pytest

from league.tools.text import (
    columns,
    counted,
    first_few,
    folded,
    listed,
    nearest_file,
    safe,
    shorten,
    shown_path,
    width,
)
from tests.tables import each


@each(
    ("text", "shown"),
    [
        ("Zoë 猫 plays", "Zoë 猫 plays"),
        ("\x1b[2J\r\n\t\x07", r"\x1b[2J\r\n\t\x07"),
        ("\u202eabc\u2028", r"\u202eabc\u2028"),  # turns the direction of writing; ends the line
        ("\udcff", r"\udcff"),  # a byte of a file name that is no text
    ],
)
def test_what_a_terminal_would_obey_is_escaped(text, shown):
    assert safe(text) == shown


@each(("text", "columns"), [("abc", 3), ("猫", 2), ("e\u0301", 1)])
def test_width_is_counted_in_columns(text, columns):
    assert width(text) == columns


@each(("text", "shown"), [("12345", "12345"), ("123456", "1234…"), ("123 56", "123…"), ("猫猫猫", "猫猫…")])
def test_long_text_is_cut(text, shown):
    assert shorten(text, 5) == shown


@pytest.mark.parametrize("err", [False, True])
def test_only_a_terminal_has_a_width(err, monkeypatch):
    monkeypatch.setenv("COLUMNS", "72")
    stream = "sys.stderr" if err else "sys.stdout"
    monkeypatch.setattr(f"{stream}.isatty", lambda: True)
    assert columns(err=err) == 72
    monkeypatch.setattr(f"{stream}.isatty", lambda: False)
    assert columns(err=err) is None


@each(
    ("text", "shown"),
    [
        ("one two three four", "one two three four"),
        ("one two three four five", "one two three four\n    five"),
        ("  one two three four", "  one two three\n      four"),
        ("! one\n\none two three four five", "! one\n\none two three four\n    five"),
        ("see results/evening/standings.html", "see\n    results/evening/standings.html"),
        ("see them by `league run x.yaml`.", "see them by\n    `league run x.yaml`."),
        ("5 ` one two three four", "5 ` one two three\n    four"),
        ("ok", "ok"),
        ("", ""),
    ],
)
def test_lines_that_are_too_long_go_on_below_and_break_no_word(text, shown):
    assert folded(text, 18) == shown
    assert folded(text, None) == text


def test_the_last_column_of_a_table_goes_on_below_itself():
    assert folded("GAP  the quick brown fox jumps over", 24) == "GAP  the quick brown fox\n     jumps over"


def test_numbers_and_lists_in_words():
    assert [counted(number, "game") for number in (0, 1, 12000)] == ["0 games", "1 game", "12,000 games"]
    assert [listed(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
    assert [first_few(list("abcd")[:count], 2) for count in (0, 1, 2, 3, 4)] == [
        *("", "a", "a and b", "a, b and 1 more", "a, b and 2 more")
    ]
    assert first_few(["a", "b", "c"], 1, "or") == "a or 2 more"


def test_paths_are_short_below_here_and_whole_elsewhere(tmp_path, monkeypatch):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    assert shown_path(here / "bots/ann.py") == "bots/ann.py"
    assert shown_path(tmp_path / "x.py") == str(tmp_path / "x.py")


def test_the_nearest_file_is_found_by_its_name_not_by_its_suffix():
    files = [Path("a/ann.py"), Path("b/bob.py")]
    assert nearest_file(Path("bop.py"), files) == " Did you mean 'b/bob.py'?"
    assert nearest_file(Path("zzz.py"), files) == ""
