"""Runs a league: plans it, plays what is missing round by round, and keeps the results.

A run plays exactly what is missing. So a league is continued by running it again, whatever happened before.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import NamedTuple, Protocol

import msgspec

from league.hosts.clock import free_memory_mb
from league.plan.budget import RESERVE, Budget
from league.plan.coverage import Coverage, LeagueProgress
from league.plan.pace import FIRST_GAMES, Pace
from league.plan.rounds import Round, expected_blocks, progress, rounds_of
from league.plan.schedule import Plan, plan, whole_matches
from league.plan.sittings import Feed
from league.play.executors import Abandoned, Executor, Stopping
from league.play.executors.specs import ExecutorSpec, executor_spec
from league.play.load_check import AT_FIRST, LoadCheck
from league.play.worker import Team, Worker
from league.results.schema import FILE
from league.results.store import ChosenLineup, Store
from league.setup.config import load
from league.setup.roster import Bot, Broken, Roster, scan
from league.tools.files import write_text
from league.tools.logs import logging_to
from league.tools.seeds import drawn
from league.values.block import Block, BlockResult, Entrant, Sitting
from league.values.settings import Config, Isolation, Stop

LOG = "league.log"
CONFIG = "config.yaml"

COMMIT_SECONDS = 0.2
"""Between two commits: what has come in meanwhile is committed together."""
SAMPLE_SECONDS = 3.0
"""How long bots that have not played yet are tried, in each contest, to know how long games take."""

MEMORY_SHARE = 0.5
"""The part of the free memory that the hosts of all workers may need together."""

log = logging.getLogger(__name__)


class Preview(NamedTuple):
    """What a run would do."""

    plan: Plan
    coverage: Coverage
    """What was played before."""

    @property
    def games(self) -> int:
        """Games still to be played of the rounds that are known."""
        return self.plan.games - self.games_before

    @property
    def all_games(self) -> int | None:
        """Games still to be played to the end of the league; None if results decide how many."""
        return None if self.plan.open else self.games

    @property
    def games_before(self) -> int:
        """Games that were played before and count."""
        return sum(self.coverage.games(at) for at in range(len(self.plan.fixtures)))

    @property
    def blocks(self) -> int:
        """About how many blocks are still to be played, if it is known who plays what."""
        return 0 if self.plan.open else expected_blocks(self.coverage)

    def to_play(self) -> list[int]:
        """Games still to be played, by fixture."""
        return [fixture.games - self.coverage.games(at) for at, fixture in enumerate(self.plan.fixtures)]


class RunObserver(Protocol):
    """Is notified of how a run goes on."""

    def planned(self, preview: Preview) -> None:
        """Before the first block."""

    def replanned(self, preview: Preview) -> None:
        """When bots were left out on the way."""

    def played(self, result: BlockResult, store: Store) -> None:
        """After each block, when it is safe."""

    def notice(self, line: str) -> None:
        """When something happens that the user should know of."""


class Scheduler(Protocol):
    """Chooses the rounds of a league from the results of those before."""

    def __call__(self, store: Store) -> Sequence[ChosenLineup]:
        """The next round; an empty one ends the league. All rounds before it are complete and in the store.

        The same results must lead to the same choice: then a league plays the same rounds on any machine, however
        often it was stopped.
        """


class NextRound(NamedTuple):
    """What a run would play next."""

    number: int
    games: int
    seconds: float | None
    """Expected; None if nothing is known."""


class Summary(NamedTuple):
    """How a run ended."""

    folder: Path
    games: int
    seconds: float
    faults: int
    abandoned: list[Abandoned]
    interrupted: bool
    """By the user."""
    progress: LeagueProgress
    next_round: NextRound | None
    """None: nothing is missing."""

    @property
    def games_left(self) -> int:
        """Games that are missing."""
        return self.progress.total - self.progress.played

    @property
    def out_of_budget(self) -> bool:
        """Whether it ended, as it was asked to, before the league was finished."""
        return not (self.progress.finished or self.interrupted or self.abandoned)


class LeagueRun:
    """One league: a config, its bots, a folder for its results."""

    def __init__(
        self, config: Config, results: Path, roster: Roster | None = None, scheduler: Scheduler | None = None
    ) -> None:
        self.config = config
        self.scheduler = scheduler or _scheduler_of(config)
        """None: all lineups play all deals."""
        self.roster = scan(config.bots, config.base, config.folder_mb) if roster is None else roster
        self.folder = results / config.name
        self.load_check = LoadCheck((), config.isolation, config.limits)
        """The bots that are still to be tried before they play."""

    @classmethod
    def of(cls, path: Path, results: Path, isolation: Isolation | None = None) -> LeagueRun:
        """The league that a config file describes, with another isolation if one is given."""
        config = load(path)
        return cls(config if isolation is None else msgspec.structs.replace(config, isolation=isolation), results)

    def leave_out_broken(self, *, strict: bool) -> tuple[Broken, ...]:
        """Go on without the files that are no bots and the bots that cannot be loaded; with `strict`, stop at them.

        Of many bots only some are tried now, and the others before their first blocks; with `strict`, all are.
        """
        urgent, others = self._untried()
        self.load_check = LoadCheck([*urgent, *others], self.config.isolation, self.config.limits)
        with closing(self.load_check):
            self.leave_out(self.load_check.first(len(urgent) + len(others) if strict else max(len(urgent), AT_FIRST)))
        if strict:
            self.roster.refuse_broken()
        return self.roster.broken

    def leave_out(self, unloadable: Sequence[Broken]) -> None:
        """Go on without bots that cannot be loaded."""
        paths = {broken.path for broken in unloadable}
        bots = tuple(bot for bot in self.roster.bots if bot.path not in paths)
        self.roster = msgspec.structs.replace(self.roster, bots=bots, broken=(*self.roster.broken, *unloadable))

    def bystanders(self) -> tuple[Bot, ...]:
        """The bots that play none of this league's games."""
        return tuple(bot for bot in self.roster.bots if not self._takes_part(bot))

    def _takes_part(self, bot: Bot) -> bool:
        return any(bot.takes_part(contest) for contest in self.config.contests())

    def field(self) -> Roster:
        """All who play: the bots, and copies of some for seats that would stay empty."""
        return self.roster.filled(self.config.events)

    def _playing_bots(self) -> list[Bot]:
        """All who play at least one of the league's contests."""
        return [bot for bot in self.field().bots if self._takes_part(bot)]

    def preview(self) -> Preview:
        """What playing would do now, as far as its rounds are known; nothing is written."""
        if not os.path.exists(self.folder / FILE):
            planned = _opened(plan(self.config, self.field(), drawn()))
            return Preview(planned, Coverage(planned))
        with Store.open(self.folder) as store:
            planned = _opened(store.plan_of(self.config, self._playing_bots()))
            return Preview(planned, store.coverage(planned))

    def play(
        self,
        workers: int,
        executor: str | ExecutorSpec,
        observer: RunObserver,
        stopping: Stopping,
        stop: Stop | None = None,
    ) -> Summary:
        """Play what is missing. Every block is safe as soon as the observer is notified of it."""
        with Store.create(self.folder) as store:
            return self.play_into(store, workers, executor, observer, stopping, stop)

    def play_into(
        self,
        store: Store,
        workers: int,
        executor: str | ExecutorSpec,
        observer: RunObserver,
        stopping: Stopping,
        stop: Stop | None = None,
        reserve: float = RESERVE,
    ) -> Summary:
        """Play what is missing into a store that was opened for playing.

        `stop` replaces what the config says about when to end early; `reserve` is the number of seconds of that which
        are needed afterwards.
        """
        budget = Budget(self.config.stop if stop is None else stop, workers, reserve=reserve)
        with logging_to(self.folder / LOG), closing(self.load_check):
            preview = self.begin(store)
            write_text(self.folder / CONFIG, self.config.text)
            observer.planned(preview)
            log.info("%s: %d games to play", self.config.name, preview.games)
            playing = _Playing(self, store, preview, budget, observer, stopping, workers)
            opened = executor_spec(executor).open(
                self.team(), workers, self.folder / LOG, store.private_descriptors, lambda line: observer.notice(line)
            )
            summary = playing.play(opened, workers)
            log.info("%s: %d games played in %.1f s", self.config.name, summary.games, summary.seconds)
        return summary

    def begin(self, store: Store) -> Preview:
        """Write down what the league is now; returns what is to be played. A league that cannot be is not stored."""
        plan(self.config, self.field())
        left_out = {broken.name: str(broken) for broken in self.roster.broken}
        store.begin(self.config, self._playing_bots(), left_out, chosen_rounds=self.scheduler is not None)
        return Preview(store.plan(), store.coverage())

    def _untried(self) -> tuple[list[Bot], list[Bot]]:
        """The bots that take part and have not played before: those that cannot wait for their turn, and the others.

        The former are those that were left out before, and those without whom a contest may have too few bots.
        """
        known = set[Entrant]()
        urgent = {self.config.gauntlet}
        if os.path.exists(self.folder / FILE):
            with Store.open(self.folder) as store:
                known = store.seasoned()
                urgent.update(store.left_out())
        for contest in self.config.contests():
            playing = self.roster.playing(contest)
            urgent.update(bot.name for bot in playing if len(playing) <= AT_FIRST)
        strange = [bot for bot in self.roster.bots if self._takes_part(bot) and bot.entrant() not in known]
        return [bot for bot in strange if bot.name in urgent], [bot for bot in strange if bot.name not in urgent]

    def pace(self, preview: Preview) -> Pace:
        """What games cost each bot: as it is known, or from trying the bots that have not played yet."""
        pace = Pace()
        if os.path.exists(self.folder / FILE):
            with Store.open(self.folder) as store:
                pace = store.pace()
        with closing(Worker(self.team())) as worker:
            for at, fixture in enumerate(preview.plan.fixtures):
                started = monotonic()
                strange = set(pace.unknown(fixture))
                for rank in fixture.lineups.in_turns():
                    if not strange or monotonic() - started > SAMPLE_SECONDS:
                        break
                    series = preview.plan.series(at, rank, 0)
                    if strange.intersection(series.lineup):
                        strange.difference_update(series.lineup)
                        size = whole_matches(FIRST_GAMES, fixture.contest.games_per_match)
                        block = Block(series, 0, min(size, fixture.event.deals))
                        pace.learn(*worker.play_sitting(Sitting((block,))))
        return pace

    def team(self) -> Team:
        """Bots, isolation and limits, for what plays blocks of this league."""
        return Team(self.field().bots, self.config.isolation, self.config.limits, self.config.game_files())


