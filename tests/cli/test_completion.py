"""Completion, asked for as the shells do: by their own programs where they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from league.cli import league
from league.cli.machine import SHELLS
from tests.leagues import FIRST, LAST

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a league, a bot and a program `league` on the path."""
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
        Path("bin").mkdir()
        Path("bin/league").write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m league "$@"\n')
        Path("bin/league").chmod(0o755)
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def here(place, monkeypatch):
    monkeypatch.chdir(place)
    monkeypatch.setenv("PATH", f"{place / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("HOME", str(place))
    return place


def script(shell: str) -> str:
    result = CliRunner().invoke(league, ["completion", shell], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def in_bash(line: str) -> list[str]:
    """What Tab offers at the end of a line, of which bash breaks words itself."""
    words = "".join(f" {char} " if char in ":=" else char for char in line).split(" ")
    words = [word for word in words[:-1] if word] + [words[-1]]
    text = f"""{script("bash")}
COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
COMP_LINE='{line}' COMP_POINT={len(line)} COMP_CWORD={len(words) - 1}
COMP_WORDS=({" ".join(map(repr, words))})
compopt() {{ echo "$2"; }}
_league_completion league
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    return printed("bash", "--norc", "-c", text)


def in_zsh(line: str) -> list[str]:
    words = line.split(" ")
    text = f"""
compdef() {{ :; }}
compadd() {{ print -l -- $completions; }}
_describe() {{ print -l -- ${{completions_with_descriptions%%:*}}; }}
_path_files() {{ print -- $1; }}
{script("zsh")}
words=({" ".join(map(repr, words))}) CURRENT={len(words)}
_league_completion
"""
    return printed("zsh", "-f", "-c", text)


def in_fish(line: str) -> list[str]:
    return printed("fish", "--no-config", "-c", f"{script('fish')}\ncomplete -C '{line}'")


def printed(*words: str) -> list[str]:
    if not shutil.which(words[0]):
        pytest.skip(f"{words[0]} is not installed")
    ended = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert not ended.stderr, ended.stderr
    return [line.partition("\t")[0] for line in ended.stdout.splitlines() if line]


ASK = {"bash": in_bash, "zsh": in_zsh, "fish": in_fish}
CASES = [
    ("league comp", {"compare", "completion"}),
    ("league match ra", {"raj"}),
    ("league match raj am", {"amy"}),
    ("league run conf", {"config.yaml"}),
    ("league standings res", {"results/tiny"}),
    ("league compare results/tiny a", {"ann"}),
]


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(("line", "offered"), CASES)
def test_a_shell_offers(here, shell, line, offered):
    assert {*ASK[shell](line)} == offered


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
