"""From counts to standings: for each contest, and for all of them together.

    standings = Standings.of(store)
    for line in standings.overall:
        print(line.place, line.bot, line.rating)
    print(standings.contests["raj-2p"].notices)

`docs/ratings.md` says what the numbers mean and how they are made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from league.errors import LeagueError, did_you_mean
from league.plan.adaptive import Sight
from league.rating.chances import chances_of_best, possible_worlds
from league.rating.fit import RAREST_DRAWS, draw_margin, draw_probability, fit
from league.rating.level import TAIL
from league.rating.nash import Nash, nash
from league.rating.online import rate_online
from league.rating.pairs import Pairs, cycles, expected_scores, head_to_head
from league.rating.places import certain_order, place_ranges, place_scores, plain_ranks, sharing
from league.rating.spread import FEW_GROUPS, interval_errors, spread, unopposed
from league.rating.table import Floats, Ints, RankingTable, summed
from league.results.columns import PARTIAL, UNPLAYED, Line
from league.results.settled import settled_notices
from league.results.tallies import Counts, Results, Tallies
from league.tools.text import counted, first_few, safe
from league.values.settings import Rating, Settle

if TYPE_CHECKING:
    from league.results.store import Store

FEW_GAMES = 30
"""Below this, a rating says little."""
NAN = float("nan")
SHOWN_NAMES = 5
"""So many bots are named in a notice; of the others, how many they are."""


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


class Combined(NamedTuple):
    """Some bots in several contests at once: the mean of each."""

    rating: Floats
    covariance: Floats
    known: NDArray[np.bool_]
    worlds: Floats


class Found(NamedTuple):
    """Where a bot stands among others."""

    place: str
    rank: int | None
    best: float


class ContestStandings:
    """The standings of one contest. Arrays and matrices go by `bots`, which is sorted by name."""

    def __init__(self, tallies: Tallies, rating: Rating, goal: Settle | None = None) -> None:
        self.tallies = tallies
        self.goal = goal
        """Of an adaptive league."""
        self.contest = tallies.contest
        self.bots = tallies.bots
        self.counts: Counts = tallies.counts()
        self.table: RankingTable = tallies.table()
        fitted = fit(self.table, rating)
        found = spread(self.table, fitted, chosen=goal is not None)
        self.known: NDArray[np.bool_] = found.known
        """By bot: whether it played enough matches to tell luck from strength."""
        self.covariance: Floats = found.covariance
        """Of the ratings, bots by bots."""
        self.worlds: Floats = possible_worlds(self.table, fitted, found, f"league/{self.contest.key}")
        """Strengths that the results allow, by world and bot: chances are counted in them."""
        self.rating, self.sigma = fitted.mean, fitted.sigma
        if rating.mode == "online":  # ratings depend on the order of games: that is in its sigma
            self.rating, self.sigma = rate_online(self.table, rating)
            more = np.maximum(self.sigma**2 - np.diag(self.covariance), 0.0)
            self.covariance = self.covariance + np.diag(more)
        self.record = records(self.counts, len(self.bots))
        matches = self.record.games / (self.contest.players * self.contest.games_per_match)
        self.error: Floats = interval_errors(self.rating, self.covariance, matches, rating.mu)
        """By bot: the standard error of its rating alone."""
        idle = self.record.games == 0
        self.error[idle] = fitted.prior**-0.5 if rating.sigma is None else rating.sigma
        self.low, self.high = self.rating - TAIL * self.error, self.rating + TAIL * self.error
        self.ahead: NDArray[np.bool_] = np.zeros((len(self.bots), len(self.bots)), dtype=bool)
        """Bots by bots: whether the one is better than the other, for sure."""
        self.tail: Floats = np.full(len(self.bots), np.inf)
        """By bot: a lead of more than so many standard errors over another one of its pool is sure."""
        self.settled = fitted.settled
        self.margin = draw_margin(self.table, rating)
        self.beta = rating.beta
        self.draws_asked, self.draws_taken = rating.draw_probability, draw_probability(self.table, rating)
        self.lines = self._lines()

    @cached_property
    def pairs(self) -> Pairs:
        """Head to head."""
        return head_to_head(self.table)

    @cached_property
    def expected(self) -> Floats:
        """What the ratings expect of each bot against each other one."""
        return expected_scores(self.rating, self.margin, self.beta)

    @cached_property
    def cycles(self) -> list[tuple[str, ...]]:
        """Bots that beat each other in a circle, for sure."""
        return [tuple(self.bots[bot] for bot in cycle) for cycle in cycles(self.pairs)]

    @cached_property
    def nash(self) -> Nash:
        """A second opinion on the bots of the largest pool, by `bots`: the others are beyond comparison and have none.

        Where two never met, what the ratings expect stands in.
        """
        largest = set(self.pools[0]) if self.pools else set()
        members = [bot for bot, name in enumerate(self.bots) if name in largest]
        scores = np.where(self.pairs.met, self.pairs.score, self.expected)[np.ix_(members, members)]
        found = Nash(np.zeros(len(self.bots)), np.full(len(self.bots), np.nan))
        if members:
            found.weight[members], found.advantage[members] = nash(scores)
        return found

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
        """The notices but for those about faults; of all bots, or only what concerns some of them."""
        key = self.contest.key
        chosen = np.array([about is None or name in about for name in self.bots], dtype=bool)
        played = self.record.games > 0
        found = []
        if len(self.pools) > 1 and about is None:
            parts = "; ".join(_named(pool) for pool in self.pools)
            found.append(f"{key}: {len(self.pools)} pools never met, places count within each: {parts}.")
        if not self.settled:
            found.append(f"{key}: the ratings did not settle; take them as a rough guess.")
        if self.draws_asked is not None and self.draws_asked < RAREST_DRAWS < self.draws_taken:
            taken = f"{self.draws_taken:.4f} is taken"
            found.append(f"{key}: draw_probability 0 rules out ties, but there were some: {taken}.")
        found += [f"{key}: {text}" for text in self._lopsided(chosen)]
        few = [self.bots[bot] for bot in np.nonzero(chosen & played & (self.record.games < FEW_GAMES))[0]]
        if few:
            found.append(f"{key}: fewer than {FEW_GAMES} games, so ratings say little: {_named(few)}.")
        if about is None and not self._all_seats_played():
            found.append(
                f"{key}: not every deal has been played from every seat yet: luck with seats is in the ratings."
            )
        unknown = [self.bots[bot] for bot in np.nonzero(chosen & played & ~self.known)[0]]
        if unknown:
            enough = f"(deals: {FEW_GROUPS * self.contest.games_per_match} is enough)"
            found.append(f"{key}: fewer than {FEW_GROUPS} matches, too few to tell luck {enough}: {_named(unknown)}.")
        if about is None and self.goal is not None and played.all():
            found += [f"{key}: {text}" for text in settled_notices(self.goal, self.sight)]
        idle = [self.bots[bot] for bot in np.nonzero(chosen & ~played)[0]]
        if idle:
            found.append(f"{key}: no games yet{f': {_named(idle)}' if played.any() else ''}.")
        return found

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
        found = []
        for what, how in ((self.record.wins, "won every game"), (self.record.last, "came in last in every game")):
            names = [self.bots[bot] for bot in np.nonzero(chosen & alone & (games > 0) & (what == games))[0]]
            if names:
                found.append(f"{how}, so how far apart is a guess: {_named(names)}.")
        return found

    @property
    def sight(self) -> Sight:
        """What the games tell a schedule."""
        return Sight(self.rating, self.worlds, self.high - self.low, self.record.games, self.beta)

    def _lines(self) -> list[Line]:
        places: list[str] = [UNPLAYED] * len(self.bots)
        ranks: list[int | None] = [None] * len(self.bots)
        best = np.full(len(self.bots), np.nan)
        for pool in np.unique(self.table.pools):
            members = np.nonzero((self.table.pools == pool) & (self.record.games > 0))[0]
            if not len(members):
                continue
            inside = np.ix_(members, members)
            seed = f"league/{self.contest.key}/places"
            order = certain_order(self.rating[members], self.covariance[inside], self.known[members], seed)
            self.ahead[inside], self.tail[members] = order
            best[members] = chances_of_best(self.worlds[:, members])
            ranges, plain = place_ranges(order.ahead), plain_ranks(self.rating[members])
            for bot, place, rank in zip(members.tolist(), ranges, plain, strict=True):
                places[bot], ranks[bot] = place, rank
        lines = []
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
                    mean_points=self.tallies.points[bot] / games if games else NAN,
                    kinds=_most_frequent_first(self.tallies.faults[bot]),
                    forfeits=self.tallies.forfeits[bot],
                    rank=ranks[bot],
                    best=float(best[bot]),
                )
            )
        pool_order = {name: at for at, pool in enumerate(self.pools) for name in pool}
        lines.sort(key=lambda line: (pool_order.get(line.bot, len(self.bots)), -line.rating, line.bot))
        return lines


class Standings:
    """The standings of a league."""

    def __init__(self, results: Results) -> None:
        self.contests = {
            key: ContestStandings(one, results.rating, results.goal) for key, one in results.contests.items()
        }
        """By key, in the order of the config."""
        self.goal = results.goal
        """Of an adaptive league."""
        self.plays = results.plays
        self.prior = results.rating
        self.remarks = results.remarks
        self.baselines = results.baselines
        self.progress = results.progress
        self.tail: dict[str, float] = {}
        """By bot with an overall place: a lead of more than so many standard errors is sure."""
        self.overall = self._overall()

    @classmethod
    def of(cls, store: Store) -> Standings:
        """The standings of a league as it is now."""
        return cls(Results.of(store))

    def chosen(self, game: str) -> list[ContestStandings]:
        """The contests of a game, or the one of that key."""
        found = [one for key, one in self.contests.items() if game in (key, one.contest.game)]
        if not found:
            known = [*self.contests, *{one.contest.game: None for one in self.contests.values()}]
            has = f"it has {', '.join(self.contests)}.{did_you_mean(game, known)}"
            raise LeagueError(f"This league has no game {safe(game)!r}; {has}")
        return found

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
        strangers = [name for name in partial if name not in waiting]
        found = []
        if strangers:
            found.append(f"overall: without a place, since they do not play every game: {_named(strangers)}.")
        if waiting:
            found.append(f"overall: without a place, since they have not played every game yet: {_named(waiting)}.")
        if len(self.pools) > 1:
            parts = "; ".join(_named(pool) for pool in self.pools)
            found.append(
                f"overall: {len(self.pools)} pools never met in every game, places count within each: {parts}."
            )
        return found

    @cached_property
    def pools(self) -> list[list[str]]:
        """Of the bots with a place, sets that are connected by games in every contest, the largest first."""
        pools: dict[tuple[int, ...], list[str]] = {}
        of_contests = [dict(zip(one.bots, one.table.pools.tolist(), strict=True)) for one in self._played()]
        for name in self._complete():
            pools.setdefault(tuple(pool[name] for pool in of_contests), []).append(name)
        return sorted(pools.values(), key=lambda names: (-len(names), names))

    def combined(self, names: Sequence[str], contests: Sequence[ContestStandings]) -> Combined:
        """The mean of some contests that all these bots have played."""
        members = [np.array([contest.bots.index(name) for name in names], dtype=np.int64) for contest in contests]
        both = list(zip(contests, members, strict=True))
        covariance = sum(contest.covariance[np.ix_(bots, bots)] for contest, bots in both) / len(both) ** 2
        return Combined(
            rating=np.mean([contest.rating[bots] for contest, bots in both], axis=0),
            covariance=np.asarray(covariance),
            known=np.all([contest.known[bots] for contest, bots in both], axis=0),
            worlds=np.mean([contest.worlds[:, bots] for contest, bots in both], axis=0),
        )

    def _played(self) -> list[ContestStandings]:
        """The contests that have games."""
        return [contest for contest in self.contests.values() if len(contest.counts.games)]

    def _complete(self) -> list[str]:
        """The bots that play every contest, and have games in all that have begun."""
        begun = [{contest.bots[at] for at in np.nonzero(contest.record.games)[0]} for contest in self._played()]
        everywhere = set.intersection(*begun) if begun else set()
        return [name for name, keys in self.plays.items() if keys >= self.contests.keys() and name in everywhere]

    def _overall(self) -> list[Line]:
        of_bot: dict[str, list[Line]] = {name: [] for name in self.plays}
        for contest in self._played():
            for line in contest.lines:
                if line.games:
                    of_bot[line.bot].append(line)
        found: dict[str, Found] = {}
        for pool in self.pools:
            mean = self.combined(pool, self._played())
            order = certain_order(mean.rating, mean.covariance, mean.known, "league/overall/places")
            self.tail |= dict.fromkeys(pool, order.tail)
            best = chances_of_best(mean.worlds).tolist()
            columns = place_ranges(order.ahead), plain_ranks(mean.rating), best
            found |= {name: Found(*values) for name, *values in zip(pool, *columns, strict=True)}
        pool_order = {name: at for at, pool in enumerate(self.pools) for name in pool}
        lines = []
        for name, parts in of_bot.items():
            nothing = Found(PARTIAL if parts else UNPLAYED, None, NAN)
            lines.append(self._mean_line(name, found.get(name, nothing), parts))
        end = len(self.plays)
        lines.sort(key=lambda line: (line.place == UNPLAYED, pool_order.get(line.bot, end), -line.rating, line.bot))
        return lines

    def _mean_line(self, name: str, found: Found, parts: list[Line]) -> Line:
        """All contests of one bot as one line; every contest counts equally, however many games it had."""
        if not parts:
            mu, sigma = self.prior.mu, self.prior.sigma_at_first
            return Line(
                place=found.place,
                bot=name,
                games=0,
                rating=mu,
                sigma=sigma,
                low=mu - TAIL * sigma,
                high=mu + TAIL * sigma,
                wins=0,
                draws=0,
                mean_score=NAN,
            )
        rating = sum(part.rating for part in parts) / len(parts)
        half = sum((part.high - part.rating) ** 2 for part in parts) ** 0.5 / len(parts)
        kinds: Counter[str] = Counter()
        for part in parts:
            kinds.update(dict(part.kinds))
        return Line(
            place=found.place,
            bot=name,
            games=sum(part.games for part in parts),
            rating=rating,
            sigma=sum(part.sigma**2 for part in parts) ** 0.5 / len(parts),
            low=rating - half,
            high=rating + half,
            wins=sum(part.wins for part in parts),
            draws=sum(part.draws for part in parts),
            mean_score=sum(part.mean_score for part in parts) / len(parts),
            kinds=_most_frequent_first(kinds),
            forfeits=sum(part.forfeits for part in parts),
            rank=found.rank,
            best=found.best,
        )


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


def _most_frequent_first(kinds: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(kinds.items(), key=lambda item: (-item[1], item[0])))


def _named(names: Sequence[str]) -> str:
    return first_few(names, SHOWN_NAMES)
