"""What the coordinator of a cluster can bear: blocks a second that are handed out, taken in and committed.

The workers answer at once, with the result of the first block in the place of every other: only the coordinator's and
the scheduler's work is measured. A figure per second of processor time is what a process with a core to itself reaches.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import msgspec

from benchmarks.league import RANDOM_BOT
from league.events import Observer
from league.extensions.dask import worker_side
from league.loop import LeagueRun
from league.play.executors import OpenExecutor, Returned, executor_of
from league.play.worker import Team, Worker, encode
from league.setup.config import parse
from league.values.block import Block, BlockResult, Sitting
from tests.play.clusters import RealCluster, running

BOTS = 60
THREADS = 16
CONFIG = "league: bench\nseed: 1\nbots: bots\nisolation: trusted\ngames: [{game: raj, deals: 2}]\n"
PRELOAD = "from benchmarks.cluster import be_instant\n\nbe_instant()\n"


class InstantPlayer:
    """Plays its first block, and has the answer to all others then."""

    is_fresh = True

    def __init__(self, team: Team) -> None:
        self._worker = Worker(team)
        self._known: BlockResult | None = None

    def result(self, block: Block) -> BlockResult:
        if self._known is None:
            self._known = self._worker.play(block)
        return msgspec.structs.replace(self._known, block=block)

    def results(self, sitting: Sitting) -> list[BlockResult]:
        return [self.result(block) for block in sitting.blocks]

    def play(self, sitting: bytes) -> bytes:
        return encode(self.results(msgspec.msgpack.decode(sitting, type=Sitting)))

    def kill(self) -> None:
        pass

    def end(self) -> str:
        return ""


class InstantExecutor:
    """Answers in the coordinator's own process."""

    def __init__(self, team: Team) -> None:
        self._player = InstantPlayer(team)

        self._sittings: list[Sitting] = []

    @property
    def wants_more(self) -> bool:
        return not self._sittings

    def submit(self, sitting: Sitting) -> None:
        self._sittings.append(sitting)

    def wait(self) -> Iterator[Returned]:
        while self._sittings:
            sitting = self._sittings.pop()
            yield sitting, self._player.results(sitting)

    def close(self, *, in_peace: bool = False) -> None:
        pass


class Listener(Observer):
    """Counts blocks that are safe."""

    blocks = 0

    def played(self, result: BlockResult) -> None:
        self.blocks += 1


def be_instant() -> None:
    """In a worker of the cluster: have all blocks answered at once."""
    worker_side.Player = InstantPlayer  # type: ignore[assignment, misc]  # it does as much as is measured


def run() -> Iterator[dict[str, object]]:
    """Rows for `python -m benchmarks`."""
    import_module("distributed")  # before the clock runs
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "bots").mkdir()
        for number in range(BOTS):
            (root / "bots" / f"bot_{number:02}.py").write_text(RANDOM_BOT)
        yield _row("plan and commits alone", root, lambda team, *_: InstantExecutor(team))
        with running(root) as cluster:
            cluster.join(THREADS, PRELOAD)
            yield _row("Dask", root, executor_of("dask", cluster.address), cluster)


def _row(what: str, root: Path, executor: OpenExecutor, cluster: RealCluster | None = None) -> dict[str, object]:
    with TemporaryDirectory() as results:
        listener = Listener()
        league = LeagueRun(parse(CONFIG, root), Path(results), workers=1, executor=executor, observer=listener)
        started, used, scheduling = perf_counter(), process_time(), _processor_seconds(cluster)
        with league:
            league.play()
        seconds, used, scheduling = (
            perf_counter() - started,
            process_time() - used,
            _processor_seconds(cluster) - scheduling,
        )
    return {
        "what": what,
        "blocks": f"{listener.blocks:,}",
        "blocks/s": f"{listener.blocks / seconds:,.0f}",
        "per second of the coordinator": f"{listener.blocks / used:,.0f}",
        "of the scheduler": f"{listener.blocks / scheduling:,.0f}" if scheduling else "-",
    }


def _processor_seconds(cluster: RealCluster | None) -> float:
    """Of the scheduler so far."""
    if cluster is None or cluster.scheduler is None:
        return 0.0
    fields = Path(f"/proc/{cluster.scheduler.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
