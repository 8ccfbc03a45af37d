"""Cuts work into blocks that take about as long as one likes to lose, whatever the bots' speed.

How deals are cut into blocks changes no result, so it may follow the clock: quick bots play hundreds of games in one
block, slow ones a few, and a kill or a look at the progress bar never costs more than some seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from league.plan.schedule import BLOCK_GAMES, whole_matches
from league.values.block import Block, BlockResult, Series

SECONDS = 2.0
"""That a block should take."""
FIRST_GAMES = 32
"""For bots whose speed is not known yet."""


class Pace:
    """Learns from results how long each bot takes for a game of each contest."""

    def __init__(self) -> None:
        self._seconds: dict[tuple[str, str], float] = {}

    def learn(self, result: BlockResult) -> None:
        """Take note of what the bots of a block needed."""
        key = result.block.series.contest.key
        for entrant, usage in zip(result.block.series.lineup, result.usage, strict=True):
            self._seconds[key, entrant.name] = usage.seconds / result.block.games

    def cut(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """The same deals in the same order, in blocks of a size that is chosen when each is asked for."""
        for block in blocks:
            first = block.first
            while first < block.stop:
                stop = min(first + self._games(block.series), block.stop)
                yield Block(block.series, first, stop)
                first = stop

    def _games(self, series: Series) -> int:
        known = [self._seconds.get((series.contest.key, entrant.name)) for entrant in series.lineup]
        seconds = sum(each for each in known if each is not None)
        most = FIRST_GAMES if None in known else BLOCK_GAMES
        games = most if most * seconds <= SECONDS else int(SECONDS / seconds)
        return whole_matches(games, series.contest.games_per_match)
