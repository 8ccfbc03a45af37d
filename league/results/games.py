"""Games of a league as columns: all that is counted, found or exported is read here.

    for part in games(store):
        print(part.contest.key, len(part), part.points.sum())

A part has games of one contest, and not many at a time, so memory stays flat however many a league has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from league.plan.seating import seating_of, seatings
from league.rating.table import Ints, changes
from league.results.blocks import FORFEIT, KINDS, Selection, StoredBlocks
from league.results.outcomes import numbers_of
from league.results.schema import FILE, explained
from league.results.store import Store
from league.results.untrusted import expect
from league.values.block import DEAL_GROUPS, Address, Block, BlockResult, Entrant, Fault, Series, Terms, first_group
from league.values.settings import Contest

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
        if self.size and self.terms.luck_follows != "seed":
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

    def part(self, rows: Ints) -> GameColumns:
        """Some of the games, each once."""
        if len(rows) == self.size:
            return self
        place = np.full(self.size, -1)
        place[rows] = np.arange(len(rows))
        faults = self.faults[place[self.faults[:, 0]] >= 0]
        faults = np.column_stack([place[faults[:, 0]], faults[:, 1:]])
        block, lineup, rotation, deal, ranks, points = (column[rows] for column in self[2:8])
        return GameColumns(self.terms, self.bots, block, lineup, rotation, deal, ranks, points, faults)

    def series(self, row: int) -> Series:
        """The series of a game."""
        lineup = tuple([self.bots[bot] for bot in self.lineup[row].tolist()])
        return self.terms.series(lineup, int(self.rotation[row]))

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
    deal: int | None = None,
) -> Iterator[GameColumns]:
    """The games of a league, in canonical order.

    `wanted` is asked about every contest with the names of a lineup; `deal` leaves out all other deals. They are the
    games of one moment, whatever is added meanwhile.
    """
    last, at_fault = store.last_block(), store.blocks_at_fault()
    for chosen in which(store):
        lineups = chosen if wanted is None else chosen.only(wanted)
        for some in store.blocks(lineups, outcomes=True, last=last, deal=deal):
            with explained(store.folder / FILE):
                part = _columns(store, some, at_fault)
            low, high = np.repeat(some.wanted, some.stop - some.first, axis=0).T
            here = (low <= part.deal) & (part.deal < high)
            yield part.part(np.flatnonzero(here if deal is None else here & (part.deal == deal)))


def _columns(store: Store, some: StoredBlocks, at_fault: set[int]) -> GameColumns:
    """All games of some blocks."""
    players, sizes = some.terms.contest.players, some.stop - some.first
    table = _table(some.outcomes, sizes, 2 * players)
    starts = np.cumsum(sizes) - sizes
    block = np.repeat(np.arange(len(sizes)), sizes)
    faults = []
    for row in np.flatnonzero(np.isin(some.id, [*at_fault])).tolist():
        of_block = _fault_rows(some.block(row), *store.faults_in(int(some.id[row]), some.block(row)))
        faults += [(starts[row] + game, place, kind) for game, place, kind in of_block]
    return GameColumns(
        terms=some.terms,
        bots=some.bots,
        block=some.id[block],
        lineup=some.lineup[block],
        rotation=some.rotation[block],
        deal=np.arange(len(table)) - starts[block] + some.first[block],
        ranks=table[:, :players],
        points=table[:, players:],
        faults=np.array(faults, dtype=np.int64).reshape(-1, 3),
    )


def _table(packed: Sequence[bytes], sizes: Ints, columns: int) -> Ints:
    """The outcomes of some blocks, a row for each game."""
    table = np.empty((int(sizes.sum()), columns), dtype=np.int64)
    codes = np.array([outcomes[0] if outcomes else 0 for outcomes in packed])
    for code in np.unique(codes).tolist():
        here = codes == code
        numbers = numbers_of(code, [*compress(packed, here)], (columns * sizes[here]).tolist())
        table[np.repeat(here, sizes)] = numbers.reshape(-1, columns)
    players = columns // 2
    ranks, points = table[:, :players], table[:, players:]
    expect(((ranks >= 0) & (ranks < players)).all(), f"expected places below {players}, found others")
    expect((abs(points) <= MOST_POINTS).all(), "expected points of games, found larger numbers")
    return table


def _fault_rows(
    block: Block, faults: Sequence[Fault], forfeits: Sequence[tuple[int, int]]
) -> list[tuple[int, int, int]]:
    """Faults and forfeited games as `GameColumns.faults` has them."""
    places = {entrant.name: place for place, entrant in enumerate(block.series.lineup)}
    rows = [(fault.deal - block.first, places[fault.bot], KINDS.index(fault.kind)) for fault in faults]
    return rows + [(deal - block.first, place, KINDS.index(FORFEIT)) for deal, place in forfeits]


def games_of(result: BlockResult) -> GameColumns:
    """The games of one block that was just played."""
    block = result.block
    series = block.series
    players = len(series.lineup)
    table = _table([result.outcomes], np.array([block.games]), 2 * players)
    faults = _fault_rows(block, result.faults, result.forfeits)
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
