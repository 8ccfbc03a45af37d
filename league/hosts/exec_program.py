"""How a process becomes a bot's program, or the compiler of one: it finds that, confines itself, and executes it."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from glob import glob
from mmap import mmap
from typing import NoReturn

import msgspec

from league.hosts.confine import confine_program, landlock, prove, refusal
from league.hosts.wire import ESCAPED, LENGTH, NOTE_BYTES, UNSTARTED, HostSetup

_ROOTS = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt")
"""Where the system's programs are. Of /opt and /usr, only what the program at hand needs can be read."""
_SHARED = ("/", "/usr", "/usr/local", "/opt")
"""Folders below which software of all kinds is installed."""
_READABLE = ("/dev/null", "/dev/random", "/dev/urandom", "/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime")
"""Devices and settings that every program may read."""


class UnstartedError(Exception):
    """A program cannot be started, and why."""


def become_bot(setup: HostSetup, shared: mmap, parent: int) -> NoReturn:
    """Turn this process into the bot's program, confined; if that fails, note on the shared page why."""
    for descriptor in (0, 1):
        os.dup2(3, descriptor)
    os.setsid()
    os.environ.pop("LD_BIND_NOW", None)  # programs start sooner without
    os.environ.update(_for_java(setup))
    note = _become(setup, parent)[:NOTE_BYTES]
    shared[: LENGTH.size + len(note)] = LENGTH.pack(len(note)) + note
    os._exit(1)


def serve(note_descriptor: str) -> NoReturn:
    """Turn this process into the program that builds a bot, confined; its first message is a `HostSetup`.

    If that fails, it writes why to a descriptor, which the program does not get.
    """
    setup = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=HostSetup)
    os.set_inheritable(int(note_descriptor), False)
    with open(os.devnull, "rb") as nowhere:
        os.dup2(nowhere.fileno(), 0)
    os.write(int(note_descriptor), _become(setup, os.getppid()))
    os._exit(1)


def _become(setup: HostSetup, parent: int) -> bytes:
    """Become a program, once this process is confined and has proven it.

    Returns only if that fails: why, after `ESCAPED` or `UNSTARTED`.
    """
    try:
        path = _program_path(setup.command[0], setup.folder, setup.confined)
        try:
            os.chdir(setup.folder or "/")
        except OSError as problem:
            raise UnstartedError(f"its folder cannot be entered: {problem.strerror}") from None
        rules = _rules(setup, path) if setup.confined else -1
        confine_program(setup.confined, parent, setup.limits, rules, setup.file_bytes)
        if escaped := prove(setup.confined, builds=setup.file_bytes > 0):
            return ESCAPED + escaped.encode()
        _execute(path, setup)
    except UnstartedError as problem:
        return UNSTARTED + str(problem).encode()
    except OSError as problem:
        return ESCAPED + refusal(problem).encode()


def _rules(setup: HostSetup, path: str) -> int:
    """A Landlock ruleset for a program: it executes the system's, and its own folder; a build writes there."""
    runtime = _runtime_of(path)
    if overlap := landlock.exposed(runtime, setup.private):
        raise UnstartedError(f"{setup.command[0]!r} is in {overlap[1]}, where bots or results are too")
    readable, executable = (
        [*_READABLE, "/etc/ssl/openssl.cnf", *glob("/etc/java-*")],
        [*landlock.system_folders(), *runtime],
    )
    if setup.file_bytes:
        headers = ["/usr/include", "/usr/local/include"]
        writable = [os.path.dirname(setup.folder), os.devnull]
        return landlock.ruleset([*readable, *headers], executable, writable)
    return landlock.ruleset(readable, [*executable, setup.folder] if setup.folder else executable)


def _execute(path: str, setup: HostSetup) -> NoReturn:
    command = setup.command[0]
    if not os.access(path, os.X_OK):
        hint = f" (chmod +x {command})" if setup.folder and path.startswith(setup.folder) else ""
        raise UnstartedError(f"{command!r} cannot be executed by user {os.getuid()}{hint}")
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execve(path, setup.command, os.environ)  # noqa: S606 - that is what this is for
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise UnstartedError(f"{command!r}: {reason}") from None


def _program_path(command: str, folder: str, confined: bool) -> str:
    """The path of a command: a system program, or a file of the bot's own folder.

    What is executed can be read, so other programs may be named only where everything can be read.
    """
    if os.sep not in command and (system_path := shutil.which(command)):
        return system_path
    path = os.path.normpath(os.path.join(folder or "/", command))
    system = _ROOTS if confined else [""]
    allowed = [*([folder] if folder else []), *(system if os.path.isabs(command) else [])]
    if os.path.isfile(path) and any(path.startswith(f"{root}/") for root in allowed):
        return path
    raise UnstartedError(f"{command!r} is no program of this system" + " or of its folder" * bool(folder))


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
            first = script.readline(256)  # as for the kernel
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
