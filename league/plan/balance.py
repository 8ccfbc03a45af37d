"""Balanced samples: so many lineups, every bot equally often, and every pair as equally as can be.

Numbering the bots 0 to v-1, a base lineup is moved around the circle: adding 0, 1, …, v-1 to its members (mod v) gives
v lineups in which every bot sits k times, and two bots meet as often as their distance occurs within the base
lineup. So it is enough to choose base lineups whose distances occur equally often, and there are only v/2 distances.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb, gcd
from random import Random

Lineup = tuple[int, ...]

FEWER = 4
"""How many numbers of rounds are tried, from the greatest down: pairs cannot be equal with all of them."""
TRIES = 2
"""How many searches are made for one number of rounds."""
PATIENCE = 3000
"""How many exchanges one search makes at the most."""


def balanced_lineups(bots: int, players: int, most: int, rng: Random) -> list[Lineup]:
    """At most `most` different lineups of `players` out of `bots`; whole rounds of `bots` lineups if there is room."""
    rounds = min(most, _in_full_circles(bots, players)) // bots
    if rounds == 0:
        return dealt_lineups(bots, players, most, rng)
    found = []
    for fewer in range(min(FEWER, rounds)):
        for _ in range(TRIES):
            bases, spread = _choose_bases(bots, players, rounds - fewer, rng)
            if spread <= 1:
                return _all_moved(bases, bots)
            found.append((spread, fewer, bases))
    return _all_moved(min(found)[2], bots)


def dealt_lineups(bots: int, players: int, most: int, rng: Random) -> list[Lineup]:
    """Lineups one by one, each of the bots that sat least and, among them, have met each other least."""
    sat: Counter[int] = Counter()
    met: Counter[frozenset[int]] = Counter()
    lineups: set[Lineup] = set()
    while len(lineups) < most:
        order = rng.sample(range(bots), bots)
        lineup: list[int] = []
        for _ in range(players):
            free = (bot for bot in order if bot not in lineup)
            nearest = min(free, key=lambda bot: (sat[bot], sum(met[frozenset((bot, other))] for other in lineup)))
            lineup.append(nearest)
        sat.update(lineup)
        met.update(frozenset(pair) for pair in combinations(lineup, 2))
        lineups.add(tuple(sorted(lineup)))
    return sorted(lineups)


def _choose_bases(bots: int, players: int, rounds: int, rng: Random) -> tuple[list[Lineup], int]:
    """Base lineups, no two of one circle, and by how much the most frequent distance exceeds the rarest."""
    counts = [0] * (bots // 2 + 1)
    bases: list[Lineup] = []
    circles: set[Lineup] = set()
    while len(bases) < rounds:
        candidates = [_random_base(bots, players, rng) for _ in range(8)]
        base = min(candidates, key=lambda base: _cost_of_adding(counts, base, bots))
        if _circle(base, bots) not in circles:
            bases.append(base)
            circles.add(_circle(base, bots))
            _count(counts, base, bots, +1)
    for exchange in range(PATIENCE):
        if max(counts[1:]) - min(counts[1:]) <= 1:
            break
        at = rng.randrange(rounds)
        old = bases[at]
        rare = counts.index(min(counts[1:]), 1)
        new = _one_replaced(old, bots, rng, rare if exchange % 2 else rng.randrange(1, bots))
        if _circle(new, bots) in circles:
            continue
        worse = _count(counts, old, bots, -1) + _count(counts, new, bots, +1)
        if worse > (8 if rng.random() < 0.03 else 0):  # a step back now and then leads out of dead ends
            _count(counts, new, bots, -1)
            _count(counts, old, bots, +1)
            continue
        circles.remove(_circle(old, bots))
        circles.add(_circle(new, bots))
        bases[at] = new
    return bases, max(counts[1:]) - min(counts[1:])


def _cost_of_adding(counts: list[int], base: Lineup, bots: int) -> int:
    return sum(counts[distance] for distance in _distances(base, bots))


def _random_base(bots: int, players: int, rng: Random) -> Lineup:
    while True:
        base = (0, *sorted(rng.sample(range(1, bots), players - 1)))
        if _full_circle(base, bots):
            return base


def _one_replaced(base: Lineup, bots: int, rng: Random, distance: int) -> Lineup:
    """The base with one member moved to this distance from another one; itself, if that is no base."""
    away, near = rng.sample(base, 2)
    candidate = {*base} - {away} | {(near + rng.choice((-distance, distance))) % bots}
    if len(candidate) < len(base) or not _full_circle(tuple(candidate), bots):
        return base
    return _circle(tuple(candidate), bots)


def _distances(base: Lineup, bots: int) -> list[int]:
    return [min(b - a, bots - b + a) for a, b in combinations(base, 2)]


def _count(counts: list[int], base: Lineup, bots: int, sign: int) -> int:
    """Count the distances of a base in or out; gives by how much that makes the counts more uneven.

    Unevenness is the sum of squares, every distance weighted by its pairs: least when all are equal.
    """
    more = 0
    for distance in _distances(base, bots):
        # Half way round there are half as many pairs, and each is met twice while the base goes round once.
        weight, step = (1, 2 * sign) if 2 * distance == bots else (2, sign)
        more += weight * step * (2 * counts[distance] + step)
        counts[distance] += step
    return more


def _all_moved(bases: list[Lineup], bots: int) -> list[Lineup]:
    return sorted({_moved(base, by, bots) for base in bases for by in range(bots)})


def _moved(base: Lineup, by: int, bots: int) -> Lineup:
    return tuple(sorted([(member + by) % bots for member in base]))


def _circle(base: Lineup, bots: int) -> Lineup:
    """The least lineup that the base becomes on its way round: the same for all lineups of one circle."""
    return min(_moved(base, -member, bots) for member in base)


def _full_circle(base: Lineup, bots: int) -> bool:
    """Whether going round gives `bots` different lineups."""
    return sum(_moved(base, -member, bots) == _moved(base, -base[0], bots) for member in base) == 1


def _in_full_circles(bots: int, players: int) -> int:
    """How many of all lineups go a full circle. The others look alike after a part of it, like one half repeated."""
    common = gcd(bots, players)
    parts = [part for part in range(2, common + 1) if common % part == 0]
    return comb(bots, players) - sum(_in_full_circles(bots // part, players // part) for part in parts)
