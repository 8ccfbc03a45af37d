"""Hosts that wait for their next sitting: a bot's process is started once, and plays in many sittings of a worker.

No process of a bot may see one deal twice. A host plays in one rotation of one contest, where every deal of a lineup is
played once. Only what is played again could bring a deal back: such sittings are fresh, and their hosts are new ones,
which do not wait afterwards. A host is closed too if anything went wrong in it, and after very many games. While hosts
wait, their processes are stopped.

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
from league.plan.costs import BLOCK_GAMES, own_memory_mb
from league.plan.seating import packed_contest
from league.values.block import Entrant, Sitting, Usage

MOST_HOSTS = 128
"""That a worker may have: each is a process."""
MOST_GAMES = 4 * BLOCK_GAMES
"""After these a host is closed."""

PooledKey = tuple[bytes, int, Entrant]
"""The contest, the rotation and the bot that a host plays."""


class HostPool:
    """The hosts of a worker. `most_mb`: megabytes that those that wait may have together."""

    def __init__(self, open_host: Callable[[Entrant, Game], Host], most_mb: float) -> None:
        self._open_host = open_host
        self._most_mb = most_mb
        self._waiting: dict[PooledKey, PooledHost] = {}
        """Those that have waited longest first."""
        self._keys: dict[Entrant, PooledKey] = {}
        """In the sitting that is played; empty if it is a fresh one."""
        self._games: Counter[Entrant] = Counter()
        """In the sitting that is played."""

    def prepare(self, sitting: Sitting) -> None:
        """A sitting is about to open its hosts: close those that have to make room."""
        series, entrants = sitting.blocks[0].series, () if sitting.is_fresh else sitting.entrants
        self._keys = {entrant: (packed_contest(series.contest), series.rotation, entrant) for entrant in entrants}
        self._games.clear()
        for block in sitting.blocks:
            self._games.update(dict.fromkeys(block.series.lineup, block.games))
        wanted = set(self._keys.values())
        others = [key for key in self._waiting if key not in wanted]
        for key in others[: max(len(self._games) + len(others) - MOST_HOSTS, 0)]:
            self._waiting.pop(key).end()

    def open(self, entrant: Entrant, game: Game) -> Host:
        """A host for the sitting that was prepared; closing it returns it to the pool."""
        key = self._keys.get(entrant)
        pooled = self._waiting.pop(key, None) if key else None
        if pooled is not None:
            pooled.wake()
        else:
            opened = self._open_host(entrant, game)
            if key is None or not isinstance(opened, ConfinedHost):
                return opened
            pooled = PooledHost(opened, key, self._take_back)
        pooled.games += self._games[entrant]
        return pooled

    def close(self) -> None:
        """Close all hosts that wait."""
        while self._waiting:
            self._waiting.popitem()[1].end()

    def _take_back(self, key: PooledKey, pooled: PooledHost) -> None:
        self._waiting[key] = pooled
        while sum([other.memory_mb for other in self._waiting.values()]) > self._most_mb:
            self._waiting.pop(next(iter(self._waiting))).end()


class PooledHost:
    """A host of a pool: it plays in a sitting, or waits."""

    def __init__(self, host: ConfinedHost, key: PooledKey, take_back: Callable[[PooledKey, PooledHost], None]) -> None:
        self.send, self.receive, self.wake, self.end = host.send, host.receive, host.wake, host.close
        self.games = self.memory_mb = 0
        """That it has played, and megabytes that it had at last."""
        self._host, self._key, self._take_back = host, key, take_back

    @property
    def wants_final_view(self) -> bool:
        return self._host.wants_final_view

    def close(self) -> Usage:
        """The sitting is over: wait for the next one, or end."""
        if self.games > MOST_GAMES or (usage := self._host.rest()) is None:
            return self.end()
        self.memory_mb = own_memory_mb(usage.memory_mb)
        self._take_back(self._key, self)
        return usage
