"""The searcher against every other shipped bot, at every table size: who is better, and by how much.

`python -m benchmarks duels` plays up to 64 deals of each duel. `LEAGUE_DUEL_DEALS=1000 python -m benchmarks.duels raj`
plays up to 1,000, of Raj alone (`raj-2p` of one table size; with `raj_memory` behind it, against this bot alone), and
prints each row as soon as it is known. At larger tables both sit at one table, which copies of `dreamer` fill. It is
the test of `league duel --together --seed 2026`, which stops when the question is settled.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from league import games
from league.api.duel import DuelResult
from league.api.studies import duel
from league.setup.roster import scan

BOTS = Path(__file__).parent.parent / "bots"
DEALS = int(os.environ.get("LEAGUE_DUEL_DEALS", "64"))
HERO = "searcher"
COMPANY = "dreamer"
VERDICTS = {"a": f"{HERO} is better", "b": "is better", "even": "even", None: "not settled"}


def run(*wanted: str) -> Iterator[dict[str, object]]:
    """One row for each duel: all, or those at some tables, or against some bots."""
    bots = {bot.name: bot for bot in scan([str(BOTS)], BOTS).bots if bot.name != HERO}
    rivals = [bot for name, bot in bots.items() if name in wanted] or [*bots.values()]
    tables = {*wanted} - {*bots}
    for name in games.names():
        for players in games.find(name).player_counts:
            if not tables or {name, f"{name}-{players}p"} & tables:
                for rival in rivals:
                    if rival.plays(name, players):
                        yield row(name, players, rival.name, fight(name, players, rival.name))


def fight(game: str, players: int, rival: str) -> DuelResult:
    """One duel, by the test of `league duel`."""
    return duel(
        HERO,
        rival,
        game=game,
        players=players,
        others=[COMPANY] * (players - 2),
        together=players > 2,
        deals=DEALS,
        seed=2026,
        bots_dir=BOTS,
        isolation="trusted",
    )


def row(game: str, players: int, rival: str, found: DuelResult) -> dict[str, object]:
    """What a duel came to."""
    lead, low, high = found.lead
    verdict = VERDICTS[found.verdict]
    return {
        "table": f"{game}-{players}p",
        "against": rival,
        "lead": f"{lead:+.3f}",
        "low": f"{low:+.3f}",
        "high": f"{high:+.3f}",
        "deals": found.test.deals,
        "verdict": f"{rival} {verdict}" if found.verdict == "b" else verdict,
    }


if __name__ == "__main__":
    for line in run(*sys.argv[1:]):
        print(line, flush=True)
