"""A beats B beats C beats A: cycles that no single number can express and that chance does not explain."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from league.rating.pairs import Pairs, significant

ALPHA = 0.05
"""The probability that any of the cycles of a contest is there by chance alone."""


def cycles(pairs: Pairs, alpha: float = ALPHA) -> list[tuple[int, ...]]:
    """Cycles of significant wins, the clearest first, each starting at its lowest index.

    All cycles of three; and for bots that are caught in a longer one only, one that is as short as can be.
    """
    beats = significant(pairs, alpha)
    found = _threes(beats)
    caught = {bot for cycle in found for bot in cycle}
    for knot in _knots(beats):
        if not caught & set(knot):
            found.append(min((_shortest(beats, bot) for bot in knot), key=lambda cycle: (len(cycle), cycle)))
    return sorted(found, key=lambda cycle: (-_clarity(pairs, cycle), cycle))


def _threes(beats: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = []
    for first in range(len(beats)):
        for second in np.nonzero(beats[first])[0]:
            thirds = np.nonzero(beats[second] & beats[:, first])[0]
            if second > first:
                found += [(first, int(second), int(third)) for third in thirds if third > first]
    return found


def _knots(beats: NDArray[np.bool_]) -> list[list[int]]:
    """The sets of bots in which each beats each other one, directly or by way of others."""
    count, labels = connected_components(csr_array(beats), directed=True, connection="strong")
    knots = [np.nonzero(labels == label)[0].tolist() for label in range(count)]
    return [knot for knot in knots if len(knot) > 1]


def _shortest(beats: NDArray[np.bool_], start: int) -> tuple[int, ...]:
    """A shortest path from a bot of a strongly connected component back to itself, starting at its lowest index."""
    came_from: dict[int, int] = {}
    queue = deque([start])
    while start not in came_from:
        bot = queue.popleft()
        for beaten in np.nonzero(beats[bot])[0].tolist():
            if beaten not in came_from:
                came_from[beaten] = bot
                queue.append(beaten)
    way = [start]
    while came_from[way[-1]] != start:
        way.append(came_from[way[-1]])
    cycle = [start, *reversed(way[1:])]
    first = cycle.index(min(cycle))
    return (*cycle[first:], *cycle[:first])


def _clarity(pairs: Pairs, cycle: tuple[int, ...]) -> float:
    """The score of the narrowest victory of a cycle."""
    return min(float(pairs.score[one, other]) for one, other in zip(cycle, cycle[1:] + cycle[:1], strict=True))
