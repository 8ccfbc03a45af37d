"""How deals are cut into blocks must leave no trace in the files, whichever way results become ratings."""

from pathlib import Path

from league.plan import costs
from league.results.csvs import write_csvs
from league.results.standings import read_standings
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
  - {game: braverats, deals: 40, games_per_match: 2}
rating: {mode: MODE}
"""


def files(folder: Path) -> dict[str, bytes]:
    """What a league writes that is played in this folder, rated in every way."""
    bots = folder / "bots"
    bots.mkdir(parents=True)
    for name, source in BOTS.items():
        (bots / f"{name}.py").write_text(source)
    written = {}
    for mode in ("batch", "online"):  # nothing is left to play for the second one
        results = play_league(parse(CONFIG.replace("MODE", mode), folder), folder / "results", workers=2).folder
        for path in write_csvs(results, read_standings(results)):
            written[f"{mode} {path.name}"] = path.read_bytes()
    return written


def test_large_and_small_blocks_give_the_same_files(tmp_path, monkeypatch):
    large = files(tmp_path / "large")
    assert large["batch standings.csv"] != large["online standings.csv"]
    monkeypatch.setattr(costs, "FIRST_GAMES", 6)
    monkeypatch.setattr(costs, "BLOCK_GAMES", 14)
    small = files(tmp_path / "small")
    assert small == large
