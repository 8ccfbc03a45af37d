"""Confinement of the process it is called in: what the kernel is asked to refuse, and the proof that it does.

A confined process has a system call filter, and can read files only where Landlock lets it. One that is not confined
has limits and a user of its own.
"""

from __future__ import annotations

import errno
import os
import resource
import socket
from collections.abc import Callable

from league.hosts.confine import landlock, libc, seccomp, syscalls
from league.hosts.wire import BUILD_SECONDS, ERROR_BYTES, NOBODY
from league.tools.system import die_with
from league.values.settings import Limits


def confine_python(confined: bool, parent: int, limits: Limits, rules: int, addresses: int) -> None:
    """Limit this process, and confine it if asked, irrevocably, before it loads a bot.

    `rules` are Landlock's, and `addresses` are the bytes of its address space: what the bot takes is limited beyond it.
    """
    _limit(limits, rules, addresses)
    die_with(parent)
    if confined:
        seccomp.install(seccomp.python(_machine()))


def gate() -> int:
    """From now on, every call of this process with a path waits until the league lets it pass.

    Returns the descriptor by which it does. When that is closed everywhere, all such calls fail: while a bot plays,
    there are no paths for it, and so nothing that the kernel remembers about them (what was looked up, read or is not
    there) can be a note for others. This must come before limits: descriptors cannot be handed over any more then.
    """
    machine = _machine()
    return seccomp.install_gate(seccomp.gate(machine), machine)


def confine_program(confined: bool, parent: int, limits: Limits, rules: int, file_bytes: int) -> None:
    """The same before it becomes a program of another language; one that builds a bot may write files so long."""
    if file_bytes:
        _cap(resource.RLIMIT_CPU, BUILD_SECONDS)  # of each process that it starts, too
    _limit(limits, rules, file_bytes=file_bytes or ERROR_BYTES)
    die_with(parent)
    if confined:
        filter_of = seccomp.build if file_bytes else seccomp.program
        seccomp.install(filter_of(os.getpid(), _machine()))


def _limit(limits: Limits, rules: int, addresses: int = 0, file_bytes: int = 0) -> None:
    """Set limits, become a user who owns nothing if this is root, give up new privileges, and apply the rules.

    For Python the whole address space is capped, above what is there already. Programs of other languages reserve more
    addresses than they use, so only their private writable memory is.
    """
    memory = limits.memory_mb << 20
    _cap(resource.RLIMIT_FSIZE, file_bytes)
    if file_bytes:
        _cap(resource.RLIMIT_DATA, memory)
        _cap(resource.RLIMIT_NPROC, _tasks_on_this_machine() + _TASKS)
        _cap(resource.RLIMIT_NOFILE, 4 * _DESCRIPTORS)
    else:
        _cap(resource.RLIMIT_AS, addresses + memory)
        _cap(resource.RLIMIT_NPROC, 0)
        _cap(resource.RLIMIT_NOFILE, _DESCRIPTORS)
    for kind in (resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK, resource.RLIMIT_MSGQUEUE):
        _cap(kind, 0)
    drop_root()
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1)
    libc.prctl(_PR_SET_DUMPABLE, 0)  # so that others cannot inspect it
    if rules >= 0:
        landlock.restrict(rules)
        os.close(rules)


def refusal(problem: OSError) -> str:
    """Why a process could not be confined, in words."""
    return f"the kernel refused to confine a process: {problem.strerror}"


def _machine() -> syscalls.Processor:
    machine = syscalls.processor()
    if machine is None:
        raise OSError(errno.ENOSYS, "no system call filter for this kind of processor")
    return machine


def prove(confined: bool, builds: bool = False) -> str:
    """Try what must fail now; returns what did not fail, in words, or an empty text.

    A process that `builds` may start others, and write in its own folder.
    """
    if not confined:
        return ""
    attempts: dict[str, Callable[[], object]] = {
        "read a folder": lambda: os.open("/", os.O_RDONLY),
        "open a file for writing": lambda: os.open(os.devnull, os.O_WRONLY),
        "open a socket": lambda: socket.socket(socket.AF_UNIX),
        "start a process": _fork,
        "send a signal to another process": lambda: os.kill(os.getppid(), 0),
        "change its priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, 19),
    }
    if builds:
        del attempts["open a file for writing"], attempts["start a process"]
        escaped_to = f"/tmp/league-escaped-{os.getpid()}"  # noqa: S108 - all users may write there
        attempts["write to another folder"] = lambda: os.open(escaped_to, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    escaped = []
    for what, attempt in attempts.items():
        try:
            attempt()
        except PermissionError:
            continue
        except OSError as problem:
            escaped.append(f"{what} ({problem.strerror})")
        else:
            escaped.append(what)
    return f"a confined process could still {' and '.join(escaped)}" if escaped else ""


def _fork() -> None:
    if libc.fork() == 0:
        os._exit(0)
    os.wait()


_DESCRIPTORS = 64
_TASKS = 256
"""Processes and threads that a program may have, beside those that its user has already."""
_PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 4, 38


def drop_root() -> None:
    """Become a user who owns nothing, if this is root; irrevocably."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def _cap(kind: int, value: int) -> None:
    if value > 0 and (hard := resource.getrlimit(kind)[1]) != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(kind, (value, value))


def address_space() -> int:
    """How many bytes of addresses this process has."""
    statm = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)  # costs every host less than a text file would
    try:
        return int(os.read(statm, 256).split()[0]) * os.sysconf("SC_PAGE_SIZE")
    finally:
        os.close(statm)


def _tasks_on_this_machine() -> int:
    """At least as many as this user has; the kernel counts a user's tasks, wherever they came from."""
    with open("/proc/loadavg") as file:
        return int(file.read().split()[3].partition("/")[2])
