"""Small leagues for tests: bots made of a few lines, series of them, and blocks played in this process."""

from collections.abc import Collection, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from league import games
from league.analysis.rematch import shown_in
from league.events import Summary
from league.games.replay import Replay
from league.loop import LeagueRun
from league.plan.coverage import Coverage
from league.play.worker import Team, Worker
from league.setup.roster import Bot
from league.values.block import Block, BlockResult, Series, Sitting
from league.values.settings import Config, Contest, Isolation, Limits, Stop

heard: list[Any] = []
"""What bots of tests have to tell; only bots that run in this process can."""

FIRST = """
class Bot:
    def choose(self, view):
        return view.legal[0]
"""
LAST = """
class Bot:
    def choose(self, view):
        return view.legal[-1]
"""
DICE = """
class Bot:
    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        return self.rng.choice(view.legal)
"""
SLEEPY = FIRST.replace("return", "import time; time.sleep(0.001)\n        return")
"""A millisecond for each decision."""
CHANCE = """
import random

class Bot:
    def choose(self, view):
        return random.choice(view.legal)
"""
LEARNER = """
class Bot:
    def __init__(self, table):
        self.seen = 0
        self.rng = table.rng

    def choose(self, view):
        self.seen += 1
        return view.legal[(self.seen * 7 + self.rng.randrange(3)) % len(view.legal)]

    def finish(self, outcome):
        self.seen += outcome.scores[0]
"""


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """What commands print from now on goes to a terminal of so many columns, or so they believe."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda stream: True, raising=False)


def bot(name: str, source: str = FIRST) -> Bot:
    """A bot that was never in a file."""
    written = source.encode()
    return Bot(name, Path(f"/nowhere/{name}.py"), written, blake2b(written, digest_size=16).hexdigest())


def contest(game: str, players: int, games_per_match: int = 1, **options: object) -> Contest:
    """A contest as a config would give it."""
    rules = games.make(game, players, options)
    return Contest.of(rules, games_per_match)


def series(
    bots: Sequence[Bot],
    game: str = "raj",
    *,
    rotation: int = 0,
    seed: int = 1,
    games_per_match: int = 1,
    max_faults: int = 3,
    **options: object,
) -> Series:
    """These bots at one table. They share their deals with all others, so that tests can compare tables."""
    lineup = tuple(sorted(one.entrant() for one in bots))
    limits = Limits(max_faults=max_faults)
    rules = contest(game, len(bots), games_per_match, **options)
    return Series(rules, lineup, rotation, seed, limits, luck_follows="seed")


def missing(coverage: Coverage) -> list[Block]:
    """All that is missing of a plan, each gap as one block, in canonical order."""
    planned = coverage.plan
    return [
        Block(planned.series(at, rank, rotation), *span)
        for at, fixture in enumerate(planned.fixtures)
        for rank in range(len(fixture.lineups))
        for rotation in range(fixture.contest.players)
        for span in coverage.missing(at, rank, rotation, fixture.wanted(rank))
    ]


def play(
    block: Block,
    bots: Sequence[Bot],
    isolation: Isolation = Isolation.TRUSTED,
    at_fault: Collection[str] = (),
) -> BlockResult:
    """A block, played in this process unless another isolation is asked for; only bots named `at_fault` may be."""
    with closing(Worker(Team(tuple(bots), isolation, block.series.limits))) as worker:
        result = worker.play(block)
    unasked = [fault for fault in result.faults if fault.bot not in at_fault]
    assert not unasked, f"a fault that the test did not ask for: {unasked[0]}"
    return result


def alone(blocks):
    """Each block in a sitting of its own."""
    return (block and Sitting((block,)) for block in blocks)


def replays(result: BlockResult) -> list[Replay]:
    """The games of a block, by deal."""
    return [shown_in(result, deal).replay for deal in range(result.block.first, result.block.stop)]


def play_league(config: Config, results: Path, stop: Stop | None = None, *, workers: int = 1, **how: Any) -> Summary:
    """Play a league without a report; the folder of its results is in what is returned."""
    with LeagueRun(config, results, workers=workers) as run:
        return run.play(stop, **how)
