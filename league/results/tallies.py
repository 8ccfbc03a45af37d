"""What a league has played, added up block by block: as large as the number of results that differ.

    results = Results.of(store)
    counts = results.contests["raj-2p"].counts()

Blocks may be added in any order. The arrays are in canonical order, so the same games give the same arrays.
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
from league.plan.seating import seating_of, seatings
from league.rating.points import PointsTable
from league.rating.table import Ints, RankingTable
from league.results.outcomes import match_rankings, unpack
from league.tools.text import counted, first_few, safe
from league.values.block import DEAL_GROUPS, BlockResult, Fault, Usage
from league.values.settings import Contest, Counting, Rating, Settle

if TYPE_CHECKING:
    from league.results.store import Store

_PENDING = 200_000
"""After this many new counts they are added to those before."""


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
        self.points = [0] * len(self.bots)
        """The game's own, summed up by bot."""
        self.forfeits = [0] * len(self.bots)
        self.faults: list[Counter[str]] = [Counter() for _ in self.bots]
        """Kind to how often, by bot."""
        self.decisions = [0] * len(self.bots)
        self.seconds = [0.0] * len(self.bots)
        """That a bot took for its decisions; what was played and counts no longer is among them."""
        self.histograms: list[Counter[int]] = [Counter() for _ in self.bots]
        """The game's own points to how often, by bot."""
        self._points: dict[int, list[int]] = {}
        """By lineup and group of deals, if points count: the number of games, and the points of each."""
        self._seat_points: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
        """By lineup and seats, if points count: the number of games, and the points of each."""
        self._index = {name: index for index, name in enumerate(self.bots)}
        self._lineups: dict[tuple[int, ...], int] = {}
        self._endings: dict[tuple[int, tuple[int, ...]], int] = {}
        """Seating and ranks of a game."""
        self._keys: list[int] = []
        self._games: list[int] = []
        self._summed: tuple[Ints, Ints] = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
        self._counts: Counts | None = None
        """Made from the sums when they are asked for."""

    def add(self, result: BlockResult) -> None:
        """Add the tally of a block."""
        lineup = tuple(self._index[entrant.name] for entrant in result.block.series.lineup)
        base = self._lineups.setdefault(lineup, len(self._lineups)) * DEAL_GROUPS
        whole_matches = self.count == "match"
        for group, seating, ranks, games in match_rankings(result) if whole_matches else result.tally.rankings:
            ending = self._endings.setdefault((seating, ranks), len(self._endings))
            self._keys.append((base + group << 32) + ending)
            self._games.append(games)
        for group, points in result.tally.points:
            for bot, more in zip(lineup, points, strict=True):
                self.points[bot] += more
            if self.count == "points":
                sums = self._points.setdefault(base + group, [0] * (1 + len(lineup)))
                for index, more in enumerate(points, 1):
                    sums[index] += more
        if self.count == "points":
            for group, _, _, games in result.tally.rankings:
                self._points[base + group][0] += games
            self._add_points_by_seat(result, lineup)
        for bot, forfeited in zip(lineup, result.forfeits, strict=False):
            self.forfeits[bot] += forfeited
        for index, value, games in result.tally.histogram:
            self.histograms[lineup[index]][value] += games
        if len(self._keys) > _PENDING:
            self._settle()

    def _add_points_by_seat(self, result: BlockResult, lineup: tuple[int, ...]) -> None:
        series, first = result.block.series, result.block.first
        endings = unpack(result.outcomes, len(lineup), result.block.games) if result.outcomes else []
        for deal, ending in enumerate(endings, first):
            seated = self._seat_points.setdefault((lineup, seating_of(series, deal).seats), [0] * (1 + len(lineup)))
            seated[0] += 1
            for index, points in enumerate(ending.points, 1):
                seated[index] += points

    def add_costs(self, bot: str, usage: Usage) -> None:
        """Count what a bot used."""
        self.decisions[self._index[bot]] += usage.decisions
        self.seconds[self._index[bot]] += usage.seconds

    def add_fault(self, fault: Fault) -> None:
        """Count a fault."""
        self.faults[self._index[fault.bot]][fault.kind] += 1

    def counts(self) -> Counts:
        """All results in canonical order."""
        if self._keys or self._counts is None:
            self._settle()
            self._counts = self._in_order()
        return self._counts

    def _in_order(self) -> Counts:
        keys, games = self._summed
        players = self.contest.players
        lineups = np.array(list(self._lineups), dtype=np.int64).reshape(-1, players)
        seating = np.array([number for number, _ in self._endings], dtype=np.int64)
        ranks = np.array([ranks for _, ranks in self._endings], dtype=np.int64).reshape(-1, players)
        seats = np.array([way.seats for way in seatings(players)], dtype=np.int64)[seating]
        place, ending = keys >> 32, keys & 0xFFFFFFFF
        lineup, group = place // DEAL_GROUPS, place % DEAL_GROUPS
        counts = Counts(lineups[lineup], seats[ending], group, ranks[ending], games)
        columns = (*counts.ranks.T[::-1], seating[ending], counts.groups, *counts.lineups.T[::-1])
        order = np.lexsort(columns)
        return Counts(*(column[order] for column in counts))

    def table(self) -> RankingTable:
        """As ratings take it: without seats."""
        counts = self.counts()
        return RankingTable.from_rankings(len(self.bots), counts.lineups, counts.ranks, counts.groups, counts.games)

    def points_table(self) -> PointsTable:
        """Points by lineup and group of deals, if points count."""
        players = self.contest.players
        lineups = list(self._lineups)
        keys = sorted(self._points, key=lambda key: (lineups[key // DEAL_GROUPS], key % DEAL_GROUPS))
        rows = [(*lineups[key // DEAL_GROUPS], key % DEAL_GROUPS, *self._points[key]) for key in keys]
        columns = np.array(rows, dtype=np.int64).reshape(-1, 2 * players + 2)
        sums = columns[:, players + 2 :].astype(np.float64)
        games = columns[:, players + 1].astype(np.float64)
        return PointsTable(len(self.bots), columns[:, :players], columns[:, players], games, sums)

    def points_by_seat(self, one: int, other: int) -> dict[int, tuple[int, float]]:
        """By seat of the one, if points count: games in which both sat, and how many points more it had in them."""
        by_seat: dict[int, tuple[int, float]] = {}
        for (lineup, seats), (games, *points) in self._seat_points.items():
            if one in lineup and other in lineup:
                seat, lead = seats[lineup.index(one)], points[lineup.index(one)] - points[lineup.index(other)]
                before = by_seat.get(seat, (0, 0.0))
                by_seat[seat] = before[0] + games, before[1] + lead
        return by_seat

    @property
    def games_counted(self) -> int:
        """Games that are counted as one: those of a match, or one."""
        return self.contest.games_per_match if self.count == "match" else 1

    def _settle(self) -> None:
        """Add what is pending to what was counted before."""
        if self._keys:
            keys = np.concatenate([self._summed[0], np.array(self._keys, dtype=np.int64)])
            games = np.concatenate([self._summed[1], np.array(self._games, dtype=np.int64)])
            unique, index = np.unique(keys, return_inverse=True)
            total = np.zeros(len(unique), dtype=np.int64)
            np.add.at(total, index, games)
            self._summed = (unique, total)
            self._counts = None
            self._keys.clear()
            self._games.clear()


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
        left_out = {bot.name for bot in store.bots()} - plays.keys()
        for result in store.results():
            if left_out.isdisjoint(entrant.name for entrant in result.block.series.lineup):
                results.add(result)
        for fault in store.faults():
            if left_out.isdisjoint(fault.address.split(":")[1].split("+")):
                results.add_fault(fault)
        return results

    def note(self, store: Store) -> None:
        """Bring up to date what is known beside the results."""
        coverage = store.coverage()
        self.progress = progress(coverage)
        self.held_up = {} if self.progress.complete else held_up(coverage, store.pace())
        for tallies in self.contests.values():
            tallies.decisions, tallies.seconds = [0] * len(tallies.bots), [0.0] * len(tallies.bots)
        entrants = {bot.entrant() for bot in store.bots()}
        for cost in store.costs():
            if cost.entrant in entrants and cost.entrant.name in self.plays:
                self.contests[cost.contest].add_costs(cost.entrant.name, cost.usage)
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

    def add(self, result: BlockResult) -> None:
        """Add a block, with its faults if it carries them."""
        self.contests[result.block.series.contest.key].add(result)
        self.games += result.block.games
        for fault in result.faults:
            self.add_fault(fault)

    def add_fault(self, fault: Fault) -> None:
        """Count a fault."""
        self.contests[fault.address.split(":", 1)[0]].add_fault(fault)


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
            for result in store.results_after(self._last):
                self._results.add(result)
        self._last, self._league, self._rounds = last, league, rounds
        return self._results
