"""Plays two bots against each other until it is settled which one is better, and no longer.

A round is 64 deals, each in every seat rotation. In a game for two, the bots meet. At larger tables each of them in
turn sits down with the same opponents on the same deals. Their place scores are compared. After every round a
sequential test is asked; rounds count in their order, whoever finished first, so a duel ends the same on any machine.
All rounds are kept as a league's results are: the same command again goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec
import numpy as np

from league.errors import LeagueError, RosterError
from league.play.executors import Abandoned, Stopping
from league.play.executors.local import LocalExecutor
from league.play.run import LOG
from league.play.worker import Team
from league.rating.places import place_scores
from league.rating.sequential import SequentialTest, Verdict
from league.results.standings import fault_sentence
from league.results.store import Choice, Store
from league.results.tallies import Results, Tallies
from league.setup.roster import Bot, refuse_strangers
from league.tools.logs import logging_to
from league.tools.text import counted, safe
from league.values.block import DEAL_GROUPS, Block, BlockResult, Contest, Entrant, Series
from league.values.settings import Config, Event

ROUND = DEAL_GROUPS
"""Deals in a round: as many as there are groups, so that a tally still tells every deal apart."""

TableKey = tuple[tuple[Entrant, ...], int]
"""Lineup and rotation of a series: all that differs between those of a duel."""
Waiting = dict[int, dict[TableKey, BlockResult]]
"""Rounds that are not counted yet: what is there of each."""


class DuelObserver(Protocol):
    """Is told how a duel goes on."""

    def __call__(self, test: SequentialTest) -> None:
        """After each round."""


class DuelResult(NamedTuple):
    """How a duel ended."""

    folder: Path
    test: SequentialTest
    verdict: Verdict | None
    """None: it was stopped, or the deals ran out."""
    scores: tuple[float, float]
    """The mean place scores of A and of B in what the test has counted."""
    played: int
    """Games played now, rounds that came too late for the verdict among them."""
    counted: int
    """Games that the verdict is about."""
    faults: tuple[str, ...]
    """Who was at fault how often, a sentence each."""


class Duel:
    """A and B at one game; `others` fill the table where more than two play. Call `play` once."""

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
            remedy = "Give --with once for each." if wanted else f"For larger tables give --players {len(others) + 1}."
            found = f"found {len(others)}. {remedy}"
            raise RosterError(f"{contest.key}: expected {counted(wanted, 'other bot')} at the table, {found}")
        self._contest = contest
        self._config = config
        self._bots = bots
        self._folder = folder
        self._heroes = (a.entrant(), b.entrant())
        company = sorted(bot.entrant() for bot in others)
        alone = tuple((hero, *company) for hero in self._heroes)  # in the same place, however they are called
        self._lineups = (tuple(sorted(self._heroes)),) if contest.players == 2 else alone
        self._totals = [0.0, 0.0]
        """Of the place scores of A and of B, over all deals that were counted."""

    def play(
        self, test: SequentialTest, deals: int, workers: int, observer: DuelObserver, stopping: Stopping
    ) -> DuelResult:
        """Play until the test has a verdict, or all deals are played."""
        rounds = -(-deals // ROUND)
        event = Event(self._contest, rounds * ROUND)
        waiting: Waiting = {}
        games = at = 0
        with Store.create(self._folder) as store, logging_to(self._folder / LOG):
            config = msgspec.structs.replace(self._config, events=(event,))
            store.begin(config, self._bots, chosen_rounds=True)
            if not store.plan().chosen:
                all_deals = (0, event.deals)
                store.record_round(Choice(self._contest.key, lineup, all_deals) for lineup in self._lineups)
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
                _file(waiting, played)
                at = self._count(waiting, at, test, observer)
            faults = tuple(_fault_sentences(Results.of(store).contests[self._contest.key]))
        a, b = (total / max(test.deals, 1) for total in self._totals)
        return DuelResult(self._folder, test, test.verdict, (a, b), games, test.deals * self._games_a_deal, faults)

    def _series(self) -> Iterator[Series]:
        for lineup in self._lineups:
            for rotation in range(self._contest.players):
                yield Series(self._contest, lineup, rotation, self._config.seed, self._config.limits)

    def _blocks(self, first: int, rounds: int, waiting: Waiting) -> Iterator[Block]:
        """What is still to be played, round by round."""
        for number in range(first, rounds):
            there = set(waiting.get(number, ()))
            for series in self._series():
                if _place(series) not in there:
                    yield Block(series, number * ROUND, (number + 1) * ROUND)

    def _count(self, waiting: Waiting, at: int, test: SequentialTest, observer: DuelObserver) -> int:
        """Count the rounds that are complete, in their order, up to the verdict; gives the next one."""
        while test.verdict is None and len(waiting.get(at, ())) == self._games_a_deal:
            results = list(waiting.pop(at).values())
            for a, b in zip(*(_by_deal(results, hero) for hero in self._heroes), strict=True):
                test.add((1 + (a - b)) / 2)  # one half if they score the same; what A scores if they meet
                self._totals[0] += a
                self._totals[1] += b
            observer(test)
            at += 1
        return at

    @property
    def _games_a_deal(self) -> int:
        """In every rotation at every table; a round has as many blocks."""
        return len(self._lineups) * self._contest.players


def _file(waiting: Waiting, result: BlockResult) -> None:
    waiting.setdefault(result.block.first // ROUND, {})[_place(result.block.series)] = result


def _place(series: Series) -> TableKey:
    return series.lineup, series.rotation


def _by_deal(results: list[BlockResult], hero: Entrant) -> list[float]:
    """The place score of one entrant in each deal: the mean over all rotations of the tables that it sits at."""
    own = [result for result in results if hero in result.block.series.lineup]
    scores = [0.0] * ROUND
    for result in sorted(own, key=lambda result: result.block.series.rotation):
        index = result.block.series.lineup.index(hero)
        groups, _, ranks, games = zip(*result.tally.rankings, strict=True)
        own_scores = place_scores(np.array(ranks))[:, index].tolist()
        for group, count, score in zip(groups, games, own_scores, strict=True):
            scores[group] += count * score
    return [score / len(own) for score in scores]


def _fault_sentences(tallies: Tallies) -> Iterator[str]:
    for name, kinds, forfeits in zip(tallies.bots, tallies.faults, tallies.forfeits, strict=True):
        if kinds or forfeits:
            yield fault_sentence(name, kinds.most_common(), forfeits)
