"""How fast a league is played, and how long the rest will take.

Starting bots takes time for each block, playing takes time for each game, and the blocks of the first rounds are small.
So the games per second of one round say little about the next ones: the two are told apart by blocks of several sizes.
"""

from __future__ import annotations

from collections import deque
from time import monotonic

ENOUGH_BLOCKS = 20
"""Of one size, before they are believed."""
LARGE = 16
"""Games of a block in which the start does not matter much, so that blocks of one size are enough."""


class Speed:
    """Takes note of each block as it is over."""

    def __init__(self, games: int | None = None, blocks: int = 0) -> None:
        self._games, self._blocks = games, blocks
        """To be played; games are None if results decide how many."""
        self._sizes: dict[int, list[float]] = {}
        """By games of a block: blocks, and the seconds that they took."""
        self._played = 0
        self._marks = deque([(0, monotonic())])
        self._last: float | None = None
        """When the last block was over; before the first one, workers are started."""

    def expect(self, games: int | None, blocks: int) -> None:
        """So many are to be played from now on."""
        self._games = None if games is None else self._played + games
        self._blocks = sum(int(count) for count, _ in self._sizes.values()) + blocks

    def played(self, games: int) -> None:
        """A block is over."""
        now = monotonic()
        size = self._sizes.setdefault(games, [0, 0.0])
        size[0] += 1
        size[1] += 0.0 if self._last is None else now - self._last
        self._last = now
        self._played += games
        if len(self._marks) > 1 and now < self._marks[-1][1] + 1:
            self._marks.pop()
        self._marks.append((self._played, now))
        while len(self._marks) > 2 and self._marks[1][0] * 2 <= self._played:
            self._marks.popleft()

    def games_a_second(self) -> float:
        """Over the second half of what was played: steady, and free of the slow first rounds."""
        (games, since), (more, now) = self._marks[0], self._marks[-1]
        return (more - games) / max(now - since, 1e-9)

    def seconds_left(self) -> float | None:
        """How long the rest will take; None as long as that is unknown."""
        rows = [(count, count * size, seconds) for size, (count, seconds) in self._sizes.items()]
        rows = [row for row in rows if row[0] >= ENOUGH_BLOCKS and row[2] > 0]
        known = len(rows) > 1 or any(games >= LARGE * blocks for blocks, games, _ in rows)
        if self._games is None or not known:
            return None
        block, game = seconds_each(rows)
        blocks_left = max(self._blocks - sum(int(count) for count, _ in self._sizes.values()), 0)
        return block * blocks_left + game * max(self._games - self._played, 0)


def seconds_each(rows: list[tuple[float, float, float]]) -> tuple[float, float]:
    """What a block and a game take, both at least 0, from rows of blocks, games and the seconds that they took.

    Least squares: the longer something took, the less exact it is.
    """
    blocks, games, mixed, of_blocks, of_games = (
        sum(one * other / seconds for one, other, seconds in pairs)
        for pairs in (
            [(row[0], row[0], row[2]) for row in rows],
            [(row[1], row[1], row[2]) for row in rows],
            [(row[0], row[1], row[2]) for row in rows],
            [(row[0], row[2], row[2]) for row in rows],
            [(row[1], row[2], row[2]) for row in rows],
        )
    )
    apart = blocks * games - mixed**2
    if apart > 0:
        block = (of_blocks * games - of_games * mixed) / apart
        game = (of_games * blocks - of_blocks * mixed) / apart
        if block >= 0 and game >= 0:
            return block, game
        if game < 0:
            return of_blocks / blocks, 0.0
    return 0.0, of_games / games
