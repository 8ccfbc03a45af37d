"""What a league has played, counted: as large as the number of results that differ.

    results = Results.of(store)
    counts = results.contests["raj-2p"].counts()

GameColumns may be added in any order. The arrays are in canonical order, so the same games give the same arrays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from league.errors import LeagueError, did_you_mean
from league.plan.coverage import LeagueProgress
from league.plan.rounds import held_up, progress
from league.plan.seating import seatings
from league.rating.points import PointsTable
from league.rating.table import Ints, RankingTable, changes
from league.results.games import GameColumns, games
from league.results.store import FORFEIT, KINDS
from league.tools.text import counted, first_few, safe
from league.values.block import Usage
from league.values.settings import Contest, Counting, Rating, Settle

if TYPE_CHECKING:
    from league.results.store import Store

MOST_KEYS = 2**62
"""As many different rows can be one number each."""


class Counts(NamedTuple):
    """Row by row: who played, in which seats, in which group of deals, who came where, in how many games."""

    lineups: Ints
    """Indices of bots, ascending."""
    seats: Ints
    groups: Ints
    ranks: Ints
    games: Ints

    def rows_of(self, bot: int) -> Ints:
        """The rows in which a bot sits at the table, ascending."""
        rows: Ints = np.flatnonzero(self.lineups.ravel() == bot) // self.lineups.shape[1]
        return rows


class Tallies:
    """All results of one contest."""

    def __init__(self, contest: Contest, bots: Sequence[str], count: Counting = "games") -> None:
        self.contest = contest
        self.count: Counting = count
        """What decides who is better. If it is the match, `counts` has matches instead of games."""
        self.bots = tuple(sorted(bots))
        """Those who play it, by name."""
        self.forfeits = [0] * len(self.bots)
        self.faults: list[Counter[str]] = [Counter() for _ in self.bots]
        """Kind to how often, by bot."""
        self.decisions = [0] * len(self.bots)
        self.seconds = [0.0] * len(self.bots)
        """That a bot took for its decisions; what was played and counts no longer is among them."""
        self.histograms: list[Counter[int]] = [Counter() for _ in self.bots]
        """The game's own points to how often, by bot."""
        self._index = {name: index for index, name in enumerate(self.bots)}
        self._counted = Sums(contest.players)
        """By lineup, group of deals, seating and ranks."""
        self._scored = Sums(contest.players)
        """By lineup, group of deals and seating, if points count: the points of each, too."""

    def points(self) -> list[int]:
        """The game's own, summed up by bot."""
        return [sum(value * games for value, games in histogram.items()) for histogram in self.histograms]

    def add(self, part: GameColumns) -> None:
        """Count some games; those with other bots are left out."""
        places = np.array([self._index.get(entrant.name, -1) for entrant in part.bots], dtype=np.int64)
        part = part.part(np.flatnonzero(np.all(places[part.lineup] >= 0, axis=1)))
        if not part.size:
            return
        lineups = places[part.lineup]
        self._add_points(lineups, part.points)
        for bot, kind, times in _counted_pairs(lineups[part.faults[:, 0], part.faults[:, 1]], part.faults[:, 2]):
            if KINDS[kind] == FORFEIT:
                self.forfeits[bot] += times
            else:
                self.faults[bot][KINDS[kind]] += times
        where = np.column_stack([lineups, part.group, part.seating])
        if self.count == "match":
            starts = _matches(part)
            self._counted.add(np.column_stack([where[starts], _ranks_of_matches(part, starts)]))
        else:
            self._counted.add(np.column_stack([where, part.ranks]))
        if self.count == "points":
            self._scored.add(where, part.points)

    def _add_points(self, lineups: Ints, points: Ints) -> None:
        for bot, value, times in _counted_pairs(lineups.ravel(), points.ravel()):
            self.histograms[bot][value] += times

    def add_costs(self, bot: str, usage: Usage) -> None:
        """Count what a bot used."""
        self.decisions[self._index[bot]] += usage.decisions
        self.seconds[self._index[bot]] += usage.seconds

    def counts(self) -> Counts:
        """All results in canonical order."""
        players = self.contest.players
        keys, sums = self._counted.all()
        seats = np.array([way.seats for way in seatings(players)], dtype=np.int64)[keys[:, players + 1]]
        return Counts(keys[:, :players], seats, keys[:, players], keys[:, players + 2 :], sums[:, 0])

    def table(self) -> RankingTable:
        """As ratings take it: without seats."""
        counts = self.counts()
        return RankingTable.from_rankings(len(self.bots), counts.lineups, counts.ranks, counts.groups, counts.games)

    def points_table(self) -> PointsTable:
        """Points by lineup and group of deals, if points count."""
        players = self.contest.players
        keys, sums = self._scored.all()
        keys, sums = added_up(keys[:, : players + 1], sums)
        games, points = sums[:, 0].astype(np.float64), sums[:, 1:].astype(np.float64)
        return PointsTable(len(self.bots), keys[:, :players], keys[:, players], games, points)

    def points_by_seat(self, one: int, other: int) -> dict[int, tuple[int, float]]:
        """By seat of the one, if points count: games in which both sat, and how many points more it had in them."""
        by_seat: dict[int, tuple[int, float]] = {}
        players = self.contest.players
        keys, sums = self._scored.all()
        every = seatings(players)
        both = (keys[:, :players] == one).any(axis=1) & (keys[:, :players] == other).any(axis=1)
        for key, (times, *points) in zip(keys[both].tolist(), sums[both].tolist(), strict=True):
            mine, theirs = key.index(one, 0, players), key.index(other, 0, players)
            seat, lead = every[key[players + 1]].seats[mine], points[mine] - points[theirs]
            before = by_seat.get(seat, (0, 0.0))
            by_seat[seat] = before[0] + times, before[1] + lead
        return by_seat

    @property
    def games_counted(self) -> int:
        """Games that are counted as one: those of a match, or one."""
        return self.contest.games_per_match if self.count == "match" else 1


