"""From counts to the standings of one contest: ratings, errors, places, and what to know before believing them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from league.plan.adaptive import Sight
from league.rating import TAIL
from league.rating.anchors import anchors_of, contradictions
from league.rating.chances import chances_of_best, likely_strengths, worlds_of_means
from league.rating.fit import RAREST_DRAWS, Fit, draw_margin, draw_probability, fit
from league.rating.nash import nash
from league.rating.online import rate_online
from league.rating.pairs import Pairs, cycles, expected_scores, head_to_head
from league.rating.places import certain_order, place_ranges, place_scores, plain_ranks, sharing
from league.rating.points import PointsFit, PointsTable, fit_points, lead_pairs
from league.rating.spread import (
    FEW_GROUPS,
    SMALLEST_VARIANCE,
    STOPPED,
    balanced,
    interval_errors,
    spread,
    unopposed,
)
from league.rating.table import Floats, Ints, RankingTable, summed
from league.results.lines import UNPLAYED, Line
from league.results.settled import settled_notices
from league.results.tallies import Counts, Tallies
from league.tools.text import counted, first_few
from league.values.settings import Rating, Settle

FEW_GAMES = 30
"""Below this, a rating says little."""
NAN = float("nan")
SHOWN_NAMES = 5
"""This many bots are named in a notice; of the others, only the number."""


class Records(NamedTuple):
    """Sums over all games, by bot."""

    games: Ints
    wins: Ints
    """First place alone."""
    draws: Ints
    """A shared first place."""
    last: Ints
    """The last place alone."""
    score: Floats
    """Place scores: 1 for the first place, 0 for the last, evenly between, ties averaged."""


class ContestStandings:
    """The standings of one contest. Arrays and matrices are in the order of `bots`, which is sorted by name."""

    def __init__(
        self,
        tallies: Tallies,
        rating: Rating,
        goal: Settle | None = None,
        anchors: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        self.tallies = tallies
        self.goal = goal
        """Of an adaptive league; if points count, in points."""
        self.anchors = {name: value for name, value in anchors.items() if name in tallies.bots}
        """Bots whose ratings are given; without effect if points count."""
        self.contradictions: list[str] = []
        """What the games say against them."""
        self.contest, self.bots = tallies.contest, tallies.bots
        self.count = tallies.count
        """What decides who is better. Ratings and all that follows from them are in points a game if these count."""
        self.counts: Counts = tallies.counts()
        self.table: RankingTable = tallies.table()
        self.record = records(self.counts, len(self.bots))
        self.points: PointsFit | None = None
        """If points count."""
        self.margin = draw_margin(self.table, rating)
        self.beta = rating.beta
        self.draws_asked, self.draws_taken = rating.draw_probability, draw_probability(self.table, rating)
        self.settled = True
        self.known: NDArray[np.bool_]
        """By bot: whether it played enough matches to tell luck from strength."""
        self.covariance: Floats
        """Of the ratings, bots by bots."""
        self.worlds: Floats
        """Strengths that the results allow, by world and bot: chances are counted in them."""
        self.rating: Floats
        self.sigma: Floats
        self.error: Floats
        """By bot: the standard error of its rating alone."""
        self.unit = 1.0
        """What a point of rating is, in the unit of these ratings."""
        self.middle = rating.mu
        """The rating of an average bot, in the unit of these ratings."""
        if self.count == "points":
            self._rate_by_points()
        else:
            self._rate_by_places(rating)
        self.low, self.high = self.rating - TAIL * self.error, self.rating + TAIL * self.error

    def _rate_by_places(self, rating: Rating) -> None:
        """TrueSkill: places of games, or of whole matches."""
        table, fitted = self.table, fit(self.table, rating)
        if self.goal is not None:
            table = balanced(table, fitted)
            fitted = fit(table, rating, start=fitted.mean, prior=fitted.prior)
        errors = spread(table, fitted, chosen=self.goal is not None)
        self.known, self.covariance, self.settled = errors.known, errors.covariance, fitted.settled
        strengths = likely_strengths(table, fitted, errors)
        self.worlds = strengths.worlds(f"league/{self.contest.key}")
        self.rating, self.sigma = fitted.mean if self.goal is None else strengths.mean(STOPPED), fitted.sigma
        if rating.mode == "online":  # ratings depend on the order of games: that is in its sigma
            self.rating, self.sigma = rate_online(self.table, rating)
            more = np.maximum(self.sigma**2 - np.diag(self.covariance), 0.0)
            self.covariance = self.covariance + np.diag(more)
        self._anchor(fitted)
        of_match = self.contest.games_per_match // self.tallies.games_counted
        matches = self.record.games / (self.contest.players * of_match)
        self.error = interval_errors(self.rating, self.covariance, matches, self.middle)
        self.error[self.record.games == 0] = fitted.prior**-0.5 if rating.sigma is None else rating.sigma
        self.error[[name in self.anchors for name in self.bots]] = 0.0

    def _anchor(self, fitted: Fit) -> None:
        """Move all ratings so that those of the anchors are the given ones."""
        anchors = anchors_of(self.bots, self.anchors, fitted, self.table.pools)
        if anchors is None:
            return
        self.contradictions = contradictions(self.bots, anchors, self.rating, self.covariance)
        self.rating, self.worlds = anchors.moved(self.rating), anchors.moved(self.worlds)
        self.covariance = anchors.covariance(self.covariance)
        self.sigma = self.sigma.copy()
        self.sigma[anchors.bots] = 0.0
        self.middle = float(anchors.values.mean())

    def _rate_by_points(self) -> None:
        """Mean points a game against the field."""
        games = self.record.games
        squares = [
            sum(number * (value - total / max(played, 1)) ** 2 for value, number in histogram.items())
            for histogram, total, played in zip(self.tallies.histograms, self.tallies.points(), games, strict=True)
        ]
        variance = max(sum(squares) / max(int(games.sum()), 1), SMALLEST_VARIANCE)
        means = fit_points(self.points_table, variance, self.table.pools, chosen=self.goal is not None)
        self.points = means
        self.known, self.covariance, self.rating = means.known, means.covariance, means.mean
        self.error = self.sigma = np.sqrt(np.diag(means.covariance))
        self.middle = float(means.mean[games > 0].mean()) if games.any() else 0.0
        self.unit = means.deviation / (2**0.5 * self.beta)  # the luck of one game is as large in both
        if self.goal is not None:
            within = self.goal.within_points or float(f"{self.goal.within * self.unit:.2g}")
            self.goal = replace(self.goal, within=within)
        seed = f"league/{self.contest.key}"
        self.worlds = worlds_of_means(means.mean, means.covariance, self.table.pools, self.unit, seed)

    @cached_property
    def games(self) -> int:
        """How many were played; matches, if these count."""
        return int(self.counts.games.sum())

    @cached_property
    def points_table(self) -> PointsTable:
        """If points count."""
        return self.tallies.points_table()

    @cached_property
    def pairs(self) -> Pairs:
        """Head to head."""
        return self.place_pairs if self.points is None else lead_pairs(self.points_table, self.place_pairs)

    @cached_property
    def expected(self) -> Floats:
        """What the ratings expect of each bot against each other one."""
        if self.points is None:
            return expected_scores(self.rating, self.margin, self.beta)
        ahead = self.points.strength[:, None] - self.points.strength[None, :]
        return np.clip(0.5 + ahead / (2 * self.pairs.span), 0.0, 1.0)

    @cached_property
    def place_pairs(self) -> Pairs:
        """Head to head by places, whatever counts."""
        return head_to_head(self.table)

    @property
    def place_expected(self) -> Floats:
        """What is expected of each bot against each other one by places."""
        return expected_scores(self.rating / self.unit, self.margin, self.beta)

    def points_after(self, stop: int) -> Floats:
        """If points count, the ratings from the groups of deals before one."""
        return fit_points(self.points_table.before(stop), 1.0, self.table.pools).mean

    @property
    def has_nash(self) -> bool:
        """Whether a Nash average means something: what the one wins, the others lose."""
        return self.points is None or self.points.constant_sum

    def shown_scores(self) -> list[Floats]:
        """Bots by bots: score, low, high and expected, each as a part of the games, or as a lead in points."""
        scores = [self.pairs.score, self.pairs.low, self.pairs.high, self.expected]
        return [self.pairs.leads(values) for values in scores] if self.pairs.span else scores

    def shown_score(self, score: float) -> str:
        """A score of a bot against another one, for people: as a part of the games, or as a lead in points."""
        return f"{self.pairs.leads(np.array(score)):+.3f} points" if self.pairs.span else f"{score:.3f}"

    @cached_property
    def cycles(self) -> list[tuple[str, ...]]:
        """Bots that beat each other in a circle, for sure."""
        return [tuple(self.bots[bot] for bot in cycle) for cycle in cycles(self.pairs)]

    @cached_property
    def nash(self) -> Floats:
        """By bot, its part of the Nash average: a second opinion on the largest pool, in which all can be compared.

        Where two never met, what the ratings expect stands in.
        """
        largest = set(self.pools[0]) if self.pools else set()
        members = [bot for bot, name in enumerate(self.bots) if name in largest]
        scores = np.where(self.pairs.met, self.pairs.score, self.expected)
        weights = np.zeros(len(self.bots))
        if members:
            weights[members] = nash(scores[np.ix_(members, members)])
        return weights

    @cached_property
    def pools(self) -> list[list[str]]:
        """Sets of bots that are connected by games, the largest first; bots without games are in none."""
        members: dict[int, list[str]] = {}
        for bot, pool in enumerate(self.table.pools.tolist()):
            if self.record.games[bot]:
                members.setdefault(pool, []).append(self.bots[bot])
        return sorted(members.values(), key=lambda names: (-len(names), names))

    @cached_property
    def notices(self) -> list[str]:
        """What a reader should know before believing the numbers, a sentence each."""
        return self.doubts() + fault_notices(self.contest.key, self.lines)

    def doubts(self, about: Collection[str] | None = None) -> list[str]:
        """The notices without those about faults; of all bots, or only what concerns some of them."""
        chosen = np.array([about is None or name in about for name in self.bots], dtype=bool)
        played = self.record.games > 0
        notices = [*self._what_counts(), *self._what_is_anchored()]
        if len(self.pools) > 1 and about is None:
            parts = "; ".join(few_names(pool) for pool in self.pools)
            notices.append(f"{len(self.pools)} pools never met, places count within each: {parts}.")
        if not self.settled:
            notices.append("the ratings did not settle; take them as a rough guess.")
        if self.draws_asked is not None and self.draws_asked < RAREST_DRAWS < self.draws_taken:
            taken = f"{self.draws_taken:.4f} is taken"
            notices.append(f"draw_probability 0 rules out ties, but there were some: {taken}.")
        if self.points is None:
            notices += self._lopsided(chosen)
        if few := self._names(chosen & played & (self.record.games < FEW_GAMES)):
            notices.append(f"fewer than {FEW_GAMES} games, so ratings say little: {few}.")
        if about is None and not self._all_seats_played():
            notices.append("not every deal has been played from every seat yet: luck with seats is in the ratings.")
        if unknown := self._names(chosen & played & ~self.known):
            enough = f"(deals: {FEW_GROUPS * self.contest.games_per_match} is enough)"
            notices.append(f"fewer than {FEW_GROUPS} matches, too few to tell luck {enough}: {unknown}.")
        if about is None and self.goal is not None and played.all():
            notices += settled_notices(self.goal, self.sight)
        if idle := self._names(chosen & ~played):
            notices.append(f"no games yet{f': {idle}' if played.any() else ''}.")
        return [f"{self.contest.key}: {text}" for text in notices]

    def _names(self, chosen: NDArray[np.bool_]) -> str:
        """The chosen bots as a notice names them; empty if there are none."""
        return few_names([self.bots[bot] for bot in np.flatnonzero(chosen)])

    def _what_counts(self) -> list[str]:
        """What is counted, unless it is the places of games."""
        if self.count == "points":
            return ["points count: a rating is the mean number of points a game against the whole field."]
        if self.count == "match":
            games = f"{self.contest.games_per_match} games"
            return [f"matches count: the sum of the points of {games} is one result, and games are numbers of matches."]
        return []

    def _what_is_anchored(self) -> list[str]:
        """Which ratings are given, and what the games say against them."""
        if not self.anchors:
            return []
        if self.points:
            return ["points count, so that no rating is anchored."]
        given = ", ".join(f"{name} at {value:g}" for name, value in self.anchors.items())
        against = [f"the anchors contradict its games: {text}." for text in self.contradictions]
        return [f"anchored, so that other leagues can be compared: {given}.", *against]

    def _all_seats_played(self) -> bool:
        """Whether the first of every lineup, and so each of it, sat equally often in each seat."""
        players = self.contest.players
        lineups = self.counts.lineups
        fresh = np.ones(len(lineups), dtype=np.int64)  # the rows of one lineup follow each other
        fresh[1:] = (lineups[1:] != lineups[:-1]).any(axis=1)
        series = (np.cumsum(fresh) - 1) * players + self.counts.seats[:, 0]
        played = np.bincount(series, self.counts.games, int(fresh.sum()) * players).reshape(-1, players)
        return bool((played == played[:, :1]).all())

    def _lopsided(self, chosen: NDArray[np.bool_]) -> list[str]:
        """Bots that always or never won: only the prior keeps their ratings finite."""
        alike = unopposed(self.table)
        alone = np.bincount(alike)[alike] == 1 if len(alike) else np.zeros(0, dtype=bool)
        games = self.record.games
        notices = []
        for what, how in ((self.record.wins, "won every game"), (self.record.last, "came in last in every game")):
            if names := self._names(chosen & alone & (games > 0) & (what == games)):
                notices.append(f"{how}, so how far apart is a guess: {names}.")
        return notices

    @property
    def sight(self) -> Sight:
        """What the games tell a schedule."""
        games = self.record.games * self.tallies.games_counted
        beta = self.beta if self.points is None else np.inf  # a game tells as much of a mean whoever plays it
        return Sight(self.rating, self.worlds, self.high - self.low, games, beta)

    @property
    def ahead(self) -> NDArray[np.bool_]:
        """Bots by bots: whether the one is better than the other, for sure."""
        return self._order[0]

    @property
    def tail(self) -> Floats:
        """By bot: a lead of more than this many standard errors over another one of its pool is sure."""
        return self._order[1]

    @cached_property
    def _order(self) -> tuple[NDArray[np.bool_], Floats]:
        """`ahead` and `tail`. For many bots they take long, and a schedule does not need them."""
        ahead, tail = np.zeros((len(self.bots), len(self.bots)), dtype=bool), np.full(len(self.bots), np.inf)
        for members in self._members_of_pools():
            inside = np.ix_(members, members)
            seed = f"league/{self.contest.key}/places"
            sure = certain_order(self.rating[members], self.covariance[inside], self.known[members], seed)
            ahead[inside], tail[members] = sure
        return ahead, tail

    def _members_of_pools(self) -> Iterator[NDArray[np.intp]]:
        """Of each pool, the bots that have played."""
        for pool in np.unique(self.table.pools):
            members = np.nonzero((self.table.pools == pool) & (self.record.games > 0))[0]
            if len(members):
                yield members

    @cached_property
    def lines(self) -> list[Line]:
        """The bots, the best first."""
        places: list[str] = [UNPLAYED] * len(self.bots)
        ranks: list[int | None] = [None] * len(self.bots)
        best = np.full(len(self.bots), np.nan)
        for members in self._members_of_pools():
            best[members] = chances_of_best(self.worlds[:, members])
            ranges, plain = place_ranges(self.ahead[np.ix_(members, members)]), plain_ranks(self.rating[members])
            for bot, place, rank in zip(members.tolist(), ranges, plain, strict=True):
                places[bot], ranks[bot] = place, rank
        lines, points = [], self.tallies.points()
        for bot, name in enumerate(self.bots):
            games = int(self.record.games[bot])
            lines.append(
                Line(
                    place=places[bot],
                    bot=name,
                    games=games,
                    rating=float(self.rating[bot]),
                    sigma=float(self.sigma[bot]),
                    low=float(self.low[bot]),
                    high=float(self.high[bot]),
                    wins=int(self.record.wins[bot]),
                    draws=int(self.record.draws[bot]),
                    mean_score=float(self.record.score[bot]) / games if games else NAN,
                    mean_points=points[bot] / (games * self.tallies.games_counted) if games else NAN,
                    kinds=most_frequent_first(self.tallies.faults[bot]),
                    forfeits=self.tallies.forfeits[bot],
                    rank=ranks[bot],
                    best=float(best[bot]),
                    counts=self.count,
                    anchor=None if self.points else self.anchors.get(name),
                )
            )
        pool_order = {name: index for index, pool in enumerate(self.pools) for name in pool}
        lines.sort(key=lambda line: (pool_order.get(line.bot, len(self.bots)), -line.rating, line.bot))
        return lines


def records(counts: Counts, bots: int) -> Records:
    """Add up every bot's games, victories and place scores."""
    ranks, games = counts.ranks, counts.games[:, None]
    players = ranks.shape[1]
    first, alone = ranks == 0, sharing(ranks) == 1

    def total(values: Floats | Ints) -> Ints:
        return summed(counts.lineups, np.asarray(values * games, dtype=np.float64), bots).astype(np.int64)

    return Records(
        games=total(np.ones_like(ranks)),
        wins=total(first & alone),
        draws=total(first & ~alone),
        last=total((ranks == players - 1).astype(np.int64)),
        score=summed(counts.lineups, place_scores(ranks) * games, bots),
    )


