"""A real Dask cluster for tests: a scheduler and workers in processes of their own, on loopback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from socket import socket
from time import monotonic, sleep

PATIENCE_S = 60
QUIET = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "false"}


class RealCluster:
    """A scheduler at an address that stays the same, and its workers."""

    def __init__(self, folder: Path, *options: str, protocol: str = "tcp") -> None:
        self.folder = folder
        self._options = options
        self._port = self.free_port()
        self.address = f"{protocol}://127.0.0.1:{self._port}"
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    @staticmethod
    def free_port() -> int:
        """One that nothing listens at."""
        with socket() as free:
            free.bind(("127.0.0.1", 0))
            port: int = free.getsockname()[1]
            return port

    def start(self) -> None:
        """Start the scheduler, also for a second time."""
        where = ["--host", self.address.rpartition(":")[0], "--port", str(self._port), "--no-dashboard", "--no-show"]
        self.scheduler = self._process("scheduler", *where, *self._options)
        deadline = monotonic() + PATIENCE_S
        while monotonic() < deadline:
            with socket() as probe:
                if probe.connect_ex(("127.0.0.1", self._port)) == 0:
                    return
            sleep(0.05)
        raise TimeoutError("the scheduler does not listen")

    def join(
        self, threads: int = 1, preload: str = "", nanny: bool = False, options: Sequence[str] = ()
    ) -> subprocess.Popen[bytes]:
        """Start a worker, after some lines of Python in it."""
        options = [*options, "--nthreads", str(threads), "--no-dashboard", "--nanny" if nanny else "--no-nanny"]
        if preload:
            script = self.folder / f"preload{len(self.workers)}.py"
            script.write_text(preload)
            options += ["--preload", str(script)]
        worker = self._process("worker", self.address, "--local-directory", str(self.folder), *options)
        self.workers.append(worker)
        return worker

    def worker_under(self, nanny: subprocess.Popen[bytes]) -> int:
        """The process that a nanny looks after."""
        children = Path(f"/proc/{nanny.pid}/task").glob("*/children")
        pids = [pid for path in children for pid in path.read_text().split()]
        (worker,) = [pid for pid in pids if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        return int(worker)

    def _process(self, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{kind}.log").open("ab") as output:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", kind, *arguments],
                stdout=output,
                stderr=output,
                start_new_session=True,
                env=os.environ | QUIET,
            )

    def close(self) -> None:
        """End everything."""
        for process in (*self.workers, self.scheduler):
            if process is not None:
                end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and the others of its session at once, as a batch system or a power cut does."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def running(folder: Path, *workers: int, options: Sequence[str] = (), protocol: str = "tcp") -> Iterator[RealCluster]:
    """A cluster with workers of these numbers of threads; the options are the scheduler's."""
    cluster = RealCluster(folder, *options, protocol=protocol)
    try:
        cluster.start()
        for threads in workers:
            cluster.join(threads)
        yield cluster
    finally:
        cluster.close()
