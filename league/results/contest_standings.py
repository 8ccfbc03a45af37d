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

from league.plan.adaptive import SURE, TAU, Sight, chance_of_places, expected_tau, reached
from league.rating import TAIL
from league.rating.anchors import anchors_of, contradictions
from league.rating.chances import chances_of_best, likely_strengths
from league.rating.errors import ENDED_BY_LEADS, ENDED_BY_WIDTHS, balance, leads, measure
from league.rating.evidence import Evidence, leagues_of_equals, of_places
from league.rating.fit import RAREST_DRAWS, Fit, draw_margin, draw_probability, fit
from league.rating.nash import nash
from league.rating.online import rate_online
from league.rating.pairs import Pairs, cycles, expected_scores, head_to_head
from league.rating.places import certain_order, place_ranges, place_scores, plain_ranks, sharing
from league.rating.points import PointsFit, fit_points
from league.rating.table import Floats, Ints, RankingTable, summed
from league.results.lines import NAN, UNPLAYED, Line
from league.results.tallies import Counts, Tallies
from league.tools.text import counted, first_few
from league.values.settings import Rating, Settle

ENOUGH_MATCHES = 5
"""So many between any two bots are enough to tell luck from strength."""
FEW_GAMES = 30
"""Below this, a rating says little."""
SHOWN_NAMES = 5
"""This many bots are named in a notice; of the others, only the number."""
SMALLEST = 1e-12
"""A sum of squares below this is rounding."""
MUCH_LESS_SURE = 1.5
"""Differences to the others are pointed out if they are less sure than those among the first by this factor."""


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
    """The standings of one contest. Arrays and matrices are in the order of `bots`, which is sorted by name.

    Ratings, and all that follows from them, are in points a game if points count.
    """

    def __init__(
        self,
        tallies: Tallies,
        rating: Rating,
        goal: Settle | None = None,
        anchors: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        self.tallies = tallies
        self.contest, self.bots, self.count = tallies.contest, tallies.bots, tallies.count
        self.goal = goal
        """The goal of an adaptive league; if points count, in points."""
        self.anchors = {name: value for name, value in anchors.items() if name in tallies.bots}
        """Bots whose ratings are given; without effect if points count."""
        self.contradictions: list[str] = []
        """What the games say against them."""
        self.counts: Counts = tallies.counts()
        self.table: RankingTable = tallies.table()
        self.record = records(self.counts, len(self.bots))
        self.margin = draw_margin(self.table, rating)
        self.beta = rating.beta
        self.draws_asked, self.draws_taken = rating.draw_probability, draw_probability(self.table, rating)
        self.unit = 1.0
        """What a point of rating is, in the unit of these ratings."""
        self.middle = rating.mu
        """The rating of an average bot, in the unit of these ratings."""
        self.points: PointsFit | None = None
        """If points count."""
        self._prior = rating
        self._fitted = None if self.count == "points" else fit(self.table, rating)
        if self.count == "points":
            self._set_unit()
        evidence = self._evidence()
        wider = 1.0 if goal is None else ENDED_BY_LEADS if goal.interval is None else ENDED_BY_WIDTHS
        measured = measure(evidence, wider)
        if goal is not None:  # who met whom followed from the results: in a round robin all lineups play equally often
            evidence = self._evidence(balance(evidence, measured.misfit))
            measured = measure(evidence, wider)
        strengths = likely_strengths(evidence, measured)
        self.lineups = len(evidence.columns), evidence.possible
        """How many have played, and how many the ratings are about."""
        self.errors = measured.errors
        self.worlds: Floats = strengths.worlds(f"league/{self.contest.key}")
        """Strengths that the results allow, by world and bot: chances are counted in them."""
        self.rating: Floats = evidence.value if goal is None else strengths.mean(wider)
        self.sigma: Floats = self.errors.alone
        if self._fitted is not None:
            self.sigma = self._fitted.sigma
            if rating.mode == "online":  # ratings depend on the order of games: that is in its sigma
                self.rating, self.sigma = rate_online(self.table, rating)
                more = np.maximum(self.sigma**2 - np.diag(self.errors.covariance), 0.0)
                self.errors = self.errors._replace(covariance=self.errors.covariance + np.diag(more))
            self._anchor(self._fitted)
        self.low, self.high = self.errors.intervals(self.rating)

    def _evidence(self, weight: Floats | None = None) -> Evidence:
        """What the games say about each bot; by lineup, as how much each of them counts."""
        possible, fitted, table = self.tallies.possible_lineups(self.table.pools), self._fitted, self.table
        if fitted is None:
            deviation = self.unit * 2**0.5 * self.beta
            points = self.tallies.points_table()
            self.points = fit_points(points, table.pools, deviation, self.unit, weight=weight, possible=possible)
            return self.points.evidence
        if weight is not None:
            table = table.weighted(weight[table.lineup])
            fitted = self._fitted = fit(table, self._prior, start=fitted.mean, prior=fitted.prior)
        return of_places(table, fitted, possible)

    def _set_unit(self) -> None:
        """The luck of one game is as large in points as it is in ratings."""
        points, games = self.tallies.points(), self.record.games.tolist()
        squares = [
            sum(number * (value - total / max(played, 1)) ** 2 for value, number in histogram.items())
            for histogram, total, played in zip(self.tallies.histograms, points, games, strict=True)
        ]
        every = max(sum(games), 1)
        self.unit = (max(sum(squares), SMALLEST) / every) ** 0.5 / (2**0.5 * self.beta)
        self.middle = sum(points) / every
        if self.goal is not None:
            within = self.goal.within_points or float(f"{self.goal.within * self.unit:.2g}")
            self.goal = replace(self.goal, within=within)

    def _anchor(self, fitted: Fit) -> None:
        """Move all ratings so that those of the anchors are the given ones."""
        anchors = anchors_of(self.bots, self.anchors, fitted, self.table.pools)
        if anchors is None:
            return
        self.contradictions = contradictions(self.bots, anchors, self.rating, self.errors.covariance)
        self.rating, self.worlds = anchors.moved(self.rating), anchors.moved(self.worlds)
        self.errors = self.errors._replace(covariance=anchors.covariance(self.errors.covariance))
        self.sigma = self.sigma.copy()
        self.sigma[anchors.bots] = 0.0
        self.middle = float(anchors.values.mean())

    @cached_property
    def games(self) -> int:
        """How many were played; matches, if these count."""
        return int(self.counts.games.sum())

    @cached_property
    def pairs(self) -> Pairs:
        """Head to head."""
        return head_to_head(self.table, None if self.points is None else self.tallies.points_table())

    @cached_property
    def expected(self) -> Floats:
        """What the ratings expect of each bot against each other one: scores, or leads in points."""
        if self.points is None:
            return expected_scores(self.rating, self.margin, self.beta)
        return self.points.strength[:, None] - self.points.strength[None, :]

    def points_after(self, stop: int) -> Floats:
        """If points count, the ratings from the groups of deals before one."""
        return fit_points(self.tallies.points_table().before(stop), self.table.pools, 1.0).evidence.value

    @property
    def has_nash(self) -> bool:
        """Whether a Nash average means something: what the one wins, the others lose."""
        return self.points is None or self.points.constant_sum

    def shown_score(self, score: float) -> str:
        """A score of a bot against another one, for people: as a part of the games, or as a lead in points."""
        return f"{score:.3f}" if self.points is None else f"{score:+.3f} points"

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
        if self.points is not None:  # leads as parts of the largest one
            scores = 0.5 + scores / (2 * max(float(np.abs(scores).max(initial=0.0)), SMALLEST))
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
        return self.doubts() + fault_notices(self.contest.title, self.lines)

    def doubts(self, about: Collection[str] | None = None) -> list[str]:
        """The notices without those about faults; of all bots, or only what concerns some of them."""
        chosen = np.array([about is None or name in about for name in self.bots], dtype=bool)
        played = self.record.games > 0
        notices = [*self._what_counts(), *self._what_is_anchored()]
        if len(self.pools) > 1 and about is None:
            parts = "; ".join(few_names(pool) for pool in self.pools)
            notices.append(f"{len(self.pools)} pools never met, places count within each: {parts}.")
        if self._fitted is not None and not self._fitted.settled:
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
        if unknown := self._names(chosen & played & ~self.errors.known):
            enough = f"(deals: {ENOUGH_MATCHES * self.contest.games_per_match} is enough)"
            notices.append(f"too few matches to tell luck {enough}: {unknown}.")
        if surprising := self._names(chosen & played & self.errors.few_decide):
            notices.append(f"a few games decide so much that another such game may change everything: {surprising}.")
        if about is None and self.goal is None and self.lineups[0] < self.lineups[1]:
            notices.append("a sample of {:,} of {:,} lineups: intervals allow for the others.".format(*self.lineups))
        if about is None and self.goal is not None and played.all():
            notices += self._what_is_settled(self.goal)
        if idle := self._names(chosen & ~played):
            notices.append(f"no games yet{f': {idle}' if played.any() else ''}.")
        return [f"{self.contest.title}: {text}" for text in notices]

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
        alike = leagues_of_equals(self.table)
        alone = np.bincount(alike)[alike] == 1 if len(alike) else np.zeros(0, dtype=bool)
        games = self.record.games
        notices = []
        for what, how in ((self.record.wins, "won every game"), (self.record.last, "came in last in every game")):
            if names := self._names(chosen & alone & (games > 0) & (what == games)):
                notices.append(f"{how}, so how far apart is a guess: {names}.")
        return notices

    @property
    def within(self) -> float:
        """By how much the best bot may be worse than another one: what an adaptive league was asked for, or nothing."""
        return self.goal.within if self.goal is not None and self.goal.places is not None else 0.0

    def _what_is_settled(self, goal: Settle) -> Iterator[str]:
        """How far an adaptive league has found out what it was asked, and which differences can be trusted."""
        sight, places = self.sight, goal.places or 0
        yield f"{'settled' if reached(goal, sight) else 'not settled yet'}: {_found_out(goal, sight)}."
        yield "who met whom followed from the results, so scores and wins do not compare bots; ratings do."
        if 2 <= places < len(self.bots):
            best_first = np.argsort(-sight.rating, kind="stable")
            _, error = leads(sight.rating[best_first], np.cov(sight.worlds[:, best_first], rowvar=False))
            among = TAIL * float(np.median(error[:places, :places][np.triu_indices(places, 1)]))
            beyond = TAIL * float(np.median(error[:places, places:]))
            if beyond > MUCH_LESS_SURE * among:
                first = f"differences among the first {places} are sure to about ± {among:.2f}"
                yield f"{first}, those between them and the others only to about ± {beyond:.2f}."

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
        """By bot: a lead over another one of its pool is sure beyond this quantile of the normal distribution."""
        return self._order[1]

    @cached_property
    def _order(self) -> tuple[NDArray[np.bool_], Floats]:
        """`ahead` and `tail`. For many bots they take long, and a schedule does not need them."""
        ahead, tail = np.zeros((len(self.bots), len(self.bots)), dtype=bool), np.full(len(self.bots), np.inf)
        for members in self._members_of_pools():
            inside = np.ix_(members, members)
            seed = f"league/{self.contest.key}/places"
            sure = certain_order(self.rating[members], self.errors.part(members), seed)
            ahead[inside], tail[members] = sure
        return ahead, tail

    def _members_of_pools(self) -> Iterator[NDArray[np.intp]]:
        """The bots of each pool that have played."""
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
            best[members] = chances_of_best(self.worlds[:, members], self.within)
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


def _found_out(goal: Settle, sight: Sight) -> str:
    if goal.places is not None:
        chance = chance_of_places(goal.places, goal.within, sight)
        what = f"the first {min(goal.places, len(sight.rating))} and their order are right, apart from differences"
        return f"{what} within {goal.within:g}, with a probability of {chance:.0%} ({SURE:.0%} is asked)"
    if goal.interval is not None:
        return f"the widest interval is {sight.widths.max(initial=0.0):.2f} wide ({goal.interval:g} is asked)"
    tau = expected_tau(sight)
    return f"Kendall's tau of this order and the true one is expected to be {tau:.3f} ({TAU:g} is asked)"


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
