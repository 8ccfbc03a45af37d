"""A running arena: `league arena serve` in processes of its own, on this machine only."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Served(NamedTuple):
    """An arena that is being served."""

    url: str
    process: subprocess.Popen[str]

    def children(self) -> dict[str, int]:
        """The process ids of web, checker and player."""
        found = {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rpartition(")")[2].split()
                words = (path.parent / "cmdline").read_text().split("\0")
            except OSError:  # it has ended meanwhile
                continue
            if int(fields[1]) == self.process.pid and "league.arena.process" in words:
                found[words[-2]] = int(path.parent.name)
        return found

    def kill(self, role: str) -> bool:
        """Kill one of its processes as hard as possible; says whether there was one."""
        pid = self.children().get(role)
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
        return pid is not None


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """Serve an arena on a free port until the context ends."""
    command = [sys.executable, "-m", "league", "arena", "serve", str(folder), "--port", "0", "--workers", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            match = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
            assert match, "it did not start"
            yield Served(match[0], process)
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0


def until(condition, seconds: float = 120.0) -> None:
    """Wait until something is so; it fails after a time that no machine needs."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.1)