class Sums:
    """Rows of numbers and how often each came, and the sums of others beside them; as large as the rows that differ."""

    def __init__(self, players: int) -> None:
        self._players = players
        self._parts: list[tuple[Ints, Ints]] = []

    def add(self, keys: Ints, values: Ints | None = None) -> None:
        """Count a row for each game, and add values."""
        games = np.ones((len(keys), 1), dtype=np.int64)
        self._parts.append(added_up(keys, games if values is None else np.hstack([games, values])))

    def all(self) -> tuple[Ints, Ints]:
        """The different rows, ascending, with the number of games and the sums of each."""
        if not self._parts:
            nothing = np.zeros((0, 2 * self._players + 2), dtype=np.int64)
            return nothing, nothing[:, : self._players + 1]
        if len(self._parts) > 1:
            keys, sums = map(np.concatenate, zip(*self._parts, strict=True))
            self._parts = [added_up(keys, sums)]
        return self._parts[0]


def added_up(keys: Ints, values: Ints) -> tuple[Ints, Ints]:
    """The different rows of keys, ascending, and the sums of the values beside each."""
    one = _as_one(keys)
    if not (one[1:] > one[:-1]).all():
        order = np.argsort(one, kind="stable")
        starts = np.flatnonzero(changes(one[order][:, None]))
        keys, values = keys[order[starts]], np.add.reduceat(values[order], starts)
    return keys, values


def _as_one(keys: Ints) -> Ints:
    """A number for each row: equal rows have the same, and greater ones a greater one."""
    one: Ints = np.zeros(len(keys), dtype=np.int64)
    size = 1
    for column in keys.T:
        least = int(column.min(initial=0))
        span = int(column.max(initial=0)) - least + 1
        if size * span > MOST_KEYS:
            one = np.unique(one, return_inverse=True)[1]
            size = int(one.max(initial=0)) + 1
        if size * span > MOST_KEYS:  # points of a game may be very far apart
            column, least = np.unique(column, return_inverse=True)[1], 0
            span = len(keys) + 1
        one = one * span + (column - least)
        size *= span
    return one


