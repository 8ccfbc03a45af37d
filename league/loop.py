"""One run of a league, from its config to its reports.

    with LeagueRun(load("quick.yaml"), Path("results")) as run:
        run.check_bots()
        run.play()
        for line in run.report().standings.overall:
            print(line.place, line.bot, line.rating)

The command, `league.run`, duels and the ladder of an arena all use it. A run plays exactly what is missing, so a league
goes on where it stopped, whatever happened before. `play` may be called several times, and `roster` may change in
between.
"""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from math import inf
from pathlib import Path
from time import monotonic
from typing import Self

from league.analysis.audit import audit_after_run
from league.events import Observer, Played, Summary
from league.hosts.clock import free_memory_mb
from league.hosts.unpacked_bots import sweep
from league.page.reports import Renewal, ending_seconds, write_reports
from league.page.samples import PATIENCE as GAMES_SECONDS
from league.plan.coverage import Coverage
from league.plan.limit import Limit
from league.plan.queue import Queue
from league.plan.rounds import ChosenRound, EqualRound, Round, held_up, progress, rounds_of
from league.plan.schedule import ChosenLineup, plan, with_rounds
from league.play.adaptive_rounds import next_round, opening
from league.play.executors import GRACE, Executor, OpenExecutor, Stopping, executor_of
from league.play.worker import Team, Worker
from league.results.history import last_changes, remember
from league.results.schema import FILE
from league.results.standings import Standings
from league.results.store import Store
from league.setup.roster import Broken, Roster, scan
from league.tools.files import write_text
from league.tools.logs import LOG, logging_to
from league.tools.system import cores
from league.tools.text import counted
from league.values.block import Abandoned, BlockResult, Entrant, Unavailable
from league.values.settings import Config, Stop

CONFIG = "config.yaml"
COMMIT_SECONDS = 0.2
"""Between two commits: what has come in meanwhile is committed together."""
Chooser = Callable[[Store], Sequence[ChosenLineup]]
"""Chooses the next round of a league, all of whose rounds before are complete and in the store. An empty one ends it.

The same results must lead to the same choice: then a league plays the same rounds on any machine, however often it was
stopped."""

log = logging.getLogger(__name__)


