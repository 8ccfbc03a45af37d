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
from contextlib import closing
from logging.handlers import WatchedFileHandler
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import msgspec

from league.extensions.arena.database import ProcessRole
from league.tools.system import lock
from league.values.settings import Isolation

OPTIONS, LOG = "LEAGUE_ARENA", "arena.log"
"""The environment variable with the options, and the file in the folder that all processes write to."""
MOST_CONNECTIONS = 2000
IDLE_SECONDS = 0.4
"""Between two looks of checker and player for something to do."""


class ServeOptions(msgspec.Struct, frozen=True):
    """How an arena is served."""

    folder: str
    host: str = "127.0.0.1"
    port: int = 8643
    url: str = ""
    """Where people reach it, if that is not host and port: behind a proxy, say."""
    cert: str = ""
    key: str = ""
    insecure: bool = False
    workers: int | None = None
    isolation: Isolation = Isolation.SANDBOX
    """Whatever the config says: the bots are strangers'."""
    sign_on: tuple[str, str] | None = None
    """A header that a trusted proxy sets, and the proxy's address."""
    scheduler: str = ""
    """The Dask cluster that plays the ladder: its address, or the file that it was written to."""
    descriptor: int = -1
    """The socket that the web server listens at."""

    @property
    def tls(self) -> bool:
        """Whether browsers reach it by TLS, here or at a proxy."""
        return bool(self.cert) or self.url.startswith("https://")

    @property
    def names(self) -> tuple[str, ...]:
        """The names under which a browser may ask for it."""
        named = [self.host] if self.host not in ("0.0.0.0", "::") else []  # noqa: S104 - compared, not bound
        public = urlsplit(self.url).hostname
        return tuple(dict.fromkeys(["localhost", "127.0.0.1", *named, *([public] if public else [])]))


def main(role: ProcessRole, options: ServeOptions) -> None:
    """Do the work of a role until the supervisor lets go."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the supervisor's
    folder = Path(options.folder)
    if role == "web":
        _serve(options)
    elif not _wait_for_place(folder, role, let_go):
        pass
    elif role == "checker":
        from league.extensions.arena.checker import Checker

        with closing(Checker(folder, options.isolation)) as checker:
            _repeat(checker.step)
    else:
        from league.extensions.arena.ladder import Ladder

        os.nice(10)  # it gives way to the web server and the checker
        with closing(Ladder(folder, options.workers, options.isolation, scheduler=options.scheduler)) as ladder:
            _repeat(lambda: ladder.step(lambda: let_go(0.0)))


def let_go(seconds: float) -> bool:
    """Wait some seconds, and say whether the supervisor has let go."""
    return bool(select.select([sys.stdin], [], [], seconds)[0])


def _repeat(step: Callable[[], bool]) -> None:
    """Take one step after the other until it is time to end, with a pause after those that had nothing to do."""
    while not let_go(0.0):
        if not step() and let_go(IDLE_SECONDS):
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
            if stopping(IDLE_SECONDS):
                return False
        else:
            return True


def _serve(options: ServeOptions) -> None:
    import uvicorn

    from league.extensions.arena.access import SignOn
    from league.extensions.arena.pages import make_app
    from league.page.server import ImpatientProtocol

    class ArenaProtocol(ImpatientProtocol):
        """As for the pages of leagues, for more readers."""

        most_connections = MOST_CONNECTIONS

    sign_on = SignOn(*options.sign_on) if options.sign_on else None
    app = make_app(Path(options.folder), secure=options.tls, hosts=options.names, sign_on=sign_on)
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
            timeout_keep_alive=10,
            timeout_graceful_shutdown=3,
            ssl_certfile=options.cert or None,
            ssl_keyfile=options.key or None,
        )
    )

    def end_with_the_supervisor() -> None:
        select.select([sys.stdin], [], [])
        server.should_exit = True

    Thread(target=end_with_the_supervisor, daemon=True).start()
    asyncio.run(server.serve(sockets=[socket.socket(fileno=options.descriptor)]))


if __name__ == "__main__":
    _role = msgspec.convert(sys.argv[1], ProcessRole)
    _options = msgspec.json.decode(os.environ[OPTIONS], type=ServeOptions)
    _log = WatchedFileHandler(Path(_options.folder, LOG))  # it follows when the file is put aside
    logging.basicConfig(level=logging.INFO, format=f"%(asctime)s {_role} %(message)s", handlers=[_log])
    main(_role, _options)
