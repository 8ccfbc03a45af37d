"""What a shell is told when it asks what can be completed."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from league.cli import league
from tests.leagues import FIRST, LAST


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a league and a bot."""
    folder = tmp_path_factory.mktemp("place")
    before = Path.cwd()
    os.chdir(folder)
    try:
        Path("bots").mkdir()
        Path("bots/ann.py").write_text(FIRST)
        Path("bots/bob.py").write_text(LAST)
        Path("config.yaml").write_text("league: tiny\nbots: bots\ngames: [{game: raj, deals: 2}]\n")
        asked = ["run", "config.yaml", "--quiet", "--isolation", "trusted", "--workers", "1"]
        CliRunner().invoke(league, asked, catch_exceptions=False)
        Path("amy.py").write_text(FIRST)
        Path("helper.py").write_text("")
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def here(place, monkeypatch):
    monkeypatch.chdir(place)


@pytest.mark.parametrize(
    ("words", "typed", "offered"),
    [
        (["duel"], "ann", ["ann"]),
        (["duel", "ann", "bob", "--game"], "cheese", ["cheese_rescue"]),
        (["play", "raj", "--vs"], "raj_end", ["raj_endgame"]),
        (["faults", "results/tiny"], "b", ["bob"]),
        (["find", "results/tiny", "--against"], "", ["ann", "bob"]),
        (["find", "nowhere", "--against"], "", []),
        (["replay", "results/tiny"], "ann", ["ann"]),
    ],
)
def test_what_is_offered(here, words, typed, offered):
    assert [item.value for item in items(words, typed) if item.type == "plain"] == offered


def test_files_beside_bots_are_not_offered(here):
    found = [item.value for item in items(["match", "raj"], "")]
    assert {"amy", "ann", "bob", "raj_habits"} <= {*found}
    assert "helper" not in found


@pytest.mark.parametrize("typed", ["./", "bots/a"])
def test_paths_are_left_to_the_shell(here, typed):
    assert [item.type for item in items(["match", "raj"], typed)] == ["file"]


def test_no_file_of_a_game_is_run_to_complete(here):
    Path("loud.py").write_text("raise SystemExit('it was run')")
    assert items(["check", "--game", "./loud.py", "--isolation"], "tr")[0].value == "trusted"


def items(words: list[str], typed: str) -> list[click.shell_completion.CompletionItem]:
    from click.shell_completion import ShellComplete

    return ShellComplete(league, {}, "league", "_LEAGUE_COMPLETE").get_completions(words, typed)
