"""The league's side of a zygote: starts it once in a worker, has hosts forked, and learns how they ended."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from league import __version__
from league.errors import IsolationError
from league.games.contract import Game
from league.hosts.wire import ANSWER, PLACE, REQUEST, GameSpec, Ready, ZygoteOrder

_START = """
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
package, beside, module, *words = sys.argv[1:]
sys.path.append(beside)
spec = spec_from_file_location("league", package)
sys.modules["league"] = module_from_spec(spec)
spec.loader.exec_module(sys.modules["league"])
import_module(module).serve(*words)
"""
"""Runs this very package, though another one may be installed. What lies beside it comes last: a file `random.py` there
must not take the place of Python's own."""
PATIENCE_S = 30
"""The zygote answers within milliseconds; one that does not in this time, or is stopped, is given up."""
END_S = 5
"""How long it may take to end. Then it is killed, which its hosts do not survive either."""
ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "LD_BIND_NOW": "1",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""The whole environment of a host. Several threads of a maths library would only compete for one processor. What the
libraries of the zygote are linked to is found at once: otherwise every host would have to find it again."""


def python_command(module: str, *words: str) -> list[str]:
    """The command that calls `serve` of a module of this very package in a new Python."""
    package = Path(PLACE)
    start = [sys.executable, "-s", "-P", "-B", "-c", _START, str(package / "__init__.py"), str(package.parent)]
    return [*start, module, *words]


class Forked:
    """A process that the zygote forked: its id, and a handle that can never mean another process."""

    def __init__(self, launcher: Launcher, pid: int) -> None:
        self.pid = pid
        self._generation = launcher.generation
        self.leads_group = False
        """It is a program that may have started others, which are in its process group."""
        self._launcher = launcher
        self.handle = os.pidfd_open(pid)
        """Becomes readable when the process ends. It is surely this process: the zygote keeps the id of one that has
        ended until it is told to wait for it."""

    def kill(self) -> None:
        """Kill it at once."""
        if self.leads_group:
            with suppress(OSError):  # it has not yet become the program
                os.killpg(self.pid, signal.SIGKILL)
        self.signal(signal.SIGKILL)

    def signal(self, number: int) -> None:
        """Send it a signal."""
        with suppress(ProcessLookupError):  # it has ended by itself
            signal.pidfd_send_signal(self.handle, number)

    def autopsy(self) -> int | None:
        """Kill it, wait for it, and return its exit code, or minus the signal; None if it died with the zygote."""
        self._end()
        launcher = self._launcher
        return launcher.wait(self.pid) if launcher.alive and launcher.generation == self._generation else None

    def discard(self) -> None:
        """Kill it without asking how it ended."""
        self._end()
        if self._launcher.generation == self._generation:
            self._launcher.forget(self.pid)

    def _end(self) -> None:
        self.kill()
        os.close(self.handle)


class Launcher:
    """Keeps a zygote alive, and starts a new one if it should die. `has_numpy`: its hosts have numpy loaded."""

    def __init__(self, has_numpy: bool) -> None:
        self._has_numpy = has_numpy
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket
        self.generation = 0

    def fork(self, game: Game, descriptors: Sequence[int]) -> Forked:
        """A new host for this game, with the descriptors that `child.main` describes."""
        spec = msgspec.msgpack.encode(GameSpec.of(game))
        for _ in range(3):
            try:
                self.start()
                socket.send_fds(self._control, [REQUEST.pack(b"f", len(spec))], descriptors)
                self._control.sendall(spec)
                return Forked(self, ANSWER.unpack(self._received(ANSWER.size))[0])
            except OSError:
                self.close()  # the zygote has died, or is stopped
        raise IsolationError(
            "The process that starts bots' processes died three times in a row. "
            "Is memory short, or the number of processes limited (ulimit -u)?"
        )

    @property
    def alive(self) -> bool:
        """Whether the zygote runs; if it died, its hosts died with it through no fault of theirs."""
        return self._process is not None and self._process.poll() is None

    def wait(self, pid: int) -> int | None:
        """How a process that was killed or that died ended: its exit code, or minus the signal."""
        try:
            self._control.sendall(REQUEST.pack(b"w", pid))
            return os.waitstatus_to_exitcode(ANSWER.unpack(self._received(ANSWER.size))[0])
        except OSError:
            self.close()  # an answer that comes too late must not be taken for the next one
            return None

    def forget(self, pid: int) -> None:
        """Have a process that was killed reaped, without a report."""
        with suppress(OSError):  # if the zygote has died, init reaps it
            self._control.sendall(REQUEST.pack(b"d", pid))

    def close(self) -> None:
        """End the zygote, and with it every host."""
        if self._process is None:
            return
        self._control.close()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def start(self) -> int:
        """Start the zygote if there is none; returns its process id."""
        if self._process is not None:
            return self._process.pid
        self.generation += 1
        ours, theirs = socket.socketpair()
        with theirs:
            self._control = ours
            order = ZygoteOrder(theirs.fileno(), os.getpid(), self._has_numpy)
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own module
                python_command("league.hosts.zygote", msgspec.json.encode(order).decode()),
                env=ENVIRONMENT,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        ours.settimeout(PATIENCE_S)
        length = ANSWER.unpack(self._received(ANSWER.size))[0]
        ready = msgspec.msgpack.decode(self._received(length), type=Ready)
        if (ready.version, ready.place) != (__version__, PLACE):
            self.close()
            raise IsolationError(
                f"Bots' processes would run League {ready.version} from {ready.place}, but this is League "
                f"{__version__} from {PLACE}. If it was upgraded just now, start the command again."
            )
        return self._process.pid

    def _received(self, size: int) -> bytes:
        """The next bytes from the zygote; OSError if it has died or does not answer."""
        data = b""
        while len(data) < size:
            more = self._control.recv(size - len(data))
            if not more:
                raise ConnectionError("the zygote has ended")
            data += more
        return data