class _Playing:
    """A run under way."""

    def __init__(
        self,
        league: LeagueRun,
        store: Store,
        preview: Preview,
        budget: Budget,
        observer: RunObserver,
        stopping: Stopping,
        workers: int,
    ) -> None:
        self._league = league
        self._store = store
        self._preview = preview
        self._budget = budget
        self._stopping = stopping
        self._pace = store.pace()
        self._feed = Feed(preview.coverage, self._pace, MEMORY_SHARE * free_memory_mb() / workers)
        self._observer = observer
        self._waiting: list[BlockResult] = []
        """Results that are not committed yet."""
        self._committed = monotonic()
        self._games = self._faults = 0

    def play(self, executor: Executor, workers: int) -> Summary:
        """Play all rounds, or as many as the budget allows."""
        started = monotonic()
        coverage = self._preview.coverage
        abandoned = []
        run = self._store.run_started(workers) if self._preview.games or self._preview.plan.open else None
        with closing(executor.play(self._sittings(), self._look)) as results:  # workers end before the store does
            for result in results:
                if isinstance(result, Abandoned):
                    abandoned.append(result)
                    self._feed.over(result.block, played=False)
                    continue
                self._feed.over(result.block, played=True)
                self._pace.learn(result)
                self._budget.played(result)
                self._waiting.append(result)
                self._look()
        self._commit()
        if run is not None:
            self._store.run_ended(run, self._games)
        reached = progress(coverage)
        seconds = monotonic() - started
        interrupted = self._stopping() and not reached.finished
        ahead = None if reached.finished else self._next_round()
        return Summary(self._store.folder, self._games, seconds, self._faults, abandoned, interrupted, reached, ahead)

    def _sittings(self) -> Iterator[Sitting | None]:
        """What is to be played, of a plan that is made anew whenever a bot whose turn has come cannot be loaded."""
        unloadable: Sequence[Broken] = ()
        while True:
            rounds = self._budget.rounds(self._rounds(), self._preview.coverage, self._pace)
            for sitting in self._feed.sittings(rounds):
                if sitting is not None:
                    if unloadable := self._league.load_check.before(sitting):
                        self._feed.take_back(sitting)
                        break
                    allowed = self._budget.allowed(sitting.blocks)
                    if len(allowed) < len(sitting.blocks):
                        if allowed:
                            yield Sitting(tuple(allowed))
                        return
                yield sitting
            else:
                return
            while self._feed.is_waiting:
                yield None
            self._leave_out(unloadable)

    def _leave_out(self, unloadable: Sequence[Broken]) -> None:
        """Go on without bots that cannot be loaded; what was played counts as far as it is in the new plan."""
        self._commit()
        self._league.leave_out(unloadable)
        for broken in unloadable:
            self._observer.notice(f"left out: {broken}")
        plan, coverage = self._league.begin(self._store)
        self._preview.coverage.become(coverage)
        self._preview = Preview(plan, self._preview.coverage)
        self._observer.replanned(self._preview)

    def _rounds(self) -> Iterator[Round]:
        """Those that are known, then those that are chosen."""
        coverage = self._preview.coverage
        yield from rounds_of(coverage.plan)
        scheduler = self._league.scheduler
        while scheduler is not None and coverage.plan.open:
            self._commit()
            if coverage.plan.chosen and not progress(coverage).complete:
                return  # something could not be played, and the next round follows from complete rounds alone
            self._store.record_round(scheduler(self._store))
            coverage.become(self._store.coverage())
            if coverage.plan.open:
                yield rounds_of(coverage.plan)[-1]

    def _look(self) -> bool:
        """Whether to stop. It is asked several times a second, so what has come in is committed here."""
        if monotonic() >= self._committed + COMMIT_SECONDS:
            self._commit()
        return self._stopping() or self._budget.left == 0.0

    def _commit(self) -> None:
        """Make safe what has come in, then report it."""
        results, self._waiting = self._waiting, []
        if results:
            self._store.add(*results)
        for result in results:
            self._games += result.block.games
            self._faults += len(result.faults)
            self._observer.played(result, self._store)
        self._committed = monotonic()

    def _next_round(self) -> NextRound | None:
        coverage = self._preview.coverage
        for one in rounds_of(coverage.plan):
            missing = one.missing(coverage)
            if any(missing):
                seconds = self._budget.expected_seconds(missing, coverage, self._pace)
                return NextRound(one.number, sum(missing), seconds)
        return None


def _scheduler_of(config: Config) -> Scheduler | None:
    """What chooses the rounds of a league; None: all lineups play all deals."""
    if config.settle is None:
        return None
    from league.play.adaptive_rounds import AdaptiveScheduler

    return AdaptiveScheduler(config.settle)


def _opened(planned: Plan) -> Plan:
    """The plan with its first round, if that is to be chosen."""
    if planned.chosen != ():
        return planned
    from league.play.adaptive_rounds import opened

    return opened(planned)


def default_workers() -> int:
    """One for each core that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
