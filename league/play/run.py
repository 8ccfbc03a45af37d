"""Runs a league: plans it, plays what is missing, and keeps the results.

Running it again after anything at all plays exactly what is missing, because that is all it ever does.
"""

from __future__ import annotations

import logging
import os
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import NamedTuple, Protocol

import msgspec

from league.plan.pace import Pace
from league.plan.schedule import Plan, Span, missing, plan, whole_matches
from league.play.executors import Abandoned, Executor, Stopping
from league.play.executors.local import LocalExecutor
from league.play.worker import Team, Worker
from league.results.store import FILE, Store
from league.setup.config import load
from league.setup.roster import Bot, Broken, Roster, scan
from league.tools.files import write_text
from league.tools.logs import logging_to
from league.tools.seeds import drawn
from league.values.block import Block, BlockResult
from league.values.settings import Config, Isolation

LOG = "league.log"
CONFIG = "config.yaml"

SAMPLES = 5
"""Lineups of each contest that are tried to tell how long it will take."""
SAMPLE_GAMES = 32
SAMPLE_SECONDS = 3.0
"""After so many seconds with one contest, no further lineup is tried."""

log = logging.getLogger(__name__)


class Preview(NamedTuple):
    """What a run would do."""

    plan: Plan
    blocks: list[Block]
    """Still to be played."""
    blocks_before: int
    """Played before, and taken as they are."""

    @property
    def games(self) -> int:
        """Games still to be played."""
        return sum(block.games for block in self.blocks)


class RunObserver(Protocol):
    """Is told how a run goes on."""

    def planned(self, preview: Preview) -> None:
        """Before the first block."""

    def played(self, result: BlockResult, store: Store) -> None:
        """After each block, when it is safe."""


class Summary(NamedTuple):
    """How a run ended."""

    folder: Path
    games: int
    seconds: float
    faults: int
    abandoned: list[Abandoned]
    interrupted: bool
    games_left: int


