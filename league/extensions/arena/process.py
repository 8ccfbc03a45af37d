"""One process of an arena: `python -m league.extensions.arena.process ROLE`, its options as JSON in the environment.

The supervisor holds the other end of its standard input. When that is closed, for whatever reason, the process ends.
"""

from __future__ import annotations

import asyncio
import logging
import os
import select
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from threading import Thread

import msgspec

from league.extensions.arena.database import ProcessRole
from league.tools.system import lock, return_memory
from league.values.settings import Isolation

OPTIONS = "LEAGUE_ARENA"
"""The environment variable with the options."""
MOST_CONNECTIONS = 2000
IDLE_SECONDS = 10
ENDING_SECONDS = 3
PLACE_SECONDS = 0.5
CHECKER_IDLE_SECONDS = 0.3
PLAYER_IDLE_SECONDS = 0.5
PRIORITY = 10
"""How much the player gives way to the web server and the checker: see nice(2)."""
TIDY_SECONDS = 5.0
"""After which the web server looks whether the log was put aside, and whether many readers have left."""
MANY_CONNECTIONS = 100
"""When most of at least so many have ended, their memory is given back: that takes long while they are there."""


class ProcessOptions(msgspec.Struct, frozen=True):
    """What a process of an arena has to know."""

    folder: str
    log: str = ""
    """The file that standard output and standard error lead to."""
    descriptor: int = -1
    """The socket that the web server listens at."""
    hosts: tuple[str, ...] = ()
    secure: bool = False
    """Whether browsers reach it by TLS."""
    cert: str = ""
    key: str = ""
    sign_on: tuple[str, str] | None = None
    """A header that a trusted proxy sets, and the proxy's address."""
    workers: int | None = None
    isolation: Isolation | None = None
    scheduler: str = ""
    """The Dask cluster that plays, if it is not this machine alone."""


class Lifeline:
    """What ties a process to its supervisor: when to end, and where the log is."""

    def __init__(self, log: str) -> None:
        self._log = log

    def stopping(self, seconds: float) -> bool:
        """Wait some seconds, and say whether the supervisor has let go."""
        self._follow_log()
        return bool(select.select([sys.stdin], [], [], seconds)[0])

    def _follow_log(self) -> None:
        """Write to the new log if the old one was put aside. Until then, lines are in that one: none is lost."""
        with suppress(FileNotFoundError):  # the supervisor is just about to make it
            if not os.path.samestat(os.stat(self._log), os.fstat(sys.stderr.fileno())):
                with open(self._log, "ab") as log:
                    for stream in (sys.stdout, sys.stderr):
                        stream.flush()
                        os.dup2(log.fileno(), stream.fileno())


def main(role: ProcessRole, options: ProcessOptions) -> None:
    """Do the work of a role until the supervisor lets go."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the supervisor's
    stopping = Lifeline(options.log).stopping
    logging.basicConfig(level=logging.INFO, format=f"%(asctime)s {role} %(message)s")
    folder = Path(options.folder)
    if role == "web":
        _serve(options, stopping)
    elif not _wait_for_place(folder, role, stopping):
        pass
    elif role == "checker":
        from league.extensions.arena.checker import Checker

        with closing(Checker(folder, options.isolation)) as checker:
            _repeat(checker.step, stopping, CHECKER_IDLE_SECONDS)
    else:
        from league.extensions.arena.ladder import Ladder
        from league.extensions.dask.spec import DaskSpec

        executor = DaskSpec(options.scheduler) if options.scheduler else None
        os.nice(PRIORITY)
        with closing(Ladder(folder, options.workers, options.isolation, executor=executor)) as ladder:
            _repeat(lambda: ladder.step(lambda: stopping(0.0)), stopping, PLAYER_IDLE_SECONDS)


def _repeat(step: Callable[[], bool], stopping: Callable[[float], bool], idle_seconds: float) -> None:
    """Take one step after the other until it is time to end, with a pause after those that had nothing to do."""
    while not stopping(0.0):
        if not step() and stopping(idle_seconds):
            break


def _wait_for_place(folder: Path, role: ProcessRole, stopping: Callable[[float], bool]) -> bool:
    """Wait until there is no other process of this role: one whose supervisor was killed may be ending.

    Returns False if this one has to end first.
    """
    place = os.open(folder / f".{role}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)  # until it ends
    while True:
        try:
            lock(place)
        except BlockingIOError:
            if stopping(PLACE_SECONDS):
                return False
        else:
            return True


def _serve(options: ProcessOptions, stopping: Callable[[float], bool]) -> None:
    import uvicorn

    from league.extensions.arena.visits import SignOn
    from league.extensions.arena.web import make_app
    from league.page.server import ImpatientProtocol

    class ArenaProtocol(ImpatientProtocol):
        """As for the pages of leagues, for more readers."""

        most_connections = MOST_CONNECTIONS

    app = make_app(
        Path(options.folder),
        secure=options.secure,
        hosts=options.hosts,
        ends=lambda: server.should_exit,
        sign_on=SignOn(*options.sign_on) if options.sign_on else None,
    )
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            http=ArenaProtocol,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="error",  # one line for each broken request would let anybody fill the log
            access_log=False,  # addresses and codes belong in no log
            server_header=False,
            proxy_headers=options.sign_on is None,  # else the proxy's own address would be hidden behind its client's
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=ENDING_SECONDS,
            ssl_certfile=options.cert or None,
            ssl_keyfile=options.key or None,
        )
    )

    def end_with_the_supervisor() -> None:
        most = 0
        while not stopping(TIDY_SECONDS):
            now = len(server.server_state.connections)
            if most >= MANY_CONNECTIONS and now < most / 2:
                return_memory()
                most = now
            most = max(most, now)
        server.should_exit = True

    Thread(target=end_with_the_supervisor, daemon=True).start()
    asyncio.run(server.serve(sockets=[socket.socket(fileno=options.descriptor)]))


if __name__ == "__main__":
    main(msgspec.convert(sys.argv[1], ProcessRole), msgspec.json.decode(os.environ[OPTIONS], type=ProcessOptions))
