"""A trial for one bot: some games against random ones in everything it plays, to see what it does wrong."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import msgspec

from league import games
from league.block import Block, Contest, Fault, Limits, Series
from league.config import Isolation
from league.game import plain
from league.roster import Bot
from league.worker import Team, Worker

DEALS = 5
"""At each table size that is tried; each is played in every seat rotation."""
_SEED = 0
_OPPONENT = b"""
class Bot:
    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        return self.rng.choice(view.legal)
"""


class Trial(msgspec.Struct, frozen=True):
    """How a bot did at one game."""

    game: str
    tables: tuple[int, ...]
    """The table sizes that were tried."""
    games: int
    decisions: int
    seconds: float
    """Processor time for its decisions."""
    faults: tuple[Fault, ...]


def random_bots(count: int) -> tuple[Bot, ...]:
    """So many bots that choose at random, whatever is played."""
    digest = blake2b(_OPPONENT, digest_size=16).hexdigest()
    return tuple(Bot(f"opponent-{number}", Path("opponent.py"), _OPPONENT, digest) for number in range(1, count + 1))


def trials(bot: Bot, isolation: Isolation, limits: Limits) -> Iterator[Trial]:
    """Play a bot in each of its games, at the smallest and at the largest table, always on the same deals."""
    most = max(games.find(name).player_counts[-1] for name in games.names())
    opponents = random_bots(most - 1)
    worker = Worker(Team((bot, *opponents), isolation, limits))
    try:
        for name in bot.games or games.names():
            counts = games.find(name).player_counts
            tables = tuple(dict.fromkeys((counts[0], counts[-1])))
            yield _trial(worker, name, tables, bot, opponents, limits)
    finally:
        worker.close()


def _trial(
    worker: Worker, name: str, tables: tuple[int, ...], bot: Bot, opponents: tuple[Bot, ...], limits: Limits
) -> Trial:
    played = decisions = 0
    seconds = 0.0
    faults: list[Fault] = []
    for players in tables:
        rules = games.make(name, players)
        contest = Contest(name, players, plain(rules.options), rules.version)
        lineup = tuple(sorted(entry.entrant() for entry in (bot, *opponents[: players - 1])))
        for rotation in range(players):
            block = Block(Series(contest, lineup, rotation, _SEED, limits), 0, DEALS)
            result = worker.play(block)
            used = result.usage[lineup.index(bot.entrant())]
            played += block.games
            decisions += used.decisions
            seconds += used.seconds
            faults += [fault for fault in result.faults if fault.bot == bot.name]
    return Trial(name, tables, played, decisions, seconds, tuple(faults))
