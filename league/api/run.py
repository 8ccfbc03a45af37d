"""A league from Python: play what is missing of it, look for bots that are not deterministic, write its standings.

    league = LeagueRun.of(Path("quick.yaml"), Path("results"))
    played = run(league)
    for line in played.standings.overall:
        print(line.place, line.bot, line.rating)

The command line is a thin layer over this.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from time import monotonic
from typing import NamedTuple, Protocol

from league.analysis.audit import Finding, audit
from league.page.reports import Renewal, ending_seconds, write_reports
from league.play.executors import Stopping
from league.play.executors.specs import ExecutorSpec
from league.play.run import LeagueRun, Preview, Summary, default_workers
from league.results.history import Changes, last_changes, remember
from league.results.standings import Standings
from league.results.store import Store
from league.values.block import BlockResult
from league.values.settings import Isolation, Stop

PAGE_SECONDS = 60
"""Between two rewritings of the reports while a league is played."""
AUDIT_SHARE = 0.1
AUDIT_SECONDS = 3.0
"""After a run, this share of its time goes into a sample of the audit, but never more than this many seconds."""
REPORTS_GROW = 1.5
"""A run with a budget leaves this many times what audit, standings and page took the last time."""
NEVER = nullcontext(lambda: False)


class Spectator(Protocol):
    """Is notified of how a run goes on."""

    def planned(self, preview: Preview) -> None:
        """Before the first block."""

    def replanned(self, preview: Preview) -> None:
        """When bots were left out on the way."""

    def played(self, result: BlockResult) -> None:
        """After each block, when it is safe."""

    def watched(self, standings: Standings) -> None:
        """Now and then, if that was asked for: the standings so far."""

    def notice(self, line: str) -> None:
        """When something happens that the user should know of."""

    def ended(self, summary: Summary) -> None:
        """After the last block, before the standings are written."""


class Played(NamedTuple):
    """How a run ended, and the standings."""

    summary: Summary
    standings: Standings | None
    """None: it was interrupted twice, first while playing and then while writing them."""
    files: Sequence[Path]
    """Those that were written, the most important first."""
    findings: Sequence[Finding]
    """Bots that were found not to be deterministic."""
    changes: Changes | None = None
    """Compared with the run before; None if there is none, or nothing changed."""


def run(
    league: LeagueRun,
    *,
    workers: int | None = None,
    executor: str | ExecutorSpec = "local",
    spectator: Spectator | None = None,
    stopping: AbstractContextManager[Stopping] = NEVER,
    watch_seconds: float | None = None,
    stop: Stop | None = None,
) -> Played:
    """Play what is missing of a league, audit a sample of it, and write its standings.

    `stopping` is entered while games are played, and what it returns is asked whether to stop. With `watch_seconds`,
    the spectator gets the standings about that often. `stop` replaces what the config says about when to stop.
    """
    spectator = spectator or _Silent()
    with Store.create(league.folder) as store:
        reserve = REPORTS_GROW * ending_seconds(store, len(league.roster.bots))
        with stopping as asked, closing(_Observer(league, spectator, watch_seconds)) as observer:
            summary = league.play_into(store, workers or default_workers(), executor, observer, asked, stop, reserve)
        spectator.ended(summary)
        findings: Sequence[Finding] = ()
        if summary.games and not summary.abandoned and not summary.interrupted:
            findings = audit_sample(store, summary.seconds, league.config.isolation)
        try:
            standings = Standings.of(store)
            changes = None
            if not summary.abandoned and not summary.interrupted and remember(store, standings):
                changes = last_changes(store)
            store.checkpoint()  # so that closing the store changes nothing, and the page is newer than the results
            files = write_reports(store, standings, isolation=league.config.isolation)
            return Played(summary, standings, files, findings, changes)
        except KeyboardInterrupt:
            if not summary.interrupted:
                raise
            return Played(summary, None, (), findings)


def read_standings(folder: Path) -> Standings:
    """The standings of the league whose results are in a folder, as it is now."""
    with Store.open(folder) as store:
        return Standings.of(store)


def audit_sample(store: Store, seconds: float, isolation: Isolation = Isolation.SANDBOX) -> Sequence[Finding]:
    """Audit a few games of a run that took this long, others after each run, and remember what was found."""
    findings = audit(store, min(AUDIT_SECONDS, AUDIT_SHARE * seconds), len(store.runs()), isolation).findings
    if findings:
        entrants = {bot.name: bot.entrant() for bot in store.bots()}
        store.remember_erratic({entrants[one.bot]: f"{one.reason} (seen in {one.address})" for one in findings})
    return findings


class _Silent:
    """Ignores everything."""

    def planned(self, preview: Preview) -> None:
        pass

    def replanned(self, preview: Preview) -> None:
        pass

    def played(self, result: BlockResult) -> None:
        pass

    def watched(self, standings: Standings) -> None:
        pass

    def notice(self, line: str) -> None:
        pass

    def ended(self, summary: Summary) -> None:
        pass


class _Observer:
    """Passes on how a run goes on, and the standings that the renewal of the reports sends."""

    def __init__(self, league: LeagueRun, spectator: Spectator, watch_seconds: float | None) -> None:
        self._league = league
        self._spectator = spectator
        self._watch_seconds = watch_seconds
        self._renewal: Renewal | None = None
        self._started = monotonic()

    def planned(self, preview: Preview) -> None:
        self._spectator.planned(preview)
        self._started = monotonic()

    def replanned(self, preview: Preview) -> None:
        self._spectator.replanned(preview)

    def played(self, result: BlockResult, store: Store) -> None:
        self._spectator.played(result)
        if self._renewal is not None:
            if (standings := self._renewal.news()) is not None:
                self._spectator.watched(standings)
        elif self._watch_seconds is not None or monotonic() > self._started + PAGE_SECONDS / 2:
            self._renewal = Renewal(self._league.folder, PAGE_SECONDS, self._watch_seconds)

    def notice(self, line: str) -> None:
        self._spectator.notice(line)

    def close(self) -> None:
        if self._renewal is not None:
            self._renewal.close()
