"""An arena under load, on this machine only: hand-ins of many authors, live readers, slow connections.

The ladder plays meanwhile. Half of the authors hand in within ten seconds, the others while people read. Figures are
for the whole machine, with the load driver in this process: its own delays are part of them.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import monotonic
from typing import Any, NamedTuple

import msgspec

from league.extensions.arena.folder import make_arena
from league.extensions.arena.records import Role
from league.extensions.arena.serve import ServeOptions, Supervisor
from league.extensions.arena.store import ArenaStore
from league.tools.files import shipped

AUTHORS = int(os.environ.get("ARENA_AUTHORS", "300"))
"""Who hand in within some seconds, and as many who hand in while people read."""
BURST_SECONDS = float(os.environ.get("ARENA_SPREAD", "10"))
READERS = int(os.environ.get("ARENA_READERS", "1000"))
READING_SECONDS = float(os.environ.get("ARENA_READING", "60"))
GAME_READERS, GREEDY, BESIDE = 60, 1999, 20
"""Who watch games, and who read without end with one person's code, beside some hand-ins."""
SLOW = int(os.environ.get("ARENA_SLOW", "500"))
CHECK_SECONDS = float(os.environ.get("ARENA_CHECKS", "600"))
"""For the checks that are left then."""
CHANGE_SECONDS = 2.0
"""Between two changes that readers hear of, beside those that hand-ins, checks and rounds make."""
LOOK_SECONDS = 0.05
ASKING_SECONDS = 3.0
"""Between two questions of a reader whether there are news, as pages ask."""
RECEIPT_AIM, NEWS_AIM, MEMORY_AIM = 2.0, 2 * ASKING_SECONDS, 250.0
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


class HandedIn(NamedTuple):
    """A hand-in as its author sees it."""

    status: int
    seconds: float
    """Until the receipt."""
    announced: float | None
    """Seconds until the verdict, as the page said after the receipt; None: it said nothing."""


def run() -> Iterator[dict[str, object]]:
    """One row for each figure."""
    with TemporaryDirectory() as name:
        folder = Path(name) / "arena"
        config = Path(name) / "load.yaml"
        config.write_text(CONFIG.format(bots=shipped("bots").absolute()))
        arena, _, _ = make_arena(folder, config)
        people: list[tuple[str, str, str, Role]] = [
            (f"Author {number}", f"author_{number}", "", "author") for number in range(2 * AUTHORS)
        ]
        codes = [code for _, code in arena.invite(people, "load")]
        supervisor = Supervisor(ServeOptions(str(folder), port=0, workers=1))
        rows: list[dict[str, object]] = []

        def drive() -> None:
            try:
                asyncio.run(_driven(supervisor, arena, codes, rows))
            finally:
                supervisor.stop()

        thread = Thread(target=drive)
        thread.start()
        supervisor.run()  # it handles signals, which only the main thread can
        thread.join()
        yield from rows


