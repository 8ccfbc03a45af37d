"""The standings of a league: those of each contest, and of all of them together.

    standings = Standings.of(store)
    for line in standings.overall:
        print(line.place, line.bot, line.rating)
    print(standings.contests["raj-2p"].notices)

`docs/ratings.md` says what the numbers mean and how they are made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from msgspec.structs import replace

from league.rating import TAIL
from league.rating.errors import combined
from league.rating.places import Ranking
from league.rating.table import Floats
from league.results.contest_standings import (
    ContestStandings,
    fault_notices,
    few_names,
    most_frequent_first,
    pools_apart,
)
from league.results.find import contests_of
from league.results.lines import NO_PLACE, PARTIAL, UNPLAYED, Line, best_first
from league.results.store import Store
from league.results.tallies import Results, choose_bots
from league.values.settings import Counting


class Unit(NamedTuple):
    """How ratings of one contest become ratings that the mean over several can be taken of."""

    size: float = 1.0
    """The size of a point of rating."""
    middle: float = 0.0
    mu: float = 0.0
    """The rating that the middle becomes."""

    def common(self, ratings: Floats) -> Floats:
        """Ratings in the common unit."""
        turned: Floats = self.mu + (ratings - self.middle) / self.size
        return turned

    def common_line(self, line: Line) -> Line:
        """A line in the common unit."""
        if self == Unit():
            return line
        rating, low, high = self.common(np.array([line.rating, line.low, line.high])).tolist()
        return replace(line, rating=rating, low=low, high=high, sigma=line.sigma / self.size)


class Standings:
    """The standings of a league."""

    def __init__(self, results: Results) -> None:
        self.contests = {
            key: ContestStandings(tallies, results.rating, results.goal, results.anchors)
            for key, tallies in results.contests.items()
        }
        """By key, in the order of the config."""
        self.goal = results.goal
        """The goal of an adaptive league."""
        self.anchors = results.anchors
        """Bots whose ratings are given."""
        self.plays = results.plays
        self.prior = results.rating
        self.remarks = results.remarks
        self.baselines = results.baselines
        self.progress = results.progress
        self.usage = results.usage
        self.placed = self.combined(self._complete(), self.played() or [*self.contests.values()])
        """The bots that have an overall place."""
        self.overall = self._overall()

    @classmethod
    def of(cls, store: Store, only: Sequence[str] = (), without: Sequence[str] = ()) -> Standings:
        """The standings of a league as it is now, or those of the games among some of its bots.

        `only` and `without` are names or patterns such as 'raj_*'.
        """
        names = [bot.name for bot in store.bots()] if only or without else []
        return cls(Results.of(store, choose_bots(names, only, without)))

    def chosen(self, game: str) -> list[ContestStandings]:
        """The contests of a game, or the one of that key."""
        contests = [contest.contest for contest in self.contests.values()]
        return [self.contests[contest.key] for contest in contests_of(game, contests)]

    @cached_property
    def notices(self) -> list[str]:
        """What a reader should know before believing the numbers, a sentence each."""
        unfinished = [f"unfinished: {self.progress}."] if self.progress and not self.progress.finished else []
        of_contests = [notice for contest in self.contests.values() for notice in contest.doubts()]
        return [*unfinished, *self.remarks, *self.doubts, *of_contests, *fault_notices("overall", self.overall)]

    @cached_property
    def doubts(self) -> list[str]:
        """The notices about the overall places."""
        partial = [line.bot for line in self.overall if line.place == PARTIAL]
        waiting = [name for name in partial if self.plays[name] >= self.contests.keys()]
        others = [name for name in partial if name not in waiting]
        notices = []
        if others:
            notices.append(f"overall: without a place, since they do not play every game: {few_names(others)}.")
        if waiting:
            notices.append(
                f"overall: without a place, since they have not played every game yet: {few_names(waiting)}."
            )
        if len(self.placed.pools) > 1:
            notices.append(f"overall: {pools_apart('never met in every game', self.placed.pools)}")
        if self.counts == "mixed":
            by = "points are turned into ratings by how much luck is in one game"
            notices.append(f"overall: contests count different things: {by}.")
        return notices

    def combined(self, names: Sequence[str], contests: Sequence[ContestStandings]) -> Ranking:
        """The mean of some contests that all these bots have played."""
        members = [np.array([contest.bots.index(name) for name in names], dtype=np.int64) for contest in contests]
        both = list(zip(contests, members, self.units(contests), strict=True))
        pools = np.column_stack([contest.table.pools[bots] for contest, bots, _ in both])
        return Ranking(
            names,
            np.mean([unit.common(contest.rating[bots]) for contest, bots, unit in both], axis=0),
            combined([contest.errors.part(bots).scaled(1 / unit.size) for contest, bots, unit in both]),
            np.mean([unit.common(contest.worlds[:, bots]) for contest, bots, unit in both], axis=0),
            pools=np.unique(pools, axis=0, return_inverse=True)[1].ravel(),
            seed="league/overall/places",
            within=self.within,
        )

    def units(self, contests: Sequence[ContestStandings]) -> list[Unit]:
        """What ratings are in: one contest keeps its own unit, and points of several are turned into ratings."""
        if len(contests) == 1:
            return [Unit()]
        return [
            Unit() if contest.points is None else Unit(contest.unit, contest.middle, self.prior.mu)
            for contest in contests
        ]

    def played(self) -> list[ContestStandings]:
        """The contests that have games."""
        return [contest for contest in self.contests.values() if contest.games]

    @property
    def within(self) -> float:
        """By how much the best bot may be worse than another one, if an adaptive league was asked for that."""
        if len(self.contests) == 1:
            return next(iter(self.contests.values())).within
        return self.goal.within if self.goal is not None and self.goal.places is not None else 0.0

    @property
    def games(self) -> int:
        """How many were played, over all contests."""
        return sum(contest.games for contest in self.contests.values())

    @cached_property
    def counts(self) -> Literal[Counting, "mixed"]:
        """What is counted overall."""
        return what_counts(self.played())

    def _complete(self) -> list[str]:
        """The bots that play every contest, and have games in all that have begun."""
        begun = [{contest.bots[index] for index in np.nonzero(contest.record.games)[0]} for contest in self.played()]
        everywhere = set.intersection(*begun) if begun else set()
        return [name for name, keys in self.plays.items() if keys >= self.contests.keys() and name in everywhere]

    def _overall(self) -> list[Line]:
        of_bot: dict[str, list[Line]] = {name: [] for name in self.plays}
        for contest, unit in zip(self.played(), self.units(self.played()), strict=True):
            for line in contest.lines:
                if line.games:
                    of_bot[line.bot].append(unit.common_line(line))
        return best_first([self._mean_line(*of) for of in of_bot.items()], self.placed.pools)

    def _mean_line(self, name: str, parts: list[Line]) -> Line:
        """All contests of one bot as one line; every contest counts equally, however many games it had."""
        if not parts:
            mu, sigma = self.prior.mu, self.prior.sigma_at_first
            return Line(place=UNPLAYED, bot=name, rating=mu, sigma=sigma, low=mu - TAIL * sigma, high=mu + TAIL * sigma)
        place, rank, best = self.placed.placings.get(name, NO_PLACE._replace(place=PARTIAL))
        rating = sum(part.rating for part in parts) / len(parts)
        half = sum((part.high - part.rating) ** 2 for part in parts) ** 0.5 / len(parts)
        kinds: Counter[str] = Counter()
        for part in parts:
            kinds.update(dict(part.kinds))
        return Line(
            place=place,
            bot=name,
            games=sum(part.games for part in parts),
            rating=rating,
            sigma=sum(part.sigma**2 for part in parts) ** 0.5 / len(parts),
            low=rating - half,
            high=rating + half,
            wins=sum(part.wins for part in parts),
            draws=sum(part.draws for part in parts),
            mean_score=sum(part.mean_score for part in parts) / len(parts),
            mean_points=parts[0].mean_points if len(self.contests) == 1 else None,
            kinds=most_frequent_first(kinds),
            forfeits=sum(part.forfeits for part in parts),
            rank=rank,
            best=best,
            counts=self.counts,
            anchor=parts[0].anchor if len({part.anchor for part in parts}) == 1 else None,
        )


def what_counts(contests: Sequence[ContestStandings]) -> Literal[Counting, "mixed"]:
    """What is counted in all of these contests; the points of different games are turned into ratings."""
    kinds = {contest.count for contest in contests}
    alike = len(kinds) == 1 and (len(contests) == 1 or kinds != {"points"})
    return kinds.pop() if alike else "mixed" if kinds else "games"


def read_standings(folder: Path, only: Sequence[str] = (), without: Sequence[str] = ()) -> Standings:
    """The standings of the league whose results are in a folder, as it is now: of all bots, or among some."""
    with Store.open(folder) as store:
        return Standings.of(store, only, without)
