"""Prints how a run goes on: what `league run` says on a terminal, and `league.run` in a notebook.

Starting bots takes time for each block, playing takes time for each game, and the blocks of the first rounds are small.
So the games per second of one round say little about the next ones: the two are told apart by blocks of several sizes.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path
from time import monotonic

import click

from league.api.events import Observer, Played, Summary
from league.plan.budget import Budget
from league.plan.coverage import Coverage
from league.plan.rounds import expected_blocks
from league.results.history import change_lines
from league.results.report import leaders, notice_kind
from league.results.standings import Standings
from league.tools.bar import GamesBar
from league.tools.text import columns, counted, duration, folded, rate, safe, shown_path
from league.values.block import BlockResult

NEWS_SECONDS = 10
"""Between two lines of progress where there is no terminal to draw a bar on."""
BAR = "{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]"
"""tqdm's own time left follows the games per second of the last moments."""
BUDGET_BAR = "{percentage:3.0f}%|{bar}| {elapsed} {postfix}"
"""The bar of a run that ends after a time: how much of it has gone by."""
ENOUGH_BLOCKS = 20
"""Blocks of one size that are needed before their time is believed."""
LARGE = 16
"""Games of a block in which the start does not matter much, so that blocks of one size are enough."""


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
        self._bar: GamesBar | None = None
        self._news = monotonic()
        self._games = 0
        self._total: int | None = 0
        """None: results decide how many games there are."""
        self._speed = Speed()
        self._budget: Budget | None = None
        self._noticed: set[str] = set()
        """Kinds of notices about the standings that were printed while it was played."""

    def notice(self, line: str) -> None:
        if not self._quiet:
            self._problem(line)

    def planned(self, coverage: Coverage, budget: Budget) -> None:
        before = coverage.games_played
        self._budget = budget
        self._games, self._total = 0, coverage.games_left
        self._news = monotonic()
        self._speed = Speed(self._total, expected_blocks(coverage))
        if before:
            self.notice(f"{counted(before, 'game')} played before.")
        if self._total is None:
            self.notice("playing round by round: results decide who plays the next one, and when it ends.")
        elif not self._total:
            self.notice("nothing is missing.")
            return
        else:
            lineups = sum(fixture.lineup_count for fixture in coverage.plan.fixtures)
            self.notice(f"{counted(self._total, 'game')} to play; {counted(lineups, 'lineup')} in all.")
        if not self._quiet:
            whole = budget.whole
            total = self._total if whole is None else whole  # the time decides where it ends
            look = None if total is None else BAR if whole is None else BUDGET_BAR
            self._bar = GamesBar(total, shown=self._wants_bar, smoothing=0.1, bar_format=look)

    def replanned(self, coverage: Coverage) -> None:
        left = coverage.games_left
        self._total = None if left is None else self._games + left
        self._speed.expect(left, expected_blocks(coverage))
        if self._bar is not None and (self._budget is None or self._budget.whole is None):
            self._bar.expect(self._total)

    def played(self, result: BlockResult) -> None:
        self._games += result.block.games
        self._speed.played(result.block.games)
        if self._bar is not None and self._bar.drawn:
            self._move_bar(self._bar, result.block.games)
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
            self._problem(f"not played: {block.series.contest.key} with {names}: {reason}.")
        for of_bot in summary.unavailable:
            self._problem(f"{safe(str(of_bot))} Run the same command again to play them.")
        if summary.interrupted:
            left = "" if summary.progress.open else f" {counted(summary.games_left, 'game')} to go:"
            self._problem(f"interrupted {summary.progress};{left} run the same command again to go on.")
            self.notice("writing the standings so far (Ctrl-C again to go without them).")
        elif summary.out_of_budget:
            self.notice(f"stopped as asked, {summary.progress}.")
            if ahead := summary.next_round:
                took = f", {ahead.expected}" if ahead.expected else ""
                self.notice(f"next: {counted(ahead.games, 'game')} to the end of round {ahead.number}{took}.")

    def reported(self, played: Played) -> None:
        summary = played.summary
        folder = shown_path(summary.folder)
        if played.findings:
            self.notice(f"not all bots are deterministic: see `league verify {folder}`.")
        if played.standings is not None:
            if self._wants_table and not summary.interrupted:
                click.echo(leaders(played.standings, summary.folder, columns()))
            for line in change_lines(played.changes) if played.changes else ():
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

    def _move_bar(self, bar: GamesBar, games: int) -> None:
        """Show how much of the games was played, or how much of the budget is used up."""
        if self._budget is None or self._budget.whole is None:
            bar.note(self._pace())
            bar.played(games)
        else:
            whole = self._budget.whole
            bar.note(f"of {duration(whole)}, {counted(self._games, 'game')}, {self._pace()}")
            bar.reach(whole - self._budget.left_in_all)

    def _progress(self) -> str:
        total = "" if self._total is None or self._stops_in() is not None else f" of {self._total:,}"
        return f"{self._games:,}{total} games, {self._pace()}"

    def _stops_in(self) -> float | None:
        """Seconds after which the budget is used up, if that is before all games are played, as far as is known."""
        left, most = self._speed.seconds_left(), None if self._budget is None else self._budget.left
        return most if most is not None and (left is None or left > most) else None

    def _pace(self) -> str:
        """Games per second, and the time left as soon as it is known."""
        speed = rate(self._speed.games_a_second())
        stops, left = self._stops_in(), self._speed.seconds_left()
        if stops is not None:
            return f"{speed}, stops in {duration(stops)}"
        return speed if left is None else f"{speed}, {duration(left)} left"

    def _problem(self, line: str) -> None:
        """A line that is printed even if quiet."""
        self._write(folded(f"league: {line}", columns(err=True)))

    def _write(self, text: str) -> None:
        if self._bar is None:
            click.echo(text, err=True)
        else:
            self._bar.say(text)


