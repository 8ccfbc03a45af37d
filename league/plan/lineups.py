"""Which bots sit at one table: all combinations, or a sample that grows and shrinks with the field.

Bots are numbers below `bots`, in the order of their names, and a lineup is a tuple of them. Lineups are counted and
looked up without listing them: a thousand bots have half a million pairs, which are never held in memory.

A sample is made of **successor rings**. In each ring every bot is the host of one lineup: for each further seat, all
bots are put on a circle by a hash of (seed, ring, seat, name), and the next one after the host that is not yet in the
lineup takes the seat. A new bot stands between two others on each circle. So it adds lineups with itself, takes the
place of others in a few, and never adds a lineup without it; removing it is the exact reverse.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, combinations_with_replacement, pairwise, product
from math import comb
from typing import NamedTuple, Protocol

from league.tools.seeds import Seeds

Lineup = tuple[int, ...]


class Lineups(Protocol):
    """Lineups in canonical order, which is that of their members."""

    def __len__(self) -> int: ...

    def __getitem__(self, rank: int) -> Lineup: ...

    def rank(self, lineup: Lineup) -> int | None:
        """The index of a lineup; None if it is not one of these."""

    def in_turns(self) -> Iterator[int]:
        """All ranks, in an order in which all bots advance together."""

    def batches(self, bots: int) -> Iterator[list[int]]:
        """All ranks, in batches of lineups that have no more than `bots` bots among them, and meet often.

        In a single batch, all bots advance together.
        """


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
        return None if any(one >= other for one, other in pairwise(lineup)) else self._rank(lineup)

    def _rank(self, lineup: Sequence[int]) -> int:
        return self._count - 1 - sum([table[self._last - bot] for table, bot in zip(self._tables, lineup, strict=True)])

    def in_turns(self) -> Iterator[int]:
        for lineup in _around(self._last + 1, len(self._tables)):
            yield self._rank(sorted(lineup))

    def batches(self, bots: int) -> Iterator[list[int]]:
        """All ranks, in batches of lineups that have no more than `bots` bots among them, and meet often.

        All bots are divided into groups. A batch has lineups of as many groups as there are seats: all those with a bot
        of each, and some with several bots of one group. The batches have an order in which all groups advance
        together, and about the same size.
        """
        seats = len(self._tables)
        if self._last < bots:
            yield list(self.in_turns())
            return
        count = -(-(self._last + 1) // max(bots // seats, 1))
        members = [range(group, self._last + 1, count) for group in range(count)]
        for groups in _around(count, seats, repeated=count < seats):
            batch = []
            for chosen in combinations_with_replacement(sorted(groups), seats) if count >= seats else [groups]:
                if count < seats or _completed(chosen, count) == set(groups):
                    parts = [combinations(members[group], number) for group, number in Counter(chosen).items()]
                    batch += [
                        self._rank(sorted([bot for part in lineup for bot in part])) for lineup in product(*parts)
                    ]
            if batch:
                yield batch


class Listed:
    """Lineups that are listed one by one, in the order in which they have their turns."""

    def __init__(self, lineups: Sequence[Lineup]) -> None:
        self._turns = lineups
        self._lineups = sorted(lineups)
        self._ranks = {lineup: rank for rank, lineup in enumerate(self._lineups)}

    def __len__(self) -> int:
        return len(self._lineups)

    def __getitem__(self, rank: int) -> Lineup:
        return self._lineups[rank]

    def rank(self, lineup: Lineup) -> int | None:
        return self._ranks.get(lineup)

    def in_turns(self) -> Iterator[int]:
        return (self._ranks[lineup] for lineup in self._turns)

    def batches(self, bots: int) -> Iterator[list[int]]:
        return ([self._ranks[lineup] for lineup in batch] for batch in gathered(self._turns, bots))


def gathered(lineups: Iterable[Lineup], bots: int) -> Iterator[list[Lineup]]:
    """Lineups in batches that have no more than `bots` bots among them, and meet often; all in their order if they fit.

    A batch begins with the first lineup that is left. The bot that adds most lineups to it comes next, or if none does,
    the next lineup that is left.
    """
    tables: dict[int, dict[Lineup, None]] = {}
    waiting = dict.fromkeys(lineups)
    if len({bot for lineup in waiting for bot in lineup}) <= bots:
        yield list(waiting)
        return
    for lineup in waiting:
        for bot in lineup:
            tables.setdefault(bot, {})[lineup] = None
    while waiting:
        inside: set[int] = set()
        absent: dict[Lineup, int] = {}
        """Of each lineup with somebody inside: how many of its bots are not."""
        gains: Counter[int] = Counter()
        """Lineups that a bot would complete."""
        left_over = iter(waiting)
        coming = list(next(left_over))
        while coming:
            bot = coming.pop()
            inside.add(bot)
            for lineup in tables[bot]:
                absent[lineup] = absent.get(lineup, len(lineup)) - 1
                if absent[lineup] == 1:
                    gains.update(other for other in lineup if other not in inside)
            gains.pop(bot, None)
            if not coming and gains and len(inside) < bots:
                coming = [max(gains, key=gains.__getitem__)]
            elif not coming:
                outside = next((lineup for lineup in left_over if absent.get(lineup, 1)), ())
                coming = [bot for bot in outside if bot not in inside]
                if len(inside) + len(coming) > bots:
                    break
        batch = [lineup for lineup, left in absent.items() if not left]
        for lineup in batch:
            del waiting[lineup]
            for bot in lineup:
                del tables[bot][lineup]
        yield batch


def _completed(groups: Lineup, count: int) -> set[int]:
    """As many groups as there are seats: those that are given, and the ones that come after the last of them."""
    complete = set(groups)
    following = groups[-1]
    while len(complete) < len(groups):
        following = (following + 1) % count
        complete.add(following)
    return complete


def _around(bots: int, seats: int, *, repeated: bool = False) -> Iterator[Lineup]:
    """All lineups, or with `repeated` also those in which a bot sits more than once, moved around the circle of all.

    So each bot sits equally often whenever a lineup has gone around. Then comes the next one.
    """
    others: Iterable[Lineup] = combinations(range(1, bots), seats - 1)
    if repeated:
        others = combinations_with_replacement(range(bots), seats - 1)
    for rest in others:
        distances = tuple(there - here for here, there in pairwise((0, *rest, bots)))
        turned = [distances[index:] + distances[:index] for index in range(1, len(distances) + 1)]
        if distances == min(turned):  # otherwise another one, moved around, becomes this one
            way = sum(distances[: turned.index(distances) + 1])  # one that repeats itself is soon where it began
            for by in range(way):
                yield tuple([(bot + by) % bots for bot in (0, *rest)])


class Circle(NamedTuple):
    """All bots in the order of their hashes."""

    bots: list[int]
    places: list[int]
    """By bot: where it stands."""

    def after(self, bot: int) -> Iterator[int]:
        """The others, from the next one on."""
        place = self.places[bot]
        return (self.bots[place - step] for step in range(len(self.bots) - 1, 0, -1))


def sampled(names: Sequence[str], seats: int, most: int, seeds: Seeds) -> list[Lineup]:
    """`most` lineups in which all bots sit about equally often, but at least one for each bot; ring by ring.

    Hosts choose one after the other, ring by ring, and none chooses a lineup that is there already. A new bot only
    brings forward what others choose, so every lineup without it was there before.
    """
    bots = len(names)
    lineups: dict[Lineup, None] = {}
    circles: list[Circle] = []
    hosts: list[int] = []
    for step in range(max(most, bots)):
        ring, index = divmod(step, bots)
        if index == 0:
            hosts, *_ = _circle(names, seeds, ring, 0)
            circles = [_circle(names, seeds, ring, seat) for seat in range(1, seats)]
        lineup = next((choice for choice in _choices(hosts[index], circles) if choice not in lineups), None)
        if lineup is not None:
            lineups[lineup] = None
    return list(lineups)


def _circle(names: Sequence[str], seeds: Seeds, ring: int, seat: int) -> Circle:
    hashes = [seeds.of(ring, seat, name) for name in names]
    bots = sorted(range(len(names)), key=hashes.__getitem__)
    places = [0] * len(bots)
    for place, bot in enumerate(bots):
        places[bot] = place
    return Circle(bots, places)


def _choices(host: int, circles: Sequence[Circle]) -> Iterator[Lineup]:
    """The lineups that a host can have, the first one being its choice: they differ in the last seat."""
    lineup = [host]
    for circle in circles[:-1]:
        lineup.append(next(bot for bot in circle.after(host) if bot not in lineup))
    if not circles:
        yield (host,)
        return
    for bot in circles[-1].after(host):
        if bot not in lineup:
            yield tuple(sorted([*lineup, bot]))
