"""The interface to what plays sittings: processes of this machine, or a Dask cluster.

Results come back in any order, and no result depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from league.values.block import Abandoned, BlockResult, Sitting, Unavailable

GRACE = 1.0
"""Seconds that blocks under way may take to finish once the user wants to stop."""

Notice = Callable[[str], None]
"""Is called with a line for the user."""
Stopping = Callable[[], bool]
"""Whether the user wants to stop: asked several times a second."""


Results = Sequence[BlockResult | Unavailable | Abandoned]
"""What became of the blocks of a sitting."""
Returned = tuple[Sitting, Results]
"""A sitting that has come back."""


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