class LeagueRun:
    """A league that is played: a config, its bots, a folder for its results. Close it when it is over.

    With `read_only` nothing is written: only `check_bots` and `preview` can be called.
    """

    def __init__(
        self,
        config: Config,
        results: Path,
        *,
        roster: Roster | None = None,
        chooser: Chooser | None = None,
        workers: int | None = None,
        executor: str | OpenExecutor = "local",
        observer: Observer | None = None,
        read_only: bool = False,
    ) -> None:
        self.config = config
        self.folder = results / config.name
        self.roster = scan(config.bots, config.base, config.folder_mb) if roster is None else roster
        """The bots; others may take their place before `play` is called again."""
        self.workers = workers or cores()
        self._chooser = chooser or (None if config.settle is None else next_round)
        """None: all lineups play all deals."""
        self._open_workers = executor_of(executor) if isinstance(executor, str) else executor
        self.observer = observer or Observer()
        self._read_only = read_only
        self._opened: Store | None = None
        self._created: float | None = monotonic()
        """When the time of the first `play` began: what comes before it belongs to its limit."""
        self._summary: Summary | None = None
        self._waiting: list[BlockResult | Unavailable] = []
        self._abandoned: list[Abandoned] = []
        self._games = self._faults = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the results, and of all that was started."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None
        sweep()  # what workers and audits that had to be killed have left behind
        self.observer.close()

    # What is to be played.

    def check_bots(self, *, strict: bool = False) -> tuple[Broken, ...]:
        """Go on without the files that are no bots and the bots that could not be loaded; with `strict`, stop at them.

        A new bot shows in its first games whether it can be loaded; with `strict` all are tried here.
        """
        store = self.former_results()
        tried = [bot for bot in self.roster.bots if strict or (store is not None and bot.name in store.left_out())]
        if tried:
            # Nothing of a bot runs in this process, which is the parent of all others.
            with closing(Worker(Team(tuple(tried), self.config.isolation.outside, self.config.limits))) as worker:
                self.roster = self.roster.without({bot.entrant(): why for bot, why in worker.unloadable(tried)})
        if strict:
            self.roster.refuse_broken()
        for line in self.roster.notices(self.config.contests()):
            self.observer.notice(line)
        return self.roster.broken

    def preview(self) -> Coverage:
        """What `play` would find missing now, as far as its rounds are known; nothing is written."""
        self._refuse_missing_milestones()
        store = self.former_results()
        if store is None:
            planned = plan(self.config, self._field())
        else:
            planned = store.plan_of(self.config, self._field().taking_part(self.config.contests()))
        if planned.chosen == ():
            planned = with_rounds(planned, [opening(planned)], more=True)
        return Coverage(planned) if store is None else store.coverage(planned)

    def team(self) -> Team:
        """Bots, isolation and limits, for what plays blocks of this league."""
        config, private = self.config, (str(self.folder.absolute()),)
        keep_moves = config.moves == "all"
        return Team(self._field().bots, config.isolation, config.limits, config.game_files(), private, keep_moves)

    # The loop.

    def play(
        self,
        stop: Stop | None = None,
        *,
        stopping: Stopping = lambda: False,
        watch_seconds: float | None = None,
        slow_seconds: float = inf,
    ) -> Summary:
        """Play what is missing, or as much of it as `stop` allows, which replaces what the config says.

            rounds ── round ──> queue ── sitting ──> workers ── results ──> queue, store, costs, observer

        A round adds some deals for every lineup, and the next one begins when it is complete. The queue hands out what
        is missing of it, in sittings of some seconds that the workers play. What comes back is committed, and only then
        it is told. Nobody waits for slow bots: the queue has a lane for them, which is finished after the last round.

        `stopping` is asked several times a second whether to stop: it may be the `is_set` of a `threading.Event`. What
        is under way is then finished, and everything that was played is kept. With `watch_seconds`, the observer gets
        the standings about that often. `slow_seconds` is how long each slow bot may go on when the others have played
        all of their games: what is left then stays open, and is played by the next call.
        """
        store, log_file, notice = self.store, self.folder / LOG, self.observer.notice
        with logging_to(log_file):
            self._begin_play(stop or self.config.stop, stopping, watch_seconds, slow_seconds)
            workers = self._open_workers(self.team(), self.workers, log_file, store.private_descriptors, notice)
            missing = self._coverage.plan.unsettled or any(self._coverage.to_play())
            run = store.run_started(self.workers) if missing else None
            try:
                self._play_rounds(workers)
                while self.queue.unloadable and not self.queue.is_waiting:  # so late that no round waited for them
                    self._plan_without(self.queue.unloadable)
                    self._play_rounds(workers)
                end = monotonic() + GRACE
                while self.queue.is_waiting and monotonic() < end:  # it was stopped: what is under way may be finished
                    self._take_in(workers)
            finally:
                workers.close(in_peace=not self.queue.is_waiting)
                self._renewal.close()
            self._commit()
            if run is not None:
                store.run_ended(run, self._games)
            self._summary = self._end_play()
        self.observer.ended(self._summary)
        return self._summary

    def _play_rounds(self, workers: Executor) -> None:
        """Play one round after the other, and what slow bots have left."""
        last: Round | None = None
        for last in self._rounds():
            self._play_round(last, workers)
        if isinstance(last, EqualRound):
            self._play_round(last, workers, with_slow=True)

    def _rounds(self) -> Iterator[Round]:
        """The rounds that are known, then those that are chosen; the last one that fits is shortened."""
        coverage, limit = self._coverage, self._limit
        known = deque(rounds_of(coverage.plan))
        while not self._is_over() and not limit.is_used_up:
            if not known and (chosen := self._choose_round()):
                known.append(chosen)
            if not known:
                return
            if not any(missing := known[0].missing(coverage)):
                known.popleft()
                continue
            part = limit.part_of(known[0], coverage, self.costs)
            if part is None:
                return
            if part is not known[0]:
                self._notice_shortened(part, known[0])
            yield part
            if self.queue.unloadable:
                self._plan_without(self.queue.unloadable)
                known = deque(rounds_of(coverage.plan))
            elif part is known[0] or known[0].missing(coverage) == missing:
                known.popleft()  # what is missing of it still cannot be played now
                limit.rounds_left -= 1

    def _play_round(self, round_: Round, workers: Executor, *, with_slow: bool = False) -> None:
        """Hand out sittings and take in what comes back, until the round is over or the run is."""
        queue, work, began = self.queue, 0.0, monotonic()
        queue.begin(round_, waits_for_slow=with_slow or isinstance(round_, ChosenRound))
        while not self._is_over():
            while workers.wants_more and (sitting := queue.next()) is not None:
                workers.submit(sitting)
            if queue.is_over:
                break
            work += self._take_in(workers)
        while queue.unloadable and queue.is_waiting and not self._is_over():
            work += self._take_in(workers)  # before it is planned again without them
        self.costs.took(work, self.workers * (monotonic() - began))

    def _take_in(self, workers: Executor) -> float:
        """Take in what has come back within a tenth of a second; returns how many seconds of work it was."""
        work = 0.0
        for sitting, results in workers.wait():
            self._abandoned += [result for result in results if isinstance(result, Abandoned)]
            counting = self.queue.over(sitting, results)
            self._waiting += counting
            work += sum(result.work for result in counting if isinstance(result, BlockResult))
        if monotonic() >= self._committed + COMMIT_SECONDS:
            self._commit()
        return work

    def _commit(self) -> None:
        """Make safe what has come in, then tell it."""
        results, self._waiting = self._waiting, []
        if results:
            self.store.add(*results)
            for result in results:
                if isinstance(result, BlockResult):
                    self._games += result.block.games
                    self._faults += len(result.faults)
                    self.observer.played(result)
            if (standings := self._renewal.news()) is not None:
                self.observer.watched(standings, self.folder)
        self._committed = monotonic()

    def _is_over(self) -> bool:
        """Whether the user wants to stop, or time is over."""
        return self._stopping() or self._limit.left == 0.0

    def _choose_round(self) -> Round | None:
        """The next round of a league whose rounds follow from its results; None if it has come to its end."""
        store, coverage = self.store, self._coverage
        if self._chooser is None or not coverage.plan.unsettled:
            return None
        self._commit()
        if coverage.plan.chosen and any(coverage.to_play()):
            return None  # something could not be played, and the next round follows from complete rounds alone
        store.record_round(self._chooser(store))
        if coverage.games_played != store.games_stored() or not coverage.follow(store.plan()):
            coverage.become(store.coverage())
        return rounds_of(coverage.plan)[-1] if coverage.plan.unsettled else None

    def _plan_without(self, unloadable: Mapping[Entrant, str]) -> None:
        """Go on with another plan, without bots that could not be loaded; nothing is under way."""
        self._commit()
        known, self.roster = self.roster.broken, self.roster.without(unloadable)
        for broken in self.roster.broken[len(known) :]:
            self.observer.notice(f"left out: {broken}")
        self._coverage.become(self._begin_plan())
        self.queue.plan_again()
        self.observer.replanned()

    # The beginning and the end of a run.

    def _begin_play(self, stop: Stop, stopping: Stopping, watch_seconds: float | None, slow_seconds: float) -> None:
        """Write down what the league is now, and have everything ready that one call of `play` needs."""
        store = self.store
        self._coverage, self.costs = self._begin_plan(), store.costs(self.workers)
        used = 0.0 if self._created is None else monotonic() - self._created
        self._created = None
        self._reserve = ending_seconds(store, len(self.roster.bots))
        self._limit = Limit(stop, reserve=self._reserve, used=used)
        memory_mb = 0.5 * free_memory_mb() / self.workers  # the hosts of all workers get half of it
        tried, most = store.tries(), self.config.tries or inf
        self.queue = Queue(
            self._coverage, self.costs, self._limit, memory_mb, slow_seconds, tried=tried, most_tries=most
        )
        self._stopping, self._renewal = stopping, Renewal(self.folder, watch_seconds)
        self._started = self._committed = monotonic()
        self._waiting, self._abandoned, self._games, self._faults = [], [], 0, 0
        write_text(self.folder / CONFIG, self.config.text)
        self.observer.planned(self._coverage, self._limit, self.costs)
        log.info("%s: %d games to play", self.config.name, sum(self._coverage.to_play()))

    def _begin_plan(self) -> Coverage:
        """Write down what the league is now; returns what was played. A league that cannot be is not stored."""
        self._refuse_missing_milestones()
        store = self.store
        left_out = {broken.name: str(broken) for broken in self.roster.broken}
        playing, chosen_rounds = self._field().taking_part(self.config.contests()), self._chooser is not None
        store.begin(self.config, playing, left_out, chosen_rounds=chosen_rounds)
        return store.coverage()

    def _end_play(self) -> Summary:
        """How playing has ended."""
        reached = progress(self._coverage)
        seconds = monotonic() - self._started
        log.info("%s: %d games played in %.1f s", self.config.name, self._games, seconds)
        return Summary(
            folder=self.folder,
            games=self._games,
            seconds=seconds,
            faults=self._faults,
            abandoned=self._abandoned,
            interrupted=self._stopping() and not reached.finished,
            progress=reached,
            held_up={} if reached.finished else held_up(self._coverage, self.costs),
            unavailable=self.store.unavailable(),
        )

    def report(self) -> Played:
        """Audit a sample of what `play` has played, and write standings and page, in what is left of the time."""
        summary, store = self._summary, self.store
        if summary is None:
            raise RuntimeError("call play first")
        try:
            undisturbed = not summary.abandoned and not summary.interrupted
            isolation, seconds = self.config.isolation, self._spare_seconds() if summary.games and undisturbed else 0.0
            findings = audit_after_run(store, summary.seconds, isolation, seconds)
            standings = Standings.of(store)
            changes = last_changes(store) if undisturbed and remember(store, standings) else ()
            store.checkpoint()  # so that closing the store changes nothing, and the page is newer than the results
            files = write_reports(store, standings, isolation=isolation, seconds=self._spare_seconds())
            played = Played(summary, standings, files, findings, changes)
        except KeyboardInterrupt:
            if not summary.interrupted:
                raise
            played = Played(summary, None, (), ())
        self.observer.reported(played)
        return played

    def _spare_seconds(self) -> float:
        """For what comes next, audit or games to watch: half of what is left beside standings and page."""
        return max(self._limit.left_in_all - self._reserve + GAMES_SECONDS, 0.0) / 2

    # Who plays, and where it is kept.

    @property
    def store(self) -> Store:
        """The results, opened once."""
        if self._opened is None:
            self._opened = Store.open(self.folder) if self._read_only else Store.create(self.folder)
        return self._opened

    def former_results(self) -> Store | None:
        """The results, if there are any yet."""
        return self.store if os.path.exists(self.folder / FILE) else None

    def _field(self) -> Roster:
        """All who play: the bots, and copies of some for seats that would stay empty."""
        return self.roster.filled(self.config.events)

    def _notice_shortened(self, part: Round, whole: Round) -> None:
        """Say that a round does not fit into the limit, and why."""
        games, missing = sum(part.missing(self._coverage)), whole.missing(self._coverage)
        expected = self.costs.expected(self._coverage.plan, missing, slow=False)
        takes = f" All of it would take {expected}." if expected else ""
        slowest = self.costs.slowest(self._coverage.plan, missing)
        shortened = f"round {whole.number} is shortened to {games:,} of {counted(sum(missing), 'game')}."
        self.observer.notice(f"{shortened}{takes} {slowest}".rstrip())

    def _refuse_missing_milestones(self) -> None:
        """Raise `RosterError` if a milestone is no bot of the league; one that was left out has been reported."""
        left_out = {broken.name for broken in self.roster.broken}
        for milestone in self.config.milestones:
            if milestone.bot not in left_out:
                self.roster.named(milestone.bot)
