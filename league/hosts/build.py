"""Builds bots: runs the `build` of a bot once, confined in a folder of its own, and keeps what it makes.

What is made follows from the bot's files, the command and the compiler, and is kept in the cache under their hash. So a
bot is still its folder: nothing else is hashed, stored or handed in.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from time import monotonic

import msgspec

from league.errors import LeagueError
from league.hosts.launcher import ENVIRONMENT, python_command
from league.hosts.wire import (
    BUILD_SECONDS,
    ESCAPED,
    NOBODY,
    TAIL_CHARACTERS,
    HostSetup,
    clean_line,
    clean_tail,
    not_isolated,
)
from league.setup.bot_folder import BotFile, expanded, read_folder, write_folder
from league.setup.bot_source import UnfitError
from league.setup.roster import Bot
from league.tools import system
from league.tools.files import cache_folder, read_bytes, write_bytes
from league.values.settings import FOLDER_MB, Limits

LIMITS = Limits(memory_mb=2048)
"""The limits of each process of a build: compilers need more than bots."""
PATIENCE_S = 240
"""By the clock, for a whole build on a busy machine."""
LOOK_S = 0.1
"""Between two looks at how many processes there are, and how large the folder has become."""
MOST_PROCESSES = 128
MOST_OUTPUT = 1 << 20
_JAVA = "-Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData"
"""For the virtual machine that a compiler runs in: little memory, soon started."""
_JAVA_NOTE = "Picked up JAVA_TOOL_OPTIONS"


class BuildError(Exception):
    """A bot cannot be built: why, in one line, and what the compiler wrote."""

    def __init__(self, cause: str, tail: str = "") -> None:
        super().__init__(cause)
        self.cause = cause
        self.tail = tail


def built(bot: Bot, confined: bool, private: tuple[str, ...] = (), folder_mb: int = FOLDER_MB) -> Bot:
    """The bot with what its build makes, from the cache if it was built before; raises `BuildError` if it cannot be.

    `private` are folders that the compiler must not be able to read.
    """
    made = cached(bot)
    if made is None:
        made = _made(bot, confined, private, folder_mb)
        path = _cache_path(bot)
        with suppress(OSError):  # then it is built again the next time
            path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(path, msgspec.msgpack.encode(made))
    return msgspec.structs.replace(bot, made=made)


def cached(bot: Bot) -> tuple[BotFile, ...] | None:
    """What the build of a bot made when it was built here before; None if it was not."""
    try:
        return msgspec.msgpack.decode(read_bytes(_cache_path(bot), 1 << 30), type=tuple[BotFile, ...])
    except (LeagueError, OSError, msgspec.MsgspecError):
        return None


def _cache_path(bot: Bot) -> Path:
    """Where what a bot's build makes is kept: by its files, its command and the compiler."""
    real = os.path.realpath(shutil.which(bot.build[0], path=ENVIRONMENT["PATH"]) or "")
    compiler = os.stat(real)
    version = (real, compiler.st_size, compiler.st_mtime_ns)
    digest = blake2b(repr((bot.hash, bot.build, version)).encode(), digest_size=16).hexdigest()
    return cache_folder() / "builds" / digest


def _made(bot: Bot, confined: bool, private: tuple[str, ...], folder_mb: int) -> tuple[BotFile, ...]:
    """The files that a build adds to the folder of its bot, or changes there."""
    try:
        command = expanded(bot.build, bot.files)
    except UnfitError as problem:
        raise BuildError(f"its build cannot be started: {problem.reason}") from None
    with tempfile.TemporaryDirectory(prefix="league-build-", ignore_cleanup_errors=True) as root:
        folder = Path(root) / "bot"
        try:
            for place in (folder, Path(root) / "tmp"):
                place.mkdir()
            write_folder(bot.files, folder)
            _give_away(Path(root))
            most_bytes = folder_mb << 20
            setup = HostSetup(bot.name, b"", LIMITS, confined, command, str(folder), private, most_bytes)
            _run(setup, Path(root))
            files = read_folder(folder, folder_mb)
        except OSError as problem:
            raise BuildError(f"its build cannot be started: {problem.strerror}") from None
        except UnfitError as problem:
            raise BuildError(f"after its build: {problem.reason}") from None
    sources = {(file.path, file.hash, file.executable) for file in bot.files}
    return tuple(file for file in files if (file.path, file.hash, file.executable) not in sources)