async def _driven(supervisor: Supervisor, arena: ArenaStore, codes: list[str], rows: list[dict[str, object]]) -> None:
    port = supervisor.port

    def tell(what: str, figure: object, aim: str = "", kept: bool = True) -> None:
        rows.append({"what": what, "figure": figure, "aim": aim, "kept": ("yes" if kept else "NO") if aim else ""})

    def tell_receipts(what: str, handed_in: list[HandedIn]) -> None:
        good = [each.seconds for each in handed_in if each.status == 201]
        broken = sum(each.status >= 500 for each in handed_in)
        tell(f"{what}: receipts", len(good), f"{AUTHORS}", len(good) == AUTHORS)
        tell("answers of 5xx", broken, "0", broken == 0)
        tell("receipt at p50, s", quantile(good, 0.5))
        tell("receipt at p99, s", quantile(good, 0.99), f"{RECEIPT_AIM:.0f}", quantile(good, 0.99) <= RECEIPT_AIM)

    tell("cores, and load before", f"{os.cpu_count()}, {os.getloadavg()[0]:.1f}")
    await _asked(port, "GET", "/enter")  # it is up
    async with _slow_connections(port, SLOW):
        first, second = codes[:AUTHORS], codes[AUTHORS:]
        burst = await _handed_in(port, first, 0, BURST_SECONDS)
        tell_receipts(f"{AUTHORS} hand-ins within {BURST_SECONDS:.0f} s, beside {SLOW} slow connections", burst)
        before = _memory_mb(supervisor)
        spread, delays = await asyncio.gather(
            _handed_in(port, second, AUTHORS, READING_SECONDS), _read_live(port, codes, arena)
        )
        reading = f"within {READING_SECONDS:.0f} s, beside {READERS} live readers and {SLOW} slow connections"
        tell_receipts(f"{AUTHORS} hand-ins {reading}", spread)
        for turn, (what, besides) in enumerate(
            [
                (f"{GAME_READERS} readers of games", _reading_games(port, codes)),
                (f"{GREEDY} slow readers with one code", _reading_slowly(port, codes[0])),
            ]
        ):
            async with besides:
                some = await _handed_in(port, codes[:BESIDE], (3 + turn) * AUTHORS, BESIDE / 2)
            receipts = sum(each.status == 201 for each in some)
            slowest = max(each.seconds for each in some)
            tell(f"{BESIDE} hand-ins beside {what}: receipts", receipts, f"{BESIDE}", receipts == BESIDE)
            tell("slowest receipt, s", slowest, f"{RECEIPT_AIM:.0f}", slowest <= RECEIPT_AIM)
    tell("news at p50, s", quantile(delays, 0.5))
    tell("news at p99, s", quantile(delays, 0.99), f"{NEWS_AIM:.0f}", quantile(delays, 0.99) <= NEWS_AIM)
    tell("news that readers received", len(delays))
    peak = _memory_mb(supervisor, "VmHWM")
    tell("memory of the web server before the readers, MB", before)
    tell("memory at its peak, MB", peak, f"{MEMORY_AIM:.0f}", peak <= MEMORY_AIM)
    end = monotonic() + CHECK_SECONDS
    while arena.queue() and monotonic() < end:
        await asyncio.sleep(1)
    stored = arena.submissions()
    handed_in = 2 * AUTHORS + 2 * BESIDE
    tell("stored", len(stored), f"{handed_in}", len(stored) == handed_in)
    tell("checked", len(stored) - len(arena.queue()), f"{handed_in}", not arena.queue())
    _tell_announced(arena, [*burst, *spread], tell)
    seconds = sum(submission.seconds for submission in stored)
    tell("seconds of a check", seconds / max(len(stored) - len(arena.queue()), 1))
    tell("rounds of the ladder meanwhile", len(arena.rounds()))


def _tell_announced(arena: ArenaStore, handed_in: list[HandedIn], tell: Callable[..., None]) -> None:
    """How long checks took, beside what was announced."""
    took: dict[str, float] = {}
    for submission in arena.submissions():
        if submission.checked:
            took[submission.bot] = submission.checked - submission.received
    pairs = [
        (took[f"author_{number}"], each.announced)
        for number, each in enumerate(handed_in)
        if each.announced is not None and f"author_{number}" in took
    ]
    late = sum(seconds > announced for seconds, announced in pairs)
    tell("verdicts for which a time was announced", len(pairs))
    tell("verdicts later than announced", late, "0", late == 0)
    tell("longest wait for a verdict, s", max(took.values(), default=float("nan")))


async def _handed_in(port: int, codes: list[str], first: int, seconds: float) -> list[HandedIn]:
    """One hand-in of each author, evenly over some seconds."""

    async def hand_in(number: int, code: str) -> HandedIn:
        await asyncio.sleep(seconds * number / len(codes))
        started = monotonic()
        body = SOURCE.format(number=first + number).encode()
        status, _ = await _asked(port, "POST", "/people/me/versions?filename=bot.py", code, body)
        took = monotonic() - started
        _, answer = await _asked(port, "GET", "/people/me", code)
        queue = msgspec.json.decode(answer).get("queue") if answer else None
        return HandedIn(status, took, queue and queue["seconds"])

    return await asyncio.gather(*(hand_in(number, code) for number, code in enumerate(codes)))


