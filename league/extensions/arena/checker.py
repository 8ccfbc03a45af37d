"""The checker: tries what was handed in, in the sandbox, in turns by bot.

It is a process of its own. It reads hand-ins and writes verdicts. Whatever a bot does, it is confined.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import msgspec

from league.analysis.bot_check import check
from league.errors import LeagueError
from league.extensions.arena.folder import arena_config, handed_in_bot, staff_bots
from league.extensions.arena.records import Submission
from league.extensions.arena.store import ArenaStore
from league.extensions.course.handins import HandInError
from league.play.worker import Team, Worker
from league.results.games import games_of
from league.setup.roster import Bot, random_bot, told_apart
from league.tools.seeds import drawn
from league.tools.text import counted, safe, shorten
from league.values.block import Block, Series
from league.values.settings import Contest, Isolation

MOST_ATTEMPTS = 3
"""A hand-in whose check has ended the checker this often is not tried again: others wait."""
DEALS = 8
"""Deals of games that do not count, each played in every rotation."""
PATIENCE = 30.0
"""Seconds by the clock, from the beginning of a check, after which no more such games begin: others wait behind it."""

log = logging.getLogger(__name__)


class Checker:
    """Tries hand-ins of one arena."""

    def __init__(self, folder: Path, isolation: Isolation | None = None) -> None:
        self._folder = folder
        self._config = arena_config(folder)
        self._isolation = isolation or self._config.isolation
        self._arena = ArenaStore.open(folder, "checker")
        # Nobody can prepare for these deals: they are others whenever the checker is started.
        self._secret = drawn()

    def close(self) -> None:
        self._arena.close()

    def step(self) -> bool:
        """Do what is next; returns whether there was something."""
        queue = self._arena.queue()
        if not queue:
            return False
        submission, started = queue[0], monotonic()
        if self._arena.attempt(submission) < MOST_ATTEMPTS:
            lines, passed, source = self.check(submission)
        else:
            hint = "Does it use up the memory of the machine? Tell the lecturer."
            lines, passed, source = [f"Its check was cut off {MOST_ATTEMPTS} times. {hint}"], False, ""
        seconds = monotonic() - started
        self._arena.checked(submission, "\n".join(lines), passed=passed, source=source, seconds=seconds)
        return True

    def check(self, submission: Submission) -> tuple[list[str], bool, str]:
        """Try one hand-in as `league check` does; returns the verdict, whether it has passed, and its hash as a bot."""
        try:
            return self._tried(submission)
        except (HandInError, LeagueError) as problem:  # a line that may quote a stranger
            return [shorten(safe(str(problem)), 500)], False, ""
        except Exception as bug:  # it must not hold up those behind it
            log.exception("version %d of %s", submission.number, submission.bot)
            line = f"It could not be checked because of a bug in League ({type(bug).__name__}). Tell the lecturer."
            return [line], False, ""

    def _tried(self, submission: Submission) -> tuple[list[str], bool, str]:
        until = monotonic() + PATIENCE
        with TemporaryDirectory(prefix="league-check-") as name:
            bot = handed_in_bot(self._arena, submission, Path(name) / "bot", self._config.folder_mb)
            contests = [contest for contest in self._config.contests() if bot.takes_part(contest)]
            if not contests:
                asked = ", ".join(contest.key for contest in self._config.contests())
                raise HandInError(f"it plays none of this league's contests ({asked}).")
            lines, verdict = check(bot, contests, self._isolation, self._config.limits)
            passed = bool(verdict["passed"])
            rivals = self._rivals(submission, bot, contests, Path(name), until) if passed else ()
            return [*lines, *rivals], passed, bot.hash

    def _rivals(
        self, submission: Submission, bot: Bot, contests: Sequence[Contest], place: Path, until: float
    ) -> Iterator[str]:
        """How a version that has passed does against the last one and each milestone, in a few games."""
        rivals: list[Bot] = []
        last = self._arena.chosen().get(submission.bot)
        if last and last.id != submission.id:
            former = handed_in_bot(self._arena, last, place / "former", self._config.folder_mb)
            rivals.append(msgspec.structs.replace(former, name=f"{submission.bot}-version-{last.number}"[:64]))
        milestones = {milestone.bot for milestone in self._config.milestones}
        rivals += [rival for rival in staff_bots(self._folder) if rival.name in milestones]
        for rival in rivals:
            for contest in contests:
                if monotonic() > until:
                    yield f"{bot.name} is slow, and others wait: it plays no more games here that do not count."
                    return
                if rival.takes_part(contest):
                    yield f"{bot.name} {self._played(bot, [rival], contest)}."

    def _played(self, bot: Bot, opponents: Sequence[Bot], contest: Contest) -> str:
        """How a bot does in some deals in every rotation, in words.

        'against bob: ahead in 9, level in 1, behind in 6 of 16 games (Raj, 2 players)'. Random bots take the
        seats that are left.
        """
        empty = contest.players - 1 - len(opponents)
        table = [bot, *opponents, *(random_bot(f"random-{number}") for number in range(1, empty + 1))]
        bots = told_apart(table)[: contest.players]
        config, lineup = self._config, tuple(player.entrant() for player in bots)
        private = (str(self._folder.absolute()),)
        team = Team(tuple(bots), self._isolation, config.limits, config.game_files(), private, keep_moves=False)
        deals = -(-DEALS // contest.games_per_match) * contest.games_per_match
        ahead = level = behind = 0
        with closing(Worker(team)) as worker:
            for rotation in range(contest.players):
                series = Series(contest, lineup, rotation, self._secret, config.limits)
                result = worker.play(Block(series, 0, deals))
                own, other = games_of(result).ranks[:, :2].T
                ahead += int((own < other).sum())
                level += int((own == other).sum())
                behind += int((own > other).sum())
        results = f"ahead in {ahead}, level in {level}, behind in {behind}"
        games = counted(ahead + level + behind, "game")
        return f"against {bots[1].name}: {results} of {games} ({contest.title})"
