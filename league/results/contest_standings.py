"""From counts to the standings of one contest: ratings, errors, places, and what to know before believing them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from league.plan.adaptive import SURE, TAU, Sight, chance_of_places, expected_tau, reached
from league.rating.anchors import anchors_of, contradictions
from league.rating.errors import ENDED_BY_LEADS, ENDED_BY_WIDTHS, Evidence, balance, measure, of_places
from league.rating.fit import RAREST_DRAWS, Fit, draw_margin, draw_probability, fit
from league.rating.online import rate_online
from league.rating.pairs import Pairs, cycles, expected_scores, head_to_head, nash
from league.rating.places import NOWHERE, Ranking, likely_strengths, place_scores, sharing
from league.rating.points import PointsFit, fit_points
from league.rating.table import Floats, Ints, RankingTable, lineup_numbers, summed
from league.results.lines import FEW_GAMES, NAN, NO_PLACE, Line, best_first
from league.results.tallies import Counts, Tallies
from league.tools.text import counted, first_few
from league.values.settings import Rating, Settle

ENOUGH_MATCHES = 5
"""So many between any two bots are enough to tell luck from strength."""
SMALLEST = 1e-12
"""A sum of squares below this is rounding."""
WHAT_COUNTS = {
    "points": "points count: a rating is the mean number of points a game against the whole field.",
    "match": "matches count: the sum of the points of {} games is one result, and games are numbers of matches.",
}


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


class ContestStandings(Ranking):
    """The standings of one contest. Arrays and matrices are in the order of `bots`, which is sorted by name.

    Ratings, and all that follows from them, are in points a game if points count.
    """

    _fitted: Fit | None = None
    """If places count."""

    def __init__(
        self,
        tallies: Tallies,
        rating: Rating,
        goal: Settle | None = None,
        anchors: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        self.tallies = tallies
        self.contest, self.count = tallies.contest, tallies.count
        self.goal = goal
        """The goal of an adaptive league; if points count, in points."""
        self.anchors = {name: value for name, value in anchors.items() if name in tallies.bots}
        """Bots whose ratings are given; without effect if points count."""
        self.contradictions: list[str] = []
        """What the games say against them."""
        self.counts: Counts = tallies.counts()
        self.table: RankingTable = tallies.table()
        self.record = records(self.counts, len(tallies.bots))
        self.deviation = 0.0
        """If points count, the standard deviation of those of a bot in single games."""
        self.unit = 1.0
        """What a point of rating is, in the unit of these ratings."""
        self.middle = rating.mu
        """The rating of an average bot, in the unit of these ratings."""
        self.points: PointsFit | None = None
        """If points count."""
        self._prior = rating
        if self.count == "points":
            self._set_unit()
        evidence = self._evidence()
        wider = 1.0 if goal is None else ENDED_BY_LEADS if goal.interval is None else ENDED_BY_WIDTHS
        errors, luck, misfit = measure(evidence, wider)
        if goal is not None:  # who met whom followed from the results: in a round robin all lineups play equally often
            evidence = self._evidence(balance(evidence, misfit))
            errors, luck, _ = measure(evidence, wider)
        mean, worlds = likely_strengths(evidence, errors, luck, f"league/{self.contest.key}", wider)
        self.lineups = len(evidence.columns), evidence.possible
        """How many have played, and how many the ratings are about."""
        super().__init__(
            tallies.bots,
            evidence.value if goal is None else mean,
            errors,
            worlds,
            pools=np.where(self.record.games > 0, self.table.pools, NOWHERE),
            seed=f"league/{self.contest.key}/places",
            within=self.goal.within if self.goal is not None and self.goal.places is not None else 0.0,
        )
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
        table, possible = self.table, self.tallies.possible_lineups(self.table.pools)
        if self.count == "points":
            points, unit = self.tallies.points_table(), self.unit
            self.points = fit_points(points, table.pools, self.deviation, unit, weight=weight, possible=possible)
            return self.points.evidence
        if weight is not None:
            table = table.weighted(weight[table.lineup])
        self._fitted = fit(table, self._prior)
        return of_places(table, self._fitted, possible)

    def _set_unit(self) -> None:
        """The luck of one game is as large in points as it is in ratings."""
        points, games = self.tallies.points(), self.record.games.tolist()
        squares = [
            sum(number * (value - total / max(played, 1)) ** 2 for value, number in histogram.items())
            for histogram, total, played in zip(self.tallies.histograms, points, games, strict=True)
        ]
        every = max(sum(games), 1)
        self.deviation = (max(sum(squares), SMALLEST) / every) ** 0.5
        self.unit = self.deviation / (2**0.5 * self._prior.beta)
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
            return expected_scores(self.rating, draw_margin(self.table, self._prior), self._prior.beta)
        return self.points.strength[:, None] - self.points.strength[None, :]

    def points_after(self, stop: int) -> Floats:
        """If points count, the ratings from the groups of deals before one."""
        return fit_points(self.tallies.points_table().before(stop), self.table.pools, 1.0).evidence.value

    def shown_score(self, score: float) -> str:
        """A score of a bot against another one, for people: as a part of the games, or as a lead in points."""
        return f"{score:.3f}" if self.points is None else f"{score:+.3f} points"

    @cached_property
    def cycles(self) -> list[tuple[str, ...]]:
        """Bots that beat each other in a circle, for sure."""
        return [tuple(self.bots[bot] for bot in cycle) for cycle in cycles(self.pairs)]

    @cached_property
    def nash(self) -> Floats | None:
        """By bot, its part of the Nash average: a second opinion on the largest pool, in which all can be compared.

        Where two never met, what the ratings expect stands in. None without games, and where the others do not lose
        what the one wins.
        """
        if not self.games or (self.points is not None and not self.points.constant_sum):
            return None
        members = [self.bots.index(name) for name in self.pools[0]]
        scores = np.where(self.pairs.met, self.pairs.score, self.expected)
        if self.points is not None:  # leads as parts of the largest one
            scores = 0.5 + scores / (2 * max(float(np.abs(scores).max(initial=0.0)), SMALLEST))
        weights = np.zeros(len(self.bots))
        weights[members] = nash(scores[np.ix_(members, members)])
        return weights

    @cached_property
    def notices(self) -> list[str]:
        """What a reader should know before believing the numbers, a sentence each."""
        return self.doubts() + fault_notices(self.contest.title, self.lines)

    def doubts(self, about: Collection[str] | None = None) -> list[str]:
        """The notices without those about faults; of all bots, or only what concerns some of them."""
        everybody, record, games, match = about is None, self.record, self.record.games, self.contest.games_per_match
        asked = np.array([about is None or name in about for name in self.bots], dtype=bool)
        played, alike = games > 0, self.table.leagues_of_equals
        alone = played & np.isin(alike, np.flatnonzero(np.bincount(alike) == 1)) & (self.points is None)
        unsettled = self._fitted is not None and not self._fitted.settled
        given, taken = self._prior.draw_probability, draw_probability(self.table, self._prior)
        impossible = given is not None and given < RAREST_DRAWS < taken

        def of(chosen: NDArray[np.bool_], sentence: str) -> tuple[bool, str]:
            names = [self.bots[bot] for bot in np.flatnonzero(chosen & asked)]
            return bool(names), sentence.format(few_names(names))

        notices: list[tuple[bool, str]] = [
            (self.count in WHAT_COUNTS, WHAT_COUNTS.get(self.count, "").format(match)),
            *((True, text) for text in self._what_is_anchored()),
            (everybody and len(self.pools) > 1, pools_apart("never met", self.pools)),
            (unsettled, "the ratings did not settle; take them as a rough guess."),
            (impossible, f"draw_probability 0 rules out ties, but there were some: {taken:.4f} is taken."),
            of(alone & (record.wins == games), "won every game, so how far apart is a guess: {}."),
            of(alone & (record.last == games), "came in last in every game, so how far apart is a guess: {}."),
            of(played & (games < FEW_GAMES), f"fewer than {FEW_GAMES} games, so ratings say little: {{}}."),
            (
                everybody and not self._all_seats_played(),
                "not every deal has been played from every seat yet: luck with seats is in the ratings.",
            ),
            of(
                played & ~self.errors.known,
                f"too few matches to tell luck (deals: {ENOUGH_MATCHES * match} is enough): {{}}.",
            ),
            of(
                played & self.errors.few_decide,
                "a few games decide so much that another such game may change everything: {}.",
            ),
            (
                everybody and self.goal is None and self.lineups[0] < self.lineups[1],
                "a sample of {:,} of {:,} lineups: intervals allow for the others.".format(*self.lineups),
            ),
        ]
        if everybody and self.goal is not None and played.all():
            notices += [(True, text) for text in _what_is_settled(self.goal, self.sight)]
        notices.append(of(~played, "no games yet: {}." if played.any() else "no games yet."))
        return [f"{self.contest.title}: {text}" for holds, text in notices if holds]

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
        players, lineup = self.contest.players, lineup_numbers(self.counts.lineups, len(self.bots))
        size = (int(lineup.max(initial=-1)) + 1) * players
        played = np.bincount(lineup * players + self.counts.seats[:, 0], self.counts.games, size).reshape(-1, players)
        return bool((played == played[:, :1]).all())

    @property
    def sight(self) -> Sight:
        """What the games tell a schedule."""
        games = self.record.games * self.tallies.games_counted
        beta = self._prior.beta if self.points is None else np.inf  # a game tells as much of a mean whoever plays it
        return Sight(self.rating, self.worlds, self.high - self.low, games, beta)

    @cached_property
    def lines(self) -> list[Line]:
        """The bots, the best first."""
        lines, points = [], self.tallies.points()
        for bot, name in enumerate(self.bots):
            games = int(self.record.games[bot])
            place, rank, best = self.placings.get(name, NO_PLACE)
            lines.append(
                Line(
                    place=place,
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
                    rank=rank,
                    best=best,
                    counts=self.count,
                    anchor=None if self.points else self.anchors.get(name),
                )
            )
        return best_first(lines, self.pools)


def _what_is_settled(goal: Settle, sight: Sight) -> list[str]:
    """How far an adaptive league has found out what it was asked, and what cannot be trusted for that."""
    if goal.places is not None:
        chance = chance_of_places(goal.places, goal.within, sight)
        found = (
            f"the first {min(goal.places, len(sight.rating))} and their order are right, apart from differences within "
            f"{goal.within:g}, with a probability of {chance:.0%} ({SURE:.0%} is asked)"
        )
    elif goal.interval is not None:
        found = f"the widest interval is {sight.widths.max(initial=0.0):.2f} wide ({goal.interval:g} is asked)"
    else:
        tau = expected_tau(sight)
        found = f"Kendall's tau of this order and the true one is expected to be {tau:.3f} ({TAU:g} is asked)"
    return [
        f"{'settled' if reached(goal, sight) else 'not settled yet'}: {found}.",
        "who met whom followed from the results, so scores and wins do not compare bots; ratings do.",
    ]


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
    return first_few(names, 5)


def pools_apart(how: str, pools: Sequence[Sequence[str]]) -> str:
    """That places count within pools."""
    parts = "; ".join(few_names(pool) for pool in pools)
    return f"{len(pools)} pools {how}, places count within each: {parts}."
