"""Milestones: which bots to be ahead of, and which of them a bot has reached.

Places fall because others improve. A milestone stays: it is reached when it is settled that a bot is better than the
one that the milestone names, or not worse by more than a margin; and not reached when the opposite is settled.
Otherwise it is undecided, and more games would tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from league.errors import LeagueError
from league.results.compare import POWER, compare, games_to_settle
from league.results.schema import FILE
from league.results.standings import Standings
from league.results.store import Store
from league.setup.roster import Bot
from league.tools.text import counted
from league.values.block import MilestoneStep
from league.values.settings import Config, Milestone


class Progress(msgspec.Struct, frozen=True):
    """How far a bot is."""

    bot: str
    points: float
    """The points of the milestones that it has reached."""
    steps: tuple[MilestoneStep, ...]

    @property
    def reached(self) -> int:
        """How many milestones."""
        return sum(step.reached for step in self.steps)


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
        return [*lines, f"In {league}, {version} is {'; '.join(step.about for step in self.progress.steps)}."]


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


def undecided(every: Iterable[Progress]) -> tuple[str, int]:
    """The milestones that count, and are neither reached nor out of reach yet; empty if there are none.

    Also returns how many more games of a pair would decide them at least; 0 if no games would.
    """
    open_steps = {
        (progress.bot, step.title): step.games
        for progress in every
        for step in progress.steps
        if step.state == "undecided" and step.points
    }
    games = max(open_steps.values(), default=0)
    most = f"; at least {games:,} more games of a pair would decide all of them" if games else ""
    bots = counted(len({bot for bot, _ in open_steps}), "bot")
    return f"{counted(len(open_steps), 'milestone')} of {bots}{most}" if open_steps else "", games


def _step(standings: Standings, milestone: Milestone, bot: str) -> MilestoneStep:
    """How far a bot is from a milestone."""
    other, margin, game = milestone.bot, milestone.margin, milestone.game
    step = MilestoneStep(milestone.name, other, milestone.points, "undecided", "")
    plays = [standings.plays[name] for name in (bot, other) if name in standings.plays]
    if len(plays) == 2 and not any(_counts(game, key) for key in plays[0] & plays[1]):
        about = f"plays no games{f' of {game}' if game else ''} that {other} plays"
        return replace(step, state="not reached", about=about)
    try:
        comparison = compare(standings, bot, other)
    except LeagueError as problem:  # the bot is not there, or they never met
        return replace(step, about=str(problem))
    # What must be settled is the mean of all contests, or each one of a game.
    compared = [part for part in comparison.contests if _counts(game, part.contest)] if game else [comparison.overall]
    if not compared:
        return replace(step, about=f"no games of {game} with {other} yet")
    parts = [part.rating for part in compared]
    if all(part.side() == "above" for part in parts):
        return replace(step, state="reached", about=f"ahead of {other}, settled")
    if all(part.side(-margin) == "above" for part in parts):
        return replace(step, state="reached", about=f"not behind {other} by more than {margin:g}, settled")
    if any(part.side(-margin) == "below" for part in parts):
        return replace(step, state="not reached", about=f"{other} is clearly better")
    is_behind = any(part.side() == "below" for part in parts)
    seems = f"behind {other}, perhaps by less than {margin:g}" if is_behind else f"about as good as {other}"
    games = max(games_to_settle(part.rating, part.games, bound=-margin).least for part in compared)
    lead = max(part.found for part in parts)
    needed = f"at least {counted(games, 'more game')} would decide it"
    about = f"{seems}; {needed} (and find a lead of {lead:.3g} in {POWER:.0%} of cases)"
    return replace(step, about=about, games=games, lead=lead)


def _counts(game: str, contest: str) -> bool:
    """Whether a contest counts for a milestone of this game or contest, or of all games."""
    return game in ("", contest, contest.rpartition("-")[0])