class Speed:
    """How fast a league is played, and how long the rest will take. It is told of each block as it is over."""

    def __init__(self, games: int | None = None, blocks: int = 0) -> None:
        self._games, self._blocks = games, blocks
        """To be played; games are None if results decide how many."""
        self._sizes: dict[int, list[float]] = {}
        """By games of a block: blocks, and the seconds that they took."""
        self._played = 0
        self._marks = deque([(0, monotonic())])
        self._last: float | None = None
        """When the last block was over; before the first one, workers are started."""

    def expect(self, games: int | None, blocks: int) -> None:
        """Note how much will be played from now on."""
        self._games = None if games is None else self._played + games
        self._blocks = sum(int(count) for count, _ in self._sizes.values()) + blocks

    def played(self, games: int) -> None:
        """A block is over."""
        now = monotonic()
        size = self._sizes.setdefault(games, [0, 0.0])
        size[0] += 1
        size[1] += 0.0 if self._last is None else now - self._last
        self._last = now
        self._played += games
        if len(self._marks) > 1 and now < self._marks[-1][1] + 1:
            self._marks.pop()
        self._marks.append((self._played, now))
        while len(self._marks) > 2 and self._marks[1][0] * 2 <= self._played:
            self._marks.popleft()

    def games_a_second(self) -> float:
        """Over the second half of what was played: steady, and free of the slow first rounds."""
        (before, since), (after, now) = self._marks[0], self._marks[-1]
        return (after - before) / max(now - since, 1e-9)

    def seconds_left(self) -> float | None:
        """How long the rest will take; None as long as that is unknown."""
        rows = [(count, count * size, seconds) for size, (count, seconds) in self._sizes.items()]
        rows = [row for row in rows if row[0] >= ENOUGH_BLOCKS and row[2] > 0]
        known = len(rows) > 1 or any(games >= LARGE * blocks for blocks, games, _ in rows)
        if self._games is None or not known:
            return None
        block, game = seconds_each(rows)
        blocks_left = max(self._blocks - sum(int(count) for count, _ in self._sizes.values()), 0)
        return block * blocks_left + game * max(self._games - self._played, 0)


def seconds_each(rows: list[tuple[float, float, float]]) -> tuple[float, float]:
    """What a block and a game take, both at least 0, from rows of blocks, games and the seconds that they took.

    Least squares: the longer something took, the less exact it is.
    """

    def weighted(first: int, second: int) -> float:
        return sum(row[first] * row[second] / row[2] for row in rows)

    blocks, games, mixed = weighted(0, 0), weighted(1, 1), weighted(0, 1)
    of_blocks, of_games = weighted(0, 2), weighted(1, 2)
    apart = blocks * games - mixed**2
    if apart > 0:
        block = (of_blocks * games - of_games * mixed) / apart
        game = (of_games * blocks - of_blocks * mixed) / apart
        if block >= 0 and game >= 0:
            return block, game
        if game < 0:
            return of_blocks / blocks, 0.0
    return 0.0, of_games / games
