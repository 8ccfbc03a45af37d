"""A sitting that is put together: which bots share hosts in it, and how many hosts, games and megabytes it may have."""

from __future__ import annotations

from math import inf

from league.plan.pace import BLOCK_GAMES, Pace
from league.values.block import Block, Entrant, Series

MOST_HOSTS = 128
"""That a worker may have: each is a process."""
MOST_GAMES = 2 * BLOCK_GAMES
"""The most games of a sitting with more than one block."""

HostKey = tuple[Entrant, int]
"""A bot, and a number that is different where it needs another process."""


def host_keys(series: Series, position: int = 0) -> list[HostKey]:
    """For each entrant the host that plays for it: blocks of a sitting with an equal key share one.

    The rotations of a lineup play the same deals, which no process of a bot may see twice. If all lineups share their
    deals, no two blocks share a host: `position` is that of the block in its sitting.
    """
    number = series.rotation if series.own_deals else ~position
    return [(entrant, number) for entrant in series.lineup]


class Draft:
    """A sitting that is being put together."""

    def __init__(self, pace: Pace, most_memory_mb: float, most_seconds: float = inf) -> None:
        self._pace = pace
        self._most_seconds = most_seconds
        self._most_memory_mb = most_memory_mb
        self.blocks: list[Block] = []
        self.seconds = 0.0
        """That it is expected to take."""
        self._games = 0
        self._hosts: set[HostKey] = set()
        self._memory_mb = 0

    def has_room_for(self, block: Block) -> bool:
        """Whether another block fits; the first one always does."""
        if not self.blocks:
            return True
        return (
            block.series.own_deals
            and self._games + block.games <= 2 * MOST_GAMES
            and self.seconds + self._pace.block_seconds(block) <= self._most_seconds
            and len(self._hosts.union(host_keys(block.series))) <= MOST_HOSTS
            and self._memory_mb + self._more_memory(block) <= self._most_memory_mb
        )

    def add(self, block: Block) -> None:
        """Put a block into it."""
        self._memory_mb += self._more_memory(block)
        self._hosts.update(host_keys(block.series))
        self.blocks.append(block)
        self.seconds += self._pace.block_seconds(block)
        self._games += block.games

    def _more_memory(self, block: Block) -> int:
        """Megabytes that the hosts which a block adds may need: as much as is allowed, if nothing is known."""
        new = set(host_keys(block.series)) - self._hosts
        return sum([self._pace.memory_mb(entrant) or block.series.limits.memory_mb for entrant, _ in new])
