"""What solving BraveRats outright costs: time and memory, each game in a process of its own.

The best response is the independent check of `league solve`, at one seat.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

GAMES: dict[str, dict[str, object]] = {
    "quick": {"quick": True},
    "standard": {},
    "princess_attack": {"deal": "princess_attack"},
    "mime": {"mime": True},
}
CHECKED = ("quick", "standard")
"""The others are checked by `league solve` itself; here they would take minutes."""

MEASURE = """
import json, resource, sys
from time import perf_counter
from league.games.braverats.rules import BraveRatsOptions
from league.extensions.solver.braverats import solvable
from league.extensions.solver.braverats import induction
from league.extensions.solver.braverats.best_response import BestResponse
options, check = json.loads(sys.argv[1])
found = solvable.exact(BraveRatsOptions(**options))
began = perf_counter()
solution = induction.solve(found.hands, found.game.options.target)
seconds = perf_counter() - began
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
began = perf_counter()
if check:
    BestResponse(found.game, found.deal, 0, lambda states: solution.mixes(states, 0))
print(json.dumps([solution.size, seconds, memory, perf_counter() - began if check else None]))
"""


def run() -> Iterator[dict[str, object]]:
    """One row for each game."""
    for name, options in GAMES.items():
        yield measure(name, options)


def measure(name: str, options: dict[str, object]) -> dict[str, object]:
    """Solve one game in a fresh process."""
    asked = json.dumps([options, name in CHECKED])
    ended = subprocess.run([sys.executable, "-c", MEASURE, asked], capture_output=True, text=True, check=True)
    size, seconds, memory, check = json.loads(ended.stdout)
    return {
        "game": name,
        "positions": f"{size:,}",
        "seconds": seconds,
        "µs a position": 1e6 * seconds / size,
        "MB at most": memory,
        "best response s": "-" if check is None else check,
    }