def _counted_pairs(bots: Ints, values: Ints) -> list[list[int]]:
    """Each different pair of a bot and a value, with how often it comes."""
    pairs, times = added_up(np.column_stack([bots, values]), np.ones((len(bots), 1), dtype=np.int64))
    return np.hstack([pairs, times]).tolist()  # type: ignore[no-any-return]


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
    ) -> None:
        self.plays = {name: frozenset(plays[name]) for name in sorted(plays)}
        """Bot to the keys of the contests that it takes part in."""
        self.rating = rating
        self.goal = goal
        """Of an adaptive league."""
        self.remarks: tuple[str, ...] = ()
        """What else is known about the bots, a sentence each."""
        self.progress: LeagueProgress | None = None
        """How far the league is; None if that is not known."""
        self.held_up: dict[str, int] = {}
        """Games that are open because of bots that play apart, by their names."""
        self.anchors: Mapping[str, float] = {}
        """Bots whose ratings are given."""
        self.baselines: frozenset[str] = frozenset()
        """Bots that are there for comparison only."""
        self.games = 0
        """That were added."""
        self.contests = {
            contest.key: Tallies(
                contest,
                [name for name, keys in self.plays.items() if contest.key in keys],
                (counting or {}).get(contest.key, "games"),
            )
            for contest in contests
        }

    @classmethod
    def of(cls, store: Store, only: Collection[str] | None = None) -> Results:
        """Everything that counts in a league's results, or the games among some of its bots."""
        results = cls.read(store, only)
        results.note(store)
        if left_out := len(store.bots()) - len(results.plays):
            results.progress = None
            part = f"only {len(results.plays)} of {len(store.bots())} bots: rated again from the games among them"
            results.remarks = (f"{part}. {counted(left_out, 'bot')} left out.", *results.remarks)
        return results

    @classmethod
    def read(cls, store: Store, only: Collection[str] | None = None) -> Results:
        """The same without what is known beside the results."""
        config = store.settings()
        contests = config.contests()
        bots = [bot for bot in store.bots() if only is None or bot.name in only]
        plays = {bot.name: [contest.key for contest in contests if bot.takes_part(contest)] for bot in bots}
        counting = {event.contest.key: event.count for event in config.events}
        results = cls(contests, plays, config.rating, config.settle, counting)
        results.anchors = {name: value for name, value in config.anchors.items() if name in plays}
        results.baselines = frozenset(bot.name for bot in bots if bot.baseline)
        for part in games(store, wanted=lambda _, names: plays.keys() >= {*names}):
            results.add(part)
        return results

    def note(self, store: Store) -> None:
        """Bring up to date what is known beside the results."""
        coverage, costs = store.coverage(), store.costs()
        self.progress = progress(coverage)
        self.held_up = {} if self.progress.complete else held_up(coverage, costs)
        for tallies in self.contests.values():
            tallies.decisions, tallies.seconds = [0] * len(tallies.bots), [0.0] * len(tallies.bots)
        entrants = {bot.entrant() for bot in store.bots()}
        for key, entrant, cost in costs:
            if entrant in entrants and key in self.plays.get(entrant.name, ()):
                self.contests[key].add_costs(entrant.name, cost.usage)
        left_out = [f"left out: {reason}" for reason in store.left_out().values()]
        erratic = [
            f"{name} {reason}: playing again may give other results." for name, reason in store.erratic().items()
        ]
        self.remarks = (*left_out, *self._open_games(), *map(str, store.unavailable()), *erratic)

    def _open_games(self) -> Iterator[str]:
        """A sentence about games that are open because of some bots."""
        if self.progress and self.held_up:
            still_open = counted(self.progress.total - self.progress.played, "game")
            parts = [f"{games:,} of them with {safe(name)}" for name, games in self.held_up.items()]
            yield f"open: {still_open}, {first_few(parts, 3)}: bots that are much slower, or that die, play last."

    def add(self, part: GameColumns) -> None:
        """Count some games."""
        self.contests[part.contest.key].add(part)
        self.games += part.size


class RunningResults:
    """The results of a league that is being played: each block is read once."""

    def __init__(self) -> None:
        self._results: Results | None = None
        self._last = 0
        """The block that was added last."""
        self._league: tuple[object, ...] = ()
        """The runs and the bots: after another run with other bots, what it played may not count."""
        self._rounds = 0
        self._every_game_counts = False
        """Otherwise some were played long ago, and a new round may have them."""

    def now(self, store: Store) -> Results:
        """What counts at this moment, without what is known beside it; the caller must not change it."""
        last, plan = store.last_block(), store.plan()
        league = (len(store.runs()), *(fixture.entrants for fixture in plan.fixtures))
        rounds = len(plan.chosen or ())
        is_later = league == self._league and (rounds == self._rounds or self._every_game_counts)
        if self._results is None or not is_later:
            self._results = Results.read(store)
            self._every_game_counts = self._results.games == store.games_stored()
        else:
            for part in games(store, since=self._last):
                self._results.add(part)
        self._last, self._league, self._rounds = last, league, rounds
        return self._results
