"""One run of a league, from its config to its reports.

    with LeagueRun(load("quick.yaml"), Path("results")) as run:
        run.check_bots()
        run.play()
        for line in run.report().standings.overall:
            print(line.place, line.bot, line.rating)

The command, `league.run` and the ladder of an arena all use it. A run plays exactly what is missing, so a
league goes on where it stopped, whatever happened before. `play` may be called several times, each time for some
rounds, and `roster` may change in between.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from math import inf
from pathlib import Path
from time import monotonic
from typing import Self

import msgspec

from league.analysis.audit import Finding, audit
from league.analysis.forecast import TRIAL_SECONDS, Forecast, PointsSeen, forecast, trial_games
from league.api.events import NextRound, Observer, Played, Summary
from league.hosts.clock import free_memory_mb
from league.page.reports import Renewal, ending_seconds, write_reports
from league.plan.budget import CAUTION, Budget
from league.plan.coverage import Coverage
from league.plan.estimate import SlowBot, Work, slow_bots
from league.plan.pace import Pace
from league.plan.rounds import Round, progress, rounds_of
from league.plan.schedule import plan
from league.plan.sittings import Feed
from league.play.adaptive_rounds import AdaptiveScheduler, opened
from league.play.executors import Abandoned, Stopping, play_all
from league.play.executors.specs import ExecutorSpec, executor_spec
from league.play.load_check import AT_FIRST, LoadCheck
from league.play.worker import Team
from league.results.database import Run
from league.results.history import last_changes, remember
from league.results.schema import FILE
from league.results.standings import Standings
from league.results.store import ChosenLineup, Store
from league.results.tallies import Results, RunningResults
from league.setup.roster import Bot, Broken, Roster, scan
from league.tools.files import write_text
from league.tools.logs import LOG, logging_to
from league.tools.seeds import drawn
from league.tools.system import PLAIN, cores
from league.tools.text import duration, listed
from league.values.block import BlockResult, Entrant, Sitting, Unavailable
from league.values.settings import Config, Stop

CONFIG = "config.yaml"
COMMIT_SECONDS = 0.2
"""Between two commits: what has come in meanwhile is committed together."""
PAGE_SECONDS = 60
"""Between two rewritings of the reports while a league is played."""
AUDIT_SHARE = 0.1
AUDIT_SECONDS = 3.0
LONGEST_AUDIT = 10.0
"""After a run, this share of its time goes into a sample of the audit, but no more than this many seconds. What is
examined then is finished, unless a bot is so slow that it takes longest."""
TRIAL_PART = 0.05
"""Of the time that a run has for playing: trial games before it, which say whether the first round will fit."""
LOOK_AHEAD_SECONDS = 1.0
LOOK_AHEAD_REST = 50
"""Between two checks whether the next round fits into the time; in large leagues, this many times what one takes."""
AGAIN = 1.5
"""Standings and page are written a second time if there is this many times what they took at first."""
MEMORY_SHARE = 0.5
"""The part of the free memory that the hosts of all workers may need together."""
Scheduler = Callable[[Store], Sequence[ChosenLineup]]
"""Chooses the next round of a league, all of whose rounds before are complete and in the store. An empty one ends it.

