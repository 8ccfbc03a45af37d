"""PettingZoo's environments beside an older checkout, each game at its smallest and largest table, in turns.

`BASE=PATH python -m benchmarks environments` measures the checkout at PATH too, and how much faster this one is.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

TABLES = [("raj", 2), ("raj", 5), ("braverats", 2), ("magillat", 3), ("magillat", 6)]
TABLES += [("cheese_rescue", 2), ("cheese_rescue", 4)]
TURNS = int(os.environ.get("TURNS", "5"))
"""Measurements of each side; the best counts."""
HERE = Path(__file__).parents[1]
MEASURE = """
import sys
from random import Random
from time import process_time
import numpy as np
from league.extensions import pettingzoo
kind, game, players = sys.argv[1], sys.argv[2], int(sys.argv[3])
rng = Random(1)
def chosen(mask):
    return rng.choice(np.flatnonzero(mask).tolist() or [0])
if kind == "env":
    env = pettingzoo.env(game, players=players)
    def play(seed):
        env.reset(seed=seed)
        for _ in env.agent_iter():
            seen, _, over, _, _ = env.last()
            env.step(None if over else chosen(seen["action_mask"]))
else:
    env = pettingzoo.parallel_env(game, players=players)
    def play(seed):
        seen, _ = env.reset(seed=seed)
        while env.agents:
            seen = env.step({agent: chosen(of_agent["action_mask"]) for agent, of_agent in seen.items()})[0]
for seed in range(5):
    play(seed)
played, started = 0, process_time()
while process_time() - started < 0.5:
    play(played)
    played += 1
print(played / (process_time() - started))
"""


def run() -> Iterator[dict[str, object]]:
    """One row for each kind of environment, game and table size."""
    base = os.environ.get("BASE")
    for kind, game, players in [(kind, *table) for kind in ("env", "parallel_env") for table in TABLES]:
        if (kind, game) == ("parallel_env", "cheese_rescue"):
            continue  # one decides at a time
        paces: dict[Path, float] = {}
        for _ in range(TURNS):
            for folder in (HERE, *([Path(base)] if base else [])):
                paces[folder] = max(paces.get(folder, 0.0), _pace(folder, kind, game, players))
        row: dict[str, object] = {"environment": f"{kind}, {game}-{players}p", "games/s": paces[HERE]}
        if base:
            row |= {"before": paces[Path(base)], "times": paces[HERE] / paces[Path(base)]}
        yield row


def _pace(folder: Path, kind: str, game: str, players: int) -> float:
    """Games a second of processor time, in a fresh process that imports League from this folder."""
    command = [sys.executable, "-c", MEASURE, kind, game, str(players)]
    ended = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    return float(ended.stdout)
