"""Milestones: which bots to be ahead of, and which of them a bot has reached.

Places fall because others improve. A milestone stays: it is reached when it is settled that a bot is better than the
one that the milestone names, or not worse by more than a margin.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from league.errors import LeagueError
from league.results.compare import Comparison, Difference, compare
from league.results.standings import Standings
from league.values.settings import Milestone


class MilestoneStep(msgspec.Struct, frozen=True):
    """How far a bot is from one milestone."""

    title: str
    bot: str
    """The bot to be ahead of."""
    points: float
    reached: bool
    about: str
    """'ahead of raj_nearest, settled'."""


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


def progress_of(standings: Standings, milestones: Sequence[Milestone], bot: str) -> Progress:
    """How far a bot is from each milestone."""
    steps = tuple(_step(standings, milestone, bot) for milestone in milestones if milestone.bot != bot)
    return Progress(bot, sum(step.points for step in steps if step.reached), steps)


def all_progress(standings: Standings, milestones: Sequence[Milestone]) -> list[Progress]:
    """The progress of all bots that are no milestones themselves, in the order of the standings."""
    named = {milestone.bot for milestone in milestones}
    return [progress_of(standings, milestones, line.bot) for line in standings.overall if line.bot not in named]


def _step(standings: Standings, milestone: Milestone, bot: str) -> MilestoneStep:
    try:
        comparison = compare(standings, bot, milestone.bot)
    except LeagueError as problem:  # the bot is not there, or they never met
        return MilestoneStep(milestone.name, milestone.bot, milestone.points, False, str(problem))
    differences = _differences(comparison, milestone.game)
    if not differences:
        about = f"no games of {milestone.game} with {milestone.bot} yet"
        return MilestoneStep(milestone.name, milestone.bot, milestone.points, False, about)
    reached = all(part.known and part.low > -milestone.margin for part in differences)
    return MilestoneStep(
        milestone.name, milestone.bot, milestone.points, reached, _about(milestone, comparison, differences)
    )


def _differences(comparison: Comparison, game: str) -> list[Difference]:
    """What must be settled: the mean of all contests, or each contest of one game."""
    if not game:
        return [comparison.overall]
    contests = [part for part in comparison.contests if game in (part.contest, part.contest.rpartition("-")[0])]
    return [part.rating for part in contests]


def _about(milestone: Milestone, comparison: Comparison, differences: Sequence[Difference]) -> str:
    other = milestone.bot
    if all(part.known and part.low > 0 for part in differences):
        return f"ahead of {other}, settled"
    if all(part.known and part.low > -milestone.margin for part in differences):
        return f"not behind {other} by more than {milestone.margin:g}, settled"
    if any(part.known and part.high < 0 for part in differences):
        near = any(part.known and part.high < -milestone.margin for part in differences)
        return f"behind {other}, settled" if near else f"behind {other}, perhaps by less than {milestone.margin:g}"
    more = comparison.more_games
    games = f"{more.least:,} or more games would tell" if more.least else "more games would tell"
    return f"level with {other}, {games}"
