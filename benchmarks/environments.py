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
from league.adapters import pettingzoo
env, rng = pettingzoo.env(sys.argv[1], players=int(sys.argv[2])), Random(1)
played, started = -5, process_time()
while played < 1 or process_time() - started < 0.5:
    if played == 0:
        started = process_time()
    env.reset(seed=played)
    for _ in env.agent_iter():
        seen, _, over, _, _ = env.last()
        env.step(None if over else rng.choice(np.flatnonzero(seen["action_mask"]).tolist()))
    played += 1
print(played / (process_time() - started))
"""


def run() -> Iterator[dict[str, object]]:
    """One row for each game and table size."""
    base = os.environ.get("BASE")
    for game, players in TABLES:
        paces: dict[Path, float] = {}
        for _ in range(TURNS):
            for folder in (HERE, *([Path(base)] if base else [])):
                paces[folder] = max(paces.get(folder, 0.0), _pace(folder, game, players))
        row: dict[str, object] = {"env": f"{game}-{players}p", "games/s": paces[HERE]}
        if base:
            row |= {"before": paces[Path(base)], "times": paces[HERE] / paces[Path(base)]}
        yield row


def _pace(folder: Path, game: str, players: int) -> float:
    """Games a second of processor time, in a fresh process that imports League from this folder."""
    command = [sys.executable, "-c", MEASURE, game, str(players)]
    ended = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    return float(ended.stdout)
