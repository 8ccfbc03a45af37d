"""The files of a league's standings: written at its end, renewed while it is played, checked if others wrote them.

While a league is played, a process of its own renews the files. The process that hands out work never waits for it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from math import inf
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from time import monotonic

from league.page import is_up_to_date, write_page
from league.page.data import PAGE
from league.page.samples import PATIENCE
from league.results.csvs import write_csvs
from league.results.standings import Standings
from league.results.store import Store
from league.tools import system
from league.tools.files import remove_drafts
from league.values.settings import Isolation

PAGE_SECONDS = 60
"""Between two rewritings of the reports while a league is played."""
REST = 10
"""Renewing the files takes at most one part in REST of the time."""
NICE = 5
"""How much the process stands back behind those that play."""
USUAL_SECONDS = 3.0
PAIR_SECONDS = 12e-6
"""What standings and page take, and how much more for each pair of bots: 1.5 times what a quiet machine needs. Games
beside the page come on top, as long as there is time for them."""
GROWTH = 1.5
"""They may take this many times what they took the last time."""
LONGEST = 10
"""On a busy machine they may take this many times as long."""
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""For numpy: all processors are busy playing, and its threads would wait for each other by using them."""
GOODBYE_SECONDS = 2.0
"""How long it may take to stop in the middle of its work."""
_START = (
    "import json, sys; work, *sys.path[:] = sys.argv[1:]; "
    "from league.page.reports import renew; renew(*json.loads(work))"
)


def write_reports(
    store: Store,
    standings: Standings,
    *,
    running: bool = False,
    isolation: Isolation = Isolation.SANDBOX,
    seconds: float = inf,
) -> list[Path]:
    """Write the files of the standings and the page; returns their paths, the most important first.

    For games beside the page there are this many seconds at most. A page that has nothing new to show stays.
    """
    files = write_csvs(store.folder, standings, running=running)
    names_stay = not store.settings().page.anonymous  # aliases are in a file that people may edit or remove
    if not running and names_stay and is_up_to_date(store.folder, running=False):
        return [store.folder / PAGE, *files]
    return [write_page(store, standings, running=running, isolation=isolation, seconds=seconds), *files]


def ending_seconds(store: Store, bots: int) -> float:
    """How long audit, standings and page after a run will take: as long as the last time, or as is usual.

    A page that was written again long after its run says nothing, so there is an upper limit.
    """
    busy = max(1.0, system.load() / (os.cpu_count() or 1))
    usual = busy * (USUAL_SECONDS + PAIR_SECONDS * bots**2) + PATIENCE
    page = store.folder / PAGE
    ended = [run.ended for run in store.runs() if run.ended is not None]
    if not ended or not os.path.exists(page) or page.stat().st_mtime < ended[-1]:
        return usual
    return min(GROWTH * (page.stat().st_mtime - ended[-1]), LONGEST * usual)


def standings_now(store: Store) -> Standings:
    """The standings of this moment, of a league that is being played."""
    with store.one_moment():
        store.refresh()
        return Standings.of(store)


class Renewal:
    """A process that renews the reports now and then; with `watch_seconds`, it sends standings back too.

    It is started when a league has been played for long, or at once if somebody watches. It is a new Python that
    imports League alone: a database that is open may not be used on both sides of a fork, and `multiprocessing` would
    import the user's script again.
    """

    def __init__(self, folder: Path, watch_seconds: float | None) -> None:
        self._folder, self._watch_seconds = folder, watch_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._due = inf if system.PLAIN else monotonic() + PAGE_SECONDS / 2
        if watch_seconds is not None and not system.PLAIN:
            self._start()

    def _start(self) -> None:
        self._pipe, theirs = Pipe()
        work = (str(self._folder), PAGE_SECONDS, self._watch_seconds, theirs.fileno(), os.getpid())
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own module
                [sys.executable, "-c", _START, json.dumps(work), *sys.path],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env=ONE_THREAD | os.environ,
                start_new_session=True,  # Ctrl-C is for the parent, who then closes the pipe
            )

    def news(self) -> Standings | None:
        """The standings that have come since the last call; None if there are none."""
        if self._process is None:
            if monotonic() >= self._due:
                self._start()
            return None
        try:
            return self._pipe.recv() if self._pipe.poll() else None
        except (EOFError, OSError):  # it has died; the files are written at the end
            return None

    def close(self) -> None:
        """End the process, so that it does not write over what is written after it, and start none any more."""
        self._due = inf
        if self._process is None:
            return
        self._pipe.close()
        self._process.terminate()
        try:
            self._process.wait(GOODBYE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        remove_drafts(self._folder, self._process.pid)
        self._process = None


def renew(folder: str, page_seconds: float, watch_seconds: float | None, pipe_number: int, parent: int) -> None:
    """In the process of its own: renew the reports until the other side closes the pipe."""
    system.die_with(parent)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    os.nice(NICE)  # others go first
    period = page_seconds if watch_seconds is None else min(page_seconds, watch_seconds)
    written = monotonic()
    with Store.open(Path(folder)) as store, Connection(pipe_number) as pipe:
        while not pipe.poll(period):  # nothing is ever sent: the pipe is ready when it was closed
            started = monotonic()
            now = standings_now(store)
            if watch_seconds is not None:
                pipe.send(now)
            if started >= written + page_seconds:
                write_reports(store, now, running=True)
                written = monotonic()
            period = max(period, REST * (monotonic() - started))
