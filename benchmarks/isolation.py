"""What isolation costs: the same blocks of Raj at every level, hosts renewed for every block, everything counted."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter

from league import games
from league.hosts.factory import HostFactory, pin
from league.play.match import play_block
from league.setup.roster import Bot
from league.values.block import Block, Series
from league.values.settings import Contest, Isolation, Limits

NEAREST = b"""
class Bot:
    def choose(self, view):
        return min(view.legal, key=lambda card: abs(card - view.prize))
"""
LEVELS: dict[str, Callable[[], HostFactory]] = {
    "trusted": lambda: HostFactory(Isolation.TRUSTED, Limits()),
    "process": lambda: HostFactory(Isolation.PROCESS, Limits()),
    "sandbox": lambda: HostFactory(Isolation.SANDBOX, Limits()),
}
SIZES = (1, 8, 64, 256, 512, 1024)
"""Games in a block."""
DECISIONS = 30
"""In a game of Raj for two."""
ROUNDS = 7
"""The best of so many rounds counts, the levels in turn: whatever else the machine does only adds."""


def run() -> Iterator[dict[str, object]]:
    """One row for each size of a block."""
    bots = [Bot(name, Path(f"{name}.py"), NEAREST, name) for name in ("ann", "bob")]
    with ExitStack() as stack:
        if hasattr(os, "sched_setaffinity"):
            stack.callback(os.sched_setaffinity, 0, os.sched_getaffinity(0))
        pin(0)  # as every worker is
        factories = {level: stack.enter_context(factory()) for level, factory in LEVELS.items()}
        for size in SIZES:
            block = _block(bots, size)
            best = dict.fromkeys(LEVELS, float("inf"))
            for _ in range(ROUNDS):
                for level, factory in factories.items():
                    best[level] = min(best[level], _seconds(factory, block, bots))
            cost = {level: seconds / (size * DECISIONS) * 1e6 for level, seconds in best.items()}
            yield {
                "games in a block": size,
                **{f"{level} µs": cost[level] for level in LEVELS},
                "sandbox / trusted": cost["sandbox"] / cost["trusted"],
            }


def _seconds(factory: HostFactory, block: Block, bots: list[Bot]) -> float:
    """To open hosts, play the block and close them."""
    by_entrant = {bot.entrant(): bot for bot in bots}
    began = perf_counter()
    play_block(block, lambda entrant, game: factory.open(by_entrant[entrant], game))
    return perf_counter() - began


def _block(bots: list[Bot], size: int) -> Block:
    rules = games.make("raj", 2)
    contest = Contest.of(rules)
    return Block(Series(contest, tuple(bot.entrant() for bot in bots), 0, 1, Limits()), 0, size)
