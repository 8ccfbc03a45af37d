"""A million stored games: how quickly they are counted, rated, searched and resumed, and how large the database is.

Outcomes are drawn, so nothing is played. One league has 60 bots and blocks of 42 games, the other 300 bots and blocks
of two games: that is what slow bots and many workers leave behind.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.league import RANDOM_BOT, in_a_child
from league.results.find import Query, highlights, top
from league.results.outcomes import Ending, result_of
from league.results.standings import Standings
from league.results.store import Store
from league.results.tallies import Results
from league.setup.config import load
from league.setup.roster import scan
from league.values.block import Block, BlockResult, Usage

LEAGUES = {"60 bots, blocks of 42 games": (60, 294, 42), "300 bots, blocks of 2 games": (300, 12, 2)}
"""Bots, deals and games in a block; every lineup plays each deal twice."""
AT_ONCE = 20_000
"""Blocks that are written in one transaction."""


def run() -> Iterator[dict[str, object]]:
    """Rows for `python -m benchmarks`."""
    for what, (bots, deals, size) in LEAGUES.items():
        with TemporaryDirectory() as name:
            folder = write_league(Path(name), bots, deals, size)
            yield {"what": what, "figure": f"{(folder / 'league.db').stat().st_size / 1e6:.1f} MB in the database"}
            for job in (_counted, _rated, _worst, _closest, _highlighted):
                child = in_a_child(partial(job, folder))
                figure = f"{child.seconds:.2f} s ({child.processor:.2f} of processor time), {child.peak_mb:.0f} MB"
                yield {"what": f"  {job.__doc__}", "figure": figure}
            began = perf_counter()
            command = [sys.executable, "-m", "league", "run", str(folder.parent / "million.yaml"), "--quiet"]
            subprocess.run([*command, "--results", str(folder.parent)], check=True, capture_output=True)
            yield {"what": "  run again, nothing to play", "figure": f"{perf_counter() - began:.2f} s"}


def write_league(folder: Path, bots: int, deals: int, size: int) -> Path:
    """A league of Raj all of whose outcomes are drawn; returns its folder."""
    (folder / "bots").mkdir()
    for number in range(bots):
        (folder / "bots" / f"b{number:03}.py").write_text(f"{RANDOM_BOT}# {number}\n")
    file = folder / "million.yaml"
    file.write_text(
        f"league: million\nseed: 1\nbots: bots\nisolation: trusted\ngames: [{{game: raj, deals: {deals}}}]\n"
    )
    config = load(file)
    with Store.create(folder / "million") as store:
        store.begin(config, scan(config.bots, config.base).bots)
        run = store.run_started(1)
        planned = store.plan()
        (fixture,) = planned.fixtures
        rng, results = Random(1), []
        for rank in range(len(fixture.lineups)):
            for rotation in range(fixture.contest.players):
                series = planned.series(0, rank, rotation)
                for first in range(0, deals, size):
                    results.append(drawn(Block(series, first, first + size), rng))
            if len(results) >= AT_ONCE:
                store.add(*results)
                results.clear()
        store.add(*results)
        store.run_ended(run, fixture.contest.players * deals * len(fixture.lineups))
        store.checkpoint()
    return folder / "million"


def drawn(block: Block, rng: Random) -> BlockResult:
    """A block whose games ended by chance; who comes later by name is a little better."""
    one, other = (int(entrant.name[1:]) for entrant in block.series.lineup)
    endings = []
    for _ in range(block.games):
        lead = round(rng.gauss((one - other) / 6, 12))
        points = (lead + 60) // 2, (60 - lead) // 2
        endings.append(Ending((int(lead < 0), int(lead > 0)), points))
    usage = Usage(15 * block.games, 1e-4 * block.games, 1e-5 * block.games)
    return result_of(block, endings, usage=[usage, usage])


def _counted(folder: Path) -> None:
    """all games counted"""
    with Store.open(folder) as store:
        Results.read(store)


def _rated(folder: Path) -> None:
    """standings, all but imports"""
    with Store.open(folder) as store:
        assert Standings.of(store).overall


def _worst(folder: Path) -> None:
    """the 10 worst games of a bot"""
    with Store.open(folder) as store:
        assert len(top(store, Query("b004"), "worst", 10)) == 10


def _closest(folder: Path) -> None:
    """the 10 closest games of all"""
    with Store.open(folder) as store:
        assert len(top(store, Query(), "closest", 10)) == 10


def _highlighted(folder: Path) -> None:
    """the highlights of every bot"""
    with Store.open(folder) as store:
        assert highlights(store, {"raj-2p": {}})
