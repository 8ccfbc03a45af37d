"""What this machine enforces, tried for real in throw-away processes, and what to do about each gap."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from league import games
from league.errors import IsolationError
from league.hosts import Begin, Reply, Tick
from league.hosts.factory import HostFactory
from league.hosts.wire import NOBODY
from league.setup.roster import Bot
from league.tools import system
from league.tools.text import listed
from league.values.settings import Isolation, Limits

SANDBOX = "sandbox"
LIMITS = Limits(move_ms=50, start_ms=2000, memory_mb=64)
OVERRUNS = {
    "processor time": ("while True: pass", "timeout"),
    "processor time in C code": ("import itertools; max(itertools.repeat(1))", "timeout"),
    "sleep": ("import time; time.sleep(3600)", "timeout"),
    "memory": ("return len(bytearray(1 << 36))", "memory"),
    "processes": ("import os; os.fork() or os._exit(0)", "error"),
}
"""What is tried: some code, and the kind of fault that it must come to."""


class Check(NamedTuple):
    """One thing that was tried."""

    what: str
    good: bool
    found: str
    remedy: str = ""


def examine() -> Iterator[Check]:
    """Try everything, the basis first."""
    here = f"{platform.system()} {platform.release()} on {platform.machine()}, Python {platform.python_version()}"
    if system.PLAIN:
        remedy = "Run only bots that you trust. The sandbox needs Linux: in WSL or a container (docs/install.md)."
        yield Check("system", False, here, remedy)
        yield Check("isolation", False, "none: bots run as part of League", system.NOTICE)
        return
    from league.hosts.confine import landlock, syscalls

    known = syscalls.processor() is not None
    remedy = "" if known else f"The sandbox knows {', '.join(syscalls.PROCESSORS)}; use isolation: process here."
    yield Check("system", known, here, remedy)
    if version := landlock.version():
        yield Check("Landlock", True, f"version {version}")
    else:
        remedy = (
            "The sandbox needs it; isolation: process does not. It comes with Linux 5.13, and with WSL 2 from "
            "kernel 5.15; some kernels need lsm=landlock,… on their command line. gVisor and Apple containers lack it."
        )
        yield Check("Landlock", False, "not in this kernel, or switched off", remedy)
    yield _sandbox()
    yield from _limits()
    yield _user()


def _sandbox() -> Check:
    """A confined process is started, and tries by itself what must fail."""
    try:
        with HostFactory(Isolation.SANDBOX, LIMITS) as factory:
            reply = _decide(factory, "import os; return view.legal[os.path.exists('/')]")
    except IsolationError as problem:
        remedy = "Some containers refuse seccomp: allow it, or use isolation: process for bots that mean no harm."
        return Check(SANDBOX, False, str(problem), remedy)
    if reply.troubles:
        return Check(SANDBOX, False, reply.troubles[0].cause, "A harmless bot could not be run in it.")
    if reply.moves != [1]:
        return Check(SANDBOX, False, "a bot that plays can look at paths", "It could leave notes: use another kernel.")
    return Check(SANDBOX, True, "files, network, other processes, signals and priorities are out of reach")


def _limits() -> Iterator[Check]:
    """Bots that would never stop, or take everything, held by the limits of a process alone."""
    with HostFactory(Isolation.PROCESS, LIMITS) as factory:
        for what, (code, kind) in OVERRUNS.items():
            kinds = [trouble.kind for trouble in _decide(factory, code).troubles]
            if kinds == [kind]:
                yield Check(f"limit: {what}", True, "holds")
            else:
                remedy = "Without it a bot can hold up the run: leave out bots that you do not know."
                yield Check(f"limit: {what}", False, f"does not hold ({listed(kinds) or 'nothing happened'})", remedy)


def _user() -> Check:
    if os.geteuid() != 0:
        return Check("user", True, f"bots run as you (user {os.geteuid()}), without your rights")
    user = f"you are root: bots run as user {NOBODY}"
    if _readable_by_others(Path(sys.base_prefix)):
        return Check("user", True, user)
    remedy = (
        f"They cannot read {sys.base_prefix}, so they can import only what is loaded beforehand (most of the standard "
        "library, and numpy). Run the league as an ordinary user, or with a Python that everybody can read."
    )
    return Check("user", False, user, remedy)


def _readable_by_others(path: Path) -> bool:
    return all(folder.stat().st_mode & 0o005 == 0o005 for folder in (path, *path.parents))


def _decide(factory: HostFactory, code: str) -> Reply:
    """How a bot fares that runs this code in its first decision."""
    source = f"class Bot:\n    def choose(self, view):\n        {code}\n".encode()
    game = games.make("raj", 2)
    view = game.start(game.deal(Random(0))).view(0)
    host = factory.open(Bot("patient", Path("patient.py"), source, ""), game)
    try:
        host.send(Tick((), [Begin(0, 0, 0, True)], [0], [view]))
        return host.receive()
    finally:
        host.close()
