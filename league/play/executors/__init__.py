"""The interface to what plays sittings: processes of this machine, or a Dask cluster.

Results come back in any order, and no result depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import NamedTuple, Protocol

from league.values.block import Block, BlockResult, Sitting, Unavailable

Notice = Callable[[str], None]
"""Is called with a line for the user."""
Stopping = Callable[[], bool]
"""Whether the user wants to stop: asked several times a second."""


class Abandoned(NamedTuple):
    """A block that ended its worker again and again, and was left unplayed."""

    block: Block
    reason: str


BlockResults = Generator[BlockResult | Unavailable | Abandoned, None, None]
"""What was played, in any order; closing it ends the workers."""


class Executor(Protocol):
    """Plays sittings."""

    def play(self, sittings: Iterable[Sitting | None], stopping: Stopping) -> BlockResults:
        """Play all sittings, a bounded number at a time; once `stopping`, end within two seconds.

        None among them means that there are none to hand out until another result has been taken.

        A `LeagueError` of a worker (for example, its machine lacks the isolation that was asked for) is raised here, on
        a cluster once no worker is left that can play.
        """
