"""How a process becomes a bot's program, or the compiler of one: it finds that, confines itself, and executes it."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Sequence
from glob import glob
from mmap import mmap
from typing import NoReturn

import msgspec

from league.errors import IsolationError
from league.hosts.confine import confine_build, confine_program, landlock, prove, refusal
from league.hosts.wire import (
    ESCAPED,
    LENGTH,
    NOT_CONFINED,
    NOT_STARTED,
    NOTE_BYTES,
    UNSTARTED,
    BuildOrder,
    HostSetup,
)
from league.values.settings import Limits

_ROOTS = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt")
"""Where the system's programs are. Of /opt and /usr, only what the program at hand needs can be read."""
_SHARED = ("/", "/usr", "/usr/local", "/opt")
"""Folders below which software of all kinds is installed."""
_LONGEST_LINE = 256
"""Of the first line of a script, in bytes, as for the kernel."""
_DEVICES = ("/dev/null", "/dev/random", "/dev/urandom")
_SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime", "/etc/ssl/openssl.cnf")
_HEADERS = ("/usr/include", "/usr/local/include")
_BUILD_LIMITS = Limits(memory_mb=2048)
"""Of each process of a build: compilers need more than bots."""


class UnstartedError(Exception):
    """A program cannot be started, and why."""


def become(setup: HostSetup, shared: mmap, parent: int) -> NoReturn:
    """Turn this process into the bot's program, confined; if that fails, leave a note why."""

    def confine(rules: int) -> None:
        for descriptor in (0, 1):
            os.dup2(3, descriptor)
        confine_program(setup.confined, parent, setup.limits, rules)

    os.setsid()
    os.environ.pop("LD_BIND_NOW", None)  # programs start sooner without
    os.environ.update(_for_java(setup))
    try:
        _execute(setup, confine, executable=[setup.folder] if setup.folder else [])
    except IsolationError as problem:
        _leave(shared, ESCAPED, str(problem))
    except UnstartedError as problem:
        _leave(shared, UNSTARTED, f"its command cannot be started: {problem}")


def serve() -> NoReturn:
    """Turn this process into the program that builds a bot, confined; its first message is a `BuildOrder`."""
    order = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=BuildOrder)

    def confine(rules: int) -> None:
        confine_build(order.confined, _BUILD_LIMITS, order.file_bytes, order.seconds, rules)

    with open(os.devnull, "rb") as nowhere:
        os.dup2(nowhere.fileno(), 0)
    try:
        _execute(order, confine, readable=_HEADERS, writable=[os.path.dirname(order.folder), os.devnull])
    except IsolationError as problem:
        _end(NOT_CONFINED, str(problem))
    except UnstartedError as problem:
        _end(NOT_STARTED, str(problem))


def _execute(
    order: HostSetup | BuildOrder,
    confine: Callable[[int], None],
    *,
    readable: Sequence[str] = (),
    executable: Sequence[str] = (),
    writable: Sequence[str] = (),
) -> NoReturn:
    """Become a program, once `confine` was called with a Landlock ruleset, or -1, and has proven to hold.

    Besides what every program may read, it may use these paths. One that may write is a build.
    """
    command = order.command[0]
    path = _program_path(command, order.folder, order.confined)
    if path is None:
        raise UnstartedError(f"{command!r} is no program of this system" + " or of its folder" * bool(order.folder))
    try:
        os.chdir(order.folder or "/")
    except OSError as problem:
        raise UnstartedError(f"its folder cannot be entered by user {os.getuid()}: {problem.strerror}") from None
    try:
        rules = -1
        if order.confined:
            runtime = _runtime_of(path)
            if overlap := landlock.exposed(runtime, order.private):
                raise UnstartedError(f"{command!r} is in {overlap[1]}, where bots or results are too")
            system = [*landlock.system_folders(), *runtime]
            rules = landlock.ruleset([*_readable_settings(), *readable], [*system, *executable], writable)
        confine(rules)
        escaped = prove(order.confined, builds=bool(writable))
    except OSError as problem:
        escaped = refusal(problem)
    if escaped:
        raise IsolationError(escaped)
    if not os.access(path, os.X_OK):
        hint = f" (chmod +x {command})" if order.folder and path.startswith(order.folder) else ""
        raise UnstartedError(f"{command!r} cannot be executed by user {os.getuid()}{hint}")
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execve(path, order.command, os.environ)  # noqa: S606 - that is what this is for
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise UnstartedError(f"{command!r}: {reason}") from None


def _program_path(command: str, folder: str, confined: bool) -> str | None:
    """The path of a command: a system program, or a file of the bot's own folder; None if it is neither.

    What is executed can be read, so other programs may be named only where everything can be read.
    """
    if os.sep not in command and (system_path := shutil.which(command)):
        return system_path
    path = os.path.normpath(os.path.join(folder or "/", command))
    system = _ROOTS if confined else [""]
    allowed = [*([folder] if folder else []), *(system if os.path.isabs(command) else [])]
    return path if os.path.isfile(path) and any(path.startswith(f"{root}/") for root in allowed) else None


def _readable_settings() -> list[str]:
    """Devices and settings of the system that programs may read."""
    return [*_DEVICES, *_SETTINGS, *glob("/etc/java-*")]


def _runtime_of(path: str) -> list[str]:
    """The program and its interpreter, and for those outside of the system's folders also what is installed with them.

    /opt/jdk/bin/java needs /opt/jdk, and /opt/bin/tool needs /opt/bin and /opt/lib.
    """
    needed = []
    for program in (path, *_interpreters(path)):
        real = os.path.realpath(program)
        needed.append(real)
        if not any(real.startswith(f"{folder}/") for folder in map(os.path.realpath, landlock.system_folders())):
            folder = os.path.dirname(real)
            prefix = os.path.dirname(folder) if os.path.basename(folder) == "bin" else folder
            needed += landlock.installed_below(prefix) if prefix in _SHARED else [prefix]
    return needed


def _interpreters(path: str) -> list[str]:
    """What a script names in its first line; with `env`, also the program that this finds."""
    try:
        with open(path, "rb") as script:
            first = script.readline(_LONGEST_LINE)
    except OSError:
        return []  # it can be executed, perhaps, but not read: then it is no script
    words = os.fsdecode(first[2:]).split() if first.startswith(b"#!") else []
    if words and os.path.basename(words[0]) == "env":
        words[1:] = [program for word in words[1:] if (program := shutil.which(word))]
    else:
        words = words[:1]
    return [word for word in words if any(word.startswith(f"{root}/") for root in _ROOTS)]


def _for_java(setup: HostSetup) -> dict[str, str]:
    """Settings with which a Java program fits into the memory of a bot; those of its own command come first."""
    collector = "" if any("GC" in word for word in setup.command) else " -XX:+UseSerialGC"
    return {"JDK_JAVA_OPTIONS": f"-Xmx{max(setup.limits.memory_mb // 4, 16)}m{collector}"}


def _leave(shared: mmap, kind: bytes, reason: str) -> NoReturn:
    note = (kind + reason.encode())[:NOTE_BYTES]
    shared[: LENGTH.size + len(note)] = LENGTH.pack(len(note)) + note
    os._exit(71)


def _end(code: int, reason: str) -> NoReturn:
    os.write(1, reason.encode())
    os._exit(code)
