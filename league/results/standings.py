"""From counts to standings: for each contest, and for all of them together.

    standings = Standings(Results.of(store))
    for line in standings.overall:
        print(line.place, line.bot, line.rating)
    print(standings.contests["raj-2p"].notices)

`docs/ratings.md` says what the numbers mean and how they are made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from league.rating.bootstrap import LEVEL, around, interval, replicates, unopposed
from league.rating.cycles import cycles
from league.rating.fit import RAREST_DRAWS, draw_margin, draw_probability, fit
from league.rating.nash import Nash, nash
from league.rating.online import rate_online
from league.rating.pairs import Pairs, expected_scores, head_to_head
from league.rating.table import Floats, Ints, Table, summed
from league.results.tallies import Counts, Results, Tallies
from league.tools.text import counted, listed
from league.values.settings import Rating

PARTIAL = "partial"
"""The place of a bot that does not take part in every contest: its mean is over other games than theirs."""
UNPLAYED = "unplayed"
"""The place of a bot that has not played."""
FEW_GAMES = 30
"""Below this, a rating says little."""
FEW_MATCHES = 5
"""Below this, nobody knows how much luck there is in a deal."""
NAN = float("nan")
SHOWN_NAMES = 5
"""So many bots are named in a notice; of the others, how many they are."""


class Line(msgspec.Struct, frozen=True):
    """One bot's line. The fields up to `faults` are the columns of the files, in their order."""

    place: str
    """'1', '1-3' where intervals do not separate, `PARTIAL` or `UNPLAYED`."""
    bot: str
    games: int
    rating: float
    sigma: float
    low: float
    high: float
    conservative: float
    wins: int
    draws: int
    losses: int
    mean_score: float
    faults: int
    mean_points: float | None = None
    """Of one contest only: the points of different games cannot be added."""
    kinds: tuple[tuple[str, int], ...] = ()
    """The faults by kind, the most frequent first."""
    forfeits: int = 0


COLUMNS = Line.__struct_fields__[:13]
"""Of standings.csv; the files of single contests add mean_points."""


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
    """The standings of one contest. Arrays and matrices go by `bots`, which is sorted by name."""

    def __init__(self, tallies: Tallies, rating: Rating) -> None:
        self.contest = tallies.contest
        self.bots = tallies.bots
        self.counts: Counts = tallies.counts()
        self.table: Table = tallies.table()
        fitted = fit(self.table, rating)
        self.samples: Floats = replicates(self.table, fitted, f"league/{self.contest.key}")
        """Ratings as they might have been, by replicate and bot: whatever is computed from them has an interval."""
        self.rating, self.sigma = fitted.mean, fitted.sigma
        if rating.mode == "online":
            self.rating, self.sigma = rate_online(self.table, rating)
            self.samples = around(self.samples, self.rating, self.sigma, f"league/{self.contest.key}/online")
        self.record = records(self.counts, len(self.bots))
        self.low, self.high = interval(self.samples)
        idle = self.record.games == 0
        sigma = fitted.prior**-0.5 if rating.sigma is None else rating.sigma
        self.low[idle], self.high[idle] = prior_interval(rating.mu, sigma)
        self.settled = fitted.settled
        self.margin = draw_margin(self.table, rating)
        self.beta = rating.beta
        self.draws_asked, self.draws_taken = rating.draw_probability, draw_probability(self.table, rating)
        self.lines = self._lines(tallies)

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
    def matches(self) -> int:
        """How many matches of a lineup there were at the most, as far as the groups of deals tell: up to 64."""
        return len(np.unique(self.table.cells.group))

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
        if 0 < self.matches < FEW_MATCHES:
            found.append(f"{key}: fewer than {FEW_MATCHES} matches of each lineup, so intervals are a guess.")
        idle = [self.bots[bot] for bot in np.nonzero(chosen & ~played)[0]]
        if idle:
            found.append(f"{key}: no games yet{f': {_named(idle)}' if played.any() else ''}.")
        return found

    def _all_seats_played(self) -> bool:
        """Whether every lineup has played as often in each rotation: while a league is under way, it may not."""
        players = self.contest.players
        lineups, at = np.unique(self.counts.lineups, axis=0, return_inverse=True)
        series = at.ravel() * players + self.counts.rotations
        played = np.bincount(series, self.counts.games, len(lineups) * players).reshape(-1, players)
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

    def _lines(self, tallies: Tallies) -> list[Line]:
        places = [UNPLAYED] * len(self.bots)
        for pool in np.unique(self.table.pools):
            members = np.nonzero((self.table.pools == pool) & (self.record.games > 0))[0]
            ranges = place_ranges(self.low[members], self.high[members], apart=self.matches > 1)
            for bot, place in zip(members.tolist(), ranges, strict=True):
                places[bot] = place
        lines = []
        for bot, name in enumerate(self.bots):
            games = int(self.record.games[bot])
            wins, draws = int(self.record.wins[bot]), int(self.record.draws[bot])
            kinds = tuple(sorted(tallies.faults[bot].items(), key=lambda item: (-item[1], item[0])))
            lines.append(
                Line(
                    place=places[bot],
                    bot=name,
                    games=games,
                    rating=float(self.rating[bot]),
                    sigma=float(self.sigma[bot]),
                    low=float(self.low[bot]),
                    high=float(self.high[bot]),
                    conservative=float(self.rating[bot] - 3 * self.sigma[bot]),
                    wins=wins,
                    draws=draws,
                    losses=games - wins - draws,
                    mean_score=float(self.record.score[bot]) / games if games else NAN,
                    faults=tallies.faults[bot].total(),
                    mean_points=tallies.points[bot] / games if games else NAN,
                    kinds=kinds,
                    forfeits=tallies.forfeits[bot],
                )
            )
        pool_order = {name: at for at, pool in enumerate(self.pools) for name in pool}
        lines.sort(key=lambda line: (pool_order.get(line.bot, len(self.bots)), -line.rating, line.bot))
        return lines


