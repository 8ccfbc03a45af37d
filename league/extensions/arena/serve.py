"""Starts the processes of an arena, starts again what dies, and ends all of them together.

web       takes hand-ins and shows pages; the port is bound here, so that it stays while the process is replaced
checker   tries hand-ins
player    plays the ladder and the final
"""

from __future__ import annotations

import os
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from time import monotonic, sleep

import msgspec
from msgspec.structs import replace

from league.errors import ArenaError, IsolationError
from league.extensions.arena.database import ProcessRole
from league.extensions.arena.process import LOG, OPTIONS, ServeOptions
from league.extensions.arena.store import ArenaStore
from league.tools.logs import put_aside_if_large
from league.tools.system import lock
from league.tools.text import shown_path

LOCK = ".serve.lock"
LOOK_SECONDS = 0.2
SOUND_SECONDS = 30.0
"""A process that lives longer than this was sound: if it dies, the next one starts at once."""
LONGEST_PAUSE = 5.0
"""Before a process that dies again and again is started again; meanwhile nobody can hand in, or is checked."""


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
        """Of the process that runs now."""
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
        command = (sys.executable, "-m", "league.extensions.arena.process", self.role)
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
