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
from league.results.compare import POWER, Compared, Comparison, compare, games_to_settle
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
    """Of the milestones that it has reached."""
    steps: tuple[MilestoneStep, ...]

    @property
    def reached(self) -> int:
        """How many milestones."""
        return sum(step.reached for step in self.steps)

    @property
    def undecided(self) -> int:
        """Of how many milestones the games do not tell whether it has reached them."""
        return sum(step.state == "undecided" for step in self.steps)

    @property
    def verdict(self) -> str:
        """What it is to each of them: 'ahead of raj_nearest, settled; level with raj_habits, …'."""
        return "; ".join(step.about for step in self.steps)


class Undecided(msgspec.Struct, frozen=True):
    """Milestones that count, and are neither reached nor out of reach yet."""

    milestones: int
    bots: int
    games: int
    """At least so many more games of a pair would decide them; 0 if no games would."""

    @classmethod
    def of(cls, every: Iterable[Progress]) -> Undecided:
        """Those of some bots."""
        steps = {
            (progress.bot, step.title): step.games
            for progress in every
            for step in progress.steps
            if step.state == "undecided" and step.points
        }
        return cls(len(steps), len({bot for bot, _ in steps}), max(steps.values(), default=0))

    def __str__(self) -> str:
        games = f"; at least {self.games:,} more games of a pair would decide all of them" if self.games else ""
        return f"{counted(self.milestones, 'milestone')} of {counted(self.bots, 'bot')}{games}"


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
    """How far a bot is from a milestone."""
    step = MilestoneStep(milestone.name, milestone.bot, milestone.points, "undecided", "")
    other, margin = milestone.bot, milestone.margin
    if not _can_meet(standings, milestone, bot):
        of_game = f" of {milestone.game}" if milestone.game else ""
        return replace(step, state="not reached", about=f"plays no games{of_game} that {other} plays")
    try:
        comparison = compare(standings, bot, other)
    except LeagueError as problem:  # the bot is not there, or they never met
        return replace(step, about=str(problem))
    compared = _parts(comparison, milestone.game)
    if not compared:
        return replace(step, about=f"no games of {milestone.game} with {other} yet")
    parts = [part.rating for part in compared]
    if all(part.known and part.low > 0 for part in parts):
        return replace(step, state="reached", about=f"ahead of {other}, settled")
    if all(part.known and part.low > -margin for part in parts):
        return replace(step, state="reached", about=f"not behind {other} by more than {margin:g}, settled")
    if any(part.known and part.high < -margin for part in parts):
        return replace(step, state="not reached", about=f"behind {other}, settled")
    is_behind = any(part.known and part.high < 0 for part in parts)
    seems = f"behind {other}, perhaps by less than {margin:g}" if is_behind else f"level with {other}"
    games = max(games_to_settle(part.rating, part.games, bound=-margin).least for part in compared)
    lead = max(part.found for part in parts)
    about = f"{seems}, {games:,} or more games would tell (a lead of {lead:.3g} is found with {POWER:.0%})"
    return replace(step, about=about, games=games, lead=lead)


def _can_meet(standings: Standings, milestone: Milestone, bot: str) -> bool:
    """Whether there is a contest that counts for a milestone and that both play; also if a bot is not in the league."""
    plays = [standings.plays[name] for name in (bot, milestone.bot) if name in standings.plays]
    return len(plays) < 2 or any(_counts(milestone.game, key) for key in plays[0] & plays[1])


def _counts(game: str, contest: str) -> bool:
    """Whether a contest counts for a milestone of this game or contest, or of all games."""
    return game in ("", contest, contest.rpartition("-")[0])


def _parts(comparison: Comparison, game: str) -> Sequence[Compared]:
    """What must be settled: the mean of all contests, or each one of a game."""
    if not game:
        return [comparison.overall]
    return [part for part in comparison.contests if _counts(game, part.contest)]
