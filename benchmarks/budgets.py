"""Whether a run ends in time: a league with a program that sleeps 300 ms at every decision, and a budget.

`python -m benchmarks budgets` gives it 60 seconds, standings, page and audit included. `BUDGETS="60 180 720"` gives it
others, one after the other, each to a new league. A budget is kept within 5 % or 5 seconds, whichever is more.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

BUDGETS = tuple(map(int, os.environ.get("BUDGETS", "60").split()))
BOTS = Path(__file__).parent.parent / "bots"
SHIPPED = ("random", "stubborn", "raj_nearest", "raj_habits", "rats_mixed")
SLEEPER = """
import json, sys, time

for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        answer = {"protocol": 1}
    else:
        time.sleep(0.3 * len(message["choose"]))
        answer = [asked["view"]["legal"][0] for asked in message["choose"]]
    print(json.dumps(answer), flush=True)
"""
CONFIG = """
league: budget
seed: 1
bots: [sleeper, {shipped}]
games: [{{game: raj, players: [2, 3], deals: 2000}}, {{game: braverats, deals: 2000}}]
isolation: process
limits: {{move_ms: 2000, match_ms: 100000}}
"""


def run() -> Iterator[dict[str, object]]:
    """Rows for `python -m benchmarks`."""
    for seconds in BUDGETS:
        with TemporaryDirectory() as name:
            folder = Path(name)
            folder.chmod(0o755)
            (folder / "sleeper").mkdir()
            (folder / "sleeper" / "main.py").write_text(SLEEPER)
            (folder / "sleeper" / "bot.toml").write_text('command = ["python3", "main.py"]\n')
            shipped = ", ".join(str(BOTS / f"{bot}.py") for bot in SHIPPED)
            (folder / "budget.yaml").write_text(CONFIG.format(shipped=shipped))
            command = [sys.executable, "-m", "league", "run", "budget.yaml", "--for", f"{seconds}s"]
            started = monotonic()
            told = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stderr
            took = monotonic() - started
            reached = next((line for line in told.splitlines() if "stopped as asked" in line), "")
        yield {
            "budget, s": seconds,
            "took, s": took,
            "kept": abs(took - seconds) <= max(0.05 * seconds, 5.0),
            "load": f"{os.getloadavg()[0]:.1f}",
            "how far": reached.removeprefix("league: stopped as asked, "),
        }