The same results must lead to the same choice: then a league plays the same rounds on any machine, however often it was
stopped."""

log = logging.getLogger(__name__)


class LeagueRun:
    """A league that is played: a config, its bots, a folder for its results. Close it when it is over.

    With `read_only` nothing is written: only `check_bots`, `preview` and `forecast` can be called.
    """

    def __init__(
        self,
        config: Config,
        results: Path,
        *,
        roster: Roster | None = None,
        scheduler: Scheduler | None = None,
        workers: int | None = None,
        executor: str | ExecutorSpec = "local",
        observer: Observer | None = None,
        read_only: bool = False,
    ) -> None:
        self.config = config
        self.folder = results / config.name
        self.roster = scan(config.bots, config.base, config.folder_mb) if roster is None else roster
        """The bots; others may take their place before `play` is called again."""
        self.workers = workers or cores()
        self._results = RunningResults()
        adaptive = None if config.settle is None else AdaptiveScheduler(config.settle, self._results)
        self._scheduler = scheduler or adaptive
        """None: all lineups play all deals."""
        self._executor = executor_spec(executor)
        self._observer = observer or Observer()
        self._read_only = read_only
        self._opened: Store | None = None
        self._load_check = LoadCheck((), config.isolation, config.limits)
        """The bots that are still to be tried before they play."""
        self._created: float | None = monotonic()
        """When the time of the first `play` began: what comes before it belongs to its budget."""
        self._summary: Summary | None = None
        self._renewal: Renewal | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the results, and of all that was started."""
        self._load_check.close()
        self._end_renewal()
        if self._opened is not None:
            self._opened.close()
            self._opened = None
        self._observer.close()

    def check_bots(self, *, strict: bool = False) -> tuple[Broken, ...]:
        """Go on without the files that are no bots and the bots that cannot be loaded; with `strict`, stop at them.

        Of many bots only some are tried now, and the others before their first blocks; with `strict`, all are.
        """
        urgent, others = self._untried()
        self._load_check = LoadCheck([*urgent, *others], self.config.isolation, self.config.limits)
        with closing(self._load_check):
            tried_now = len(urgent) + len(others) if strict else max(len(urgent), AT_FIRST)
            self._leave_out(self._load_check.first(tried_now))
        if strict:
            self.roster.refuse_broken()
        self._notice_roster()
        return self.roster.broken

    def preview(self) -> Coverage:
        """What `play` would find missing now, as far as its rounds are known; nothing is written."""
        self._refuse_missing_milestones()
        store = self._former_results()
        if store is None:
            planned = plan(self.config, self._field(), drawn())
        else:
            planned = store.plan_of(self.config, self._playing_bots())
        if planned.chosen == ():
            planned = opened(planned)
        return Coverage(planned) if store is None else store.coverage(planned)

    def forecast(self) -> Forecast:
        """How long the rest of the league takes; bots that have not played yet are tried for a few seconds."""
        coverage = self.preview()
        store = self._former_results()
        pace = Pace() if store is None else store.pace()
        wall = None if store is None else seconds_by_the_clock(store.runs(), pace, self.workers)
        points = PointsSeen()
        if store is not None and any(fixture.event.count == "points" for fixture in coverage.plan.fixtures):
            for key, tallies in Results.of(store).contests.items():
                for histogram in tallies.histograms:
                    points.add(key, histogram)
        if any(coverage.to_play()) or coverage.plan.open:
            self._observer.notice("playing a few games of bots that are new, to know how long they take …")
            seconds = TRIAL_SECONDS * len(coverage.plan.fixtures)
            for result in trial_games(coverage, pace, self.team(), self.workers, seconds):
                points.learn(result)
        return forecast(coverage, pace, self.config.rating, self.workers, wall, points)

    def play(
        self,
        stop: Stop | None = None,
        *,
        stopping: Stopping = lambda: False,
        watch_seconds: float | None = None,
        apart_seconds: float = inf,
    ) -> Summary:
        """Play what is missing, or as much of it as `stop` allows, which replaces what the config says.

        `stopping` is asked several times a second whether to stop: it may be the `is_set` of a `threading.Event`. What
        is under way is then finished, and everything that was played is kept. With `watch_seconds`, the observer gets
        the standings about that often. `apart_seconds` is how long each bot that is much slower than the others may go
        on when these have played all of their games: what is left then stays open, and is played by the next call.
        """
        store = self._store
        self._stopping = stopping
        self._watch_seconds = watch_seconds
        with logging_to(self.folder / LOG), closing(self._load_check):
            self._coverage = self._begin()
            self._pace = store.pace()
            self._budget = self._begin_budget(self.config.stop if stop is None else stop)
            memory_mb = MEMORY_SHARE * free_memory_mb() / self.workers
            self._feed = Feed(self._coverage, self._pace, self.workers, memory_mb, apart_seconds)
            write_text(self.folder / CONFIG, self.config.text)
            self._observer.planned(self._coverage, self._budget)
            self._has_warned = False
            self._looked_ahead = 0.0
            self._warn_before_playing()
            log.info("%s: %d games to play", self.config.name, sum(self._coverage.to_play()))
            summary = self._play_missing()
            log.info("%s: %d games played in %.1f s", self.config.name, summary.games, summary.seconds)
        self._summary = summary
        self._observer.ended(summary)
        return summary

    def _begin_budget(self, stop: Stop) -> Budget:
        """What this call of `play` may use up; what came before the first one belongs to it."""
        used = 0.0 if self._created is None else monotonic() - self._created
        self._created = None
        reserve = ending_seconds(self._store, len(self.roster.bots))
        wall = seconds_by_the_clock(self._store.runs(), self._pace, self.workers)
        return Budget(stop, self.workers, reserve=reserve, used=used, wall=wall)

    def report(self) -> Played:
        """Write standings and page, and audit a sample of what `play` has played.

        Under a budget the standings come first, so that it is known how long they take. Audit and games to watch get
        what is left then, and if that is enough the files are written again with what they have added.
        """
        summary = self._summary
        if summary is None:
            raise RuntimeError("call play first")
        written = None
        needed = 0.0
        try:
            if self._budget.left_in_all < inf:
                started = monotonic()
                written = self._write_reports(summary, seconds=0.0)
                needed = AGAIN * (monotonic() - started)
            findings = self._audited(summary, self._budget.left_in_all - needed)
            spare = self._budget.left_in_all - needed
            if written is None or spare > 0:
                standings = written.standings if written and not findings else None
                played = self._write_reports(summary, standings, spare)
                written = played if written is None else played._replace(changes=written.changes)
            written = written._replace(findings=findings)
        except KeyboardInterrupt:
            if not summary.interrupted:
                raise
            written = Played(summary, None, (), ())
        self._observer.reported(written)
        return written

    def _write_reports(self, summary: Summary, standings: Standings | None = None, seconds: float = inf) -> Played:
        """Write all files, with games to watch for which there are some seconds."""
        store = self._store
        standings = standings or self._standings()
        changes = last_changes(store) if _undisturbed(summary) and remember(store, standings) else None
        store.checkpoint()  # so that closing the store changes nothing, and the page is newer than the results
        files = write_reports(store, standings, isolation=self.config.isolation, seconds=seconds)
        return Played(summary, standings, files, (), changes)

    def _standings(self) -> Standings:
        """The standings of this moment; what was read when rounds were chosen is not read again."""
        results = self._results.now(self._store)
        results.note(self._store)
        return Standings(results)

    def _audited(self, summary: Summary, seconds: float) -> Sequence[Finding]:
        """Audit a few games in a part of these seconds, others after each run, and remember what was found."""
        if not summary.games or not _undisturbed(summary) or seconds <= 0:
            return ()
        store = self._store
        wanted, most = min(AUDIT_SECONDS, AUDIT_SHARE * summary.seconds), min(LONGEST_AUDIT, seconds / 2)
        findings = audit(store, wanted, len(store.runs()), self.config.isolation, most_seconds=most).findings
        if findings:
            entrants = {bot.name: bot.entrant() for bot in store.bots()}
            store.remember_erratic(
                {entrants[finding.bot]: f"{finding.reason} (seen in {finding.place})" for finding in findings}
            )
        return findings

    def team(self) -> Team:
        """Bots, isolation and limits, for what plays blocks of this league."""
        config, private = self.config, (str(self.folder.absolute()),)
        keep_moves = config.moves == "all"
        return Team(self._field().bots, config.isolation, config.limits, config.game_files(), private, keep_moves)

    @property
    def _store(self) -> Store:
        """The results, opened once."""
        if self._opened is None:
            self._opened = Store.open(self.folder) if self._read_only else Store.create(self.folder)
        return self._opened

    def _former_results(self) -> Store | None:
        """The results, if there are any yet."""
        return self._store if os.path.exists(self.folder / FILE) else None

    def _untried(self) -> tuple[list[Bot], list[Bot]]:
        """The bots that take part and have not played before: those that cannot wait for their turn, and the others.

        The former are those that were left out before, and those without whom a contest may have too few bots.
        """
        known = set[Entrant]()
        urgent = {self.config.gauntlet}
        if store := self._former_results():
            known = {cost.entrant for cost in store.costs()}
            urgent.update(store.left_out())
        for contest in self.config.contests():
            playing = self.roster.playing(contest)
            urgent.update(bot.name for bot in playing if len(playing) <= AT_FIRST)
        new = [bot for bot in self.roster.bots if self._takes_part(bot) and bot.entrant() not in known]
        return [bot for bot in new if bot.name in urgent], [bot for bot in new if bot.name not in urgent]

    def _takes_part(self, bot: Bot) -> bool:
        return any(bot.takes_part(contest) for contest in self.config.contests())

    def _field(self) -> Roster:
        """All who play: the bots, and copies of some for seats that would stay empty."""
        return self.roster.filled(self.config.events)

    def _playing_bots(self) -> list[Bot]:
        """All who play at least one of the league's contests."""
        return [bot for bot in self._field().bots if self._takes_part(bot)]

    def _leave_out(self, unloadable: Sequence[Broken]) -> None:
        """Go on without bots that cannot be loaded."""
        paths = {broken.path for broken in unloadable}
        bots = tuple(bot for bot in self.roster.bots if bot.path not in paths)
        self.roster = msgspec.structs.replace(self.roster, bots=bots, broken=(*self.roster.broken, *unloadable))

    def _notice_roster(self) -> None:
        """Say what a user may not expect of the bots."""
        notice, roster = self._observer.notice, self.roster
        for broken in roster.broken:
            notice(f"left out: {broken}")
        if bystanders := [bot.name for bot in roster.bots if not self._takes_part(bot)]:
            notice(f"not in this league, since they play none of its games at its tables: {listed(bystanders)}.")
        for same in roster.copies():
            notice(f"the same content under {len(same)} names: {listed([bot.name for bot in same])}.")

    def _refuse_missing_milestones(self) -> None:
        """Raise `RosterError` if a milestone is no bot of the league; one that was left out has been reported."""
        left_out = {broken.name for broken in self.roster.broken}
        for milestone in self.config.milestones:
            if milestone.bot not in left_out:
                self.roster.named(milestone.bot)

    def _begin(self) -> Coverage:
        """Write down what the league is now; returns what was played. A league that cannot be is not stored."""
        self._refuse_missing_milestones()
        store = self._store
        planned = plan(self.config, self._field(), store.secret() or drawn())
        left_out = {broken.name: str(broken) for broken in self.roster.broken}
        chosen_rounds = self._scheduler is not None
        store.begin(self.config, self._playing_bots(), left_out, planned=planned, chosen_rounds=chosen_rounds)
        return store.coverage()

    def _play_missing(self) -> Summary:
        """Play all rounds, or as many as the budget allows."""
        store, coverage = self._store, self._coverage
        self._started = self._committed = monotonic()
        self._waiting: list[BlockResult | Unavailable] = []
        """Results that are not committed yet."""
        self._games = self._faults = 0
        abandoned = []
        missing = coverage.plan.open or any(coverage.to_play())
        run = store.run_started(self.workers) if missing else None
        executor = self._executor.open(
            self.team(), self.workers, self.folder / LOG, store.private_descriptors, self._observer.notice
        )
        try:
            with closing(play_all(executor, self._sittings(), self._look)) as results:
                for result in results:
                    if isinstance(result, Abandoned):
                        abandoned.append(result)
                        self._feed.over(result.block, played=False)
                        continue
                    if isinstance(result, Unavailable):
                        self._feed.unavailable(result.block)
                    else:
                        self._feed.over(result.block, played=True)
                        self._pace.learn(result)
                        self._budget.played(result)
                    self._waiting.append(result)
                    self._look()
            self._commit()
        finally:
            self._end_renewal()
        if run is not None:
            store.run_ended(run, self._games)
        reached = progress(coverage)
        return Summary(
            folder=self.folder,
            games=self._games,
            seconds=monotonic() - self._started,
            faults=self._faults,
            abandoned=abandoned,
            interrupted=self._stopping() and not reached.finished,
            progress=reached,
            next_round=None if reached.finished else self._next_round(self._pace),
            held_up={} if reached.finished else self._feed.held_up(),
            unavailable=store.unavailable(),
        )

    def _sittings(self) -> Iterator[Sitting | None]:
        """What is missing, of a plan that is made again whenever a bot whose turn has come cannot be loaded."""
        unloadable: Sequence[Broken] = ()
        while True:
            for sitting in self._feed.sittings(self._budget.rounds(self._rounds(), self._coverage, self._pace)):
                if sitting is not None:
                    if unloadable := self._load_check.before(sitting):
                        self._feed.take_back(sitting)
                        break
                    if self._budget.left == 0.0:  # trying bots may take some seconds
                        self._feed.take_back(sitting)
                        return
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
            self._commit()
            self._leave_out(unloadable)
            for broken in unloadable:
                self._observer.notice(f"left out: {broken}")
            self._coverage.become(self._begin())
            self._observer.replanned(self._coverage)

    def _rounds(self) -> Iterator[Round]:
        """Those that are known, then those that are chosen."""
        store, coverage = self._store, self._coverage
        yield from rounds_of(coverage.plan)
        choosing = 0.0
        while self._scheduler is not None and coverage.plan.open:
            self._commit()
            if coverage.plan.chosen and any(coverage.to_play()):
                return  # something could not be played, and the next round follows from complete rounds alone
            if self._budget.left is not None and self._budget.left < choosing:
                return
            started = monotonic()
            store.record_round(self._scheduler(store))
            choosing = monotonic() - started
            if coverage.games_played != store.games_stored() or not coverage.follow(store.plan()):
                coverage.become(store.coverage())
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
                if isinstance(result, BlockResult):
                    self._games += result.block.games
                    self._faults += len(result.faults)
                    self._observer.played(result)
            self._renew()
            if not self._feed.knows_too_few:
                self._warn_of_long_round(self._pace)
        self._committed = monotonic()

    def _renew(self) -> None:
        """Have the reports renewed by another process if playing takes long, or if somebody watches."""
        wanted = self._watch_seconds is not None or monotonic() > self._started + PAGE_SECONDS / 2
        if self._renewal is None and wanted and not PLAIN:  # there, files are written at the end only
            self._renewal = Renewal(self.folder, PAGE_SECONDS, self._watch_seconds)
        if self._renewal is not None and (standings := self._renewal.news()) is not None:
            self._observer.watched(standings, self.folder)

    def _end_renewal(self) -> None:
        if self._renewal is not None:
            self._renewal.close()
            self._renewal = None

    def _warn_before_playing(self) -> None:
        """Say if the first round does not fit into the time; bots that have not played yet are tried for that."""
        left, coverage = self._budget.left, self._coverage
        pace = self._pace
        if left is not None and self._feed.knows_too_few and any(coverage.to_play()):
            # What a trial shows is for the estimate alone: it may be cut short, and nothing of it is a result.
            pace = self._store.pace()
            seconds = min(TRIAL_SECONDS * len(coverage.plan.fixtures), TRIAL_PART * left)
            for _ in trial_games(coverage, pace, self.team(), self.workers, seconds):
                pass
        self._warn_of_long_round(pace)

    def _warn_of_long_round(self, pace: Pace) -> None:
        """Say once if the round that comes next does not fit into the time."""
        left, coverage = self._budget.left, self._coverage
        if self._has_warned or left is None or monotonic() < self._looked_ahead:
            return
        started = monotonic()
        ahead = self._next_round(pace)
        self._looked_ahead = monotonic() + max(LOOK_AHEAD_SECONDS, LOOK_AHEAD_REST * (monotonic() - started))
        if ahead is None or ahead.expected is None or ahead.expected.likely <= left:
            return
        self._has_warned = True
        takes = f"round {ahead.number} takes {ahead.expected}, and {duration(left)} are left for playing."
        slowest = Work(coverage.plan, ahead.missing, pace).slowest()
        names = f" {slow_bots(slowest)}" if slowest else ""
        self._observer.notice(f"{takes}{names} {self._what_would_fit(ahead, left / ahead.expected.likely, slowest)}")

    def _what_would_fit(self, ahead: NextRound, share: float, slowest: Sequence[SlowBot]) -> str:
        """What to change so that a round takes this part of its time."""
        if ahead.number > 1 or ahead.expected is None:
            return "It will be shortened; fewer `deals` in the config end the league earlier."
        fits = []
        for fixture, games in zip(self._coverage.plan.fixtures, ahead.missing, strict=True):
            met = fixture.lineup_count * fixture.contest.players * (fixture.contest.players - 1)
            opponents = int(share * met / max(len(fixture.entrants), 1))
            if games and opponents:
                fits.append(f"`opponents: {opponents}` at {fixture.contest.key}")
        if slowest and 1 - sum(slow.share for slow in slowest) <= share:
            fits.append("the league without them" if len(slowest) > 1 else "the league without it")
        remedy = f"This fits: {', or '.join(fits)}." if fits else "Not even one opponent for each bot fits."
        if CAUTION * share >= 1 / 2:
            remedy = f"It will be shortened to one match of each lineup. {remedy}"
        return f"{remedy} Or give it {duration(ahead.expected.high)}."

    def _next_round(self, pace: Pace) -> NextRound | None:
        plan = self._coverage.plan
        for part in rounds_of(plan) if plan.chosen is None else rounds_of(plan)[-1:]:  # all before are complete
            missing = part.missing(self._coverage)
            if any(missing):
                expected = self._budget.expected(missing, self._coverage, pace, together=False)
                return NextRound(part.number, tuple(missing), expected)
        return None


def seconds_by_the_clock(runs: Sequence[Run], pace: Pace, workers: int) -> float | None:
    """How long one second of play took in the runs before, if this many workers did it; None if that is unknown."""
    took = sum((run.ended - run.started) * run.workers for run in runs if run.ended is not None)
    return took / workers / pace.spent if took > 0 and pace.spent > 0 else None


def _undisturbed(summary: Summary) -> bool:
    """Whether playing ended as it was meant to."""
    return not summary.abandoned and not summary.interrupted


def read_standings(folder: Path, only: Sequence[str] = (), without: Sequence[str] = ()) -> Standings:
    """The standings of the league whose results are in a folder, as it is now: of all bots, or among some."""
    with Store.open(folder) as store:
        return Standings.of(store, only, without)