async def _asked(
    port: int, method: str, path: str, code: str = "", body: bytes = b"", more: str = ""
) -> tuple[int, bytes]:
    """The status of one request, and the body of the answer; 599 if the connection was closed."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(_head(method, path, code, len(body), more) + body)
        answer = await reader.read()
        writer.close()
        head, _, content = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), content
    except (OSError, IndexError):
        return 599, b""


def _head(method: str, path: str, code: str, size: int, more: str = "") -> bytes:
    identity = f"Authorization: Bearer {code}\r\n" if code else ""
    length = f"Content-Length: {size}\r\n" if method == "POST" else ""
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{identity}{length}{more}\r\n".encode()


async def _read_live(port: int, codes: list[str], arena: ArenaStore) -> list[float]:
    """How long after a change each reader hears of it, or of a later one."""
    became: dict[str, float] = {}
    """When the driver first saw each state of the arena."""
    delays: list[float] = []

    async def listen(number: int) -> None:
        await asyncio.sleep(ASKING_SECONDS * number / READERS)
        heard = ""
        while True:
            tag = f'If-None-Match: "{heard}"\r\n' if heard else ""
            _, answer = await _asked(port, "GET", "/news", codes[number % len(codes)], more=tag)
            state = answer.decode().partition('data-page="')[2].partition('"')[0]
            if state and heard:  # what a reader gets at once is not news
                delays.append(max(0.0, monotonic() - became.setdefault(state, monotonic())))
            heard = state or heard
            await asyncio.sleep(ASKING_SECONDS)

    async def look() -> None:
        while True:
            became.setdefault(await asyncio.to_thread(arena.mark), monotonic())
            await asyncio.sleep(LOOK_SECONDS)

    looking = asyncio.create_task(look())
    readers = [asyncio.create_task(listen(number)) for number in range(READERS)]
    end = monotonic() + READING_SECONDS
    while monotonic() < end:
        await asyncio.to_thread(arena.change_rules, "load", per_hour=1000 + int(end - monotonic()))
        await asyncio.sleep(CHANGE_SECONDS)
    for task in (looking, *readers):
        task.cancel()
    await asyncio.gather(looking, *readers, return_exceptions=True)
    return delays


@asynccontextmanager
async def _reading_games(port: int, codes: list[str]) -> AsyncIterator[None]:
    """People who watch one game after the other."""

    async def watch(number: int) -> None:
        while True:
            address = f"raj-2p:raj_nearest+random:{number % 100}.{number % 2}"
            await _asked(port, "GET", f"/standings/play/{address}", codes[number])
            number = (number + GAME_READERS) % len(codes)

    async with _running([watch(number) for number in range(GAME_READERS)]):
        await asyncio.sleep(ASKING_SECONDS)
        yield


@asynccontextmanager
async def _reading_slowly(port: int, code: str) -> AsyncIterator[None]:
    """Connections of one person who asks for standings and reads nothing of them."""

    async def read_nothing() -> None:
        while True:
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            connection.setblocking(False)
            loop = asyncio.get_running_loop()
            try:
                await loop.sock_connect(connection, ("127.0.0.1", port))
                await loop.sock_sendall(connection, _head("GET", "/standings/", code, 0))
                await asyncio.sleep(ASKING_SECONDS)
                await loop.sock_recv(connection, 1)
                await asyncio.sleep(READING_SECONDS)
            except OSError:
                await asyncio.sleep(1)
            finally:
                connection.close()

    async with _running([read_nothing() for _ in range(GREEDY)]):
        await asyncio.sleep(ASKING_SECONDS)
        yield


@asynccontextmanager
async def _slow_connections(port: int, count: int) -> AsyncIterator[None]:
    """Connections that send a byte a second."""

    async def dawdle() -> None:
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                for byte in b"POST /people/me/versions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n":
                    writer.write(bytes([byte]))
                    await writer.drain()
                    await asyncio.sleep(1)
            except OSError:
                await asyncio.sleep(1)

    async with _running([dawdle() for _ in range(count)]):
        await asyncio.sleep(1)
        yield


@asynccontextmanager
async def _running(works: Sequence[Coroutine[Any, Any, None]]) -> AsyncIterator[None]:
    """While the context lasts, these go on."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
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
    for line in Path(f"/proc/{supervisor.processes['web'].pid}/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    return 0.0
