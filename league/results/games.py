"""Games of a league as columns: all that is counted, found or exported is read here.

    for part in games(store):
        print(part.contest.key, len(part), part.points.sum())

A part has at most `MOST` games of one contest, so memory stays flat however many games a league has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from league.plan.seating import seating_of, seatings
from league.rating.table import Ints
from league.results.outcomes import numbers_of
from league.results.schema import FILE, explained
from league.results.store import FORFEIT, KINDS, Selection, Store
from league.results.untrusted import MOST_DEALS, expect, most_games
from league.values.block import DEAL_GROUPS, Address, BlockResult, Entrant, Series, Terms, first_group
from league.values.settings import Contest

MOST = 2**17
MOST_POINTS = 10**15

Mask = NDArray[np.bool_]


class FoundGame(msgspec.Struct, frozen=True):
    """How one game ended; all tuples are by seat."""

    series: Series
    deal: int
    bots: tuple[str, ...]
    ranks: tuple[int, ...]
    """0 is best; equal ranks are ties."""
    points: tuple[int, ...]
    """The game's own."""
    faults: tuple[bool, ...]
    """Whether the bot was at fault in it, or forfeited it."""
    forfeits: tuple[bool, ...]
    """Whether the bot forfeited it after too many faults in the match."""
    block: int = 0
    """The number of the block that it is stored in."""

    @property
    def address(self) -> Address:
        """The address with which it can be replayed."""
        return self.series.address(self.deal)

    @property
    def contest(self) -> Contest:
        """The game and its options."""
        return self.series.contest

    @property
    def versions(self) -> tuple[str, ...]:
        """Hashes of the bots' sources."""
        return seating_of(self.series, self.deal).by_seat([entrant.source for entrant in self.series.lineup])


