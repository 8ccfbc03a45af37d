"""Which bots sit at one table: all combinations, or a sample that grows and shrinks with the field.

Bots are numbers below `bots`, in the order of their names, and a lineup is a tuple of them. Lineups are counted and
looked up without listing them: a thousand bots have half a million pairs, and nobody has to hold them.

A sample is made of **successor rings**. In ring t every bot is the host of one lineup: for each further seat, all bots
are put on a circle by a hash of (seed, t, seat, name), and the next one after the host that is not yet in the lineup
takes the seat. A new bot stands between two others on each circle. So it adds lineups with itself, takes the place of
others in a few, and changes nothing else; removing it is the exact reverse.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import comb, gcd
from typing import Protocol

from league.tools.seeds import Seeds

Lineup = tuple[int, ...]

GOLDEN_SECTION = 0.6180339887498949


class Lineups(Protocol):
    """Lineups in canonical order."""

    def __len__(self) -> int: ...

    def __getitem__(self, rank: int) -> Lineup: ...

    def rank(self, lineup: Lineup) -> int | None:
        """The index of a lineup; None if it is not one of these."""


class Combinations:
    """Every lineup of `seats` out of `bots`, in lexicographic order, without holding them."""

    def __init__(self, bots: int, seats: int) -> None:
        self._last = bots - 1
        self._count = comb(bots, seats)
        self._tables = [[comb(bot, left) for bot in range(bots)] for left in range(seats, 0, -1)]
        """By seat: numbered from the last lineup and the last bot, ranks are sums of these."""

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, rank: int) -> Lineup:
        if not 0 <= rank < self._count:
            raise IndexError(rank)
        lineup = []
        behind = self._count - 1 - rank
        for table in self._tables:
            bot = bisect_right(table, behind) - 1
            behind -= table[bot]
            lineup.append(self._last - bot)
        return tuple(lineup)

    def rank(self, lineup: Lineup) -> int | None:
        """The index of a lineup; None if it is not one of these."""
        behind, before = 0, -1
        for table, bot in zip(self._tables, lineup, strict=True):
            if bot <= before:
                return None
            behind += table[self._last - bot]
            before = bot
        return self._count - 1 - behind


class Listed:
    """Lineups that are listed one by one."""

    def __init__(self, lineups: Sequence[Lineup]) -> None:
        self._lineups = lineups

    def __len__(self) -> int:
        return len(self._lineups)

    def __getitem__(self, rank: int) -> Lineup:
        return self._lineups[rank]

    def rank(self, lineup: Lineup) -> int | None:
        """The index of a lineup; None if it is not one of these."""
        return self._ranks.get(lineup)

    @cached_property
    def _ranks(self) -> dict[Lineup, int]:
        return {lineup: rank for rank, lineup in enumerate(self._lineups)}


def sampled(names: Sequence[str], seats: int, most: int, seeds: Seeds) -> list[Lineup]:
    """At most `most` lineups in which everybody sits about equally often, and at least one for each bot.

    Only whole rings sit everybody equally often. Of the last one, which may be a part, the hosts with the lowest
    hashes are taken: with every new bot there are fewer of them, never others.
    """
    bots = len(names)
    rings, rest = divmod(max(most, bots), bots)
    lineups = {lineup for ring in range(rings) for lineup in _ring(names, seats, ring, range(bots), seeds)}
    if rest:
        hosts = sorted(range(bots), key=lambda bot: seeds.of("host", rings, names[bot]))[:rest]
        lineups.update(_ring(names, seats, rings, hosts, seeds))
    return sorted(lineups)


def spread(count: int) -> Iterator[int]:
    """The numbers below `count`, each once, so that every part of the way is spread over all of them."""
    step = max(round(count * GOLDEN_SECTION), 1)
    while gcd(step, count) != 1:
        step += 1
    return (at * step % count for at in range(count))


def _ring(names: Sequence[str], seats: int, ring: int, hosts: Sequence[int], seeds: Seeds) -> Iterator[Lineup]:
    """The lineups of one ring, of these hosts."""
    circles = []
    for seat in range(1, seats):
        hashes = [seeds.of(ring, seat, name) for name in names]
        circle = sorted(range(len(names)), key=hashes.__getitem__)
        places = [0] * len(circle)
        for place, bot in enumerate(circle):
            places[bot] = place
        circles.append((circle, places))
    for host in hosts:
        lineup = [host]
        for circle, places in circles:
            place = places[host] + 1
            while circle[place % len(circle)] in lineup:
                place += 1
            lineup.append(circle[place % len(circle)])
        yield tuple(sorted(lineup))
