"""Leagues that are played by the real command, in processes of its own, which can be stopped at any moment."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import chdir, closing, suppress
from pathlib import Path
from time import sleep

from tests.commands import command

RESULTS = "results/small"


class RealLeague:
    """A league in a folder of its own, whose config calls it small; `before` is code that runs before the command."""

    def __init__(self, folder: Path, config: str, bots: Mapping[str, str], before: str = "") -> None:
        self.folder = folder
        self.before = before
        (folder / "bots").mkdir(parents=True, exist_ok=True)
        (folder / "config.yaml").write_text(config)
        for name, source in bots.items():
            self.add(name, source)

    def add(self, name: str, source: str) -> None:
        (self.folder / f"bots/{name}.py").write_text(source)

    def start(self, *options: str, pause: str = "0") -> subprocess.Popen[str]:
        """The command, under way in a process group of its own; bots may wait for as long as `PAUSE` says."""
        code = f"{self.before}\nfrom league.cli import main\nmain()"
        return subprocess.Popen(
            [sys.executable, "-c", code, "run", "config.yaml", *(options or ("--workers", "2"))],
            cwd=self.folder,
            env=os.environ | {"PAUSE": pause},
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *options: str) -> str:
        """Play to the end; returns what was printed on standard error."""
        with self.start(*options) as process:
            _, printed = process.communicate()
        assert process.returncode == 0, printed
        return printed

    def run_in_a_copy(self, *options: str) -> str:
        """The same in a copy of this process, which is sooner there."""
        with chdir(self.folder):
            ended = command(["run", "config.yaml", *options], before=self.before)
        assert ended.returncode == 0, ended.stderr
        return ended.stderr

    def games(self) -> int:
        """How many are safe."""
        database = f"file:{self.folder / RESULTS / 'league.db'}?mode=ro"
        with suppress(sqlite3.OperationalError), closing(sqlite3.connect(database, uri=True, timeout=10)) as db:
            return db.execute("SELECT sum(stop - first) FROM blocks").fetchone()[0] or 0
        return 0

    def wait_for(self, games: int, process: subprocess.Popen[str]) -> bool:
        """Wait until this many games are safe; False if the process ended before."""
        while process.poll() is None:
            if self.games() >= games:
                return True
            sleep(0.002)
        return False

    def files(self) -> dict[str, bytes]:
        """What must not differ."""
        results = self.folder / RESULTS
        found = {path.name: path.read_bytes() for path in (*sorted(results.glob("*.csv")), results / "notices.txt")}
        assert {"standings.csv", "head_to_head.csv", "standings-raj-2p.csv"} <= found.keys()
        return found

    def stop_after(self, games: int, how: signal.Signals) -> bool:
        """Play until this many games are safe, then send a signal; False if it has come to its end before."""
        with self.start() as process:
            under_way = self.wait_for(games, process)
            if under_way:
                with suppress(ProcessLookupError):  # it has just come to its end
                    os.killpg(process.pid, how)
            process.communicate()
        return under_way
