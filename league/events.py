"""What happens in a run, and who is notified of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from league.analysis.audit import Finding
from league.plan.costs import Costs
from league.plan.coverage import Coverage, LeagueProgress
from league.plan.limit import Limit
from league.results.standings import Standings
from league.results.store import OpenMatches
from league.values.block import Abandoned, BlockResult


class Summary(NamedTuple):
    """How playing ended."""

    folder: Path
    games: int
    seconds: float
    faults: int
    abandoned: Sequence[Abandoned]
    interrupted: bool
    """By the user."""
    progress: LeagueProgress
    held_up: Mapping[str, int]
    """Games that were put off, by the bot that takes much longer than the others, or whose processes die."""
    unavailable: Sequence[OpenMatches] = ()
    """Matches that are open because a bot could not be asked."""

    @property
    def games_left(self) -> int:
        """Games that are missing of the rounds that are known."""
        return self.progress.total - self.progress.played

    @property
    def out_of_budget(self) -> bool:
        """Whether it ended, as it was asked to, before the league was finished."""
        open_games = sum(of_bot.games for of_bot in self.unavailable)
        return not (self.games_left == open_games > 0 or self.progress.finished or self.interrupted or self.abandoned)


class Played(NamedTuple):
    """How a run ended, and the standings."""

    summary: Summary
    standings: Standings | None
    """None: it was interrupted twice, first while playing and then while writing them."""
    files: Sequence[Path]
    """Those that were written, the most important first."""
    findings: Sequence[Finding]
    """Bots that were found not to be deterministic."""
    changes: tuple[str, ...] = ()
    """Compared with the run before, a line each."""


class Observer:
    """Is notified of how a run goes on. Derive from it, and override what you want to know."""

    def notice(self, line: str) -> None:
        """Something happened that the user should know of."""

    def planned(self, coverage: Coverage, limit: Limit, costs: Costs) -> None:
        """Playing begins: what is missing follows from `coverage`, which is kept up to date, as the others are."""

    def replanned(self) -> None:
        """Bots were left out on the way, so something else is missing now."""

    def played(self, result: BlockResult) -> None:
        """A block was played, and is safe."""

    def watched(self, standings: Standings, folder: Path) -> None:
        """The standings so far, now and then, if that was asked for."""

    def ended(self, summary: Summary) -> None:
        """The last block was played; audit and standings follow."""

    def reported(self, played: Played) -> None:
        """The standings were written."""

    def close(self) -> None:
        """The run is over, also if an error ended it."""
