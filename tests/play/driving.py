"""Executors are driven by the loop of a run; here by the smallest one that there can be."""

from math import inf
from time import monotonic

from league.play.executors import GRACE


def play_all(executor, sittings, stopping=lambda: False):
    """What became of all blocks of these sittings; once `stopping`, of those that are over in time."""
    ahead = iter(sittings)
    under_way = set()
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
