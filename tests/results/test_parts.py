"""Standings of a part of the bots: rated again, from the games among them, as if the others had never played."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import league as library
from league.cli import league
from league.setup.config import load
from tests.commands import refused
from tests.leagues import DICE, FIRST, LAST, play_league
from tests.tables import each

BOTS = {"ann": FIRST, "bob": LAST, "cid": DICE, "bad": "class Bot:\n    def choose(self, view):\n        return 99\n"}
CONFIG = (
    "league: {name}\nbots: {bots}\ngames: [{{game: raj, players: [2, 3], deals: 6}}]\nisolation: trusted\nseed: 3\n"
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A league of four, and one of three of them."""
    folder = tmp_path_factory.mktemp("parts")
    for name, text in BOTS.items():
        (folder / f"{name}.py").write_text(text)
    played = []
    for name, bots in (("all", "[ann.py, bob.py, cid.py, bad.py]"), ("part", "[ann.py, bob.py, cid.py]")):
        (folder / f"{name}.yaml").write_text(CONFIG.format(name=name, bots=bots))
        played.append(play_league(load(folder / f"{name}.yaml"), folder / "results").folder)
    return played


def shown(folder: Path, *words: str) -> dict[str, object]:
    result = CliRunner().invoke(league, ["standings", str(folder), "--format", "json", *words])
    assert result.exit_code == 0, result.output
    data: dict[str, object] = json.loads(result.output)
    return data


def test_part_is_rated_as_if_the_others_had_never_played(folders):
    everybody, part = folders
    assert shown(everybody, "--without", "bad")["standings"] == shown(part)["standings"]
    patterns = ("--only", "ann", "--only", "[bc]*", "--without", "bad")
    assert shown(everybody, *patterns)["standings"] == shown(part)["standings"]
    assert shown(everybody)["standings"] != shown(part)["standings"]


def test_notice_says_that_it_is_a_part(folders):
    told = shown(folders[0], "--without", "bad")["notices"]
    assert "only 3 of 4 bots: rated again from the games among them. 1 bot left out." in told


def test_python_and_compare_have_it_too(folders):
    everybody, part = map(library.open, folders)
    assert everybody.standings(without=["bad"]).equals(part.standings())
    assert everybody.compare("ann", "bob", without=["bad"]) == part.compare("ann", "bob")


@each(
    ("words", "told"),
    [
        (["--only", "amn"], "found 'amn'. Did you mean 'ann'?"),
        (["--without", "amn"], "found 'amn'. Did you mean 'ann'?"),
        (["--only", "x*"], "Expected the name of a bot of this league or a pattern, found 'x*'."),
        (["--without", "[z"], "found '[z'"),
        (["--only", ""], "found ''"),
        (["--only", "ann"], "Expected at least two bots to be left, found 1 bot."),
        (["--only", "ann", "--without", "ann"], "found 0 bots."),
        (["--without", "*"], "found 0 bots."),
    ],
)
def test_wrong_parts_are_one_line_of_the_command(folders, words, told):
    assert told in refused("standings", folders[0], *words)
