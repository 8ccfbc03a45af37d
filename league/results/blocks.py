"""Blocks as they are stored, read as columns: all that is read of what was played goes through here, and is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Any, NamedTuple, get_args

import numpy as np

from league.plan.lineups import Lineup
from league.plan.schedule import NO_DEALS, Span
from league.rating.table import Ints, changes
from league.results.untrusted import MOST_DEALS, expect
from league.values.block import Block, Entrant, FaultKind, Series, Terms
from league.values.settings import Contest

FORFEIT = "forfeit"
KINDS = (*sorted(get_args(FaultKind)), FORFEIT)
"""The kinds of faults, as they are stored: a game that was forfeited after too many faults in its match is one too."""
MOST_GAMES = 65_536
"""In one block, unless a match is longer."""


class Selection(NamedTuple):
    """Games of one contest that are wanted."""

    terms: Terms
    bots: Sequence[Entrant]
    """Whose indices a lineup has, in the order in which lineups are sorted."""
    deals: Callable[[Lineup], Span]
    """The deals that are wanted of a lineup; `NO_DEALS` if it is none of these."""
    alone: Lineup | None = None
    """The only lineup, if there is but one."""

    def only(self, wanted: Callable[[Contest, Sequence[str]], bool]) -> Selection:
        """The lineups among them that are wanted, by the contest and the names."""

        def deals(lineup: Lineup) -> Span:
            names = [self.bots[bot].name for bot in lineup]
            return self.deals(lineup) if wanted(self.terms.contest, names) else NO_DEALS

        return self._replace(deals=deals)


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
    outcomes: Sequence[bytes] = ()
    """If they were asked for."""

    def series(self, row: int) -> Series:
        """The series of a block."""
        lineup = tuple([self.bots[bot] for bot in self.lineup[row].tolist()])
        return self.terms.series(lineup, int(self.rotation[row]))

    def block(self, row: int) -> Block:
        """A block, all of its deals included."""
        return Block(self.series(row), int(self.first[row]), int(self.stop[row]))

    @property
    def spans(self) -> list[Span]:
        """By block: its deals that are wanted."""
        first, stop = np.maximum(self.first, self.wanted[:, 0]), np.minimum(self.stop, self.wanted[:, 1])
        return [*zip(first.tolist(), stop.tolist(), strict=True)]


def wanted_blocks(
    chosen: Selection, places: Mapping[int, int], rows: Sequence[tuple[Any, ...]]
) -> Iterator[StoredBlocks]:
    """The blocks with games that are wanted, of some as they are stored; nothing if there are none."""
    contest = chosen.terms.contest
    ids, lineups, *numbers = zip(*rows, strict=True)
    rotation, first, stop = (np.array(column, dtype=np.int64) for column in numbers[:3])
    size = stop - first
    fits = (first >= 0) & (size > 0) & (stop <= MOST_DEALS) & (size <= max(MOST_GAMES, contest.games_per_match))
    expect(fits.all(), "expected the deals of blocks, found others")
    turned = (rotation >= 0) & (rotation < contest.players)
    expect(turned.all(), f"expected rotations below {contest.players}, found others")
    expect({*map(len, lineups)} == {4 * contest.players}, f"expected lineups of {contest.players}, found others")
    place_of = np.full(max(places, default=0) + 2, -1)
    place_of[[*places]] = [*places.values()]
    entrants = np.frombuffer(b"".join(lineups), ">u4").reshape(-1, contest.players)
    lineup = place_of[np.minimum(entrants, len(place_of) - 1)]
    fresh = changes(lineup)
    spans = [NO_DEALS if -1 in members else chosen.deals((*members,)) for members in lineup[fresh].tolist()]
    wanted = np.array(spans, dtype=np.int64)[np.cumsum(fresh) - 1]
    here = (first < wanted[:, 1]) & (wanted[:, 0] < stop)
    if here.any():
        yield StoredBlocks(
            chosen.terms,
            chosen.bots,
            np.array(ids, dtype=np.int64)[here],
            lineup[here],
            rotation[here],
            first[here],
            stop[here],
            wanted[here],
            [*compress(numbers[3], here)] if len(numbers) > 3 else (),
        )
