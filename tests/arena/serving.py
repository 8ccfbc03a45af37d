"""A running arena: `league arena serve` in processes of its own, on this machine only."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen


def free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


class Served:
    """An arena that is being served."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port = free_port()
        self.url = f"{'https' if '--cert' in options else 'http'}://127.0.0.1:{self.port}"
        self._command = [sys.executable, "-m", "league", "arena", "serve", str(folder), "--workers", "1", *options]
        self._command += ["--port", str(self.port)]
        self.start()

    def start(self) -> None:
        """Serve it, again where it was served before."""
        self.process = subprocess.Popen(self._command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        assert self.process.stdout.readline().startswith("The arena is at "), "it did not start"

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        assert self.process.stdout is not None
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(60) == 0
        self.process.stdout.close()

    def children(self) -> dict[str, int]:
        """The process ids of web, checker and player."""
        ids = {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rpartition(")")[2].split()
                words = (path.parent / "cmdline").read_text().split("\0")
            except OSError:  # it has ended meanwhile
                continue
            if int(fields[1]) == self.process.pid and "league.extensions.arena.serve" in words:
                ids[words[words.index("league.extensions.arena.serve") + 1]] = int(path.parent.name)
        return ids

    def answers(self) -> bool:
        """Whether the web server is there."""
        try:
            with urlopen(f"{self.url}/enter", timeout=60) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def kill(self, role: str) -> bool:
        """Kill one of its processes as hard as possible; says whether there was one."""
        pid = self.children().get(role)
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
        return pid is not None

    def kill_all(self) -> None:
        """Kill it and all of its processes, as a power cut would, and serve it again."""
        assert self.process.stdout is not None
        for pid in (self.process.pid, *self.children().values()):
            os.kill(pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()
        self.start()


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[Served]:
    """Serve an arena on a free port until the context ends."""
    served = Served(folder, *options)
    try:
        yield served
    finally:
        served.stop()


def until(condition, seconds: float = 120.0) -> None:
    """Wait until something is so; it fails after a time that no machine needs."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.1)
