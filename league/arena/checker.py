"""The checker: tries what was handed in, in the sandbox, in turns by bot, and answers practice games in between.

It is a process of its own. It reads hand-ins and writes verdicts. Whatever a bot does, it is confined.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, time

from league.analysis.bot_check import trials
from league.analysis.rematch import play_game
from league.analysis.verdict import about_all, about_trial, as_data
from league.arena.folder import arena_config, handed_in_bot, staff_bots
from league.arena.records import CheckResult, Practice, Submission
from league.arena.store import ArenaStore
from league.course.handins import HandInError
from league.errors import ArenaError, LeagueError
from league.play.worker import Team, Worker
from league.setup.roster import Bot, random_bot, told_apart
from league.tools.seeds import drawn
from league.tools.text import safe
from league.values.block import Series
from league.values.settings import Config, Contest, Isolation

PRACTICE_DEALS = 4
"""Deals of a request for practice, each in every rotation."""
IDLE_SECONDS = 0.3

log = logging.getLogger(__name__)


class Checker:
    """Tries hand-ins of one arena."""

    def __init__(self, folder: Path, isolation: Isolation | None = None) -> None:
        self._folder = folder
        self._config = arena_config(folder)
        self._isolation = isolation or self._config.isolation
        self._arena = ArenaStore.open(folder, "checker")
        self._secret = drawn()
        """Of practice games: nobody can prepare for their deals."""

    def close(self) -> None:
        """Let go of the arena."""
        self._arena.close()

    def step(self) -> bool:
        """Do what is next; returns whether there was something. Practice first: it is short, and somebody waits."""
        if waiting := self._arena.practices(waiting=True, most=1):
            self._arena.answer_practice(waiting[0].id, self._practise(waiting[0]))
            return True
        if queue := self._arena.queue():
            with suppress(ArenaError):  # it was replaced or forgotten meanwhile
                self._arena.checked(self.check(queue[0]))
            return True
        return False

    def check(self, submission: Submission) -> CheckResult:
        """Try one hand-in as `league check` does."""
        started = monotonic()
        lines, verdict = self._tried(submission)
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
                return (safe(str(problem)),), {"passed": False, "problem": safe(str(problem)), "trials": []}
            lines = [line for trial in done for line in about_trial(bot, trial)]
            return (*lines, *about_all(bot, done)), {**as_data(bot, done), "problem": None}

    def _practise(self, practice: Practice) -> dict[str, object]:
        """Play a few games between versions that have passed and bots of the staff."""
        try:
            contest = contest_called(self._config, practice.contest)
            with TemporaryDirectory(prefix="league-practice-") as name:
                bots = [
                    self._bot(bot, Path(name) / str(at)) for at, bot in enumerate((practice.bot, *practice.opponents))
                ]
                return {"games": self._games(practice, contest, told_apart(bots))}
        except (HandInError, LeagueError) as problem:
            return {"problem": safe(str(problem))}

    def _games(self, practice: Practice, contest: Contest, bots: list[Bot]) -> list[dict[str, object]]:
        while len(bots) < contest.players:
            bots.append(random_bot(f"random-{len(bots)}"))
        config, lineup = self._config, tuple(bot.entrant() for bot in bots[: contest.players])
        team = Team(tuple(bots), self._isolation, config.limits, config.game_files(), (str(self._folder.absolute()),))
        games = []
        with closing(Worker(team)) as worker:
            for deal in range(PRACTICE_DEALS):
                for rotation in range(contest.players):
                    series = Series(contest, lineup, rotation, self._secret, config.limits, own_deals=True)
                    played = play_game(worker, series, deal)
                    names, outcome = played.replay.names, played.outcome
                    games.append(
                        {
                            "deal": deal + 1,
                            "places": {name: rank + 1 for name, rank in zip(names, outcome.ranks, strict=True)},
                            "points": dict(zip(names, outcome.scores, strict=True)),
                            "faults": [f"{fault.bot}: {fault.kind}: {safe(fault.cause)}" for fault in played.faults],
                        }
                    )
        return games

    def _bot(self, name: str, place: Path) -> Bot:
        for bot in staff_bots(self._folder):
            if bot.name == name:
                return bot
        active = self._arena.playing_version(name)
        submission = active and self._arena.submission(active.submission)
        if not submission:
            raise ArenaError(f"{name} has no version that has passed its check yet.")
        return handed_in_bot(self._arena, submission, place, self._config.folder_mb)


def contest_called(config: Config, key: str) -> Contest:
    """A contest of the league by its key; raises `ArenaError` if there is none."""
    for contest in config.contests():
        if contest.key == key:
            return contest
    raise ArenaError(f"Expected a contest as one of {', '.join(c.key for c in config.contests())}, found {key!r}.")


def serve_checks(folder: Path, stopping: Callable[[float], bool], isolation: Isolation | None = None) -> None:
    """Check what comes in until `stopping`, which waits some seconds and says whether to end."""
    checker = Checker(folder, isolation)
    try:
        while not stopping(0.0):
            if not checker.step() and stopping(IDLE_SECONDS):
                break
    finally:
        checker.close()