class LeagueRun:
    """One league: a config, its bots, a folder for its results."""

    def __init__(self, config: Config, results: Path, roster: Roster | None = None) -> None:
        self.config = config
        self.roster = scan(config.bots, config.base, config.folder_mb) if roster is None else roster
        self.folder = results / config.name

    @classmethod
    def of(cls, path: Path, results: Path, isolation: Isolation | None = None) -> LeagueRun:
        """The league that a config file describes, with another isolation if one is given."""
        config = load(path)
        return cls(config if isolation is None else msgspec.structs.replace(config, isolation=isolation), results)

    def leave_out_broken(self, *, strict: bool) -> tuple[Broken, ...]:
        """Go on without the files that are no bots and the bots that cannot be loaded; with `strict`, stop at them."""
        unloadable = self._unloadable()
        paths = {broken.path for broken in unloadable}
        bots = tuple(bot for bot in self.roster.bots if bot.path not in paths)
        self.roster = Roster(bots, (*self.roster.broken, *unloadable))
        if strict:
            self.roster.refuse_broken()
        return self.roster.broken

    def bystanders(self) -> tuple[Bot, ...]:
        """The bots that play none of this league's games."""
        return tuple(bot for bot in self.roster.bots if not self._takes_part(bot))

    def _takes_part(self, bot: Bot) -> bool:
        return any(bot.takes_part(contest) for contest in self.config.contests())

    def field(self) -> Roster:
        """All who play: the bots, and copies of some for seats that would stay empty."""
        return self.roster.filled(self.config.events)

    def preview(self) -> Preview:
        """What playing would do now; nothing is written."""
        spans: dict[str, list[Span]] = {}
        secret: str | None = None
        if os.path.exists(self.folder / FILE):
            with Store.open(self.folder) as store:
                spans, secret = store.spans(), store.secret()
        return _preview(plan(self.config, self.field(), secret or drawn()), spans)

    def play(self, workers: int, executor: str, observer: RunObserver, stopping: Stopping) -> Summary:
        """Play what is missing. Every block is safe as soon as the observer hears of it."""
        with Store.create(self.folder) as store:
            return self.play_into(store, workers, executor, observer, stopping)

    def play_into(
        self, store: Store, workers: int, executor: str, observer: RunObserver, stopping: Stopping
    ) -> Summary:
        """Play what is missing into a store that was opened for playing."""
        planned = plan(self.config, self.field(), store.draw_secret() if self.config.seed is None else 0)
        with logging_to(self.folder / LOG):
            left_out = {broken.name: str(broken) for broken in self.roster.broken}
            store.begin(self.config, planned, [bot for bot in self.field().bots if self._takes_part(bot)], left_out)
            write_text(self.folder / CONFIG, self.config.text)
            preview = _preview(planned, store.spans())
            observer.planned(preview)
            log.info("%s: %d games to play", self.config.name, preview.games)
            summary = self._play(store, preview, self._executor(executor, workers, store), workers, observer, stopping)
            log.info("%s: %d games played in %.1f s", self.config.name, summary.games, summary.seconds)
        return summary

    def _unloadable(self) -> list[Broken]:
        """The bots whose files fail as soon as they are run; those that have played before need no trial."""
        known = set()
        if os.path.exists(self.folder / FILE):
            with Store.open(self.folder) as store:
                known = store.entrants()
        strange = [bot for bot in self.roster.bots if bot.entrant() not in known]
        # Nothing of a bot runs in this process, which is the parent of all others.
        isolation = "process" if self.config.isolation == "trusted" else self.config.isolation
        broken = []
        with closing(Worker(Team(tuple(strange), isolation, self.config.limits))) as worker:
            for bot in strange:
                if (reason := worker.why_not_loaded(bot)) is not None:
                    broken.append(Broken(bot.path, 0, f"cannot be loaded: {reason}"))
        return broken

    def expected_seconds(self, preview: Preview) -> dict[str, float]:
        """Processor time that the missing games of each contest will take, from playing a few of them."""
        samples: dict[str, list[Block]] = {}
        for block in preview.blocks:
            samples.setdefault(block.series.contest.key, []).append(block)
        expected = {}
        with closing(Worker(self.team())) as worker:
            for key, blocks in samples.items():
                started = monotonic()
                played = 0
                for block in blocks[:: max(len(blocks) // SAMPLES, 1)][:SAMPLES]:
                    size = whole_matches(SAMPLE_GAMES, block.series.contest.games_per_match)
                    part = Block(block.series, block.first, min(block.first + size, block.stop))
                    worker.play(part)
                    played += part.games
                    if monotonic() - started > SAMPLE_SECONDS:
                        break
                expected[key] = (monotonic() - started) / played * sum(block.games for block in blocks)
        return expected

    def team(self) -> Team:
        """Bots, isolation and limits, for whoever plays blocks of this league."""
        return Team(self.field().bots, self.config.isolation, self.config.limits, self.config.game_files())

    def _executor(self, kind: str, workers: int, store: Store) -> Executor:
        if kind == "dask":
            from league.play.executors.dask import DaskExecutor

            return DaskExecutor(self.team(), workers)
        return LocalExecutor(self.team(), workers, self.folder / LOG, store.private_descriptors)

    def _play(
        self,
        store: Store,
        preview: Preview,
        executor: Executor,
        workers: int,
        observer: RunObserver,
        stopping: Stopping,
    ) -> Summary:
        started = monotonic()
        games = faults = 0
        abandoned = []
        run = store.run_started(workers) if preview.blocks else None
        pace = Pace()
        blocks = pace.cut(preview.blocks)
        with closing(executor.play(blocks, stopping)) as results:  # so that workers end before the store does
            for result in results:
                if isinstance(result, Abandoned):
                    abandoned.append(result)
                    continue
                store.add(result)
                pace.learn(result)
                games += result.block.games
                faults += len(result.faults)
                observer.played(result, store)
        if run is not None:
            store.run_ended(run, games)
        left = preview.games - games
        seconds = monotonic() - started
        return Summary(self.folder, games, seconds, faults, abandoned, stopping() and left > 0, left)


def default_workers() -> int:
    """One for each core that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _preview(planned: Plan, spans: dict[str, list[Span]]) -> Preview:
    return Preview(planned, *missing(planned.series(), spans))
