"""The interface to what plays sittings: processes of this machine, or a Dask cluster.

Results come back in any order, and no result depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from league.commands import EXECUTORS, executors, load
from league.errors import LeagueError, did_you_mean
from league.values.block import Abandoned, BlockResult, Sitting, Unavailable

if TYPE_CHECKING:
    from league.play.worker import Team

GRACE = 1.0
"""Seconds that blocks under way may take to finish once the user wants to stop."""

Notice = Callable[[str], None]
Stopping = Callable[[], bool]
"""Whether the user wants to stop: asked several times a second."""


Results = Sequence[BlockResult | Unavailable | Abandoned]
Returned = tuple[Sitting, Results]


class Executor(Protocol):
    """Plays sittings."""

    @property
    def wants_more(self) -> bool:
        """Whether a sitting may be submitted now: workers have a few in hand, so that none waits."""

    def submit(self, sitting: Sitting) -> None:
        """Have a sitting played."""

    def wait(self) -> Iterator[Returned]:
        """What has come back, after a tenth of a second at most; at once if nothing is under way.

        A sitting may come back in parts, with some of its blocks each. A `LeagueError` of a worker (for example, its
        machine lacks the isolation that was asked for) is raised here, on a cluster once no worker is left that can
        play.
        """

    def close(self, *, in_peace: bool = False) -> None:
        """End the workers: at once, or `in_peace` if they have nothing to do."""


OpenExecutor = Callable[["Team", int, Path, Sequence[int], Notice], Executor]
"""Opens an executor with so many workers. They log to a file, and keep none of these descriptors open."""


def executor_of(word: str, scheduler: str = "") -> OpenExecutor:
    """What opens the executor of that name, or Dask's for a scheduler: its address, or the file that it writes that to.

    Without one, it is the scheduler that Dask's configuration names; if it names none, a cluster is started on this
    machine.
    """
    if scheduler:
        return partial(load(EXECUTORS["dask"]), scheduler=scheduler)
    if word not in executors():
        near = did_you_mean(word, executors())
        raise LeagueError(f"expected executor as one of {', '.join(executors())}, found {word!r}.{near}")
    opened: OpenExecutor = load(EXECUTORS[word])
    return opened
