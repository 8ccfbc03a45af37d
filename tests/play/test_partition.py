"""How deals are cut into blocks must leave no trace in the files, whichever way results become ratings."""

from pathlib import Path

import pytest

from league.api.run import read_standings
from league.plan import pace
from league.results.csvs import write_csvs
from league.setup.config import parse
from tests.leagues import CHANCE, DICE, FIRST, LEARNER, play_league

FRAGILE = DICE.replace("return", "if self.rng.random() < 0.02: raise ValueError('out of luck')\n        return")
BOTS = {"ann": DICE, "bob": CHANCE, "cid": LEARNER, "dot": FRAGILE, "eve": FIRST}
CONFIG = """\
league: small
seed: 1
bots: bots
isolation: trusted
games:
  - {game: raj, players: 3, deals: 30}
  - {game: braverats, deals: 80, games_per_match: 2}
rating: {mode: MODE}
"""


def files(folder: Path, mode: str) -> dict[str, bytes]:
    """What a league writes that is played in this folder."""
    bots = folder / "bots"
    bots.mkdir(parents=True)
    for name, source in BOTS.items():
        (bots / f"{name}.py").write_text(source)
    results = play_league(parse(CONFIG.replace("MODE", mode), folder), folder / "results", workers=2).folder
    return {path.name: path.read_bytes() for path in write_csvs(results, read_standings(results))}


@pytest.mark.parametrize("mode", ["batch", "online"])
def test_large_and_small_blocks_give_the_same_files(tmp_path, monkeypatch, mode):
    large = files(tmp_path / "large", mode)
    monkeypatch.setattr(pace, "FIRST_GAMES", 6)
    monkeypatch.setattr(pace, "BLOCK_GAMES", 14)
    small = files(tmp_path / "small", mode)
    assert small == large
