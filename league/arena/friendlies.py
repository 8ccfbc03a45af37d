"""Games that do not count: practice on request, and a new version against the last one and the milestones."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from league.play.worker import Team, Worker
from league.setup.roster import Bot, random_bot, told_apart
from league.tools.text import counted, safe
from league.values.block import Block, Series
from league.values.settings import Config, Contest, Isolation

DEALS = 8
"""Of one request, each in every rotation."""
MOST_FAULTS = 5


class Friendly(msgspec.Struct, frozen=True):
    """How a bot did in a few games."""

    contest: str
    opponents: tuple[str, ...]
    games: int
    better: int
    equal: int
    worse: int
    """Than the first opponent."""
    faults: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """'against bob at raj-2p: ahead in 9, level in 1, behind in 6 of 16 games'."""
        results = f"ahead in {self.better}, level in {self.equal}, behind in {self.worse}"
        return f"against {self.opponents[0]} at {self.contest}: {results} of {counted(self.games, 'game')}"


class Friendlies:
    """Plays such games under the terms of a league."""

    def __init__(self, config: Config, isolation: Isolation, secret: str, private: Path) -> None:
        self._config = config
        self._isolation = isolation
        self._secret = secret
        self._private = (str(private.absolute()),)

    def play(self, bot: Bot, opponents: Sequence[Bot], contest: Contest) -> Friendly:
        """Some deals in every rotation; seats that are left are taken by random bots."""
        strangers = contest.players - 1 - len(opponents)
        table = [bot, *opponents, *(random_bot(f"random-{number}") for number in range(1, strangers + 1))]
        bots = told_apart(table)[: contest.players]
        config, lineup = self._config, tuple(player.entrant() for player in bots)
        team = Team(tuple(bots), self._isolation, config.limits, config.game_files(), self._private, keep_moves=False)
        deals = -(-DEALS // contest.games_per_match) * contest.games_per_match
        counts = [0, 0, 0]
        faults: list[str] = []
        with closing(Worker(team)) as worker:
            for rotation in range(contest.players):
                series = Series(contest, lineup, rotation, self._secret, config.limits, own_deals=True)
                result = worker.play(Block(series, 0, deals))
                for ranking in result.tally.rankings:
                    mine, other = ranking.ranks[0], ranking.ranks[1]
                    counts[(mine > other) - (mine < other) + 1] += ranking.games
                faults += [f"{fault.bot}: {fault.kind}: {safe(fault.cause)}" for fault in result.faults]
        names = tuple(player.name for player in bots[1:])
        better, equal, worse = counts
        shown = tuple(dict.fromkeys(faults))[:MOST_FAULTS]
        return Friendly(contest.key, names, sum(counts), better, equal, worse, shown)
