"""`league class similar`: planted copies come first, honest bots of the same idea behind them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from league.cli import league
from league.setup.config import load
from tests.commands import refused
from tests.leagues import play_league
from tests.tables import each

ORIGINAL = '''class Bot:
    """Bids near the prize, and now and then something else."""

    games = ("raj",)

    def __init__(self, table):
        self.rng = table.rng
        self.shift = 3

    def choose(self, view):
        if self.rng.random() < 0.3:
            return self.rng.choice(view.legal)
        wanted = abs(view.prize) + self.shift
        return min(view.legal, key=lambda card: (abs(card - wanted), card))
'''
RENAMED = ORIGINAL.replace("wanted", "goal").replace("shift", "offset").replace("Bids near", "My own idea: near")
REORDERED = '''class Bot:
    """Something else."""

    games = ("raj",)

    def choose(self, view):
        lucky = self.rng.random() < 0.3
        if not lucky:
            best = None
            for card in sorted(view.legal):
                if best is None or abs(card - abs(view.prize) - 3) < abs(best - abs(view.prize) - 3):
                    best = card
            return best
        return self.rng.choice(view.legal)

    def start(self, table):
        self.rng = table.rng
'''
NOISY = ORIGINAL.replace(
    "        wanted =", "        if view.prize == 7:\n            return view.legal[0]\n        wanted ="
)


def honest(number: int) -> str:
    """A bot of the same idea, with numbers of its own."""
    return ORIGINAL.replace("self.shift = 3", f"self.shift = {number}").replace("< 0.3", f"< 0.{number}1")


BOTS = {"original": ORIGINAL, "renamed": RENAMED, "reordered": REORDERED, "noisy": NOISY}
BOTS |= {f"honest_{number}": honest(number) for number in (0, 1, 2, 4, 5, 6)}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    (folder / "bots").mkdir()
    for name, text in BOTS.items():
        (folder / "bots" / f"{name}.py").write_text(text)
    (folder / "class.yaml").write_text(
        "league: class\nbots: bots\ngames: [{game: raj, deals: 1}]\nisolation: trusted\nseed: 5\n"
    )
    return play_league(load(folder / "class.yaml"), folder / "results").folder


def similar(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(league, ["class", "similar", str(folder), "--isolation", "trusted", *words])


def test_planted_copies_come_first(played):
    pairs = json.loads(similar(played, "--json").output)
    assert len(pairs) == len(BOTS) * (len(BOTS) - 1) / 2
    planted = {"original", "renamed", "reordered", "noisy"}
    first = [{pair["a"], pair["b"]} for pair in pairs[:6]]
    assert all(pair <= planted for pair in first)
    same = next(pair for pair in pairs if {pair["a"], pair["b"]} == {"original", "reordered"})
    assert same["equal"] == 1
    assert same["alone"] == 0  # the other copies decide the same
    assert same["bits"] > 0 > pairs[-1]["bits"]  # equal decisions that are unusual speak for a copy
    assert all(pair["equal"] < 0.95 for pair in pairs[6:])


def test_people_are_named_and_all_pairs_written(played, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("name,bot\nAmy Miller,original\nBo Li,renamed\n")
    result = similar(played, "--roster", "people.csv", "--pairs", "1", "--to", "pairs.csv", "--games", "5")
    assert "Bots with the same idea decide alike too" in result.output
    assert result.output.count("%") == 2
    assert len(Path("pairs.csv").read_text().splitlines()) == 46


def test_league_without_moves_is_one_line(tmp_path):
    (tmp_path / "bots").mkdir()
    for name in ("ann", "bob"):
        (tmp_path / "bots" / f"{name}.py").write_text(ORIGINAL)
    config = "league: x\nbots: bots\ngames: [{game: raj, deals: 1}]\nisolation: trusted\nmoves: none\n"
    (tmp_path / "x.yaml").write_text(config)
    folder = play_league(load(tmp_path / "x.yaml"), tmp_path / "results").folder
    assert "No moves were kept" in str(similar(folder).exception)


def test_unfinished_league_has_its_pairs_too(tmp_path):
    (tmp_path / "bots").mkdir()
    for name in ("ann", "bob", "cid"):
        (tmp_path / "bots" / f"{name}.py").write_text(ORIGINAL)
    config = "league: x\nbots: bots\ngames: [{game: raj, deals: 400}]\nisolation: trusted\n"
    (tmp_path / "x.yaml").write_text(config)
    play = ["run", str(tmp_path / "x.yaml"), "--rounds", "1", "--quiet", "--results", str(tmp_path), "--workers", "1"]
    assert CliRunner().invoke(league, play).exit_code == 0
    pairs = json.loads(similar(tmp_path / "x", "--games", "5", "--json").output)
    assert [pair["positions"] > 0 for pair in pairs] == [True] * 3


@each(
    ("words", "told"),
    [
        (("--games", "10001"), "expected a whole number from 1 to 10000, found 10001"),
        (("--roster", "none.csv"), "none.csv cannot be read"),
        (("--to", "no/where.csv", "--games", "1"), "no/where.csv cannot be written"),
    ],
)
def test_wrong_input_is_one_line(played, words, told):
    assert told in refused("class", "similar", played, *words)
