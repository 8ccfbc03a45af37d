"""Widths of the intervals that leagues print, with own deals beside shared ones, by the number of deals.

Round robins of shipped bots, the same number of games on both sides, and the mean over some seeds.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from itertools import combinations
from pathlib import Path
from statistics import mean

from league import games
from league.play.worker import Team, Worker
from league.results.games import games_of
from league.results.standings import Standings
from league.results.tallies import Results
from league.setup.roster import Bot, scan
from league.tools.seeds import stretched
from league.values.block import Block, Series
from league.values.settings import Contest, Isolation, Limits, Rating

HERE = Path(__file__).resolve().parents[1]
BOTS = {
    "raj-2p": "raj_nearest raj_habits raj_memory random stubborn",
    "raj-3p": "raj_nearest raj_habits raj_memory random stubborn",
    "magillat-3p": "tale_collector tale_envy tale_habits tale_mixed random",
}
DEALS = (16, 32, 64, 128)
SEEDS = int(os.environ.get("SEEDS", "4"))


def run() -> Iterator[dict[str, object]]:
    """One row for each contest."""
    for key, names in BOTS.items():
        game, _, players = key.removesuffix("p").rpartition("-")
        contest = Contest.of(games.make(game, int(players)))
        bots = scan([f"bots/{name}.py" for name in names.split()], HERE).bots
        row: dict[str, object] = {"own beside shared deals": key}
        for deals in DEALS:
            widths = [[_width(contest, bots, deals, seed, own=own) for seed in range(SEEDS)] for own in (True, False)]
            row[f"{deals} deals"] = mean(widths[0]) / mean(widths[1])
        yield row


def _width(contest: Contest, bots: tuple[Bot, ...], deals: int, seed: int, *, own: bool) -> float:
    """The mean width of the bots' intervals."""
    results = Results([contest], {bot.name: [contest.key] for bot in bots}, Rating())
    with closing(Worker(Team(bots, Isolation.TRUSTED, Limits(), keep_moves=False))) as worker:
        for lineup in combinations(sorted(bot.entrant() for bot in bots), contest.players):
            for rotation in range(contest.players):
                series = Series(
                    contest, lineup, rotation, stretched(seed), Limits(), luck_follows="names" if own else "seed"
                )
                results.add(games_of(worker.play(Block(series, 0, deals))))
    lines = Standings(results).contests[contest.key].lines
    return mean(line.high - line.low for line in lines)
