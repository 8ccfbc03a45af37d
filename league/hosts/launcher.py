"""The league's side of a zygote: starts it once in a worker, has hosts forked, and learns how they ended."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from league import __version__
from league.errors import IsolationError
from league.games.contract import Game
from league.hosts.wire import ANSWER, REQUEST
from league.values.settings import Contest

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
PLACE = str(Path(__file__).resolve().parents[1])
"""The folder of the package that this process runs."""
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


Zygote = subprocess.Popen[bytes]


def python_command(module: str, *words: str) -> list[str]:
    """The command that calls `serve` of a module of this very package in a new Python."""
    package = Path(PLACE)
    start = [sys.executable, "-s", "-P", "-B", "-c", _START, str(package / "__init__.py"), str(package.parent)]
    return [*start, module, *words]


class Launcher:
    """Keeps a zygote alive, and starts a new one if it should die. `has_numpy`: its hosts have numpy loaded."""

    def __init__(self, has_numpy: bool) -> None:
        self._has_numpy = has_numpy
        self._zygote: Zygote | None = None
        self._control: socket.socket

    def fork(self, game: Game, descriptors: Sequence[int]) -> tuple[Zygote, int]:
        """A new host for this game, with the descriptors that `child.main` describes: its zygote and its process id.

        The zygote keeps the id of one that has ended until it is told to wait for it.
        """
        spec = msgspec.msgpack.encode((Contest.of(game), game.file))
        for _ in range(3):
            try:
                zygote = self.start()
                socket.send_fds(self._control, [REQUEST.pack(b"f", len(spec))], descriptors)
                self._control.sendall(spec)
                return zygote, ANSWER.unpack(self._received(ANSWER.size))[0]
            except OSError:
                self.close()  # the zygote has died, or is stopped
        raise IsolationError(
            "The process that starts bots' processes died three times in a row. "
            "Is memory short, or the number of processes limited (ulimit -u)?"
        )

    def wait(self, zygote: Zygote, pid: int) -> int | None:
        """The exit code of a process that was killed or died, or minus the signal; None if it died with its zygote."""
        if self._zygote is not zygote or zygote.poll() is not None:
            return None
        try:
            self._control.sendall(REQUEST.pack(b"w", pid))
            return os.waitstatus_to_exitcode(ANSWER.unpack(self._received(ANSWER.size))[0])
        except OSError:
            self.close()  # an answer that comes too late must not be taken for the next one
            return None

    def close(self) -> None:
        """End the zygote, and with it every host."""
        if self._zygote is None:
            return
        self._control.close()
        try:
            self._zygote.wait(END_S)
        except subprocess.TimeoutExpired:
            self._zygote.kill()
            self._zygote.wait()
        self._zygote = None

    def start(self) -> Zygote:
        """Start the zygote if there is none."""
        if self._zygote is not None:
            return self._zygote
        self._control, theirs = socket.socketpair()
        with theirs:
            words = (str(theirs.fileno()), str(os.getpid()), "numpy" if self._has_numpy else "")
            self._zygote = subprocess.Popen(  # noqa: S603 - our own interpreter and our own module
                python_command("league.hosts.zygote", *words),
                env=ENVIRONMENT,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._control.settimeout(PATIENCE_S)
        version = self._received(ANSWER.unpack(self._received(ANSWER.size))[0]).decode()
        if version != __version__:
            self.close()
            raise IsolationError(
                f"Bots' processes would run League {version}, but this is League {__version__}. If it was upgraded "
                "just now, start the command again."
            )
        return self._zygote

    def _received(self, size: int) -> bytes:
        """The next bytes from the zygote; OSError if it has died or does not answer."""
        data = b""
        while len(data) < size:
            more = self._control.recv(size - len(data))
            if not more:
                raise ConnectionError("the zygote has ended")
            data += more
        return data
