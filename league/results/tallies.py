"""What a league has played, counted: as large as the number of results that differ.

    results = Results.of(store)
    counts = results.contests["raj-2p"].counts()

GameColumns may be added in any order. The arrays are in canonical order, so the same games give the same arrays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from math import comb
from typing import NamedTuple

import numpy as np

from league.errors import LeagueError, did_you_mean
from league.plan.coverage import LeagueProgress
from league.plan.rounds import held_up, progress
from league.plan.seating import seatings
from league.rating.errors import all_lineups
from league.rating.points import PointsTable
from league.rating.table import Ints, RankingTable, changes, row_keys
from league.results.games import FORFEIT, KINDS, GameColumns
from league.results.store import Store
from league.setup.roster import Bot, Roster
from league.tools.text import counted, first_few, safe
from league.values.block import Usage
from league.values.settings import Contest, Counting, Rating, Settle

SHOWN_COPIES = 5
"""Names of one bot that are listed."""


class Counts(NamedTuple):
    """Row by row: who played, in which seats, in which group of deals, who came where, in how many games."""

    lineups: Ints
    """Indices of bots, ascending."""
    seats: Ints
    groups: Ints
    ranks: Ints
    games: Ints


class Tallies:
    """All results of one contest."""

    def __init__(
        self, contest: Contest, bots: Sequence[str], count: Counting = "games", gauntlet: str | None = None
    ) -> None:
        self.contest = contest
        self.count: Counting = count
        """What decides who is better. If it is the match, `counts` has matches instead of games."""
        self.bots = tuple(sorted(bots))
        """Those who play it, by name."""
        self.gauntlet = gauntlet
        """The bot that sits at every table, if there is one."""
        self.forfeits = [0] * len(self.bots)
        self.faults: list[Counter[str]] = [Counter() for _ in self.bots]
        """Kind to how often, by bot."""
        self.histograms: list[Counter[int]] = [Counter() for _ in self.bots]
        """The game's own points to how often, by bot."""
        self._index = {name: index for index, name in enumerate(self.bots)}
        self._parts: list[tuple[Ints, Ints]] = []
        """Lineup, group of deals, seating and ranks; and how often that came, with the sums of all points."""

    def points(self) -> list[int]:
        """The game's own, summed up by bot."""
        return [sum(value * games for value, games in histogram.items()) for histogram in self.histograms]

    def add(self, part: GameColumns) -> None:
        """Count some games; those with other bots are left out."""
        places = np.array([self._index.get(entrant.name, -1) for entrant in part.bots], dtype=np.int64)
        part = part.part(np.flatnonzero(np.all(places[part.lineup] >= 0, axis=1)))
        if not part.size:
            return
        lineups, ranks, points = places[part.lineup], part.ranks, part.points
        for bot, value, times in _counted_pairs(lineups.ravel(), points.ravel()):
            self.histograms[bot][value] += times
        for bot, kind, times in _counted_pairs(lineups[part.faults[:, 0], part.faults[:, 1]], part.faults[:, 2]):
            if KINDS[kind] == FORFEIT:
                self.forfeits[bot] += times
            else:
                self.faults[bot][KINDS[kind]] += times
        where = np.column_stack([lineups, part.group, part.seating])
        if self.count == "match":
            starts = _matches(part)
            where, ranks, points = where[starts], _ranks_of_matches(part, starts), np.add.reduceat(points, starts)
        once = np.ones((len(where), 1), dtype=np.int64)
        self._parts.append(added_up(np.hstack([where, ranks]), np.hstack([once, points])))

    def _sums(self) -> tuple[Ints, Ints]:
        players = self.contest.players
        nothing = np.zeros((0, 2 * players + 2), dtype=np.int64), np.zeros((0, players + 1), dtype=np.int64)
        if len(self._parts) != 1:
            keys, sums = map(np.concatenate, zip(nothing, *self._parts, strict=True))
            self._parts = [added_up(keys, sums)]
        return self._parts[0]

    def counts(self) -> Counts:
        """All results in canonical order."""
        players = self.contest.players
        keys, sums = self._sums()
        seats = np.array([way.seats for way in seatings(players)], dtype=np.int64)[keys[:, players + 1]]
        return Counts(keys[:, :players], seats, keys[:, players], keys[:, players + 2 :], sums[:, 0])

    def table(self) -> RankingTable:
        """As ratings take it: without seats."""
        counts = self.counts()
        return RankingTable.from_rankings(len(self.bots), counts.lineups, counts.ranks, counts.groups, counts.games)

    def points_table(self) -> PointsTable:
        """Points by lineup and group of deals."""
        players = self.contest.players
        keys, sums = self._sums()
        keys, sums = added_up(keys[:, : players + 1], sums)
        games, points = sums[:, 0].astype(np.float64), sums[:, 1:].astype(np.float64)
        return PointsTable(len(self.bots), keys[:, :players], keys[:, players], games, points)

    def leads_by_seat(self, one: int, other: int) -> dict[int, float]:
        """By seat of the one: how many points more it had a game than the other, where both sat at the table."""
        players, every = self.contest.players, seatings(self.contest.players)
        keys, sums = self._sums()
        mine, theirs = keys[:, :players] == one, keys[:, :players] == other
        both = mine.any(axis=1) & theirs.any(axis=1)
        seats = np.array([way.seats for way in every])[keys[both, players + 1]][mine[both]]
        points = sums[both, 1:]
        games, leads = sums[both, 0], points[mine[both]] - points[theirs[both]]
        return {
            seat: float(leads[seats == seat].sum() / games[seats == seat].sum()) for seat in np.unique(seats).tolist()
        }

    def possible_lineups(self, pools: Ints) -> int:
        """How many lineups the ratings are about: all of bots that are linked; in a gauntlet, those with its bot."""
        if self.gauntlet in self._index:
            linked = int((pools == pools[self._index[self.gauntlet]]).sum())
            return comb(linked - 1, self.contest.players - 1)
        return all_lineups(pools, self.contest.players)

    @property
    def games_counted(self) -> int:
        """Games that are counted as one: those of a match, or one."""
        return self.contest.games_per_match if self.count == "match" else 1


