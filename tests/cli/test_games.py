"""`league games`: what can be played, and what one game is about."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from league import games
from league.cli import league
from tests.leagues import on_a_terminal


def told(*words: str) -> str:
    result = CliRunner().invoke(league, ["games", *words], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


@pytest.mark.parametrize("name", games.names())
def test_game_description_has_every_field_of_its_view(name):
    lines = told(name).splitlines()
    for field in games.find(name).view_type.__struct_fields__:
        (line,) = [line for line in lines if line.startswith(f"  view.{field} ")]
        assert len(line.split()) > 2, f"view.{field} has no meaning"


@pytest.mark.parametrize("words", [[], *([name] for name in games.names())], ids=" ".join)
def test_a_narrow_terminal_is_kept_and_loses_nothing(words, monkeypatch):
    whole = told(*words)
    on_a_terminal(monkeypatch, 60)
    shown = told(*words)
    assert max(map(len, shown.splitlines())) <= 60
    assert shown.split() == whole.split()
