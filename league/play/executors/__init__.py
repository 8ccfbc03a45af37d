"""The interface to what plays sittings: processes of this machine, or a Dask cluster.

Results come back in any order, and no result depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from math import inf
from time import monotonic
from typing import NamedTuple, Protocol

from league.values.block import Block, BlockResult, Sitting, Unavailable

GRACE = 1.0
"""Seconds that blocks under way may take to finish once the user wants to stop."""

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


def play_all(executor: Executor, sittings: Iterable[Sitting | None], stopping: Stopping) -> BlockResults:
    """Play all sittings; once `stopping`, end within two seconds. None among them: there are none to hand out now."""
    ahead = iter(sittings)
    under_way: set[Block] = set()
    deadline = inf
    try:
        while True:
            if deadline == inf and stopping():
                deadline = monotonic() + GRACE
            while deadline == inf and executor.wants_more and (sitting := next(ahead, None)) is not None:
                executor.submit(sitting)
                under_way.update(sitting.blocks)
            if not under_way or monotonic() > deadline:
                return
            for sitting, results in executor.wait():
                under_way.difference_update(sitting.blocks)
                yield from results
    finally:
        executor.close(in_peace=not under_way)
