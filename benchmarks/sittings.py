"""What sittings save: leagues of many bots, with shared deals (two processes for each series) and with their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.league import RANDOM_BOT, in_a_child
from league.api.run import LeagueRun
from league.results.store import Store
from league.setup.config import parse
from league.setup.roster import scan

LEAGUES = ((30, 8), (50, 8), (100, 2), (2, 4000))
"""Bots, and deals of each pair."""


def run() -> Iterator[dict[str, object]]:
    """Rows for `python -m benchmarks`."""
    for bots, deals in LEAGUES:
        games = bots * (bots - 1) * deals
        shared = _processor(bots, deals, "sandbox", own_deals=False)
        own = _processor(bots, deals, "sandbox")
        trusted = _processor(bots, deals, "trusted")
        yield {
            "league": f"{bots} bots, {deals} deals",
            "games": f"{games:,}",
            "shared deals, ms a game": 1000 * shared / games,
            "own deals, ms a game": 1000 * own / games,
            "own / shared": own / shared,
            "sandbox / trusted": own / trusted,
        }


def _processor(bots: int, deals: int, isolation: str, *, own_deals: bool = True) -> float:
    """Seconds of processor time to play a league, without its standings."""
    return in_a_child(lambda: _play(bots, deals, isolation, own_deals=own_deals)).processor


def _play(bots: int, deals: int, isolation: str, *, own_deals: bool) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bots").mkdir()
        for number in range(bots):
            (folder / "bots" / f"bot_{number:03}.py").write_text(RANDOM_BOT)
        text = f"league: bench\nseed: 1\nbots: bots\nisolation: {isolation}\ngames: [{{game: raj, deals: {deals}}}]\n"
        config = parse(text, folder)
        with Store.create(folder / config.name) as store:
            store.begin(config, scan(config.bots, config.base).bots, own_deals=own_deals)
        with LeagueRun(config, folder, workers=2) as league:
            league.play()
