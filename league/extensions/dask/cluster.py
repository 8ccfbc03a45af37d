"""The connection to a Dask cluster: finds it, asks who is there, has functions called in its workers.

Whatever Dask raises when a connection breaks is an OSError here. Dask's own log lines are suppressed, since every such
event is reported in League's words.
"""

from __future__ import annotations

import gc
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

from league.errors import LeagueError
from league.tools.text import safe

CONNECT_SECONDS = 10
CLOSE_SECONDS = 1.0
"""How long each step of leaving a cluster, which may be gone, is waited for."""
NOISY = ("distributed", "tornado", "asyncio")
"""Loggers that report lost connections in many lines."""

T = TypeVar("T")


class Cluster:
    """The cluster of the scheduler that is given, or else in Dask's configuration, or else one that is started here."""

    def __init__(self, scheduler: str, workers: int) -> None:
        try:
            import distributed
        except ImportError:
            raise LeagueError(
                "--executor dask needs the package distributed: pip install 'bot-league[dask]'."
            ) from None
        import dask.config

        self._dask: Any = distributed
        self.size = workers
        self._file = Path(scheduler) if scheduler and ":" not in scheduler else None
        self._address = "" if self._file else scheduler or dask.config.get("scheduler-address", None) or ""
        self._client: Any = None
        self._own: Any = None

    @property
    def name(self) -> str:
        """Where it is, for messages."""
        if self.is_own:
            return "on this machine"
        return f"of {self._file}" if self._file else f"at {self._address}"

    @property
    def is_own(self) -> bool:
        """Whether it is started here, since no scheduler was named."""
        return not self._file and not self._address

    @property
    def is_connected(self) -> bool:
        """Whether the scheduler is there, as far as is known."""
        return self._client is not None and self._client.status == "running"

    def connect(self) -> None:
        """Connect, also after the scheduler was lost; OSError if it is not there."""
        stale, self._client = self._client, None
        if stale is not None:
            aside(lambda: stale.close(timeout=CONNECT_SECONDS))
        if self.is_own and self._own is None:
            self._own = self._dask.LocalCluster(
                n_workers=self.size, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
            )
        if self._file is not None and not self._file.exists():
            raise FileNotFoundError(self._file)  # Dask would wait for it
        target = {"scheduler_file": str(self._file)} if self._file else {"address": self._own or self._address}
        try:
            self._client = self._dask.Client(**target, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, KeyError, ImportError) as problem:  # an address that is none, a file half written
            reason = str(problem)
        else:
            return
        gc.collect()  # closes the client that failed; at the end of this process that would print a traceback
        raise OSError(reason)

    def threads(self) -> Mapping[str, int]:
        """The number of threads of each worker, by its address; all of them, unlike `scheduler_info`."""
        with self._talking():
            threads: Mapping[str, int] = self._client.nthreads()
            return threads

    def call(self, workers: Sequence[str], name: str, *arguments: object) -> Mapping[str, Any]:
        """Call a function of `worker_side` in these workers, at once; a reason, as text, for those that cannot do it.

        Workers that are gone are left out.
        """
        with self._talking():
            answers = self._client.run(_CALL, name, *arguments, workers=list(workers), on_error="return")
        return {
            worker: _unfit(answer) if isinstance(answer, Exception) else answer
            for worker, answer in answers.items()
            if not isinstance(answer, OSError)
        }

    def submit(self, worker: str, key: str, name: str, *arguments: object) -> Any:
        """Have a function of `worker_side` called in a thread of this worker; returns Dask's future."""
        with self._talking():
            return self._client.submit(_CALL, name, *arguments, key=key, workers=[worker], pure=False)

    def gather(self, futures: Sequence[Any]) -> tuple[list[Any], dict[str, str]]:
        """What came of futures that are done: results, and why others failed, by key. The rest was lost."""
        killed = self._dask.scheduler.KilledWorker
        failures = {}
        for future in futures:
            if future.status == "error" and not isinstance(problem := future.exception(), (OSError, killed)):
                failures[future.key] = _unfit(problem)
        with self._talking():
            finished = [future for future in futures if future.status == "finished"]
            return [answer for answer in self._client.gather(finished, errors="skip") if answer], failures

    @contextmanager
    def _talking(self) -> Iterator[None]:
        """Inside, whatever is raised because the connection is lost is an OSError."""
        try:
            yield
        except Exception as problem:
            if self.is_connected and not isinstance(problem, CancelledError):
                raise
            raise OSError(str(problem)) from problem

    def close(self, *, farewell: Callable[[], object]) -> None:
        """Say goodbye, and leave; end the cluster if it was started here."""
        if self.is_connected:
            with suppress(TimeoutError, OSError):
                aside(farewell).result(CLOSE_SECONDS)
        if self._client is not None:
            with suppress(Exception):  # whatever is wrong with the connection, it is not needed any more
                aside(lambda: self._client.close(timeout=CONNECT_SECONDS)).result(CLOSE_SECONDS)
        if self._own is not None:
            self._own.close()


def aside(call: Callable[[], T]) -> Future[T]:
    """Call a function that may take long in a daemon thread."""
    future: Future[T] = Future()

    def work() -> None:
        try:
            future.set_result(call())
        except BaseException as problem:  # noqa: BLE001 - it is raised where the result is asked for
            future.set_exception(problem)

    Thread(target=work, daemon=True).start()
    return future


@contextmanager
def hushed() -> Iterator[None]:
    """Inside, Dask logs nothing and warns of nothing."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in NOISY]
    loggers = [logging.getLogger(name) for name in names]
    before = [logger.disabled for logger in loggers]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"distributed\b")
        for logger in loggers:
            logger.disabled = True
        try:
            yield
        finally:
            for logger, was_disabled in zip(loggers, before, strict=True):
                logger.disabled = was_disabled


def _caller() -> Callable[..., Any]:
    """Calls a function of `worker_side` by its name.

    A function inside a function is sent by value. So neither the scheduler nor a worker needs League to receive it.
    """

    def call(name: str, *arguments: object) -> Any:
        from league.extensions.dask import worker_side

        return getattr(worker_side, name)(*arguments)

    return call


_CALL = _caller()


def _unfit(problem: BaseException) -> str:
    """Why a worker cannot play."""
    if isinstance(problem, ImportError):
        lacking = problem.name or ""
        if lacking == "league":
            return "it has no League: install it there, in the same version as here"
        if lacking.startswith("league."):
            return "it has another version of League: install the same one as here"
        return f"it cannot import League: {problem}"
    return f"it failed with {type(problem).__name__}: {safe(str(problem).split(chr(10))[0])}"
