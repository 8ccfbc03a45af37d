"""The workers of a cluster that can play a run: found, asked what they are, and given the bots that they lack.

They come and go, and so may the scheduler. Nothing here waits for them: `ClusterWorkers.look` is called again and
again, and returns at once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from time import monotonic

from league.errors import LeagueError
from league.extensions.dask.cluster import Cluster, aside
from league.extensions.dask.worker_side import difference, identity, packed
from league.play.executors import Notice
from league.play.worker import Team
from league.tools.text import counted

CENSUS_SECONDS = 1.0
"""Between two questions which workers there are, or whether a scheduler that was lost is there again."""
PATIENCE_SECONDS = 20.0
"""A run ends if there are workers, but none of them can play for this long."""
NAMED = 3

log = logging.getLogger(__name__)


Census = tuple[Mapping[str, int], Mapping[str, str]]
"""The threads of all workers that are there, by address; and of those that were asked just now, the reason why they
cannot play, which is empty if they can."""


class ClusterWorkers:
    """The workers that can play the run of a team; `wake` is called when there is news for `look`."""

    def __init__(self, cluster: Cluster, run: str, team: Team, notice: Notice, wake: Callable[[], None]) -> None:
        self.threads: dict[str, int] = {}
        """The threads of the workers that can play, by address."""
        self._cluster = cluster
        self._run = run
        self._team = team
        self._notice = notice
        self._wake = wake
        self._unfit: dict[str, str] = {}
        self._contact: Future[Census | None] | None = None
        """Under way: a census, or connecting, which returns None."""
        self._next_contact = 0.0
        self._was_connected = False
        self._state = ""
        self._unfit_since: float | None = None

    def look(self) -> Sequence[str]:
        """The workers that were lost since the last look; LeagueError if there is no hope that one can play."""
        if not self._cluster.is_connected and self.threads:
            return self._lose_scheduler()
        if self._contact is None:
            if monotonic() >= self._next_contact:
                self._contact = aside(self._ask_workers if self._cluster.is_connected else self._connect)
                self._contact.add_done_callback(lambda _: self._wake())
            return ()
        if not self._contact.done():
            return ()
        contact, self._contact = self._contact, None
        self._next_contact = monotonic() + CENSUS_SECONDS
        try:
            census = contact.result()
        except OSError:
            if not self._was_connected:
                raise LeagueError(f"There is no Dask scheduler {self._cluster.name}.") from None
            return self._lose_scheduler()
        if census is None:
            self._was_connected = True
            self._next_contact = 0.0
            return ()
        return self._heed(census)

    def reject(self, worker: str, reason: str) -> None:
        """Do not use a worker any more."""
        self.threads.pop(worker, None)
        if worker not in self._unfit:
            self._unfit[worker] = reason
            self._notice(f"worker {worker} is not used: {reason}")
            log.warning("worker %s is not used: %s", worker, reason)

    def greet_again(self, worker: str) -> None:
        """Treat a worker as a new one: it was restarted, and has forgotten what it was given."""
        self.threads.pop(worker, None)

    def close(self) -> None:
        """Have the run's processes ended, and leave the cluster."""
        if self._contact is not None and self._cluster.is_own:
            with suppress(OSError):
                self._contact.result()  # a cluster that is being started can only be ended afterwards
        workers = list(self.threads)
        self._cluster.close(farewell=lambda: workers and self._cluster.call(workers, "dismiss", self._run))

    def _lose_scheduler(self) -> Sequence[str]:
        lost = list(self.threads)
        self.threads.clear()
        self._contact = None  # it may never end
        self._say("lost", f"the Dask scheduler {self._cluster.name} was lost: waiting for it.")
        return lost

    def _connect(self) -> None:
        if self._cluster.is_own:
            workers = counted(self._cluster.size, "worker")
            self._notice(f"no scheduler was named: starting a Dask cluster of {workers} on this machine.")
        self._cluster.connect()

    def _ask_workers(self) -> Census:
        """Ask which workers there are, and prepare those that are new."""
        threads = self._cluster.threads()
        newcomers = [worker for worker in threads if worker not in self.threads and worker not in self._unfit]
        new: dict[str, str] = {}
        lacking = []
        for worker, answer in self._cluster.call(newcomers, "greet", self._run).items() if newcomers else ():
            there, has_team = (None, False) if isinstance(answer, str) else answer
            new[worker] = difference(identity(), there) if there else answer
            if not (new[worker] or has_team):
                lacking.append(worker)
        if lacking:
            self._cluster.call(lacking, "supply", self._run, packed(self._team))
        return threads, new

    def _heed(self, census: Census) -> Sequence[str]:
        """Take over what a census found; returns the workers that were lost."""
        threads, new = census
        lost = [worker for worker in self.threads if worker not in threads]
        for worker in lost:
            log.warning("worker %s left the cluster", worker)
            del self.threads[worker]
        self._unfit = {worker: reason for worker, reason in self._unfit.items() if worker in threads}
        for worker, reason in new.items():
            if reason:
                self.reject(worker, reason)
            else:
                log.info("worker %s joined the cluster", worker)
                self.threads[worker] = 0
        for worker in self.threads:
            self.threads[worker] = threads[worker]
        self._report()
        return lost

    def _report(self) -> None:
        """Tell the user when playing begins, and when there is no worker for it."""
        if self.threads:
            self._unfit_since = None
            workers, threads = counted(len(self.threads), "worker"), counted(sum(self.threads.values()), "thread")
            self._say("playing", f"playing on the Dask cluster {self._cluster.name}: {workers} with {threads} so far.")
            return
        if self._unfit:
            now = monotonic()
            self._unfit_since = self._unfit_since or now
            if self._cluster.is_own or now > self._unfit_since + PATIENCE_SECONDS:
                reasons = "; ".join(f"{worker}: {reason}" for worker, reason in list(self._unfit.items())[:NAMED])
                raise LeagueError(f"No worker of the Dask cluster {self._cluster.name} can play. {reasons}")
        which = "all workers are gone" if self._state == "playing" else "there are no workers that can play yet"
        self._say("waiting", f"{which} on the Dask cluster {self._cluster.name}: waiting for some.")

    def _say(self, state: str, line: str) -> None:
        if self._state != state:
            self._state = state
            log.info("%s", line)
            if not self._cluster.is_own:
                self._notice(line)
