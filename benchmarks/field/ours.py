"""League's part of `python -m benchmarks field`: `python ours.py FUNCTION` prints seconds, units and version.

Processor time counts, that of the bots' processes included. Starting Python and importing packages does not.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from benchmarks.league import DECISIONS_OF_RAJ, RANDOM_BOT
from league import __version__
from league.games.braverats import BraveRats
from league.loop import LeagueRun
from league.rating.fit import fit
from league.rating.table import RankingTable
from league.results.standings import Standings
from league.results.store import Store
from league.setup.config import parse
from league.values.settings import Rating

BOTS = 50
GAMES_OF_RAJ = 10_240
READING_BOT = """
class Bot:
    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        largest = 0
        for played in view.history:
            largest = max(largest, *played.bids)
        return self.rng.choice(view.legal)
"""


def trusted_league() -> tuple[float, int]:
    """Two random bots at Raj, from the config to the stored results."""
    return _raj("trusted", RANDOM_BOT)


def reading_league() -> tuple[float, int]:
    """The same with bots that read every round so far before each bid."""
    return _raj("trusted", READING_BOT)


def sandboxed_league() -> tuple[float, int]:
    """The same in the sandbox."""
    return _raj("sandbox", READING_BOT)


def ten_strategies() -> tuple[float, int]:
    """A round robin of ten bots at BraveRats, from the config to the ratings."""
    with TemporaryDirectory() as folder:
        started = _seconds()
        league = _played(Path(folder), [f"bot{number}" for number in range(10)], "braverats", 24, "trusted")
        with Store.open(league.folder) as store:
            Standings.of(store)
            decisions = sum(cost.usage.decisions for _, _, cost in store.costs())
        return _seconds() - started, decisions


def braverats_loop() -> tuple[float, int]:
    """The rules alone: views, choices, steps."""
    game = BraveRats(2)
    decisions = 0
    started = _seconds()
    for number in range(3_000):
        state = game.start(game.deal(Random(number)))
        rng = Random(number)
        while state.turn:
            moves = [rng.choice(state.view(seat).legal) for seat in state.turn]
            decisions += len(moves)
            state.step(moves)
        state.outcome()
    return _seconds() - started, decisions


def fitted_ratings() -> tuple[float, int]:
    """Ratings of 100,000 games of two, from tallies."""
    rng = np.random.default_rng(1)
    skills = rng.normal(0, 4, BOTS)
    games = 100_000
    tables = rng.integers(0, BOTS, (games, 2))
    tables = tables[tables[:, 0] != tables[:, 1]]
    better = skills[tables[:, 0]] + rng.normal(0, 6, len(tables)) > skills[tables[:, 1]]
    ranks = np.stack([~better, better], axis=1).astype(np.int64)
    started = _seconds()
    groups, counts = np.arange(len(tables)) % 64, np.ones(len(tables), dtype=np.int64)
    fit(RankingTable.from_rankings(BOTS, tables, ranks, groups, counts), Rating())
    return _seconds() - started, len(tables)


def _raj(isolation: str, bot: str) -> tuple[float, int]:
    with TemporaryDirectory() as folder:
        started = _seconds()
        _played(Path(folder), ["ann", "bob"], "raj", GAMES_OF_RAJ // 2, isolation, bot)
        return _seconds() - started, GAMES_OF_RAJ * DECISIONS_OF_RAJ


def _played(folder: Path, names: list[str], game: str, deals: int, isolation: str, bot: str = RANDOM_BOT) -> LeagueRun:
    (folder / "bots").mkdir()
    for name in names:
        (folder / "bots" / f"{name}.py").write_text(bot)
    text = f"league: field\nseed: 1\nbots: bots\nisolation: {isolation}\ngames: [{{game: {game}, deals: {deals}}}]\n"
    with LeagueRun(parse(text, folder), folder / "results", workers=1) as league:
        league.play()
    return league


def _seconds() -> float:
    """Processor time of this process and of all that it has waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


if __name__ == "__main__":
    seconds, units = globals()[sys.argv[1]]()
    print(json.dumps({"seconds": seconds, "units": units, "version": f"League {__version__}"}))
