"""How `rats_perfect` does against every shipped bot of BraveRats: mean result with its 95 % interval.

`python -m benchmarks perfect` plays 2,000 games each. The claim in docs/solve.md is made of 100,000:
`LEAGUE_PERFECT_GAMES=100000 python -m benchmarks perfect`. `python -m benchmarks.perfect dreamer searcher` plays these
alone, and prints each row as soon as it is known.
Perfect play never loses in the long run: no interval lies below 0.
"""

from __future__ import annotations

import importlib.util
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from league.extensions.solver.games import estimate
from league.games.braverats import BraveRats
from league.hosts import seeded_random
from league.hosts.bot import BotTable
from league.hosts.runtime import OwnFolder, load
from league.setup.roster import scan
from league.values.settings import Contest

ROOT = Path(__file__).parent.parent
GAMES = int(os.environ.get("LEAGUE_PERFECT_GAMES", "2000"))


def run(*wanted: str) -> Iterator[dict[str, object]]:
    """One row for each bot, or for those that are wanted."""
    spec = importlib.util.spec_from_file_location("rats_perfect", ROOT / "bots" / "rats_perfect" / "bot.py")
    assert spec is not None
    assert spec.loader is not None
    perfect: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(perfect)

    class Remembering(perfect.Bot):  # type: ignore[misc]  # of a bot's file, which has no types
        """Solves the same end once."""

        known: ClassVar[dict[int, Any]] = {}

        def mix(self, view: Any) -> Any:
            key = perfect.key_of(view)
            if key not in self.known:
                self.known[key] = super().mix(view)
            return self.known[key]

    for bot in scan(["bots"], ROOT).playing(Contest.of(BraveRats())):
        if wanted and bot.name not in wanted:
            continue
        folder = str(bot.path) if bot.files else ""
        with seeded_random.routed, OwnFolder(folder):
            other = Remembering if bot.name == "rats_perfect" else load(bot.name, bot.source, folder)
            results = [play(Remembering, other, number) for number in range(GAMES)]
        found = estimate(results)
        yield {
            "against": bot.name,
            "games": f"{GAMES:,}",
            "mean result": f"{found.mean:+.4f}",
            "low": f"{found.low:+.4f}",
            "high": f"{found.high:+.4f}",
        }


def play(perfect: Any, other: Any, number: int) -> float:
    """What the perfect player gets in one game; it changes seats from game to game."""
    game = BraveRats()
    state = game.start(game.deal(random.Random(number)))
    seat = number % 2
    players: list[Any] = [None, None]
    tables = [BotTable(game, at, number * 2 + at) for at in (0, 1)]
    for kind, at in ((perfect, seat), (other, 1 - seat)):
        seeded_random.current.table = tables[at]
        players[at] = kind(tables[at]) if kind.__init__ is not object.__init__ else kind()
        if hasattr(players[at], "start"):
            players[at].start(tables[at])
    while state.turn:
        moves = []
        for at in state.turn:
            seeded_random.current.table = tables[at]
            moves.append(players[at].choose(state.view(at)))
        state.step(moves)
    ranks = state.outcome().ranks
    return ranks[1 - seat] - ranks[seat]


if __name__ == "__main__":
    for line in run(*sys.argv[1:]):
        print(line, flush=True)
