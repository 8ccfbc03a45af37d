"""What a worker does: it plays sittings that come through a pipe, with the bots and the isolation it was given."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from threading import Thread
from time import process_time

import msgspec
from msgspec.structs import replace

from league import games
from league.errors import LeagueError
from league.games import files
from league.games.contract import Game, GameFile
from league.hosts import Begin, Host, Tick
from league.hosts.clock import free_memory_mb
from league.hosts.factory import HostFactory, OnPrint
from league.play.host_pool import HostPool
from league.play.match import WIDTH, WIDTH_INSIDE, OnFault, OnStep, play_block, play_sitting
from league.setup.roster import Bot
from league.tools.system import cores
from league.values.block import Block, BlockResult, Entrant, Sitting, Unavailable
from league.values.settings import Isolation, Limits

VIEWS_AT_ONCE = 32
"""That a message to a host should have, where there are many hosts."""
IDLE_MEMORY_SHARE = 0.2
"""The part of the free memory that hosts which wait for their next sitting may have, those of all workers together."""


class Team(msgspec.Struct, frozen=True):
    """All that a worker needs to know besides its blocks. Bots come with their sources: later edits change nothing."""

    bots: tuple[Bot, ...]
    isolation: Isolation
    limits: Limits
    games: tuple[GameFile, ...] = ()
    """The games that are files, with their text: later edits change nothing."""
    private: tuple[str, ...] = ()
    """Folders that no bot may read, such as that of the results."""
    keep_moves: bool = True
    """Whether results have the moves of their games."""


class Worker:
    """Plays blocks in this process. Close it, so that nothing it started is left behind.

    `guests` are hosts for entrants that are no bots of the team: a person, say. `on_print` is called with what bots
    print while they play.
    """

    def __init__(
        self, team: Team, guests: Mapping[Entrant, Host] | None = None, on_print: OnPrint | None = None
    ) -> None:
        for file in team.games:
            files.run(file)
        self._guests = guests or {}
        self._bots = {bot.entrant(): bot for bot in team.bots}
        self._hosts = HostFactory(
            team.isolation,
            team.limits,
            on_print=on_print,
            private=[*team.private, *{bot.path.parent for bot in team.bots if bot.path.is_absolute()}],
        )
        self._pool = HostPool(self._open, IDLE_MEMORY_SHARE * free_memory_mb() / cores())
        self._bots_are_inside = team.isolation.runs_inside
        self._width = WIDTH_INSIDE if self._bots_are_inside else WIDTH
        self._keep_moves = team.keep_moves

    def play(self, block: Block, on_fault: OnFault | None = None, on_step: OnStep | None = None) -> BlockResult:
        """Play one block; `on_fault` is called with every fault, `on_step` with every step."""
        return play_block(block, self._open, on_fault, on_step, self._width)

    def play_sitting(self, sitting: Sitting) -> list[BlockResult | Unavailable]:
        """Play the blocks of a sitting side by side."""
        started = process_time()
        width = max(self._width, VIEWS_AT_ONCE * len(sitting.entrants))
        self._pool.prepare(sitting)
        try:
            results = play_sitting(sitting, self._pool.open, width, close_host=self._pool.give_back)
        except BaseException:
            self._pool.close()  # its hosts may be in the middle of matches
            raise
        overhead = process_time() - started
        if self._bots_are_inside:
            played = [result for result in results if isinstance(result, BlockResult)]
            overhead -= sum(usage.seconds for result in played for usage in result.usage)
        for_game = max(overhead, 0.0) / sitting.games
        return [
            self._finished(result, for_game * result.block.games) if isinstance(result, BlockResult) else result
            for result in results
        ]

    def _finished(self, result: BlockResult, overhead: float) -> BlockResult:
        """The result with what the worker itself needed for it, shared by the bots; without moves if none are kept."""
        usage = tuple(replace(usage, overhead=overhead / len(result.usage)) for usage in result.usage)
        return replace(result, usage=usage, moves=result.moves if self._keep_moves else b"")

    def unloadable(self, bots: Sequence[Bot]) -> Iterator[tuple[Bot, str]]:
        """The bots that cannot be loaded, each with the reason in one line."""
        for bot in bots:
            rules = games.find(next(filter(games.is_known, bot.games or ()), games.names()[0]))
            tables = bot.tables(rules.player_counts)
            with closing(self._open(bot.entrant(), rules(tables[0] if tables else None))) as host:
                host.send(Tick((), [Begin(0, 0, 0, True)], (), ()))
                causes = [trouble.cause for trouble in host.receive().troubles if trouble.kind == "import"]
            yield from ((bot, cause) for cause in causes[:1])

    def _open(self, entrant: Entrant, game: Game) -> Host:
        return self._guests[entrant] if entrant in self._guests else self._hosts.open(self._bots[entrant], game)

    def close(self) -> None:
        """End the hosts, and their server."""
        self._pool.close()
        self._hosts.close()


encode = msgspec.msgpack.Encoder().encode
decode_answer: Callable[[bytes | msgspec.Raw], list[BlockResult | Unavailable] | str]
decode_answer = msgspec.msgpack.Decoder(list[BlockResult | Unavailable] | str).decode
"""What became of each block, or the reason why this worker cannot play the sitting."""
_decode_sitting = msgspec.msgpack.Decoder(Sitting).decode


def calm_collector() -> None:
    """Set up garbage collection for a process that plays.

    There are thousands of live games and no cycles among them, so the collector would search them for nothing.
    """
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


def serve(worker: Worker, pipe: Connection, idle_seconds: float | None = None) -> None:
    """Play until the pipe is closed, or until there was nothing to do for this long.

    A thread takes in what comes: otherwise both sides could wait for each other to read, since sittings and results are
    larger than what a pipe holds.
    """
    messages: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_take_in, args=(pipe, messages), daemon=True).start()
    while True:
        try:
            message = messages.get(timeout=idle_seconds)
        except Empty:
            return
        if not message:
            return
        sitting = _decode_sitting(message)
        answer: list[BlockResult | Unavailable] | str
        try:
            answer = worker.play_sitting(sitting)
        except LeagueError as problem:
            answer = str(problem)
        try:
            pipe.send_bytes(encode(answer))
        except OSError:
            return


def _take_in(pipe: Connection, messages: SimpleQueue[bytes]) -> None:
    """Queue what comes through a pipe, and an empty message when it is closed."""
    try:
        while True:
            messages.put(pipe.recv_bytes())
    except (EOFError, OSError):
        messages.put(b"")
