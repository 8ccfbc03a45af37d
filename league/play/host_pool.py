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
from league.hosts.process_host import ProcessHost
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
        self._waiting: dict[PooledKey, ProcessHost] = {}
        """Those that have waited longest first."""
        self._played: Counter[PooledKey] = Counter()
        self._memory_mb: dict[PooledKey, int] = {}
        """The games of each host that waits or plays, and its megabytes while it waits."""
        self._keys: dict[Entrant, PooledKey] = {}
        """In the sitting that is played; empty if it is a fresh one."""

    def prepare(self, sitting: Sitting) -> None:
        """A sitting is about to open its hosts: close those that have to make room."""
        series, entrants = sitting.blocks[0].series, () if sitting.is_fresh else sitting.entrants
        self._keys = {entrant: (packed_contest(series.contest), series.rotation, entrant) for entrant in entrants}
        wanted = set(self._keys.values())
        others = [key for key in self._waiting if key not in wanted]
        for key in others[: max(len(sitting.entrants) + len(others) - MOST_HOSTS, 0)]:
            self._end(key)
        for block in sitting.blocks if self._keys else ():
            self._played.update(dict.fromkeys([self._keys[entrant] for entrant in block.series.lineup], block.games))

    def open(self, entrant: Entrant, game: Game) -> Host:
        """A host for the sitting that was prepared, which is then given back."""
        key = self._keys.get(entrant)
        if key is None or key not in self._waiting:
            return self._open_host(entrant, game)
        del self._memory_mb[key]
        host = self._waiting.pop(key)
        host.wake()
        return host

    def give_back(self, entrant: Entrant, host: Host) -> Usage:
        """The sitting is over: the host waits for the next one, or ends; returns what the bot used in it."""
        key = self._keys.get(entrant)
        if key is None or not isinstance(host, ProcessHost):
            return host.close()
        if self._played[key] > MOST_GAMES or (usage := host.rest()) is None:
            del self._played[key]
            return host.close()
        self._waiting[key], self._memory_mb[key] = host, own_memory_mb(usage.memory_mb)
        while sum(self._memory_mb.values()) > self._most_mb:
            self._end(next(iter(self._waiting)))
        return usage

    def close(self) -> None:
        """Close all hosts that wait."""
        while self._waiting:
            self._end(next(iter(self._waiting)))

    def _end(self, key: PooledKey) -> None:
        del self._memory_mb[key], self._played[key]
        self._waiting.pop(key).close()
