"""Starts the processes of an arena, starts again what dies, and ends all of them together.

web       takes hand-ins and shows pages; the port is bound here, so that it stays while the process is replaced
checker   tries hand-ins
player    plays the ladder and the final

Each is `python -m league.extensions.arena.serve ROLE OPTIONS`, the options as JSON. The supervisor holds the other end
of its standard input. When that is closed, for whatever reason, the process ends.
"""

from __future__ import annotations

import asyncio
import logging
import os
import select
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from ipaddress import ip_address
from logging.handlers import WatchedFileHandler
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import get_args
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from league.errors import ArenaError, IsolationError
from league.extensions.arena.database import ProcessRole
from league.extensions.arena.store import ArenaStore
from league.tools.logs import put_aside_if_large
from league.tools.system import lock
from league.tools.text import shown_path
from league.values.settings import Isolation

LOG, LOCK = "arena.log", ".serve.lock"
"""The file in the folder that all processes write to, and the one that says that they run."""
MOST_CONNECTIONS = 2000
IDLE_SECONDS = 0.4
"""Between two looks of checker and player for something to do, and of the supervisor for processes that have ended."""


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


class Supervisor:
    """All processes of an arena."""

    def __init__(self, options: ServeOptions) -> None:
        refuse_unsafe(options)
        folder = Path(options.folder)
        ArenaStore.open(folder).close()
        lock = locked(folder / LOCK)
        if lock is None:
            raise ArenaError(f"{shown_path(folder)} is being served already. End that one first.")
        self._lock = lock
        try:
            family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
            self._socket = socket.create_server((options.host, options.port), family=family, backlog=1024)
        except OSError as problem:
            raise ArenaError(
                f"{options.host}:{options.port} cannot be used: {problem.strerror}. Choose another with --port."
            ) from None
        self.port: int = self._socket.getsockname()[1]
        self._log = folder.absolute() / LOG
        self._options = replace(options, folder=str(folder.absolute()), descriptor=self._socket.fileno())
        self.processes: dict[ProcessRole, subprocess.Popen[bytes]] = {}
        self._ends = False

    def run(self, on_restart: Callable[[str], None] = lambda _: None) -> None:
        """Keep all processes alive until `stop` is called, or a signal asks to end."""
        before = {number: signal.signal(number, lambda *_: self.stop()) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            self.processes = {role: self._begun(role) for role in get_args(ProcessRole)}
            while not self._ends:
                sleep(IDLE_SECONDS)  # also before what dies at once is started again
                for role, process in self.processes.items():
                    if process.poll() is not None:
                        on_restart(f"The {role} has ended with code {process.returncode}, and is started again.")
                        self.processes[role] = self._begun(role)
                put_aside_if_large(self._log)
        finally:
            deadline = monotonic() + 20.0
            for process in self.processes.values():
                assert process.stdin is not None
                process.stdin.close()
            for process in self.processes.values():
                try:
                    process.wait(max(0.1, deadline - monotonic()))
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
            for number, handler in before.items():
                signal.signal(number, handler)
            self._socket.close()
            os.close(self._lock)

    def _begun(self, role: ProcessRole) -> subprocess.Popen[bytes]:
        options = msgspec.json.encode(self._options).decode()
        command = (sys.executable, "-m", "league.extensions.arena.serve", role, options)
        passed = (self._options.descriptor,) if role == "web" else ()
        with self._log.open("ab") as log:
            return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log, pass_fds=passed)  # noqa: S603

    def stop(self) -> None:
        """End `run`."""
        self._ends = True


def locked(path: Path) -> int | None:
    """Lock a file until its descriptor is closed, or this process ends; None if somebody else has.

    An arena is served once: two checkers or two players would get in each other's way.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        lock(descriptor)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def refuse_unsafe(options: ServeOptions) -> None:
    """Raise an error if codes could be read on the way, or if bots would not be confined."""
    if bool(options.cert) != bool(options.key):
        raise ArenaError("Expected --cert and --key together, found one of them.")
    if options.cert:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(options.cert, options.key)
        except (OSError, ssl.SSLError) as problem:
            files = f"{shown_path(Path(options.cert))} and {shown_path(Path(options.key))}"
            raise ArenaError(
                f"{files} are no certificate with its key, in PEM: {problem.strerror or problem}."
            ) from None
    if options.scheduler and ":" not in options.scheduler and not Path(options.scheduler).is_file():
        place = shown_path(Path(options.scheduler))
        raise ArenaError(
            f"There is no file {place}. Start the cluster first: `dask scheduler --scheduler-file {place}`."
        )
    if not _is_loopback(options.host) and not options.tls and not options.insecure:
        hint = "Give --cert and --key, or the https:// address of a proxy as --url; --insecure goes without."
        raise ArenaError(f"Listening at {options.host} without TLS, anybody on the way can read people's codes. {hint}")
    if options.isolation.confines:
        from league.hosts.doctor import SANDBOX, examine

        if not any(check.good and check.what.startswith(SANDBOX) for check in examine()):
            hint = "See `league doctor`; with --isolation process, authors' bots can read this machine's files."
            raise IsolationError(f"There is no sandbox on this machine, so strangers' bots cannot be run. {hint}")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


# One process


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
    while locked(folder / f".{role}.lock") is None:
        if stopping(IDLE_SECONDS):
            return False
    return True


def _serve(options: ServeOptions) -> None:
    import uvicorn

    from league.extensions.arena.pages import make_app
    from league.page.server import ImpatientProtocol

    class ArenaProtocol(ImpatientProtocol):
        """As for the pages of leagues, for more readers."""

        most_connections = MOST_CONNECTIONS

    app = make_app(Path(options.folder), secure=options.tls, hosts=options.names, sign_on=options.sign_on)
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
            limit_concurrency=2 * MOST_CONNECTIONS,  # answers to those who have gone are made, too
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
    _options = msgspec.json.decode(sys.argv[2], type=ServeOptions)
    _log = WatchedFileHandler(Path(_options.folder, LOG))  # it follows when the file is put aside
    logging.basicConfig(level=logging.INFO, format=f"%(asctime)s {_role} %(message)s", handlers=[_log])
    main(_role, _options)