class Standings:
    """The standings of a league."""

    def __init__(self, results: Results) -> None:
        self.contests = {key: ContestStandings(one, results.rating) for key, one in results.contests.items()}
        """By key, in the order of the config."""
        self.plays = results.plays
        self.prior = results.rating
        self.remarks = results.remarks
        self.overall = self._overall()

    @cached_property
    def notices(self) -> list[str]:
        """What a reader should know before believing the numbers, a sentence each."""
        of_contests = [notice for contest in self.contests.values() for notice in contest.doubts()]
        return [*self.remarks, *self.doubts, *of_contests, *fault_notices("overall", self.overall)]

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

    @cached_property
    def samples(self) -> dict[str, Floats]:
        """Overall ratings as they might have been, by bot: the mean over the contests that it has played."""
        parts: dict[str, list[Floats]] = {name: [] for name in self.plays}
        for contest in self._played():
            for at, name in enumerate(contest.bots):
                if contest.record.games[at]:
                    parts[name].append(contest.samples[:, at])
        return {name: np.mean(columns, axis=0) for name, columns in parts.items() if columns}

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
        bounds = {name: interval(samples[:, None]) for name, samples in self.samples.items()}
        places: dict[str, str] = {}
        for pool in self.pools:
            low, high = (np.array([float(bounds[name][end][0]) for name in pool]) for end in (0, 1))
            apart = all(contest.matches > 1 for contest in self._played())
            places |= zip(pool, place_ranges(low, high, apart=apart), strict=True)
        pool_order = {name: at for at, pool in enumerate(self.pools) for name in pool}
        lines = []
        for name, parts in of_bot.items():
            place = places.get(name, PARTIAL) if parts else UNPLAYED
            lines.append(self._mean_line(name, place, parts, bounds.get(name)))
        end = len(self.plays)
        lines.sort(key=lambda line: (line.place == UNPLAYED, pool_order.get(line.bot, end), -line.rating, line.bot))
        return lines

    def _mean_line(self, name: str, place: str, parts: list[Line], bounds: tuple[Floats, Floats] | None) -> Line:
        """All contests of one bot as one line; every contest counts equally, however many games it had."""
        if bounds is None:
            mu, sigma = self.prior.mu, self.prior.sigma_at_first
            return Line(place, name, 0, mu, sigma, *prior_interval(mu, sigma), mu - 3 * sigma, 0, 0, 0, NAN, 0)
        kinds: Counter[str] = Counter()
        for part in parts:
            kinds.update(dict(part.kinds))
        rating = sum(part.rating for part in parts) / len(parts)
        sigma = sum(part.sigma**2 for part in parts) ** 0.5 / len(parts)
        return Line(
            place=place,
            bot=name,
            games=sum(part.games for part in parts),
            rating=rating,
            sigma=sigma,
            low=float(bounds[0][0]),
            high=float(bounds[1][0]),
            conservative=rating - 3 * sigma,
            wins=sum(part.wins for part in parts),
            draws=sum(part.draws for part in parts),
            losses=sum(part.losses for part in parts),
            mean_score=sum(part.mean_score for part in parts) / len(parts),
            faults=kinds.total(),
            kinds=tuple(sorted(kinds.items(), key=lambda item: (-item[1], item[0]))),
            forfeits=sum(part.forfeits for part in parts),
        )


def records(counts: Counts, bots: int) -> Records:
    """Add up every bot's games, victories and place scores."""
    ranks, games = counts.ranks, counts.games[:, None]
    players = ranks.shape[1]
    sharing = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2)
    middle = ranks + (sharing - 1) / 2
    first = ranks == 0

    def total(values: Floats | Ints) -> Ints:
        return summed(counts.lineups, np.asarray(values * games, dtype=np.float64), bots).astype(np.int64)

    return Records(
        games=total(np.ones_like(ranks)),
        wins=total(first & (sharing == 1)),
        draws=total(first & (sharing > 1)),
        last=total((ranks == players - 1).astype(np.int64)),
        score=summed(counts.lineups, (1 - middle / (players - 1)) * games, bots),
    )


def prior_interval(mu: float, sigma: float) -> tuple[float, float]:
    """The 95 % interval of a bot that has not played."""
    half = float(ndtri((1 + LEVEL) / 2)) * sigma
    return mu - half, mu + half


def place_ranges(low: Floats, high: Floats, *, apart: bool = True) -> list[str]:
    """For each bot the places that it may deserve: behind all whose intervals lie above its own, and no others.

    Without `apart` nobody can be told apart: a single match does not tell how much luck was in it.
    """
    ranges = []
    for one in range(len(low)):
        best = 1 + apart * int((low > high[one]).sum())
        worst = len(low) - apart * int((high < low[one]).sum())
        ranges.append(str(best) if best == worst else f"{best}-{worst}")
    return ranges


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


def _named(names: Sequence[str]) -> str:
    """Some names, and how many more there are."""
    more = len(names) - SHOWN_NAMES
    return listed([*names[:SHOWN_NAMES], *([f"{more} more"] if more > 0 else [])])
