"""An arena under load, on this machine only: hand-ins of many authors, live readers, slow connections.

The ladder plays meanwhile. Figures are for the whole machine, with the load driver in this process.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import monotonic

from league.arena.folder import make_arena
from league.arena.records import Role
from league.arena.store import ArenaStore
from league.arena.supervisor import ServeOptions, Supervisor
from league.tools.files import shipped

AUTHORS = int(os.environ.get("ARENA_AUTHORS", "300"))
SPREAD_SECONDS = float(os.environ.get("ARENA_SPREAD", "10"))
"""Within which all hand in."""
READERS = int(os.environ.get("ARENA_READERS", "1000"))
READING_SECONDS = float(os.environ.get("ARENA_READING", "60"))
SLOW = int(os.environ.get("ARENA_SLOW", "500"))
CHECK_SECONDS = float(os.environ.get("ARENA_CHECKS", "600"))
"""For all checks."""
CONFIG = """
league: load
bots: [{bots}/random.py, {bots}/raj_nearest.py]
games:
  - {{game: raj, players: 2, deals: 100, opponents: 8}}
"""
SOURCE = """
class Bot:
    games = ('raj',)

    def choose(self, view):
        return view.legal[{number} % len(view.legal)]
"""


def run() -> Iterator[dict[str, object]]:
    """One row for each figure."""
    with TemporaryDirectory() as name:
        folder = Path(name) / "arena"
        config = Path(name) / "load.yaml"
        config.write_text(CONFIG.format(bots=shipped("bots").absolute()))
        arena, _, _ = make_arena(folder, config)
        people: list[tuple[str, str, str, Role]] = [
            (f"Author {number}", f"author_{number}", "", "author") for number in range(AUTHORS)
        ]
        codes = [code for _, code in arena.invite(people, "load")]
        supervisor = Supervisor([folder], ServeOptions(port=0, workers=1))
        thread = Thread(target=supervisor.run)
        thread.start()
        try:
            yield from asyncio.run(_driven(supervisor, arena, codes))
        finally:
            supervisor.stop()
            thread.join()


async def _driven(supervisor: Supervisor, arena: ArenaStore, codes: list[str]) -> list[dict[str, object]]:
    port, rows = supervisor.port, []

    def tell(what: str, figure: object) -> None:
        rows.append({"what": what, "figure": figure})

    await _asked(port, "GET", "/enter")  # it is up
    async with _slow_connections(port, SLOW):
        started = monotonic()
        times = await asyncio.gather(*(_hand_in(port, number, code) for number, code in enumerate(codes)))
        took = monotonic() - started
        good = [seconds for status, seconds in times if status == 201]
        what = f"hand-ins of {AUTHORS} authors within {SPREAD_SECONDS:.0f} s beside {SLOW} slow connections: receipts"
        tell(what, len(good))
        tell("answers of 5xx", sum(status >= 500 for status, _ in times))
        tell("receipt at p50, s", quantile(good, 0.5))
        tell("receipt at p99, s", quantile(good, 0.99))
        tell("all receipts after, s", took)
        tell("stored", len(arena.submissions()))
    before = _memory_mb(supervisor)
    delays = await _read_live(port, codes, arena)
    tell(f"{READERS} live readers for {READING_SECONDS:.0f} s: news at p99, s", quantile(delays, 0.99))
    tell("messages received", len(delays))
    tell("memory of the web server before, MB", before)
    tell("memory of the web server at its peak, MB", _memory_mb(supervisor, "VmHWM"))
    end = monotonic() + CHECK_SECONDS
    while arena.queue() and monotonic() < end:
        await asyncio.sleep(1)
    checks = arena.seconds_of_checks()
    tell("checked", len(arena.submissions()) - len(arena.queue()))
    tell("seconds of a check, mean of the last ones", sum(checks) / max(len(checks), 1))
    tell("all checked after, s", monotonic() - started)
    tell("rounds of the ladder meanwhile", len(arena.rounds()))
    return rows


async def _hand_in(port: int, number: int, code: str) -> tuple[int, float]:
    await asyncio.sleep(SPREAD_SECONDS * number / AUTHORS)
    started = monotonic()
    status = await _asked(port, "POST", "/me/submit?filename=bot.py", code, SOURCE.format(number=number).encode())
    return status, monotonic() - started


async def _asked(port: int, method: str, path: str, code: str = "", body: bytes = b"") -> int:
    """The status of one request; 599 if the connection was closed."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(_head(method, path, code, len(body)) + body)
        line = await reader.readline()
        writer.close()
        return int(line.split()[1])
    except (OSError, IndexError):
        return 599


def _head(method: str, path: str, code: str, size: int) -> bytes:
    identity = f"Authorization: Bearer {code}\r\n" if code else ""
    length = f"Content-Length: {size}\r\n" if method == "POST" else ""
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{identity}{length}\r\n".encode()


async def _read_live(port: int, codes: list[str], arena: ArenaStore) -> list[float]:
    """How long after a change each reader hears of it."""
    changed = [monotonic()]
    delays: list[float] = []

    async def listen(code: str) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(_head("GET", "/events", code, 0))
        first = True
        try:
            while line := await reader.readline():
                if line.startswith(b"data:"):
                    if not first:
                        delays.append(monotonic() - changed[0])
                    first = False
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    tasks = [asyncio.create_task(listen(codes[number % len(codes)])) for number in range(READERS)]
    await asyncio.sleep(5)
    for _ in range(ceil(READING_SECONDS / 5)):
        changed[0] = monotonic()
        paused = not arena.rules.paused
        await asyncio.to_thread(arena.change_rules, "load", paused=paused)
        await asyncio.sleep(5)
    arena.change_rules("load", paused=False)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return delays


@asynccontextmanager
async def _slow_connections(port: int, count: int) -> AsyncIterator[None]:
    """Connections that send a byte a second."""

    async def dawdle() -> None:
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                for byte in b"POST /me/submit HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n":
                    writer.write(bytes([byte]))
                    await writer.drain()
                    await asyncio.sleep(1)
            except OSError:
                await asyncio.sleep(1)

    tasks = [asyncio.create_task(dawdle()) for _ in range(count)]
    try:
        await asyncio.sleep(1)
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def quantile(values: list[float], part: float) -> float:
    """The value that this part of them does not exceed."""
    ordered = sorted(values) or [float("nan")]
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def _memory_mb(supervisor: Supervisor, field: str = "VmRSS") -> float:
    for line in Path(f"/proc/{supervisor.children[0].pid}/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    return 0.0