def fault_notices(where: str, lines: Sequence[Line]) -> list[str]:
    """'overall: 3 faults of ann (2 timeout, 1 error), 5 games forfeited.' for each bot at fault, the worst first."""
    worst_first = sorted(lines, key=lambda line: (-line.faults - line.forfeits, line.bot))
    at_fault = [line for line in worst_first if line.faults or line.forfeits]
    return [f"{where}: {fault_sentence(line.bot, line.kinds, line.forfeits)}" for line in at_fault]


def fault_sentence(bot: str, kinds: Sequence[tuple[str, int]], forfeits: int) -> str:
    """What one bot did wrong: '3 faults of ann (2 timeout, 1 error), 5 games forfeited.'."""
    faults = counted(sum(count for _, count in kinds), "fault")
    forfeited = f", {counted(forfeits, 'game')} forfeited" if forfeits else ""
    return f"{faults} of {bot} ({', '.join(f'{count:,} {kind}' for kind, count in kinds)}){forfeited}."


def most_frequent_first(kinds: Counter[str]) -> tuple[tuple[str, int], ...]:
    """Kinds of faults with how many there were."""
    return tuple(sorted(kinds.items(), key=lambda item: (-item[1], item[0])))


def few_names(names: Sequence[str]) -> str:
    """Bots as a notice names them."""
    return first_few(names, SHOWN_NAMES)
