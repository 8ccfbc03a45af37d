"""Plays sittings on a Dask cluster.

Each sitting is given to a worker that is chosen here. So it is known which ones are lost with a worker: they go to
others, and a result counts once, whatever became of the first attempt.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple
from uuid import uuid4

from league.extensions.dask.cluster import Cluster, aside, hushed
from league.extensions.dask.cluster_workers import ClusterWorkers
from league.extensions.dask.worker_side import Answer, decode_answers
from league.play.executors import Notice, Returned
from league.play.executors.local import IN_HAND, LIVES, LOOK
from league.play.worker import Team, decode_answer, encode
from league.values.block import Abandoned, Sitting

TASK_SECONDS = 0.2
"""Sittings that are shorter travel together, as many as take this time; longer in large clusters."""
TASKS_PER_SECOND = 200
"""That the whole cluster should end: about half of what a scheduler and a client can bear."""
MOST_SITTINGS = 64
LOSSES = 10
"""Workers that may be lost with one sitting before it is abandoned; batch systems take many away at once."""


class Task(NamedTuple):
    """Sittings that a worker has."""

    worker: str
    sittings: Sequence[Sitting]
    future: Any


Gathered = tuple[Sequence[str], Mapping[str, bytes | None], Mapping[str, str]]
"""The keys of tasks that have ended; their answers, None from a worker that does not know this run; and why others
failed. Those that are in neither were lost with their worker."""


def dask_executor(
    team: Team, workers: int, log_file: Path, private: Sequence[int], notice: Notice, scheduler: str = ""
) -> DaskExecutor:
    """What plays on a cluster. Its workers are not forked from this process, and log on their own machines."""
    return DaskExecutor(team, workers, scheduler, notice)


class DaskExecutor:
    """Plays sittings on a cluster; `workers` is the size of one that is started here."""

    def __init__(self, team: Team, workers: int, scheduler: str = "", notice: Notice = lambda _: None) -> None:
        self._run = uuid4().hex
        self._cluster = Cluster(scheduler, workers)
        self._hushed = ExitStack()
        self._hushed.enter_context(hushed())
        self._ended: SimpleQueue[Any] = SimpleQueue()
        """Dask's futures of tasks that have ended; None when there is other news."""
        self._workers = ClusterWorkers(self._cluster, self._run, team, notice, wake=lambda: self._ended.put(None))
        self._numbers = count()
        self._waiting: deque[Sitting] = deque()
        """Sittings to hand out before any others."""
        self._tasks: dict[str, Task] = {}
        self._load: Counter[str] = Counter()
        self._deaths: Counter[str] = Counter()
        self._losses: Counter[str] = Counter()
        """By sitting: processes that died playing it, and workers that were lost with it."""
        self._sitting_seconds = TASK_SECONDS
        self._to_gather: list[Any] = []
        self._gathering: Future[Gathered] | None = None

    @property
    def wants_more(self) -> bool:
        room = sum(IN_HAND * threads - self._load[worker] for worker, threads in self._workers.threads.items())
        return len(self._waiting) < max(room * self._sittings_in_a_task(), 1)

    def submit(self, sitting: Sitting) -> None:
        self._waiting.append(sitting)

    def wait(self) -> Iterator[Returned]:
        for worker in self._workers.look():
            yield from self._lose(worker)
        self._hand_out()
        yield from self._take_in()

    def close(self, *, in_peace: bool = False) -> None:
        with self._hushed:
            self._workers.close()

    def _sittings_in_a_task(self) -> int:
        task_seconds = max(TASK_SECONDS, sum(self._workers.threads.values()) / TASKS_PER_SECOND)
        return min(max(int(task_seconds / self._sitting_seconds), 1), MOST_SITTINGS)

    def _hand_out(self) -> None:
        """Give each thread of each worker something to do, then the next task to all."""
        most = self._sittings_in_a_task()
        for wanted in range(1, IN_HAND + 1):
            for worker, threads in list(self._workers.threads.items()):
                while self._load[worker] < wanted * threads:
                    if not self._cluster.is_connected or not self._waiting:
                        return
                    self._submit(worker, [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))])

    def _submit(self, worker: str, sittings: Sequence[Sitting]) -> None:
        key = f"league-{self._run}-{next(self._numbers)}"
        try:
            future = self._cluster.submit(worker, key, "play", self._run, key, encode(sittings))
        except OSError:  # which `cluster_workers` will notice
            self._waiting.extendleft(reversed(sittings))
            return
        self._tasks[key] = Task(worker, sittings, future)
        self._load[worker] += 1
        future.add_done_callback(self._ended.put)

    def _take_in(self) -> Iterator[Returned]:
        """Wait a little for tasks to end, and take what has come."""
        try:
            self._to_gather.append(self._ended.get(timeout=LOOK))
            while not self._ended.empty():
                self._to_gather.append(self._ended.get())
        except Empty:
            pass
        if self._gathering is not None and self._gathering.done():
            gathered, self._gathering = self._gathering.result(), None
            yield from self._settle(*gathered)
        futures = [future for future in self._to_gather if future is not None and future.key in self._tasks]
        if futures and self._gathering is None:
            self._to_gather = []
            self._gathering = aside(lambda: self._gather(futures))
            self._gathering.add_done_callback(lambda _: self._ended.put(None))

    def _gather(self, futures: Sequence[Any]) -> Gathered:
        keys = [future.key for future in futures]
        try:
            answers, unfit = self._cluster.gather(futures)
        except OSError:
            return keys, {}, {}
        return keys, dict(answers), unfit

    def _settle(
        self, keys: Sequence[str], answers: Mapping[str, bytes | None], unfit: Mapping[str, str]
    ) -> Iterator[Returned]:
        for key in keys:
            if key not in self._tasks:
                continue  # it was given up meanwhile, and its sittings are with others
            task = self._take_back(key)
            if (encoded := answers.get(key)) is not None:
                for sitting, answer in zip(task.sittings, decode_answers(encoded), strict=True):
                    yield from self._settle_sitting(sitting, answer, task.worker)
            else:
                self._waiting.extend(task.sittings)
                if key in unfit:
                    yield from self._reject(task.worker, unfit[key])
                elif key in answers:
                    self._workers.greet_again(task.worker)
                    yield from self._lose(task.worker)

    def _settle_sitting(self, sitting: Sitting, answer: Answer, worker: str) -> Iterator[Returned]:
        self._sitting_seconds += 0.1 * (answer.seconds - self._sitting_seconds)
        if answer.died:
            yield from self._again(sitting, self._deaths, LIVES, f"workers died playing it; the last one {answer.died}")
            return
        said = decode_answer(answer.said)
        if not isinstance(said, str):
            yield sitting, said
        else:
            self._waiting.append(sitting)
            yield from self._reject(worker, said)

    def _reject(self, worker: str, reason: str) -> Iterator[Returned]:
        self._workers.reject(worker, reason)
        yield from self._lose(worker)

    def _lose(self, worker: str) -> Iterator[Returned]:
        """Give what a worker had to others."""
        if not self._cluster.is_connected:
            self._gathering = None  # what comes of it is not needed
        for key in [key for key, task in self._tasks.items() if task.worker == worker]:
            for sitting in self._take_back(key).sittings:
                yield from self._again(sitting, self._losses, LOSSES, "workers were lost with it")
        del self._load[worker]

    def _again(self, sitting: Sitting, failures: Counter[str], most: int, what: str) -> Iterator[Returned]:
        """Have a sitting played by other workers, block by block, unless one had too many failures."""
        if len(sitting.blocks) > 1:
            self._waiting.extend(Sitting((block,), is_fresh=True) for block in sitting.blocks)
            return
        failures[sitting.id] += 1
        if failures[sitting.id] < most:
            self._waiting.append(sitting)
        else:
            yield sitting, [Abandoned(sitting.blocks[0], f"{most} {what}")]

    def _take_back(self, key: str) -> Task:
        """Forget a task, here and in the cluster."""
        task = self._tasks.pop(key)
        self._load[task.worker] -= 1
        task.future.release()
        return task
