"""The standings page: seconds to make it and its size, for leagues of 50 and of 200 bots."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

from league.page.gather import gather
from league.page.render import render
from league.page.vega import bundle, vega_script
from league.plan.schedule import Plan
from league.results.outcomes import Ending, result_of
from league.results.standings import Standings
from league.results.store import Store
from league.setup.config import parse
from league.setup.roster import scan
from league.values.block import Block, Series, Usage

BOT = "class Bot:\n    def choose(self, view):\n        return view.legal[0]\n"
CONFIG = """
league: bench
bots: bots
games:
  - {game: raj, players: 2, deals: 32}
  - {game: braverats, deals: 32}
isolation: trusted
"""


def run() -> Iterator[dict[str, object]]:
    """Rows for `python -m benchmarks`."""
    started = perf_counter()
    script = bundle()
    took = perf_counter() - started
    yield {"what": "script of the charts, once a machine", "seconds": took, "MB": len(script) / 1e6, "aim": ""}
    vega_script()
    for bots, aim in ((50, "under 3 s, 2 MB"), (200, "")):
        with TemporaryDirectory() as folder, _league(Path(folder), bots) as store:
            standings = Standings.of(store)
            started = perf_counter()
            page = render(gather(store, standings))
            took = perf_counter() - started
        yield {"what": f"page of {bots} bots, 2 contests", "seconds": took, "MB": len(page.encode()) / 1e6, "aim": aim}


def _league(folder: Path, bots: int) -> Store:
    """A league with made-up results: stronger bots win more often."""
    (folder / "bots").mkdir()
    for at in range(bots):
        (folder / "bots" / f"bot_{at:03}.py").write_text(BOT)
    config = parse(CONFIG, folder)
    roster = scan(config.bots, config.base)
    store = Store.create(folder / "results")
    store.begin(config, roster.bots)
    store._db.execute("PRAGMA synchronous = OFF")  # tens of thousands of blocks are to be there soon, not safely
    rng = Random(1)
    planned = store.plan()
    for series, deals in _all_series(planned):
        one, other = (int(entrant.name[-3:]) for entrant in series.lineup)
        endings = [_ending(rng, other - one, bots) for _ in range(deals)]
        usage = (Usage(deals * 8, 0.001), Usage(deals * 8, 0.002))
        store.add(result_of(Block(series, 0, deals), endings, usage=usage))
    return store


def _all_series(planned: Plan) -> Iterator[tuple[Series, int]]:
    for at, fixture in enumerate(planned.fixtures):
        for rank in range(len(fixture.lineups)):
            for rotation in range(fixture.contest.players):
                yield planned.series(at, rank, rotation), fixture.event.deals


def _ending(rng: Random, lead: int, bots: int) -> Ending:
    points = rng.randrange(40), rng.randrange(40)
    if rng.random() < 0.05:
        return Ending((0, 0), points)
    return Ending((0, 1) if rng.gauss(3 * lead / bots, 1) > 0 else (1, 0), points)
