"""A program that asks a model behind a network: every decision waits, and many wait at once.

The model is a stub on this machine that answers after some time. The program asks it for all views of a message side by
side, as far as its connections allow.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import monotonic

from league import games
from league.play.worker import Team, Worker
from league.setup.roster import Bot, load
from league.values.block import Block, Series
from league.values.settings import Contest, Isolation, Limits

WAIT_S = 0.3
CONNECTIONS = (1, 16, 128)
TABLES = 256
LIMITS = Limits(move_ms=2000, start_ms=20_000)
OPPONENT = Path(__file__).parents[1] / "bots" / "random.py"
PROGRAM = """
import asyncio, json, sys

async def move(free, view):
    async with free:
        reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
        writer.write(json.dumps(view["legal"]).encode() + b"\\n")
        answer = json.loads(await reader.readline())
        writer.close()
        return answer

async def moves(views):
    free = asyncio.Semaphore(CONNECTIONS)
    return await asyncio.gather(*(move(free, view) for view in views))

for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        answer = {"protocol": 1}
    else:
        answer = asyncio.run(moves([asked["view"] for asked in message["choose"]]))
    print(json.dumps(answer), flush=True)
"""


def run() -> Iterator[dict[str, object]]:
    """One row for each number of connections; with one, only a few tables."""
    with model() as port:
        for connections in CONNECTIONS:
            tables = TABLES if connections > 1 else 1
            seconds, decisions = _played(port, connections, tables)
            yield {
                "connections": connections,
                "tables": tables,
                "seconds": seconds,
                "decisions/s": decisions / seconds,
                "decisions/s at best": connections / WAIT_S,
            }


@contextmanager
def model(wait: float = WAIT_S) -> Iterator[int]:
    """A server on this machine that chooses the first of some moves, after a while; yields its port."""
    ready, over = Event(), Event()
    port: list[int] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        legal = (await reader.readline()).strip(b"[] \n").split(b",")
        await asyncio.sleep(wait)
        writer.write(legal[0] + b"\n")
        await writer.drain()
        writer.close()

    async def serve() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port.append(server.sockets[0].getsockname()[1])
        ready.set()
        async with server:
            while not over.is_set():
                await asyncio.sleep(0.05)

    thread = Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        ready.wait()
        yield port[0]
    finally:
        over.set()
        thread.join()


def program(folder: Path, port: int, connections: int) -> Bot:
    """The bot that asks the model."""
    own = folder / "waiting"
    own.mkdir()
    text = PROGRAM.replace("PORT", str(port)).replace("CONNECTIONS", str(connections))
    (own / "main.py").write_text(text)
    (own / "bot.toml").write_text('command = ["python3", "main.py"]\ngames = ["braverats"]\n')
    return load(own)


def _played(port: int, connections: int, tables: int) -> tuple[float, int]:
    """Seconds for so many games of BraveRats side by side, and decisions of the program in them."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        bots = (program(folder, port, connections), load(OPPONENT))
        lineup = tuple(sorted(bot.entrant() for bot in bots))
        series = Series(Contest.of(games.make("braverats", 2)), lineup, 0, 1, LIMITS)
        with closing(Worker(Team(bots, Isolation.PROCESS, LIMITS))) as worker:
            started = monotonic()
            result = worker.play(Block(series, 0, tables))
            seconds = monotonic() - started
    if result.faults:
        raise RuntimeError(f"the program failed: {result.faults[0].cause}: {result.faults[0].tail}")
    return seconds, result.usage[lineup.index(bots[0].entrant())].decisions
