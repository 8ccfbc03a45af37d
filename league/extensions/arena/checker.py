"""The checker: tries what was handed in, in the sandbox, in turns by bot.

It is a process of its own. It reads hand-ins and writes verdicts. Whatever a bot does, it is confined.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, time

import msgspec

from league.analysis.bot_check import about_all, about_trial, as_data, trials
from league.errors import ArenaError, LeagueError
from league.extensions.arena.folder import arena_config, handed_in_bot, staff_bots
from league.extensions.arena.records import CheckResult, Submission
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
MOST_COLUMNS = 500
"""The longest line of a verdict."""
DEALS = 8
"""Deals of games that do not count, each played in every rotation."""

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
        if queue := self._arena.queue():
            with suppress(ArenaError):  # it was replaced or forgotten meanwhile
                if self._arena.attempt(queue[0]) < MOST_ATTEMPTS:
                    result = self.check(queue[0])
                else:
                    result = _given_up(queue[0])
                self._arena.checked(result)
            return True
        return False

    def check(self, submission: Submission) -> CheckResult:
        """Try one hand-in as `league check` does."""
        started = monotonic()
        try:
            lines, verdict = self._tried(submission)
        except Exception as bug:  # noqa: BLE001 - of any kind: it is logged
            lines, verdict = _failed(_told(bug, "It could not be checked"))
        passed = bool(verdict["passed"])
        return CheckResult(submission.id, time(), monotonic() - started, passed, lines, verdict)

    def _tried(self, submission: Submission) -> tuple[tuple[str, ...], dict[str, object]]:
        with TemporaryDirectory(prefix="league-check-") as name:
            try:
                bot = handed_in_bot(self._arena, submission, Path(name) / "bot", self._config.folder_mb)
                contests = [contest for contest in self._config.contests() if bot.takes_part(contest)]
                if not contests:
                    asked = ", ".join(contest.key for contest in self._config.contests())
                    raise HandInError(f"it plays none of this league's contests ({asked}).")
                done = list(trials(bot, contests, self._isolation, self._config.limits, lambda _: None))
            except (HandInError, LeagueError) as problem:
                return _failed(_line(problem))
            lines = [line for trial in done for line in about_trial(bot, trial)]
            verdict = as_data(bot, done)
            rivals = self._rivals(submission, bot, contests, Path(name)) if verdict["passed"] else ()
            return (*lines, *about_all(bot, done), *rivals), {**verdict, "problem": None}

    def _rivals(self, submission: Submission, bot: Bot, contests: Sequence[Contest], place: Path) -> Iterator[str]:
        """How a version that has passed does against the last one and each milestone, in a few games."""
        rivals: list[Bot] = []
        last = self._arena.playing_version(submission.bot)
        if last and last.id != submission.id:
            former = handed_in_bot(self._arena, last, place / "former", self._config.folder_mb)
            rivals.append(msgspec.structs.replace(former, name=f"{submission.bot}-version-{last.number}"[:64]))
        milestones = {milestone.bot for milestone in self._config.milestones}
        rivals += [rival for rival in staff_bots(self._folder) if rival.name in milestones]
        for rival in rivals:
            for contest in contests:
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


def _line(problem: Exception) -> str:
    """One line that may quote a stranger, and is not as long as they like."""
    return shorten(safe(str(problem)), MOST_COLUMNS)


def _told(bug: Exception, what: str) -> str:
    """What an author is told about a bug in League, which the log has: it must not hold up those behind them."""
    log.exception("%s", what)
    return f"{what} because of a bug in League ({type(bug).__name__}). Tell the lecturer."


def _failed(problem: str) -> tuple[tuple[str, ...], dict[str, object]]:
    """The lines and the verdict of a hand-in that could not be tried."""
    return (problem,), {"passed": False, "problem": problem, "trials": []}


def _given_up(submission: Submission) -> CheckResult:
    """The verdict of a hand-in that has ended the checker again and again."""
    line = f"Its check was cut off {MOST_ATTEMPTS} times. Does it use up the memory of the machine? Tell the lecturer."
    return CheckResult(submission.id, time(), 0.0, False, *_failed(line))
