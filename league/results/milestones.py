"""Milestones: which bots to be ahead of, and which of them a bot has reached.

Places fall because others improve. A milestone stays: it is reached when it is settled that a bot is better than the
one that the milestone names, or not worse by more than a margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from league.errors import LeagueError
from league.results.compare import Comparison, Difference, compare
from league.results.schema import FILE
from league.results.standings import Standings
from league.results.store import Store
from league.setup.roster import Bot
from league.values.block import MilestoneStep
from league.values.settings import Config, Milestone


class Progress(msgspec.Struct, frozen=True):
    """How far a bot is."""

    bot: str
    points: float
    """Of the milestones that it has reached."""
    steps: tuple[MilestoneStep, ...]

    @property
    def reached(self) -> int:
        """How many milestones."""
        return sum(step.reached for step in self.steps)

    @property
    def verdict(self) -> str:
        """What it is to each of them: 'ahead of raj_nearest, settled; level with raj_habits, …'."""
        return "; ".join(step.about for step in self.steps)


class Goals(msgspec.Struct, frozen=True):
    """What a league's milestones mean to one bot, before and after it has played there."""

    milestones: tuple[Milestone, ...]
    progress: Progress | None = None
    """None if the league has no results of the bot."""
    is_earlier: bool = False
    """Whether these are results of an earlier version."""

    def sentences(self, bot: str, league: str) -> list[str]:
        """For people."""
        names = [f"{milestone.bot} ({milestone.name}, {milestone.points:g})" for milestone in self.milestones]
        lines = [f"Milestones of {league}: {', '.join(names)}."]
        if self.progress is None:
            return [*lines, f"{bot} has no results in {league} yet."]
        version = f"an earlier version of {bot}" if self.is_earlier else bot
        return [*lines, f"In {league}, {version} is {self.progress.verdict}."]


def goals_of(league: Config, bot: Bot, results: Path) -> Goals:
    """The milestones of a league, and how far a bot is if there are results of it in this folder."""
    folder = results / league.name
    if not (folder / FILE).is_file():
        return Goals(league.milestones)
    with Store.open(folder) as store:
        played = {entrant.name: entrant.hash for entrant in store.bots()}
        if bot.name not in played:
            return Goals(league.milestones)
        progress = progress_of(Standings.of(store), league.milestones, bot.name)
    return Goals(league.milestones, progress, is_earlier=played[bot.name] != bot.hash)


def progress_of(standings: Standings, milestones: Sequence[Milestone], bot: str) -> Progress:
    """How far a bot is from each milestone."""
    steps = tuple(_step(standings, milestone, bot) for milestone in milestones if milestone.bot != bot)
    return Progress(bot, sum(step.points for step in steps if step.reached), steps)


def all_progress(standings: Standings, milestones: Sequence[Milestone]) -> list[Progress]:
    """The progress of all bots that are no milestones themselves, in the order of the standings."""
    named = {milestone.bot for milestone in milestones}
    return [progress_of(standings, milestones, line.bot) for line in standings.overall if line.bot not in named]


def _step(standings: Standings, milestone: Milestone, bot: str) -> MilestoneStep:
    reached, about = _verdict(standings, milestone, bot)
    return MilestoneStep(milestone.name, milestone.bot, milestone.points, reached, about)


def _verdict(standings: Standings, milestone: Milestone, bot: str) -> tuple[bool, str]:
    """Whether a bot has reached a milestone, and how far it is from it."""
    other, margin = milestone.bot, milestone.margin
    try:
        comparison = compare(standings, bot, other)
    except LeagueError as problem:  # the bot is not there, or they never met
        return False, str(problem)
    differences = _differences(comparison, milestone.game)
    if not differences:
        return False, f"no games of {milestone.game} with {other} yet"
    if all(part.known and part.low > 0 for part in differences):
        return True, f"ahead of {other}, settled"
    if all(part.known and part.low > -margin for part in differences):
        return True, f"not behind {other} by more than {margin:g}, settled"
    if any(part.known and part.high < -margin for part in differences):
        return False, f"behind {other}, settled"
    if any(part.known and part.high < 0 for part in differences):
        return False, f"behind {other}, perhaps by less than {margin:g}"
    more = comparison.more_games
    games = f"{more.least:,} or more games would tell" if more.least else "more games would tell"
    return False, f"level with {other}, {games}"


def _differences(comparison: Comparison, game: str) -> list[Difference]:
    """What must be settled: the mean of all contests, or each contest of one game."""
    if not game:
        return [comparison.overall]
    contests = [part for part in comparison.contests if game in (part.contest, part.contest.rpartition("-")[0])]
    return [part.rating for part in contests]
