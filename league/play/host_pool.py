"""Hosts that wait for their next sitting: a bot's process is started once, and plays in many sittings of a worker.

No process of a bot may see one deal twice. So a pool remembers what its hosts have played, and starts again with new
ones if a deal comes back. A host is closed after its sitting if anything went wrong in it, and when it has played as
many games as a sitting may have. While hosts wait, their processes are stopped.

Programs are not kept. One may have threads and processes of its own, of which only the first would be stopped and
counted as memory, and connections to a service, which would break while it is stopped. If it is not stopped, it uses
processor time for which no bot pays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from league.games.contract import Game
from league.hosts import Host
from league.hosts.confined import ConfinedHost
from league.plan.draft import MOST_GAMES, MOST_HOSTS, HostKey, host_keys
from league.plan.pace import own_memory_mb
from league.plan.seating import packed_contest
from league.values.block import Entrant, Sitting, Usage

MOST_REMEMBERED = 1 << 18
"""Games after which all hosts are closed, so that what they have played can be forgotten."""

PooledKey = tuple[bytes, HostKey]
"""The contest, and which of its hosts."""


class HostPool:
    """The hosts of a worker. `most_mb`: megabytes that those that wait may have together."""

    def __init__(self, open_host: Callable[[Entrant, Game], Host], most_mb: float) -> None:
        self._open_host = open_host
        self._most_mb = most_mb
        self._waiting: dict[PooledKey, tuple[ConfinedHost, int]] = {}
        """Hosts, those that have waited longest first, and megabytes that each has."""
        self._played: Counter[PooledKey] = Counter()
        """Games of each host that waits or plays."""
        self._deals: set[int] = set()
        """Hashes of the games that were played."""
        self._contest = b""

    def prepare(self, sitting: Sitting) -> None:
        """A sitting is about to open its hosts: close those that have to make room, or that may not play it."""
        self._contest = packed_contest(sitting.blocks[0].series.contest)
        if not self._waiting:
            self._deals.clear()
        deals = {
            hash((self._contest, block.series.luck, block.series.rotation, deal))
            for block in sitting.blocks
            for deal in range(block.first, block.stop)
        }
        if not self._deals.isdisjoint(deals) or len(self._deals) > MOST_REMEMBERED:
            self.close()
        self._deals |= deals
        wanted: set[PooledKey] = set()
        for position, block in enumerate(sitting.blocks):
            for key in host_keys(block.series, position):
                wanted.add((self._contest, key))
                self._played[self._contest, key] += block.games
        others = [pooled for pooled in self._waiting if pooled not in wanted]
        for pooled in others[: max(len(wanted) + len(others) - MOST_HOSTS, 0)]:
            self._discard(pooled)

    def open(self, key: HostKey, game: Game) -> Host:
        """A host for the sitting that was prepared; closing it returns it to the pool."""
        pooled = self._contest, key
        if pooled in self._waiting:
            host, _ = self._waiting.pop(pooled)
            host.wake()
            return LentHost(host, pooled, self._take_back)
        opened = self._open_host(key[0], game)
        return LentHost(opened, pooled, self._take_back) if isinstance(opened, ConfinedHost) else opened

    def close(self) -> None:
        """Close all hosts that wait."""
        for key in list(self._waiting):
            self._discard(key)
        self._deals.clear()

    def _take_back(self, host: ConfinedHost, key: PooledKey) -> Usage:
        shares_its_deals = key[1][1] < 0
        if shares_its_deals or self._played[key] > MOST_GAMES or (usage := host.rest()) is None:
            del self._played[key]
            return host.close()
        self._waiting[key] = host, own_memory_mb(usage.memory_mb)
        while sum([memory_mb for _, memory_mb in self._waiting.values()]) > self._most_mb:
            self._discard(next(iter(self._waiting)))
        return usage

    def _discard(self, key: PooledKey) -> None:
        host, _ = self._waiting.pop(key)
        del self._played[key]
        host.close()


class LentHost:
    """A host of a pool in one sitting."""

    def __init__(
        self, host: ConfinedHost, key: PooledKey, take_back: Callable[[ConfinedHost, PooledKey], Usage]
    ) -> None:
        self.send, self.receive = host.send, host.receive
        self._host = host
        self._key = key
        self._take_back = take_back

    @property
    def wants_final_view(self) -> bool:
        return self._host.wants_final_view

    def close(self) -> Usage:
        return self._take_back(self._host, self._key)
