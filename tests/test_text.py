"""Text for the terminal lines up and cannot take the terminal over."""

from pathlib import Path

import pytest

from league.text import counted, listed, nearest_file, safe, shorten, shown_path, table, width


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("猫", 2), ("e\u0301", 1)])
def test_width_is_counted_in_columns(text, columns):
    assert width(text) == columns


@pytest.mark.parametrize(
    ("text", "shown"), [("12345", "12345"), ("123456", "1234…"), ("123 56", "123…"), ("猫猫猫", "猫猫…")]
)
def test_long_text_is_cut(text, shown):
    assert shorten(text, 5) == shown


def test_tables_line_up():
    assert table(["bot", "games", "note"], [("猫", 5, ""), ("ann", 12345, "x\ny")], right=["games"]) == (
        "bot  games  note\n"
        "猫       5\n"
        "ann  12345  x\\ny"
    )  # fmt: skip


def test_numbers_and_lists_in_words():
    assert [counted(number, "game") for number in (0, 1, 12000)] == ["0 games", "1 game", "12,000 games"]
    assert [listed(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]


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