def added_up(keys: Ints, values: Ints) -> tuple[Ints, Ints]:
    """The different rows of keys, which are not negative, ascending, and the sums of the values beside each."""
    one = row_keys([*keys.T], (keys.max(axis=0, initial=0) + 1).tolist())
    if not (one[1:] > one[:-1]).all():
        order = np.argsort(one, kind="stable")
        starts = np.flatnonzero(changes(one[order][:, None]))
        keys, values = keys[order[starts]], np.add.reduceat(values[order], starts)
    return keys, values


def _counted_pairs(bots: Ints, values: Ints) -> Iterator[tuple[int, int, int]]:
    """Each different pair of a bot and a value, with how often it comes."""
    distinct, index = np.unique(values, return_inverse=True)
    pairs, times = np.unique(bots * len(distinct) + index, return_counts=True)
    bot, value = np.divmod(pairs, max(len(distinct), 1))
    return zip(bot.tolist(), distinct[value].tolist(), times.tolist(), strict=True)


def _matches(part: GameColumns) -> Ints:
    """The rows with the first games of matches; the others of a match follow it."""
    match = part.deal // part.contest.games_per_match
    starts: Ints = np.flatnonzero(changes(np.column_stack([part.lineup, part.rotation, match])))
    return starts


def _ranks_of_matches(part: GameColumns, starts: Ints) -> Ints:
    """By match and entrant: its place by the sum of its points; who forfeited a part of it is last."""
    points = np.add.reduceat(part.points, starts)
    forfeited = np.logical_or.reduceat(part.forfeited, starts)
    better = points[:, None, :] > points[:, :, None]
    better = np.where(forfeited[:, None, :] == forfeited[:, :, None], better, forfeited[:, :, None])
    ranks: Ints = better.sum(axis=2)
    return ranks


def choose_bots(names: Collection[str], only: Sequence[str], without: Sequence[str]) -> list[str] | None:
    """The bots whose names match one of the patterns in `only`, and none in `without`; None if all are wanted."""
    if not (only or without):
        return None
    for pattern in (*only, *without):
        if not any(fnmatchcase(name, pattern) for name in names):
            hint = did_you_mean(pattern, names)
            raise LeagueError(f"Expected the name of a bot of this league or a pattern, found {safe(pattern)!r}.{hint}")
    chosen = [name for name in names if not only or any(fnmatchcase(name, pattern) for pattern in only)]
    chosen = [name for name in chosen if not any(fnmatchcase(name, pattern) for pattern in without)]
    if len(chosen) < 2:
        raise LeagueError(f"Expected at least two bots to be left, found {counted(len(chosen), 'bot')}.")
    return chosen


