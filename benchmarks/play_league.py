"""Plays one league and prints what it cost, as JSON: `python play_league.py '{"bots": 30, "deals": 8}'`.

`sittings` runs it as a script, in this checkout and in an older one, so it uses only what both have. What it imports is
not counted, nor are the standings.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

LeagueRun = import_module("league.loop" if find_spec("league.loop") else "league.api.run").LeagueRun
config_of = import_module("league.setup.config").parse

BOT = """
import time

class Bot:
    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        end = time.process_time() + {burn}
        while {burn} and time.process_time() < end:
            pass
        return self.rng.choice(view.legal)
"""


def main(job: dict[str, object]) -> None:
    """Play the league that is described, in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bots").mkdir()
        for number in range(int(str(job["bots"]))):
            (folder / "bots" / f"bot_{number:04}.py").write_text(BOT.format(burn=job.get("burn", 0)))
        more = f"{job.get('more', '')}\nisolation: {job.get('isolation', 'sandbox')}"
        games = f"games: [{{game: raj, players: 2, deals: {job['deals']}}}]"
        text = f"league: bench\nseed: 1\nbots: bots\n{more}\n{games}\n"
        before, started = _processor(), perf_counter()
        played = _play(text, folder)
        spent = {"games": played, "processor": _processor() - before, "seconds": perf_counter() - started}
    print(json.dumps(spent))


def _play(text: str, folder: Path) -> int:
    """Play a league with two workers; returns the number of games."""
    with LeagueRun(config_of(text, folder), folder, workers=2) as league:
        return int(league.play().games)


def _processor() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