def _give_away(root: Path) -> None:
    """Let the user that bots run under write below a folder."""
    if system.user() != 0:
        return
    for place, _, files in os.walk(root):
        for path in (place, *(os.path.join(place, name) for name in files)):
            os.chown(path, NOBODY, NOBODY)


def _run(setup: HostSetup, root: Path) -> None:
    """Run a build to its end; raises `BuildError` if that is no success, or takes too much."""
    place = {"HOME": str(root / "tmp"), "TMPDIR": str(root / "tmp"), "JAVA_TOOL_OPTIONS": _JAVA}
    environment = {name: value for name, value in ENVIRONMENT.items() if name != "LD_BIND_NOW"} | place
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as note:
        process = subprocess.Popen(  # noqa: S603 - this Python, with code of ours
            python_command("league.hosts.exec_program", str(note.fileno())),
            pass_fds=[note.fileno()],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=setup.folder,
            start_new_session=True,
        )
        try:
            assert process.stdin
            with suppress(OSError), process.stdin:
                process.stdin.write(msgspec.msgpack.encode(setup))
            too_much = _watch(process, root, setup.file_bytes)
        finally:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)  # with all that it has started
            process.kill()
            code = process.wait()
        output.seek(0)
        note.seek(0)
        failure = note.read(MOST_OUTPUT)
        said = output.read(MOST_OUTPUT).decode("utf-8", "replace").replace(f"{setup.folder}/", "")
    if too_much:
        raise BuildError(f"its build {too_much}", clean_tail(said))
    if failure[:1] == ESCAPED:
        raise not_isolated(failure[1:])
    if failure:
        raise BuildError(f"its build cannot be started: {clean_line(failure[1:].decode('utf-8', 'replace'))}")
    if code == -signal.SIGXCPU:
        raise BuildError(f"its build took more than {BUILD_SECONDS} s of processor time", clean_tail(said))
    if code:
        said = "".join(line for line in said.splitlines(keepends=True) if not line.startswith(_JAVA_NOTE))
        raise BuildError(clean_line(f"its build failed: {first_error(said)}"), clean_tail(said[:TAIL_CHARACTERS]))


def _watch(process: subprocess.Popen[bytes], root: Path, most_bytes: int) -> str:
    """Wait for a build; returns what it took too much of, in words, or an empty text."""
    until = monotonic() + PATIENCE_S
    while monotonic() < until:
        try:
            process.wait(LOOK_S)
        except subprocess.TimeoutExpired:
            if _size(root) > 2 * most_bytes:
                return f"wrote more than {2 * most_bytes >> 20:,} MB"
            if _processes(process.pid) > MOST_PROCESSES:
                return f"started more than {MOST_PROCESSES} processes"
        else:
            return ""
    return f"took more than {PATIENCE_S} s"


def _processes(session: int) -> int:
    """How many processes there are in a session, which none of a build can leave."""
    count = 0
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError, IndexError):  # it has just ended
            count += int(Path("/proc", name, "stat").read_bytes().rpartition(b")")[2].split()[3]) == session
    return count


def _size(root: Path) -> int:
    """Bytes below a folder, as far as it can be read; each file counts for at least a block."""
    size = 0
    for place, _, names in os.walk(root):
        for name in names:
            with suppress(OSError):
                size += max(os.lstat(os.path.join(place, name)).st_size, 4096)
    return size


def first_error(said: str) -> str:
    """The first line in which a compiler reports an error; otherwise its first line."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"\berror\b|:\d+:\d+: (?!warning|note|info)", line)]
    return next(iter(errors or lines), "it says nothing about the reason")
