"""Prints how a run goes on: what `league run` says on a terminal, and `league.run` in a notebook."""

from __future__ import annotations

import sys
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from league.events import Observer, Played, Summary
from league.plan.costs import Costs
from league.plan.coverage import Coverage
from league.plan.limit import Limit
from league.results.report import leaders, notice_kind
from league.results.standings import Standings
from league.tools.bar import games_bar
from league.tools.text import columns, counted, duration, folded, rate, safe, shown_path
from league.values.block import BlockResult

if TYPE_CHECKING:
    from tqdm import tqdm

NEWS_SECONDS = 10
"""Between two lines of progress where there is no terminal to draw a bar on."""
BAR = "{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]"
"""tqdm's own time left follows the games per second of the last moments."""


class Printer(Observer):
    """Prints on stderr: one bar on a terminal, a line now and then elsewhere, nothing but problems if quiet.

    `bar` draws it elsewhere too. With `table`, the leaders are printed on stdout at the end.
    """

    def __init__(
        self, *, quiet: bool = False, verbose: bool = False, bar: bool | None = None, table: bool = False
    ) -> None:
        self._quiet = quiet
        self._verbose = verbose
        self._wants_bar = bar
        self._wants_table = table
        self._bar: tqdm[Any] | None = None
        self._news = monotonic()
        self._began = self._looked = 0.0
        """When playing began, and when the time left was last looked at."""
        self._games = 0
        self._total: int | None = 0
        """Games of this run; None if results decide how many."""
        self._coverage: Coverage
        self._limit: Limit
        self._costs: Costs
        self._noticed: set[str] = set()
        """Kinds of notices about the standings that were printed while it was played."""

    def notice(self, line: str) -> None:
        if not self._quiet:
            self._problem(line)

    def planned(self, coverage: Coverage, limit: Limit, costs: Costs) -> None:
        self._coverage, self._limit, self._costs = coverage, limit, costs
        self._games, self._began, self._news = 0, monotonic(), monotonic()
        self._total = left = coverage.games_left
        if coverage.games_played:
            self.notice(f"{counted(coverage.games_played, 'game')} played before.")
        if left is None:
            self.notice("playing round by round: results decide who plays the next one, and when it ends.")
        elif not left:
            self.notice("nothing is missing.")
            return
        else:
            lineups = sum(fixture.lineup_count for fixture in coverage.plan.fixtures)
            self.notice(f"{counted(left, 'game')} to play; {counted(lineups, 'lineup')} in all.")
        if not self._quiet:
            look = None if left is None else BAR
            self._bar = games_bar(left, shown=self._wants_bar, smoothing=0.1, bar_format=look)

    def replanned(self) -> None:
        left = self._coverage.games_left
        self._total = None if left is None else self._games + left
        if self._bar is not None:
            self._bar.total = self._total
            self._bar.refresh()

    def played(self, result: BlockResult) -> None:
        self._games += result.block.games
        if self._bar is not None and not self._bar.disable:
            if monotonic() >= self._looked + 0.5:
                self._looked = monotonic()
                self._bar.set_postfix_str(self._pace(), refresh=False)
            self._bar.update(result.block.games)
        elif monotonic() - self._news > NEWS_SECONDS:
            self._news = monotonic()
            self.notice(self._progress())
        if self._verbose:
            for fault in result.faults:
                self.notice(safe(f"{fault.bot}: {fault.kind} in {fault.address}: {fault.cause}"))

    def watched(self, standings: Standings, folder: Path) -> None:
        shown = leaders(standings, folder, columns(err=True), known=self._noticed)
        self._noticed.update(map(notice_kind, standings.notices))
        self._write(f"\nleague: the leaders after {self._progress()}:\n{shown}")

    def ended(self, summary: Summary) -> None:
        self.close()
        for block, reason in summary.abandoned:
            names = ", ".join(entrant.name for entrant in block.series.lineup)
            self._problem(f"not played: {block.series.contest.title} with {names}: {reason}.")
        for of_bot in summary.unavailable:
            self._problem(f"{safe(str(of_bot))} Run the same command again to play them.")
        if summary.interrupted:
            left = "" if summary.progress.unsettled else f" {counted(summary.games_left, 'game')} to go:"
            self._problem(f"interrupted {summary.progress};{left} run the same command again to go on.")
            self.notice("writing the standings so far (Ctrl-C again to go without them).")
        elif summary.out_of_budget:
            self.notice(f"stopped as asked, {summary.progress}.")

    def reported(self, played: Played) -> None:
        summary = played.summary
        folder = shown_path(summary.folder)
        if played.findings:
            self.notice(f"not all bots are deterministic: see `league verify {folder}`.")
        if played.standings is not None:
            if self._wants_table and not summary.interrupted:
                click.echo(leaders(played.standings, summary.folder, columns()))
            for line in played.changes:
                self.notice(line)
            page, csv, *_ = [shown_path(path) for path in played.files]
            self.notice(f"the standings are in {page} and {csv}; `league serve {folder}` shows them.")
        if summary.interrupted:
            return
        if summary.games:
            speed = rate(summary.games / max(summary.seconds, 1e-9))
            self.notice(f"{counted(summary.games, 'game')} in {duration(summary.seconds)} ({speed}).")
        if summary.faults:
            self.notice(f"{counted(summary.faults, 'fault')}: see `league faults {folder}`.")

    def stopping(self) -> None:
        """Acknowledge the first Ctrl-C."""
        self.notice("stopping: finishing what is under way (Ctrl-C again to stop at once).")

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _progress(self) -> str:
        total = "" if self._total is None or self._limit.left < self._seconds_left() else f" of {self._total:,}"
        return f"{self._games:,}{total} games, {self._pace()}"

    def _pace(self) -> str:
        """Games per second, and the time left, if it is known."""
        speed, left = rate(self._games / max(monotonic() - self._began, 1e-9)), self._seconds_left()
        if self._limit.left < left:
            return f"{speed}, stops in {duration(self._limit.left)}"
        return f"{speed}, {duration(left)} left" if left < inf else speed

    def _seconds_left(self) -> float:
        """How long the rest takes; infinitely long if that is unknown."""
        coverage = self._coverage
        expected = None if coverage.plan.unsettled else self._costs.expected(coverage.plan, coverage.to_play())
        return inf if expected is None else expected.likely

    def _problem(self, line: str) -> None:
        """A line that is printed even if quiet."""
        self._write(folded(f"league: {line}", columns(err=True)))

    def _write(self, text: str) -> None:
        if self._bar is None or self._bar.disable:
            click.echo(text, err=True)
        else:
            self._bar.write(text, file=sys.stderr)
