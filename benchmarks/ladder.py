"""The milestones of each game, from easy to hard: how far each is ahead of the one before, and whether that is settled.

The bots, games and milestones are those of `configs/class-*.yaml`. SECONDS is how long each game is played (100 if it
is not given); what was played is kept in FOLDER and goes on there the next time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import league
from league.results.compare import compare
from league.results.standings import Standings
from league.results.store import Store
from league.setup.config import load

CONFIGS = Path(__file__).parents[1] / "configs"
BOTS = Path(__file__).parents[1] / "bots"


def run() -> Iterator[dict[str, object]]:
    """Play the milestones of each game against each other, and yield one row for each."""
    folder = Path(os.environ.get("FOLDER", "build/ladder"))
    for path in sorted(CONFIGS.glob("class-*.yaml")):
        config = load(path)
        names = [milestone.bot for milestone in config.milestones]
        (event,) = config.events
        contest = event.contest
        game = {"game": contest.game, "players": contest.players, "deals": 10_000}
        league.run(
            {
                "league": path.stem,
                "seed": 2026,
                "bots": [str(next(BOTS.glob(f"{name}*"))) for name in names],
                "games": [{**game, "games_per_match": contest.games_per_match}],
                "isolation": "trusted",
            },
            results=folder,
            for_=f"{os.environ.get('SECONDS', '100')}s",
            progress=False,
        )
        with Store.open(folder / path.stem) as store:
            standings = Standings.of(store)
        lines = {line.bot: line for line in standings.overall}
        for before, name in zip([None, *names], names, strict=False):
            line = lines[name]
            row: dict[str, object] = {
                "milestone": f"{contest.key} {name}",
                "rating": f"{line.rating:.2f}",
                "95 %": f"{line.low:.2f} … {line.high:.2f}",
                "games": f"{line.games:,}",
                "score": f"{line.mean_score:.3f}",
                "ahead of the one before": "-",
            }
            if before:
                lead = compare(standings, name, before).overall.rating
                settled = "settled" if lead.known and lead.low > 0 else "open"
                row["ahead of the one before"] = f"{lead.value:+.2f} ({lead.low:+.2f} … {lead.high:+.2f}), {settled}"
            yield row
