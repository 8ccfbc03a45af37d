"""How quickly `league find --to FILE --moves` writes decisions from stored moves, for each game and format.

Rows a second by the clock, with all processors, and microseconds of processor time for a row, also of processes.
`ROWS=1000000 python -m benchmarks export` writes larger tables, to see that memory stays flat.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory
from time import perf_counter

import league
from league.results.export import Decisions, write
from league.results.recorded import load_rules
from league.results.store import Store

BOT = "class Bot:\n    def __init__(self, table):\n        self.rng = table.rng\n\n    def choose(self, view):\n"
BOT += "        return self.rng.choice(view.legal)\n"
TABLES = {("raj", 2): 30, ("raj", 5): 75, ("braverats", 2): 10, ("cheese_rescue", 2): 24, ("cheese_rescue", 4): 48}
TABLES |= {("magillat", 3): 14, ("magillat", 6): 63}
"""Game and players, and about how many decisions a game has."""
ROWS = int(os.environ.get("ROWS", "60000"))
FORMATS = (".csv", ".jsonl", ".parquet")


def run() -> Iterator[dict[str, object]]:
    """One row for each game and table size."""
    for (game, players), decisions in TABLES.items():
        with TemporaryDirectory() as name:
            folder = _league(Path(name), game, players, ROWS // decisions // players + 1)
            row: dict[str, object] = {"contest": f"{game}-{players}p"}
            for suffix in FORMATS:
                paces = [_pace(folder, Path(name) / f"moves{suffix}") for _ in range(3)]
                row[f"{suffix} thousand/s"] = max(pace for pace, _ in paces)
                row[f"{suffix} µs"] = min(cost for _, cost in paces)
            row["MB"] = getrusage(RUSAGE_SELF).ru_maxrss // 1024
            yield row


def _league(folder: Path, game: str, players: int, deals: int) -> Path:
    (folder / "bots").mkdir()
    for number in range(players):
        (folder / "bots" / f"bot{number}.py").write_text(BOT)
    config: dict[str, object] = {"league": "export", "seed": 1, "bots": str(folder / "bots"), "isolation": "trusted"}
    config["games"] = [{"game": game, "players": players, "deals": deals}]
    return league.run(config, results=folder / "results", progress=False).folder


def _pace(folder: Path, path: Path) -> tuple[float, float]:
    """Thousand rows a second, and microseconds of processor time for each."""
    with Store.open(folder) as store:
        load_rules(store)
        used, began = _used(), perf_counter()
        rows = write(path, Decisions(store))
        seconds, used = perf_counter() - began, _used() - used
    return rows / seconds / 1e3, used / rows * 1e6


def _used() -> float:
    usages = getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
