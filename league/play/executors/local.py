"""Plays sittings in processes of this machine, one for each core.

Each worker has its own pipe and two sittings: the one it plays and the next. If a worker dies, others play its sittings
again, the one that it died of block by block; only a block that ended three workers is abandoned.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection, wait
from pathlib import Path

from league.errors import LeagueError
from league.hosts.factory import pin
from league.play.executors import Executor, Notice, Returned
from league.play.worker import Team, Worker, calm_collector, decode_answer, encode, serve
from league.tools import system
from league.tools.forked import start_process
from league.tools.logs import WorkerLog
from league.values.block import Abandoned, Block, BlockResult, Sitting, Unavailable

IN_HAND = 2
"""Sittings that a worker has, as long as there are some: the one it plays and the next."""
LIVES = 3
"""Workers that one block may end before it is abandoned."""
LOOK = 0.1
"""Seconds between two looks at whether the user wants to stop."""

log = logging.getLogger(__name__)


def local_executor(team: Team, workers: int, log_file: Path, private: Sequence[int], notice: Notice) -> Executor:
    """What plays on this machine: workers, or this process alone where nothing can be forked."""
    if system.PLAIN:
        return InProcessExecutor(team)
    return LocalExecutor(team, workers, log_file, private)


class InProcessExecutor:
    """Plays in this process, one sitting after the other."""

    def __init__(self, team: Team) -> None:
        self._worker = Worker(team)
        self._sittings: deque[Sitting] = deque()

    @property
    def wants_more(self) -> bool:
        return not self._sittings

    def submit(self, sitting: Sitting) -> None:
        self._sittings.append(sitting)

    def wait(self) -> Iterator[Returned]:
        while self._sittings:
            sitting = self._sittings.popleft()
            yield sitting, self._worker.play_sitting(sitting)

    def close(self, *, in_peace: bool = False) -> None:
        self._worker.close()


class LocalExecutor:
    """Plays with N workers; `log_file` gets what all of them log.

    `private` are file descriptors of the parent that no worker may keep open, such as the lock of the results.
    """

    def __init__(self, team: Team, workers: int, log_file: Path, private: Sequence[int] = ()) -> None:
        self._team = team
        self._count = workers
        self._log_file = log_file
        self._private = private
        self._workers: list[WorkerProcess] = []
        self._again: deque[Sitting] = deque()
        self._deaths: Counter[Block] = Counter()

    @property
    def wants_more(self) -> bool:
        while self._again and (number := self._next_worker(0)) is not None:
            self._give(number, self._again.popleft())
        return self._next_worker(0) is not None

    def submit(self, sitting: Sitting) -> None:
        number = self._next_worker(sitting.blocks[0].series.rotation)
        if number is None:
            self._again.append(sitting)
        else:
            self._give(number, sitting)

    def wait(self) -> Iterator[Returned]:
        busy: dict[object, WorkerProcess] = {
            worker.pipe: worker for worker in self._workers if worker.sittings or worker.is_dead
        }
        for pipe in wait([worker.pipe for worker in busy.values()], timeout=LOOK) if busy else ():
            try:
                yield busy[pipe].results()
            except (EOFError, OSError):
                yield from self._bury(busy[pipe])

    def close(self, *, in_peace: bool = False) -> None:
        for worker in self._workers:
            worker.pipe.close()  # there is nothing more to do
        with ThreadPoolExecutor(max_workers=max(len(self._workers), 1)) as together:
            list(together.map(lambda worker: worker.end(in_peace=in_peace), self._workers))
        self._workers.clear()

    def _next_worker(self, rotation: int) -> int | None:
        queues = [None if worker.is_dead else worker.sittings for worker in self._workers]
        return next_worker([*queues, *[()] * (self._count - len(queues))], IN_HAND, rotation)

    def _give(self, number: int, sitting: Sitting) -> None:
        """Hand over a sitting to a worker, which is started if it is not there yet."""
        number = min(number, len(self._workers))
        if number == len(self._workers):
            self._workers.append(self._start())
        worker = self._workers[number]
        if not worker.give(sitting):
            worker.is_dead = True  # it is buried where results are awaited: some of its own may still be in the pipe
            self._again.append(sitting)

    def _start(self) -> WorkerProcess:
        to_close = [*self._private, *(worker.pipe.fileno() for worker in self._workers)]
        number = min(set(range(self._count)) - {worker.number for worker in self._workers})
        return WorkerProcess(self._team, number, self._log_file, to_close)

    def _bury(self, worker: WorkerProcess) -> Iterator[Returned]:
        """A worker died: its sittings go to others, the one it played block by block, unless one has ended too many."""
        self._workers.remove(worker)
        how = worker.end(in_peace=True)
        if not worker.sittings:
            log.warning("worker %s %s while waiting for work", worker.pid, how)
            return
        guilty, *waiting = worker.sittings
        self._again.extend(waiting)
        log.warning("worker %s %s while playing %s", worker.pid, how, guilty)
        if len(guilty.blocks) > 1:
            self._again.extend(Sitting((block,), is_fresh=True) for block in guilty.blocks)
            return
        self._deaths[guilty.blocks[0]] += 1
        if self._deaths[guilty.blocks[0]] < LIVES:
            self._again.append(guilty)
        else:
            yield guilty, [Abandoned(guilty.blocks[0], f"{LIVES} workers died playing it; the last one {how}")]


def next_worker(queues: Sequence[Sequence[Sitting] | None], most: int, rotation: int = 0) -> int | None:
    """The number of the worker that gets the next sitting: one of those with fewest; None if all have enough.

    As far as possible, those of a rotation go to the same workers, where hosts wait for them. Nothing is put behind a
    sitting that plays apart. A worker without a queue gets nothing.
    """
    lengths = [
        (len(queue), (number - rotation) % len(queues), number)
        for number, queue in enumerate(queues)
        if queue is not None and len(queue) < most and not any(sitting.is_apart for sitting in queue)
    ]
    return min(lengths)[2] if lengths else None


class WorkerProcess:
    """One worker, seen from the parent."""

    def __init__(self, team: Team, number: int, log_file: Path, to_close: list[int]) -> None:
        self.number = number
        self.sittings: deque[Sitting] = deque()
        self.is_dead = False
        self._log = WorkerLog(log_file, f"worker-{number + 1}")
        self.pipe, theirs = multiprocessing.Pipe()
        inherited = [*to_close, self.pipe.fileno()]
        self._process = start_process(_work, team, number, os.getpid(), theirs, inherited, self._log)
        theirs.close()
        self.pid = self._process.pid

    def give(self, sitting: Sitting) -> bool:
        """Hand over a sitting; False if the worker is dead."""
        try:
            self.pipe.send_bytes(encode(sitting))
        except OSError:
            return False
        self.sittings.append(sitting)
        return True

    def results(self) -> tuple[Sitting, list[BlockResult | Unavailable]]:
        """The sitting that is over; EOFError or OSError if the worker is dead, LeagueError if it cannot play."""
        answer = decode_answer(self.pipe.recv_bytes())
        if isinstance(answer, str):
            raise LeagueError(answer)
        return self.sittings.popleft(), answer

    def end(self, *, in_peace: bool) -> str:
        """Wait for a worker whose pipe was closed, or make it go; returns how it ended."""
        self.pipe.close()
        if in_peace:
            self._process.join(timeout=5)
        self._process.kill()
        self._process.join()
        self._log.close()
        code = self._process.exitcode or 0
        return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


def _work(team: Team, number: int, parent: int, pipe: Connection, to_close: list[int], worker_log: WorkerLog) -> None:
    """The worker's own side: play what comes through the pipe until it is closed."""
    system.die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then closes the pipe
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for descriptor in to_close:
        os.close(descriptor)  # otherwise the end of the parent would not be noticed
    worker_log.enter()
    calm_collector()
    if not team.isolation.runs_inside:
        pin(number)
    worker = Worker(team)
    try:
        serve(worker, pipe)
    except Exception:
        log.exception("internal error in a worker")
        worker_log.flush()
        os._exit(70)
    finally:
        worker.close()
    worker_log.flush()
    os._exit(0)  # not through the parent's own clean-up
