"""Games of a league as columns: all that is counted, found or exported is read here.

    for part in store.games():
        print(part.contest.key, part.size, part.points.sum())

A part has games of one contest, and not many at a time, so memory stays flat however many a league has. They are
unpacked from blocks, which are checked as they are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from typing import Any, NamedTuple, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from league.plan.lineups import Lineup
from league.plan.schedule import NO_DEALS, Span
from league.plan.seating import seating_of, seatings
from league.rating.table import Ints, changes
from league.results.outcomes import numbers_of
from league.results.untrusted import MOST_DEALS, expect
from league.values.block import DEAL_GROUPS, Address, Block, BlockResult, Entrant, FaultKind, Series, Terms, first_group
from league.values.settings import Contest

FORFEIT = "forfeit"
KINDS = (*sorted(get_args(FaultKind)), FORFEIT)
"""The kinds of faults, as they are stored: a game that was forfeited after too many faults in its match is one too."""
MOST_GAMES = 65_536
"""In one block, unless a match is longer."""
MOST_POINTS = 10**15

Mask = NDArray[np.bool_]
Wanted = Callable[[Contest, Sequence[str]], bool]
"""Whether games of a contest are wanted, by the names of a lineup."""


class Selection(NamedTuple):
    """Games of one contest that are wanted."""

    terms: Terms
    bots: Sequence[Entrant]
    """Whose indices a lineup has, in the order in which lineups are sorted."""
    deals: Callable[[Lineup], Span]
    """The deals that are wanted of a lineup; `NO_DEALS` if it is none of these."""

    def only(self, wanted: Wanted) -> Selection:
        """The lineups among them that are wanted."""

        def deals(lineup: Lineup) -> Span:
            names = [self.bots[bot].name for bot in lineup]
            return self.deals(lineup) if wanted(self.terms.contest, names) else NO_DEALS

        return self._replace(deals=deals)


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


class StoredBlocks(NamedTuple):
    """Blocks of one contest with deals that are wanted, in canonical order: by lineup, rotation and deal."""

    terms: Terms
    bots: Sequence[Entrant]
    id: Ints
    lineup: Ints
    """Blocks by entrants: indices of bots."""
    rotation: Ints
    first: Ints
    stop: Ints
    wanted: Ints
    """By block: the first of the deals that are wanted of its lineup, and where they stop."""
    more: Sequence[Sequence[Any]]
    """The other columns that were asked for: of games, the outcomes, and whether there are faults among them."""

    def block(self, row: int) -> Block:
        """A block, all of its deals included."""
        series = _series(self, row)
        return Block(series, int(self.first[row]), int(self.stop[row]))

    def games(self, faults: Iterable[tuple[int, int, int, str]]) -> GameColumns:
        """The games that are wanted. Each fault has the row of its block, the deal, the bot's place, and its kind."""
        players, sizes = self.terms.contest.players, self.stop - self.first
        table = _table(self.more[0], sizes, 2 * players)
        starts = np.cumsum(sizes) - sizes
        block = np.repeat(np.arange(len(sizes)), sizes)
        deal = np.arange(len(table)) - (starts - self.first)[block]
        rows = [(starts[row] + at - self.first[row], place, KINDS.index(kind)) for row, at, place, kind in faults]
        every = GameColumns(
            terms=self.terms,
            bots=self.bots,
            block=self.id[block],
            lineup=self.lineup[block],
            rotation=self.rotation[block],
            deal=deal,
            ranks=table[:, :players],
            points=table[:, players:],
            faults=np.array(rows, dtype=np.int64).reshape(-1, 3),
        )
        low, high = self.wanted[block].T
        return every.part(np.flatnonzero((low <= deal) & (deal < high)))


def checked_blocks(chosen: Selection, place_of: Ints, rows: Sequence[tuple[Any, ...]]) -> StoredBlocks:
    """The blocks with games that are wanted, of some as they are stored.

    `place_of` has the index of each bot by id, and -1 for others, at its end too.
    """
    contest = chosen.terms.contest
    ids, lineups, rotations, firsts, stops, *more = zip(*rows, strict=True)
    id_, rotation, first, stop = (np.array(column, dtype=np.int64) for column in (ids, rotations, firsts, stops))
    size = stop - first
    fits = (first >= 0) & (size > 0) & (stop <= MOST_DEALS) & (size <= max(MOST_GAMES, contest.games_per_match))
    expect(fits.all(), "expected the deals of blocks, found others")
    turned = (rotation >= 0) & (rotation < contest.players)
    expect(turned.all(), f"expected rotations below {contest.players}, found others")
    expect({*map(len, lineups)} == {4 * contest.players}, f"expected lineups of {contest.players}, found others")
    entrants = np.frombuffer(b"".join(lineups), ">u4").reshape(-1, contest.players)
    lineup = place_of[np.minimum(entrants, len(place_of) - 1)]
    fresh = changes(lineup)
    spans = [NO_DEALS if -1 in members else chosen.deals((*members,)) for members in lineup[fresh].tolist()]
    wanted = np.array(spans, dtype=np.int64)[np.cumsum(fresh) - 1]
    here = (first < wanted[:, 1]) & (wanted[:, 0] < stop)
    return StoredBlocks(
        terms=chosen.terms,
        bots=chosen.bots,
        id=id_[here],
        lineup=lineup[here],
        rotation=rotation[here],
        first=first[here],
        stop=stop[here],
        wanted=wanted[here],
        more=[[*compress(column, here)] for column in more],
    )


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
        return _series(self, row)

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


def _series(columns: StoredBlocks | GameColumns, row: int) -> Series:
    lineup = tuple([columns.bots[bot] for bot in columns.lineup[row].tolist()])
    return columns.terms.series(lineup, int(columns.rotation[row]))


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


def games_of(result: BlockResult) -> GameColumns:
    """The games of one block that was just played."""
    block, series = result.block, result.block.series
    places = {entrant.name: place for place, entrant in enumerate(series.lineup)}
    deals = np.array([[block.first, block.stop]])
    one = StoredBlocks(
        terms=series.terms,
        bots=series.lineup,
        id=np.zeros(1, dtype=np.int64),
        lineup=np.array([[*places.values()]]),
        rotation=np.array([series.rotation]),
        first=deals[:, 0],
        stop=deals[:, 1],
        wanted=deals,
        more=[[result.outcomes]],
    )
    faults = [(0, fault.deal, places[fault.bot], str(fault.kind)) for fault in result.faults]
    return one.games(faults + [(0, deal, place, FORFEIT) for deal, place in result.forfeits])