class Results:
    """All results of a league, contest by contest."""

    def __init__(
        self,
        contests: Iterable[Contest],
        plays: Mapping[str, Iterable[str]],
        rating: Rating,
        goal: Settle | None = None,
        counting: Mapping[str, Counting] | None = None,
        gauntlet: str | None = None,
    ) -> None:
        self.plays = {name: frozenset(plays[name]) for name in sorted(plays)}
        """Bot to the keys of the contests that it takes part in."""
        self.rating = rating
        self.goal = goal
        """The goal of an adaptive league."""
        self.anchors: Mapping[str, float] = {}
        """Bots whose ratings are given."""
        self.baselines: frozenset[str] = frozenset()
        """Bots that are there for comparison only."""
        self.games = 0
        """That were added."""
        self.remarks: tuple[str, ...] = ()
        """What else is known about the bots, a sentence each."""
        self.progress: LeagueProgress | None = None
        """How far the league is; None if that is not known."""
        self.usage: dict[tuple[str, str], Usage] = {}
        """By key of a contest and bot: what its games cost, those included that count no longer."""
        self.contests: dict[str, Tallies] = {}
        for contest in contests:
            bots = [name for name, keys in self.plays.items() if contest.key in keys]
            count = (counting or {}).get(contest.key, "games")
            self.contests[contest.key] = Tallies(contest, bots, count, gauntlet)

    @classmethod
    def of(cls, store: Store, only: Collection[str] | None = None) -> Results:
        """Everything that counts in a league's results, or the games among some of its bots."""
        results = cls.read(store, only)
        coverage, costs = store.coverage(), store.costs()
        bots = [bot for bot in store.bots() if bot.name in results.plays]
        entrants = {bot.entrant() for bot in bots}
        results.usage = {(key, entrant.name): cost.usage for key, entrant, cost in costs if entrant in entrants}
        reached = progress(coverage)
        remarks = [f"left out: {reason}" for reason in store.left_out().values()]
        if not reached.complete and (waiting := held_up(coverage, costs)):
            still_open = counted(reached.total - reached.played, "game")
            parts = first_few([f"{games:,} of them with {safe(name)}" for name, games in waiting.items()], 3)
            remarks.append(f"open: {still_open}, {parts}: much slower bots, and bots that crash, come last.")
        remarks += map(str, store.unavailable())
        erratic = store.erratic().items()
        remarks += [f"{name} {reason}: playing again may give other results." for name, reason in erratic]
        remarks += _copies(bots)
        if left_out := len(store.bots()) - len(bots):
            part = f"only {len(bots)} of {len(store.bots())} bots: rated again from the games among them"
            remarks.insert(0, f"{part}. {counted(left_out, 'bot')} left out.")
        else:
            results.progress = reached
        results.remarks = tuple(remarks)
        return results

    @classmethod
    def read(cls, store: Store, only: Collection[str] | None = None) -> Results:
        """The same without what is known beside the results."""
        config = store.settings()
        contests = config.contests()
        bots = [bot for bot in store.bots() if only is None or bot.name in only]
        plays = {bot.name: [contest.key for contest in contests if bot.takes_part(contest)] for bot in bots}
        counting = {event.contest.key: event.count for event in config.events}
        results = cls(contests, plays, config.rating, config.settle, counting, config.gauntlet)
        results.anchors = {name: value for name, value in config.anchors.items() if name in plays}
        results.baselines = frozenset(bot.name for bot in bots if bot.baseline)
        wanted = None if only is None else lambda _, names: plays.keys() >= {*names}
        for part in store.games(wanted=wanted):
            results.add(part)
        return results

    def add(self, part: GameColumns) -> None:
        """Count some games."""
        self.contests[part.contest.key].add(part)
        self.games += part.size


def _copies(bots: Iterable[Bot]) -> Iterator[str]:
    """A sentence about each bot that plays under several names."""
    alike = Roster(tuple(bot for bot in bots if not bot.fills)).copies()
    for names in sorted([bot.name for bot in same] for same in alike):
        once = " ".join(f"--without {name}" for name in names[1:][:SHOWN_COPIES])
        more = " …" * (len(names) > SHOWN_COPIES + 1)
        same = f"{first_few(names, SHOWN_COPIES)} are the same bot, so whoever beats it seems better than it is"
        yield f"{same}: `league standings … {once}{more}` counts it once."