class GameColumns(NamedTuple):
    """Some games of one contest, a row each, in canonical order: by lineup, rotation and deal."""

    terms: Terms
    bots: Sequence[Entrant]
    block: Ints
    """The number of the block that a game is stored in."""
    lineup: Ints
    """Games by entrants: indices of bots."""
    rotation: Ints
    deal: Ints
    ranks: Ints
    """Games by entrants: 0 is best."""
    points: Ints
    """Games by entrants."""
    faults: Ints
    """A row for each fault: the row of its game, the place of the bot in the lineup, and its kind in `KINDS`."""

    @property
    def contest(self) -> Contest:
        """What is played."""
        return self.terms.contest

    @property
    def size(self) -> int:
        """How many games they are."""
        return len(self.deal)

    @property
    def seating(self) -> Ints:
        """By game: the number of its seating, as `seating_of` has it."""
        contest = self.contest
        match, game = np.divmod(self.deal, contest.games_per_match)
        turned = (self.rotation + game) % contest.players
        numbers: Ints = (match * contest.players + turned) % len(seatings(contest.players))
        return numbers

    @property
    def group(self) -> Ints:
        """By game: the group of its deal."""
        first = np.zeros(self.size, dtype=np.int64)
        if self.size and not self.terms.shared_deals:
            starts = np.flatnonzero(changes(self.lineup))
            groups = [first_group([self.bots[bot].name for bot in self.lineup[at].tolist()]) for at in starts]
            first = np.repeat(groups, np.diff(starts, append=self.size))
        groups_of_deals: Ints = (first + self.deal // self.contest.games_per_match) % DEAL_GROUPS
        return groups_of_deals

    @property
    def at_fault(self) -> Mask:
        """Games by entrants: whether a bot was at fault, or forfeited the game."""
        return self._marked(self.faults)

    @property
    def forfeited(self) -> Mask:
        """Games by entrants: whether a bot forfeited the game."""
        return self._marked(self.faults[self.faults[:, 2] == KINDS.index(FORFEIT)])

    def _marked(self, faults: Ints) -> Mask:
        marked = np.zeros(self.ranks.shape, dtype=bool)
        marked[faults[:, 0], faults[:, 1]] = True
        return marked

    def part(self, wanted: Mask) -> GameColumns:
        """The games that are wanted, in their order."""
        if wanted.all():
            return self
        rows = np.cumsum(wanted) - 1
        faults = self.faults[wanted[self.faults[:, 0]]]
        faults = np.column_stack([rows[faults[:, 0]], faults[:, 1:]])
        return GameColumns(
            self.terms,
            self.bots,
            block=self.block[wanted],
            lineup=self.lineup[wanted],
            rotation=self.rotation[wanted],
            deal=self.deal[wanted],
            ranks=self.ranks[wanted],
            points=self.points[wanted],
            faults=faults,
        )

    def series(self, row: int) -> Series:
        """The series of a game."""
        lineup = tuple([self.bots[bot] for bot in self.lineup[row].tolist()])
        contest, seed, limits, shared_deals = msgspec.structs.astuple(self.terms)
        return Series(contest, lineup, int(self.rotation[row]), seed, limits, shared_deals)

    def game(self, row: int) -> FoundGame:
        """One game."""
        series, deal = self.series(row), int(self.deal[row])
        seating = seating_of(series, deal)
        of_game = self.faults[self.faults[:, 0] == row].tolist()
        at_fault = {place for _, place, _ in of_game}
        forfeited = {place for _, place, kind in of_game if KINDS[kind] == FORFEIT}
        return FoundGame(
            series=series,
            deal=deal,
            bots=seating.by_seat([entrant.name for entrant in series.lineup]),
            ranks=seating.by_seat(self.ranks[row].tolist()),
            points=seating.by_seat(self.points[row].tolist()),
            faults=tuple([entrant in at_fault for entrant in seating.entrants]),
            forfeits=tuple([entrant in forfeited for entrant in seating.entrants]),
            block=int(self.block[row]),
        )


Which = Callable[[Store], Iterable[Selection]]


def counting(store: Store) -> list[Selection]:
    """The games that count: those of the plan."""
    return store.counting()


def of_version(entrant: Entrant) -> Which:
    """All games of one version of a bot, with whatever versions it met, also those that count no longer."""
    return lambda store: store.with_entrant(entrant)


def games(
    store: Store,
    which: Which = counting,
    *,
    wanted: Callable[[Contest, Sequence[str]], bool] | None = None,
    since: int = 0,
    deal: int | None = None,
) -> Iterator[GameColumns]:
    """The games of a league, in canonical order.

    `wanted` is asked about every contest with the names of a lineup; `since` leaves out the blocks up to this number,
    and `deal` all other deals. They are the games of one moment, whatever is added meanwhile.
    """
    last, at_fault = store.last_block(), store.blocks_at_fault()
    for chosen in which(store):
        if wanted is not None:
            chosen = chosen.only(wanted)
        rows: list[tuple[object, ...]] = []
        size = 0
        for row in store.blocks(chosen, "outcomes", since=since, last=last, deal=deal):
            games_in = row[5] - row[4]
            if rows and size + games_in > MOST:
                yield _read(store, chosen, rows, at_fault, deal)
                rows, size = [], 0
            rows.append(row)
            size += games_in
        if rows:
            yield _read(store, chosen, rows, at_fault, deal)


def _read(
    store: Store, chosen: Selection, rows: Sequence[tuple[object, ...]], at_fault: set[int], deal: int | None
) -> GameColumns:
    """The games of some blocks that are wanted."""
    with explained(store.folder / FILE):
        part, wanted = _decoded(store, chosen, rows, at_fault)
    if deal is not None:
        wanted &= part.deal == deal
    return part.part(wanted)


def _decoded(
    store: Store, chosen: Selection, rows: Sequence[tuple[object, ...]], at_fault: set[int]
) -> tuple[GameColumns, Mask]:
    """All games of some blocks, and which of them are wanted."""
    ids, lineups, spans, turned, firsts, stops, packed = zip(*rows, strict=True)
    contest = chosen.terms.contest
    players = contest.players
    rotations, first, stop = (np.array(column, dtype=np.int64) for column in (turned, firsts, stops))
    sizes = stop - first
    in_range = (first >= 0) & (sizes > 0) & (sizes <= most_games(contest)) & (stop <= MOST_DEALS)
    expect(in_range.all(), "expected the deals of blocks, found others")
    expect(((rotations >= 0) & (rotations < players)).all(), f"expected rotations below {players}, found others")
    table = _table(packed, sizes, 2 * players)
    ranks, points = table[:, :players], table[:, players:]
    expect(((ranks >= 0) & (ranks < players)).all(), f"expected places below {players}, found others")
    expect((abs(points) <= MOST_POINTS).all(), "expected points of games, found larger numbers")
    starts = np.cumsum(sizes) - sizes
    block = np.repeat(np.arange(len(rows)), sizes)
    deals = np.arange(len(table)) - starts[block] + first[block]
    low, high = np.array(spans, dtype=np.int64).T
    faults = []
    for number in [number for number, id_ in enumerate(ids) if id_ in at_fault]:
        names = [chosen.bots[bot] for bot in lineups[number]]
        for deal, place, kind in store.faults_in(ids[number], names, (firsts[number], stops[number])):
            faults.append((starts[number] + deal - firsts[number], place, KINDS.index(kind)))
    part = GameColumns(
        terms=chosen.terms,
        bots=chosen.bots,
        block=np.array(ids, dtype=np.int64)[block],
        lineup=np.array(lineups, dtype=np.int64)[block],
        rotation=rotations[block],
        deal=deals,
        ranks=ranks,
        points=points,
        faults=np.array(faults, dtype=np.int64).reshape(-1, 3),
    )
    return part, (low[block] <= deals) & (deals < high[block])


def _table(packed: Sequence[bytes], sizes: Ints, columns: int) -> Ints:
    """The outcomes of some blocks, a row for each game."""
    contents = [numbers_of(outcomes, columns * size) for outcomes, size in zip(packed, sizes.tolist(), strict=True)]
    widths = np.array([width for width, _ in contents])
    table = np.empty((int(sizes.sum()), columns), dtype=np.int64)
    for width in np.unique(widths).tolist():
        here = b"".join([content for of_block, content in contents if of_block == width])
        table[np.repeat(widths == width, sizes)] = np.frombuffer(here, f"<i{width}").reshape(-1, columns)
    return table


def changes(rows: Ints) -> Mask:
    """By row: whether it differs from the one before."""
    changed = np.ones(len(rows), dtype=bool)
    changed[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return changed


def games_of(result: BlockResult) -> GameColumns:
    """The games of one block that was just played."""
    block = result.block
    series = block.series
    players = len(series.lineup)
    table = _table([result.outcomes], np.array([block.games]), 2 * players)
    places = {entrant.name: place for place, entrant in enumerate(series.lineup)}
    faults = [(fault.deal - block.first, places[fault.bot], KINDS.index(fault.kind)) for fault in result.faults]
    faults += [(deal - block.first, place, KINDS.index(FORFEIT)) for deal, place in result.forfeits]
    return GameColumns(
        terms=series.terms,
        bots=series.lineup,
        block=np.zeros(block.games, dtype=np.int64),
        lineup=np.tile(np.arange(players), (block.games, 1)),
        rotation=np.full(block.games, series.rotation),
        deal=np.arange(block.first, block.stop),
        ranks=table[:, :players],
        points=table[:, players:],
        faults=np.array(faults, dtype=np.int64).reshape(-1, 3),
    )
