"""How long games take: cuts work into blocks of about the same time, and says what is to be expected.

Both follow the processor time that each bot was seen to need for a game of each contest, in this run or before: a
busy machine changes nothing. How deals are cut into blocks changes no result. Quick bots play thousands of games in one
block and slow ones a few, so a kill never costs more than some seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from league.plan.schedule import Fixture, whole_matches
from league.values.block import Block, BlockResult, Entrant, Series

BLOCK_GAMES = 2048
"""Large enough that starting hosts costs little."""
SECONDS = 2.0
"""That a block should take."""
FIRST_GAMES = 2
"""For bots whose speed is not known yet: a slow one must not lose its first block again and again."""

Known = tuple[str, Entrant]
"""The key of a contest, and a bot."""


class Cost:
    """Games, and the processor time in seconds that they took."""

    __slots__ = ("games", "seconds")

    def __init__(self, games: int = 0, seconds: float = 0.0) -> None:
        self.games = games
        self.seconds = seconds

    def add(self, games: int, seconds: float) -> None:
        """Count more of them."""
        self.games += games
        self.seconds += seconds


class Pace:
    """What each bot needs for a game of each contest: its own processor time, and its share of the worker's."""

    def __init__(self) -> None:
        self._costs: dict[Known, Cost] = {}

    def know(self, key: str, entrant: Entrant, games: int, seconds: float) -> None:
        """Record what games of a contest cost one of the bots."""
        self._costs.setdefault((key, entrant), Cost()).add(games, seconds)

    def learn(self, result: BlockResult) -> None:
        """Record what the bots of a block needed."""
        key = result.block.series.contest.key
        for entrant, seconds in costs(result):
            self.know(key, entrant, result.block.games, seconds)

    def cut(self, series: Series, first: int, stop: int) -> Iterator[Block]:
        """These deals in blocks of a size that is chosen when each is asked for."""
        while first < stop:
            size = whole_matches(self._games(series), series.contest.games_per_match)
            yield Block(series, first, min(first + size, stop))
            first += size

    def game_seconds(self, fixture: Fixture) -> float | None:
        """The processor time of an average game of a contest; None if no bot of it is known.

        Bots that are not known count as the mean of the others.
        """
        known = [self._seconds(fixture.contest.key, entrant) for entrant in fixture.entrants]
        found = [seconds for seconds in known if seconds is not None]
        return fixture.contest.players * sum(found) / len(found) if found else None

    def unknown(self, fixture: Fixture) -> list[Entrant]:
        """The bots of a contest that have not been seen playing it."""
        return [one for one in fixture.entrants if (fixture.contest.key, one) not in self._costs]

    def _seconds(self, key: str, entrant: Entrant) -> float | None:
        cost = self._costs.get((key, entrant))
        return None if cost is None else cost.seconds / cost.games

    def _games(self, series: Series) -> int:
        known = [self._seconds(series.contest.key, entrant) for entrant in series.lineup]
        seconds = sum(each for each in known if each is not None)
        most = FIRST_GAMES if None in known else BLOCK_GAMES
        return most if most * seconds <= SECONDS else int(SECONDS / seconds)


def costs(result: BlockResult) -> Iterable[tuple[Entrant, float]]:
    """What each bot of a block needed, in seconds of processor time, with its share of what the worker needed."""
    pairs = zip(result.block.series.lineup, result.usage, strict=True)
    return [(entrant, usage.seconds + usage.overhead) for entrant, usage in pairs]
