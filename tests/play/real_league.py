"""Leagues that are played by the real command, in processes of its own, which can be stopped at any moment."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from time import sleep

RESULTS = "results/small"


class RealLeague:
    """A league in a folder of its own, whose config calls it small."""

    def __init__(self, folder: Path, config: str, bots: Mapping[str, str]) -> None:
        self.folder = folder
        (folder / "bots").mkdir(parents=True)
        (folder / "config.yaml").write_text(config)
        for name, source in bots.items():
            (folder / f"bots/{name}.py").write_text(source)

    def start(self, *options: str) -> subprocess.Popen[str]:
        """The command, under way in a process group of its own."""
        command = [sys.executable, "-m", "league", "run", "config.yaml", "--workers", "2", *options]
        return subprocess.Popen(command, cwd=self.folder, start_new_session=True, stderr=subprocess.PIPE, text=True)

    def run(self, *options: str) -> str:
        """Play to the end; returns what was printed on standard error."""
        with self.start(*options) as process:
            _, printed = process.communicate()
        assert process.returncode == 0, printed
        return printed

    def wait_for(self, games: int, process: subprocess.Popen[str]) -> None:
        """Wait until this many games are safe, or the process has ended."""
        database = f"file:{self.folder / RESULTS / 'league.db'}?mode=ro"
        while process.poll() is None:
            sleep(0.01)
            with suppress(sqlite3.OperationalError), closing(sqlite3.connect(database, uri=True, timeout=10)) as db:
                if (db.execute("SELECT sum(stop - first) FROM blocks").fetchone()[0] or 0) >= games:
                    return

    def files(self) -> dict[str, bytes]:
        """What must not differ."""
        results = self.folder / RESULTS
        found = {path.name: path.read_bytes() for path in (*sorted(results.glob("*.csv")), results / "notices.txt")}
        assert "standings.csv" in found
        return found

    def stop_after(self, games: int, how: signal.Signals) -> bool:
        """Play until this many games are safe, then send a signal; False if it has come to its end before."""
        with self.start() as process:
            self.wait_for(games, process)
            under_way = process.poll() is None
            if under_way:
                os.killpg(process.pid, how)
            process.communicate()
        return under_way
