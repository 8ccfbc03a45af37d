"""A process that plays, started by a worker of a cluster.

A worker of a cluster may have many threads. A block needs a process of its own: games are played in Python, and trusted
bots share the module `random` of their process. What ends such a process does not end the worker.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
from multiprocessing.connection import Connection
from threading import Thread
from time import monotonic, sleep

from league.play.worker import Team, Worker
from league.play.worker_loop import calm_collector, serve

IDLE_SECONDS = 60.0
"""A player with nothing to do for this long ends itself."""
PARENT_SECONDS = 0.5
"""Between two looks at whether the worker that started this process is still there."""

_START = (
    "import sys; sys.path[:] = sys.argv[2:]; from league.play.executors.dask.player import main; main(int(sys.argv[1]))"
)


class Player:
    """One such process, seen from the worker that started it."""

    def __init__(self, team: Team) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            # No multiprocessing: a worker under a nanny is a daemon, and may have no children of that kind.
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own module
                [sys.executable, "-c", _START, str(theirs.fileno()), *sys.path],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for the worker
            )
        self._pipe = Connection(ours.detach())
        self._used = monotonic()
        self._pipe.send_bytes(pickle.dumps(team))

    @property
    def is_fresh(self) -> bool:
        """Whether it can be given a block: it may be about to end itself otherwise."""
        return monotonic() < self._used + IDLE_SECONDS / 2

    def play(self, block: bytes) -> bytes:
        """The answer to an encoded block; EOFError or OSError if the process has ended."""
        self._pipe.send_bytes(block)
        answer = self._pipe.recv_bytes()
        self._used = monotonic()
        return answer

    def kill(self) -> None:
        """End it at once; a thread that waits for its answer gets an error."""
        self._process.kill()

    def end(self) -> str:
        """End it, and say how it ended if it had done so by itself."""
        self._pipe.close()
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


def main(descriptor: int) -> None:
    """The process itself: play what comes through a pipe."""
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    pipe = Connection(descriptor)
    team: Team = pickle.loads(pipe.recv_bytes())  # noqa: S301 - from the worker that started this process
    calm_collector()
    worker = Worker(team)
    try:
        serve(worker, pipe, IDLE_SECONDS)
    finally:
        worker.close()


def _end_with(parent: int) -> None:
    """End this process when its parent ends, also in the middle of a block.

    The kernel's signal at a parent's death comes too early: when the thread ends that started this process.
    """
    while os.getppid() == parent:
        sleep(PARENT_SECONDS)
    os._exit(1)
