"""Standings and their page for small and large leagues: processor time, memory, and the size of the page.

The results are made up: stronger bots win more often.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from typing import NamedTuple

from benchmarks.league import in_a_child
from league.page.build import gather
from league.page.privacy import Privacy
from league.page.render import render
from league.plan.schedule import Plan
from league.results.csvs import write_csvs
from league.results.outcomes import Ending, result_of
from league.results.standings import Standings
from league.results.store import Store
from league.setup.config import parse
from league.setup.roster import scan
from league.values.block import Block, BlockResult, Series, Usage

BOT = "class Bot:\n    def choose(self, view):\n        return view.legal[0]\n"
CONFIG = """
league: bench
bots: bots
games:
  - {{game: raj, players: 2, deals: {deals}, max_lineups: {lineups}}}
  - {{game: braverats, deals: {deals}, max_lineups: {lineups}}}
isolation: trusted
"""
BATCH = 1000
"""Blocks that are written at once."""


class Size(NamedTuple):
    """Of a league."""

    bots: int
    lineups: int
    """Of each of two contests, at most."""
    deals: int
    aim: str


SIZES = (
    Size(50, 10**6, 32, "page 2 s, 2 MB"),
    Size(200, 10**6, 32, "page 4 s, 3 MB"),
    Size(1000, 10_000, 10, "page 5 s, 3 MB; all 30 s, 1000 MB"),
)


def run() -> Iterator[dict[str, object]]:
    """Rows for `python -m benchmarks`."""
    for size in SIZES:
        yield measure(size)


def measure(size: Size) -> dict[str, object]:
    """The row of one league."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        _play(folder, size)
        child = in_a_child(partial(_report, folder))
        standings, files, page = map(float, (folder / "seconds").read_text().split())
        html = (folder / "page.html").stat().st_size
    what = f"{size.bots:,} bots, {size.lineups:,} lineups at most"
    return _row(what, standings, files, page, html / 1e6, child.peak_mb, size.aim)


def _row(
    what: str,
    standings: float = 0.0,
    files: float = 0.0,
    page: float = 0.0,
    size: float = 0.0,
    memory: float = 0.0,
    aim: str = "",
) -> dict[str, object]:
    seconds = {"standings s": standings, "CSV s": files, "page s": page}
    return {"what": what, **seconds, "page MB": size, "memory MB": f"{memory:.0f}", "aim": aim}


def _report(folder: Path) -> None:
    """All that a run does at its end, except for playing games again."""
    times = [process_time()]
    with Store.open(folder / "results") as store:
        standings = Standings.of(store)
        times.append(process_time())
        write_csvs(folder, standings)
        times.append(process_time())
        html = render(gather(store, standings, Privacy.of(store)))
        times.append(process_time())
    (folder / "page.html").write_text(html)
    (folder / "seconds").write_text(" ".join(str(end - start) for start, end in pairwise(times)))


def _play(folder: Path, size: Size) -> None:
    (folder / "bots").mkdir()
    for at in range(size.bots):
        (folder / "bots" / f"bot_{at:04}.py").write_text(BOT)
    config = parse(CONFIG.format(deals=size.deals, lineups=size.lineups), folder)
    roster = scan(config.bots, config.base)
    with Store.create(folder / "results") as store:
        store.begin(config, roster.bots)
        results = _results(store.plan(), size.bots)
        while batch := list(islice(results, BATCH)):
            store.add(*batch)


def _results(planned: Plan, bots: int) -> Iterator[BlockResult]:
    rng = Random(1)
    for series, deals in _all_series(planned):
        one, other = (int(entrant.name[-4:]) for entrant in series.lineup)
        endings = [_ending(rng, other - one, bots) for _ in range(deals)]
        usage = (Usage(deals * 8, 0.001), Usage(deals * 8, 0.002))
        yield result_of(Block(series, 0, deals), endings, usage=usage)


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
