"""Plays blocks on a Dask cluster: the one at DASK_SCHEDULER_ADDRESS, or one made of processes of this machine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from threading import Lock
from time import monotonic
from typing import Any

from league.errors import LeagueError
from league.play.executors import Abandoned, BlockResults, Stopping
from league.play.executors.local import GRACE, IN_HAND, LOOK
from league.play.worker import Team, Worker
from league.values.block import Block, BlockResult

ADDRESS = "DASK_SCHEDULER_ADDRESS"


class DaskExecutor:
    """Plays blocks on a cluster. Dask gives the blocks of a worker that dies to others."""

    def __init__(self, team: Team, workers: int) -> None:
        try:
            import distributed
        except ImportError:
            raise LeagueError("--executor dask needs the package distributed: pip install 'league[dask]'.") from None
        self._dask: Any = distributed
        self._team = team
        self._workers = workers

    def play(self, blocks: Iterable[Block | None], stopping: Stopping) -> BlockResults:
        """Play all blocks; once `stopping`, end within two seconds with what is finished."""
        with closing(self._connect()) as client:
            team = client.scatter(self._team, broadcast=True)
            yield from self._play(client, team, iter(blocks), stopping)

    def _play(
        self, client: Any, team: Any, ahead: Iterator[Block | None], stopping: Stopping
    ) -> Iterator[BlockResult | Abandoned]:
        under_way: dict[Any, Block] = {}
        deadline: float | None = None
        while True:
            if stopping() and deadline is None:
                deadline = monotonic() + GRACE
            width = max(len(client.scheduler_info()["workers"]), 1) * IN_HAND
            while deadline is None and len(under_way) < width and (block := next(ahead, None)) is not None:
                under_way[client.submit(_play_block, team, block, key=block.id, pure=False)] = block
            if not under_way or (deadline is not None and monotonic() > deadline):
                return
            try:
                self._dask.wait(list(under_way), timeout=LOOK, return_when="FIRST_COMPLETED")
            except TimeoutError:
                continue
            for future in [future for future in under_way if future.done()]:
                block = under_way.pop(future)
                problem = future.exception()
                if isinstance(problem, LeagueError):
                    raise problem
                yield future.result() if problem is None else Abandoned(block, f"{type(problem).__name__}: {problem}")

    def _connect(self) -> Any:
        if address := os.environ.get(ADDRESS):
            try:
                return self._dask.Client(address, timeout=10)
            except OSError:
                raise LeagueError(f"There is no Dask scheduler at {address} (from {ADDRESS}).") from None
        cluster = self._dask.LocalCluster(
            n_workers=self._workers, threads_per_worker=1, dashboard_address=None, silence_logs=50
        )
        return _ClosesCluster(self._dask.Client(cluster), cluster)


class _ClosesCluster:
    """A client that takes its own cluster with it."""

    def __init__(self, client: Any, cluster: Any) -> None:
        self._client = client
        self._cluster = cluster

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def close(self) -> None:
        self._client.close()
        self._cluster.close()


_at_work: dict[Team, Worker] = {}
_one_at_a_time = Lock()
"""Bots that are trusted share a process, and its module `random`; a cluster may give a process several threads."""


def _play_block(team: Team, block: Block) -> BlockResult:
    """In a worker of the cluster: play one block; the hosts' server is kept for the next."""
    with _one_at_a_time:
        if team not in _at_work:
            for worker in _at_work.values():
                worker.close()
            _at_work.clear()
            _at_work[team] = Worker(team)
        return _at_work[team].play(block)
