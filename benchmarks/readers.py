"""Live readers of a league that is being played: `league serve` and `league run` on this machine, over loopback.

Each reader loads the page, listens to its events, and loads it again when it has changed, as a browser does.
Without READERS=50 SECONDS=60 it takes some seconds.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from benchmarks.arena import quantile
from league.tools.files import shipped

READERS = int(os.environ.get("READERS", "50"))
SECONDS = float(os.environ.get("SECONDS", "5"))
SETTLING = 5.0
"""Until the league is being played and the server answers."""
CONFIG = """
league: read
seed: 1
bots: [{bots}/random.py, {bots}/raj_nearest.py, {bots}/raj_memory.py, {bots}/raj_habits.py, {bots}/stubborn.py]
games:
  - {{game: raj, players: [2, 3], deals: 100000}}
isolation: trusted
"""


def run() -> Iterator[dict[str, object]]:
    """One row for each figure."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        config = folder / "read.yaml"
        config.write_text(CONFIG.format(bots=shipped("bots").absolute()))
        playing = _started("run", str(config), "--results", str(folder), "--workers", "1", "--quiet")
        serving = None
        try:
            _wait_for(folder / "read" / "league.db", playing)
            serving = _started("serve", str(folder / "read"), "--port", "0")
            assert serving.stdout is not None
            port = int(serving.stdout.readline().decode().split("localhost:")[1].split("/")[0])
            yield from asyncio.run(_read_by_all(port, serving.pid))
        finally:
            for process in filter(None, (serving, playing)):
                process.terminate()
                process.wait()


def _started(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "league", *arguments], stdout=subprocess.PIPE)


def _wait_for(file: Path, playing: subprocess.Popen[bytes]) -> None:
    end = monotonic() + 60
    while not file.exists():
        if playing.poll() is not None or monotonic() > end:
            raise RuntimeError("the league did not begin")
        asyncio.run(asyncio.sleep(0.1))


async def _read_by_all(port: int, server: int) -> list[dict[str, object]]:
    await asyncio.sleep(SETTLING)
    pages: list[float] = []
    news: list[int] = []
    troubles: list[str] = []
    before = _processor_seconds(server)
    started = monotonic()
    tasks = [asyncio.create_task(_read(port, pages, news, troubles)) for _ in range(READERS)]
    await asyncio.sleep(SECONDS)
    took, busy = monotonic() - started, _processor_seconds(server) - before
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    figures: dict[str, object] = {
        f"{READERS} live readers for {took:.0f} s: pages loaded": len(pages),
        "a page at p50, s": quantile(pages, 0.5),
        "a page at p99, s": quantile(pages, 0.99),
        "messages received": len(news),
        "messages a reader and second": len(news) / READERS / took,
        "connections that failed": len(troubles),
        "processor time of the server, % of one": 100 * busy / took,
        "memory of the server at its peak, MB": _memory_mb(server),
    }
    return [{"what": what, "figure": figure} for what, figure in figures.items()]


async def _read(port: int, pages: list[float], news: list[int], troubles: list[str]) -> None:
    """One reader, until it is cancelled."""
    try:
        await _load(port, pages)
        shown: float | None = None
        reader, writer = await _asked(port, "/events")
        try:
            while line := await reader.readline():
                if line.startswith(b"data:"):
                    told = json.loads(line.removeprefix(b"data:"))
                    news.append(told["played"])
                    if shown is not None and told["page"] != shown:
                        await _load(port, pages)
                    shown = told["page"]
            troubles.append("the stream ended")
        finally:
            writer.close()
    except OSError as problem:
        troubles.append(str(problem))


async def _load(port: int, pages: list[float]) -> None:
    started = monotonic()
    reader, writer = await _asked(port, "/")
    status = await reader.readline()
    await reader.read()
    writer.close()
    if b" 200 " not in status:
        raise OSError(status.decode().strip())
    pages.append(monotonic() - started)


async def _asked(port: int, path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    return reader, writer


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))
