"""Starts the processes of an arena, starts again what dies, and ends all of them together.

web       takes hand-ins and shows pages; the port is bound here, so that it stays while the process is replaced
checker   tries hand-ins
player    plays the ladder and the final

Each is `python -m league.extensions.arena.serve ROLE`, its options as JSON in the environment. The supervisor holds the
other end of its standard input. When that is closed, for whatever reason, the process ends.
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

OPTIONS, LOG = "LEAGUE_ARENA", "arena.log"
"""The environment variable with the options, and the file in the folder that all processes write to."""
MOST_CONNECTIONS = 2000
IDLE_SECONDS = 0.4
"""Between two looks of checker and player for something to do."""
LOCK = ".serve.lock"
LOOK_SECONDS = 0.2
SOUND_SECONDS = 30.0
"""A process that lives longer than this was sound: if it dies, the next one starts at once."""
LONGEST_PAUSE = 5.0
"""Before a process that dies again and again is started again; meanwhile nobody can hand in, or is checked."""


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


class _Child:
    """A process, and what to start in its place."""

    def __init__(self, role: ProcessRole, options: ServeOptions) -> None:
        self.role = role
        self._options = options
        self._pause = 0.0
        self._start_at = 0.0
        self._started = 0.0
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The id of the process that runs now."""
        return self._process.pid if self._process and self._process.poll() is None else None

    def look(self, on_restart: Callable[[str], None]) -> None:
        """Start it, or start it again if it has died."""
        now = monotonic()
        if self._process is not None and self._process.poll() is not None:
            lived = now - self._started
            self._pause = 0.0 if lived > SOUND_SECONDS else min(LONGEST_PAUSE, 2 * self._pause + 0.5)
            self._start_at = now + self._pause
            on_restart(f"The {self.role} has ended with code {self._process.returncode}, and is started again.")
            self._process = None
        if self._process is None and now >= self._start_at:
            self._process = self._begun()
            self._started = now

    def _begun(self) -> subprocess.Popen[bytes]:
        environment = {**os.environ, OPTIONS: msgspec.json.encode(self._options).decode()}
        command = (sys.executable, "-m", "league.extensions.arena.serve", self.role)
        passed = (self._options.descriptor,) if self.role == "web" else ()
        with Path(self._options.folder, LOG).open("ab") as log:
            return subprocess.Popen(  # noqa: S603 - our own module
                command, stdin=subprocess.PIPE, stdout=log, stderr=log, pass_fds=passed, env=environment
            )

    def let_go(self) -> None:
        """Ask it to end."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def end(self, seconds: float) -> None:
        """Wait until it has ended, and kill it if it does not."""
        if self._process is not None:
            try:
                self._process.wait(seconds)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


class Supervisor:
    """All processes of an arena."""

    def __init__(self, options: ServeOptions) -> None:
        refuse_unsafe(options)
        folder = Path(options.folder)
        ArenaStore.open(folder).close()
        self._lock = _served_by_us(folder)
        try:
            family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
            self._socket = socket.create_server((options.host, options.port), family=family, backlog=1024)
        except OSError as problem:
            raise ArenaError(
                f"{options.host}:{options.port} cannot be used: {problem.strerror}. Choose another with --port."
            ) from None
        self.port: int = self._socket.getsockname()[1]
        self._log = folder.absolute() / LOG
        options = replace(options, folder=str(folder.absolute()), descriptor=self._socket.fileno())
        self.children = [_Child("web", options), _Child("checker", options), _Child("player", options)]
        self._ends = False

    def run(self, on_restart: Callable[[str], None] = lambda _: None) -> None:
        """Keep all processes alive until `stop` is called, or a signal asks to end."""
        before = {number: signal.signal(number, lambda *_: self.stop()) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            while not self._ends:
                for child in self.children:
                    child.look(on_restart)
                put_aside_if_large(self._log)
                sleep(LOOK_SECONDS)
        finally:
            for child in self.children:
                child.let_go()
            deadline = monotonic() + 20
            for child in self.children:
                child.end(max(0.1, deadline - monotonic()))
            for number, handler in before.items():
                signal.signal(number, handler)
            self._socket.close()
            os.close(self._lock)

    def stop(self) -> None:
        """End `run`."""
        self._ends = True


def _served_by_us(folder: Path) -> int:
    """Lock an arena as long as it is served; two checkers or two players would get in each other's way."""
    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        lock(descriptor)
    except BlockingIOError:
        os.close(descriptor)
        raise ArenaError(f"{shown_path(folder)} is being served already. End that one first.") from None
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
    _options = msgspec.json.decode(os.environ[OPTIONS], type=ServeOptions)
    _log = WatchedFileHandler(Path(_options.folder, LOG))  # it follows when the file is put aside
    logging.basicConfig(level=logging.INFO, format=f"%(asctime)s {_role} %(message)s", handlers=[_log])
    main(_role, _options)
