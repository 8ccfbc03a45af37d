"""In a worker process of a cluster: the leagues that are played there, their bots, and the processes that play.

Several leagues can share a cluster: each has its own players, which stay as long as they have something to do. Whatever
is missing here (a worker was restarted, or a league was away for long) is reported to the client, which sends it again.
"""

from __future__ import annotations

import os
import pickle
import platform
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread, get_ident
from time import monotonic, sleep

import msgspec

from league import __version__
from league.hosts.build import cached
from league.play.worker import Team, Worker, calm_collector, encode, serve
from league.values.block import Sitting

IDLE_SECONDS = 60.0
"""A player with nothing to do for this long ends itself."""
PARENT_SECONDS = 0.5
"""Between two looks at whether the worker that started this process is still there."""

_START = """
import sys
sys.path[:] = sys.argv[2:]
from league.extensions.dask.worker_side import main
main(int(sys.argv[1]))
"""


class Player:
    """A process that plays, seen from the worker that started it."""

    def __init__(self, team: Team) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            # No multiprocessing: a worker under a nanny is a daemon, and may have no children of that kind.
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own module
                [sys.executable, "-c", _START, str(theirs.fileno()), *sys.path],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for the worker
            )
        self._pipe = Connection(ours.detach())
        self._used = monotonic()
        self._pipe.send_bytes(pickle.dumps(team))

    @property
    def is_fresh(self) -> bool:
        """Whether it can be given a block: it may be about to end itself otherwise."""
        return monotonic() < self._used + IDLE_SECONDS / 2

    def play(self, sitting: bytes) -> bytes:
        """The answer to an encoded sitting; EOFError or OSError if the process has ended."""
        self._pipe.send_bytes(sitting)
        answer = self._pipe.recv_bytes()
        self._used = monotonic()
        return answer

    def end(self, *, at_once: bool = False) -> str:
        """End it, and say how it ended if it had done so by itself. A thread that waits for it gets an error."""
        if at_once:
            self._process.kill()
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._pipe.close()
        return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


def main(descriptor: int) -> None:
    """The process itself: play what comes through a pipe."""
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    pipe = Connection(descriptor)
    team: Team = pickle.loads(pipe.recv_bytes())  # noqa: S301 - from the worker that started this process
    calm_collector()
    worker = Worker(team)
    try:
        serve(worker, pipe, IDLE_SECONDS)
    finally:
        worker.close()


def _end_with(parent: int) -> None:
    """End this process when its parent ends, also in the middle of a block.

    The kernel's signal at a parent's death comes too early: when the thread ends that started this process.
    """
    while os.getppid() == parent:
        sleep(PARENT_SECONDS)
    os._exit(1)


class Answer(msgspec.Struct):
    """What became of one sitting."""

    said: msgspec.Raw = msgspec.Raw(encode(""))
    """The results of its blocks, or the reason why this worker cannot play it."""
    died: str = ""
    """How the process ended that played it; empty: it did not."""
    seconds: float = 0.0


decode_sittings = msgspec.msgpack.Decoder(list[Sitting]).decode
decode_answers = msgspec.msgpack.Decoder(list[Answer]).decode


_teams: dict[str, Team] = {}
"""By run."""
_players: dict[tuple[str, int], Player] = {}
"""By run, and by the thread of this worker that has it play."""


def packed(team: Team) -> bytes:
    """A team as a message for `supply`. What a bot's build made here goes along: workers may have no compiler."""
    bots = [
        msgspec.structs.replace(bot, made=bot.made or (cached(bot) if bot.build else ()) or ()) for bot in team.bots
    ]
    return pickle.dumps(msgspec.structs.replace(team, bots=tuple(bots)))


def greet(run: str) -> tuple[Mapping[str, str], bool]:
    """What this process is, and whether it has the team of a run."""
    return identity(), run in _teams


def supply(run: str, team: bytes) -> None:
    """Take a run's team."""
    _teams[run] = pickle.loads(team)  # noqa: S301 - from the client, whose code runs here anyway


def play(run: str, key: str, sittings: bytes) -> tuple[str, bytes | None]:
    """The key of a task with the answers to its sittings; None if this process does not know the run."""
    team = _teams.get(run)
    return key, encode([_played(run, team, sitting) for sitting in decode_sittings(sittings)]) if team else None


def _played(run: str, team: Team, sitting: Sitting) -> Answer:
    """Play one sitting, in this thread's process or a new one."""
    if run not in _teams:
        return Answer(died="was dismissed")
    started = monotonic()
    place = run, get_ident()
    player = _players.get(place)
    if player and not player.is_fresh:
        player.end(at_once=True)
        player = None
    player = _players[place] = player or Player(team)
    answer = Answer()
    try:
        answer.said = msgspec.Raw(player.play(encode(sitting)))
    except (EOFError, OSError):
        answer.died = player.end()
        _players.pop(place, None)
    answer.seconds = monotonic() - started
    return answer


def dismiss(run: str) -> None:
    """End the players of a run for good, also those in the middle of a block."""
    _teams.pop(run, None)
    for place in [place for place in list(_players) if place[0] == run]:
        _players.pop(place).end(at_once=True)


@cache
def identity() -> Mapping[str, str]:
    """All that must be the same where games of one league are played."""
    return {
        "League": __version__,
        "source": _source_hash(),
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "numpy": ".".join(version("numpy").split(".")[:2]),
    }


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """How two identities differ, in a few words about the latter; empty if they do not."""
    for name, value in here.items():
        theirs = there.get(name, "unknown")
        if theirs != value:
            if name == "source":
                return f"it has League {there['League']} with other source files"
            return f"it has {name} {theirs} instead of {value}"
    return ""


def _source_hash() -> str:
    """The hash of the Python files of this package: the same version may have been edited."""
    package = Path(__file__).parents[2]
    digest = blake2b(digest_size=8)
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package)
        if name.parts[0] != "shipped":  # only wheels carry it
            digest.update(f"{name.as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()
