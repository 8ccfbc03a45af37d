"""Balanced samples: so many lineups, every bot equally often, and every pair as equally as can be.

Numbering the bots 0 to v-1, a base lineup is moved around the circle: adding 0, 1, …, v-1 to its members (mod v) gives
v lineups in which every bot sits k times, and two bots meet as often as their distance occurs within the base
lineup. So it is enough to choose base lineups whose distances occur equally often, and there are only v/2 distances.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

Lineup = tuple[int, ...]

TRIES = 3
"""How many searches are made for one number of rounds, and how many fewer rounds are tried before the best is taken."""

PATIENCE = 4000
"""How many exchanges one search makes at the most."""


def balanced_lineups(bots: int, players: int, most: int, rng: Random) -> list[Lineup]:
    """At most `most` different lineups of `players` out of `bots`; whole rounds of `bots` lineups if there is room."""
    rounds = most // bots
    if rounds == 0:
        return dealt_lineups(bots, players, most, rng)
    best: list[Lineup] = []
    for fewer in range(min(TRIES, rounds)):
        for _ in range(TRIES):
            bases, even = _choose_bases(bots, players, rounds - fewer, rng)
            if even:
                return _all_moved(bases, bots)
            best = best or bases
    return _all_moved(best, bots)


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


def _choose_bases(bots: int, players: int, rounds: int, rng: Random) -> tuple[list[Lineup], bool]:
    """Base lineups, no two of one circle, and whether their distances occur equally often, within one."""
    counts = [0] * (bots // 2 + 1)
    bases: list[Lineup] = []
    circles: set[Lineup] = set()
    while len(bases) < rounds:
        candidates = [_random_base(bots, players, rng) for _ in range(8)]
        base = min(candidates, key=lambda base: _cost_of_adding(counts, base, bots))
        if _circle(base, bots) not in circles:
            bases.append(base)
            circles.add(_circle(base, bots))
            counts = _with(counts, base, bots, +1)
    unevenness = _unevenness(counts, bots)
    for exchange in range(PATIENCE):
        if max(counts[1:]) - min(counts[1:]) <= 1:
            return bases, True
        at = rng.randrange(rounds)
        old = bases[at]
        new = _random_base(bots, players, rng) if exchange % 2 else _one_replaced(old, bots, rng)
        changed = _with(_with(counts, old, bots, -1), new, bots, +1)
        worse = _unevenness(changed, bots) - unevenness
        if worse > (8 if rng.random() < 0.03 else 0):  # a step back now and then leads out of dead ends
            continue
        if _circle(new, bots) in circles:
            continue
        circles.remove(_circle(old, bots))
        circles.add(_circle(new, bots))
        bases[at] = new
        counts, unevenness = changed, unevenness + worse
    return bases, False


def _cost_of_adding(counts: list[int], base: Lineup, bots: int) -> int:
    return sum(counts[distance] for distance in _distances(base, bots))


def _random_base(bots: int, players: int, rng: Random) -> Lineup:
    while True:
        base = (0, *sorted(rng.sample(range(1, bots), players - 1)))
        if _full_circle(base, bots):
            return base


def _one_replaced(base: Lineup, bots: int, rng: Random) -> Lineup:
    members = list(base)
    while True:
        members[rng.randrange(1, len(members))] = rng.randrange(1, bots)
        candidate = tuple(sorted(set(members)))
        if len(candidate) == len(base) and _full_circle(candidate, bots):
            return candidate


def _distances(base: Lineup, bots: int) -> list[int]:
    return [min(b - a, bots - b + a) for a, b in combinations(base, 2)]


def _with(counts: list[int], base: Lineup, bots: int, sign: int) -> list[int]:
    changed = counts.copy()
    for distance in _distances(base, bots):
        # Half way round, a pair is met twice while the base goes round once.
        changed[distance] += 2 * sign if 2 * distance == bots else sign
    return changed


def _unevenness(counts: list[int], bots: int) -> int:
    """Sum of squares, every distance weighted by its pairs: least when all are equal."""
    return sum((1 if 2 * d == bots else 2) * count * count for d, count in enumerate(counts) if d)


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
