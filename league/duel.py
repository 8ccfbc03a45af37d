"""Plays two bots against each other until it is settled which one is better, and no longer.

A round is 64 deals, each in every seat rotation. In a game for two, the bots meet. At larger tables each of them in
turn sits down with the same opponents on the same deals, and their place scores are compared. After every round a
sequential test is asked; rounds count in their order, whoever finished first, so a duel ends the same on any machine.
All rounds are kept as a league's results are: the same command again goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from league.block import DEAL_GROUPS, Block, BlockResult, Contest, Entrant, Series
from league.config import Config, Event
from league.errors import LeagueError, RosterError
from league.executors import Abandoned, Stopping
from league.executors.local import LocalExecutor
from league.logs import logging_to
from league.rating.sequential import SequentialTest, Verdict
from league.roster import Bot, refuse_strangers
from league.run import LOG
from league.schedule import Fixture, Plan
from league.store import Store
from league.text import counted, safe
from league.worker import Team

ROUND = DEAL_GROUPS
"""Deals in a round: as many as there are groups, so that a tally still tells every deal apart."""


class Observer(Protocol):
    """Is told how a duel goes on."""

    def __call__(self, test: SequentialTest) -> None:
        """After each round."""


class Outcome(NamedTuple):
    """How a duel ended."""

    folder: Path
    test: SequentialTest
    verdict: Verdict | None
    """None: it was stopped, or the deals ran out."""
    games: int
    """Played now."""
    faults: int


class Duel:
    """A and B at one game; `others` fill the table where more than two play."""

    def __init__(self, a: Bot, b: Bot, others: Sequence[Bot], contest: Contest, config: Config, folder: Path) -> None:
        bots = (a, b, *others)
        names = [bot.name for bot in bots]
        for bot in bots:
            if names.count(bot.name) > 1:
                twice = f"found {safe(bot.name)!r} twice. Name another one, or rename a file."
                raise RosterError(f"Expected bots of different names, {twice}")
        refuse_strangers(contest.game, bots)
        wanted = 0 if contest.players == 2 else contest.players - 1
        if len(others) != wanted:
            found = f"found {len(others)}. Give --with once for each."
            raise RosterError(f"{contest.key}: expected {counted(wanted, 'other bot')} at the table, {found}")
        self._contest = contest
        self._config = config
        self._bots = bots
        self._folder = folder
        tables = [(a, b)] if contest.players == 2 else [(a, *others), (b, *others)]
        self._lineups = tuple(tuple(sorted(bot.entrant() for bot in table)) for table in tables)
        self._heroes = (a.entrant(), b.entrant())

    def play(self, test: SequentialTest, deals: int, workers: int, observer: Observer, stopping: Stopping) -> Outcome:
        """Play until the test has a verdict, or all deals are played."""
        rounds = -(-deals // ROUND)
        event = Event(self._contest, rounds * ROUND)
        plan = Plan((Fixture(event, self._lineups),), self._config.seed, self._config.limits)
        waiting: dict[int, dict[str, BlockResult]] = {}
        games = faults = at = 0
        with Store.create(self._folder) as store, logging_to(self._folder / LOG):
            store.begin(msgspec.structs.replace(self._config, events=(event,)), plan, self._bots)
            for result in store.results():
                _file(waiting, result)
            at = self._count(waiting, at, test, observer)
            team = Team(self._bots, self._config.isolation, self._config.limits)
            executor = LocalExecutor(team, workers, self._folder / LOG, store.private_descriptors)
            missing = self._blocks(at, rounds, waiting) if test.verdict is None else iter(())
            for played in executor.play(missing, lambda: stopping() or test.verdict is not None):
                if isinstance(played, Abandoned):
                    raise LeagueError(f"{self._contest.key}: a round could not be played: {played.reason}.")
                store.add(played)
                games += played.block.games
                faults += len(played.faults)
                _file(waiting, played)
                at = self._count(waiting, at, test, observer)
        return Outcome(self._folder, test, test.verdict, games, faults)

    def _series(self) -> Iterator[Series]:
        for lineup in self._lineups:
            for rotation in range(self._contest.players):
                yield Series(self._contest, lineup, rotation, self._config.seed, self._config.limits)

    def _blocks(self, first: int, rounds: int, waiting: dict[int, dict[str, BlockResult]]) -> Iterator[Block]:
        """What is still to be played, round by round."""
        for number in range(first, rounds):
            there = set(waiting.get(number, ()))
            for series in self._series():
                if series.id not in there:
                    yield Block(series, number * ROUND, (number + 1) * ROUND)

    def _count(
        self, waiting: dict[int, dict[str, BlockResult]], at: int, test: SequentialTest, observer: Observer
    ) -> int:
        """Count the rounds that are complete, in their order, up to the verdict; gives the next one."""
        whole = len(self._lineups) * self._contest.players
        while test.verdict is None and len(waiting.get(at, ())) == whole:
            for score in self._scores(list(waiting.pop(at).values())):
                test.add(score)
            observer(test)
            at += 1
        return at

    def _scores(self, results: list[BlockResult]) -> list[float]:
        """What A scored in each deal of a round: the mean over all rotations."""
        a, b = self._heroes
        if self._contest.players == 2:
            return _by_deal(results, a)
        with_a = [result for result in results if a in result.block.series.lineup]
        with_b = [result for result in results if b in result.block.series.lineup]
        return [(1 + one - other) / 2 for one, other in zip(_by_deal(with_a, a), _by_deal(with_b, b), strict=True)]


def _file(waiting: dict[int, dict[str, BlockResult]], result: BlockResult) -> None:
    waiting.setdefault(result.block.first // ROUND, {})[result.block.series.id] = result


def _by_deal(results: list[BlockResult], hero: Entrant) -> list[float]:
    """The place score of one entrant in each deal, over all rotations."""
    scores = [0.0] * ROUND
    for result in sorted(results, key=lambda result: result.block.series.rotation):
        index = result.block.series.lineup.index(hero)
        for group, _, ranks, games in result.tally.rankings:
            scores[group] += games * place_score(ranks, index)
    return [score / len(results) for score in scores]


def place_score(ranks: tuple[int, ...], index: int) -> float:
    """1 for the first place, 0 for the last, evenly between, ties averaged."""
    mine = ranks[index]
    return 1 - (mine + (ranks.count(mine) - 1) / 2) / (len(ranks) - 1)
