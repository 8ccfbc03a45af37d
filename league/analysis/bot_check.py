"""A trial for one bot: some games against random bots in each contest, to find its faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import msgspec

from league.analysis.audit import Listener, why_not_alike
from league.games.contract import Game
from league.hosts import Host, Printed
from league.hosts.factory import HostFactory
from league.play.match import play_block
from league.setup.roster import Bot, random_bot
from league.values.block import Block, BlockResult, Entrant, Fault, Series
from league.values.settings import Contest, Isolation, Limits

DEALS = 5
"""In each contest, or the fewest that make a whole match; each deal is played in every seat rotation."""
MOST_PRINTED = 2000
"""Characters of what a bot prints that are kept."""
_SEED = 0

OnPlayed = Callable[[int], None]
"""Is called with the number of games that were played."""


class Trial(msgspec.Struct, frozen=True):
    """How a bot did at one game."""

    game: str
    tables: tuple[int, ...]
    """The table sizes that it was tried at."""
    games: int
    decisions: int
    seconds: float
    """Processor time for its decisions."""
    faults: tuple[Fault, ...]
    printed: Printed
    not_alike: str = ""
    """If it is not deterministic: in what way, as an audit would say it."""

    @property
    def not_loaded(self) -> bool:
        """Whether the bot could not even be loaded, so that it was not tried any further."""
        return any(fault.kind == "import" for fault in self.faults)


def random_bots(count: int) -> tuple[Bot, ...]:
    """N bots that choose at random, whatever is played."""
    return tuple(random_bot(f"opponent-{number}") for number in range(1, count + 1))


def games_of_trials(contests: Iterable[Contest]) -> int:
    """How many games the trials of a bot in these contests take."""
    return sum(_deals(contest) * contest.players for contest in contests)


def trials(
    bot: Bot, contests: Sequence[Contest], isolation: Isolation, limits: Limits, played: OnPlayed
) -> Iterator[Trial]:
    """Play a bot in some contests, always on the same deals; a trial for each game.

    A bot that cannot be loaded is tried no further: it would take as long to fail in every other game.
    """
    by_game: dict[str, list[Contest]] = {}
    for contest in contests:
        by_game.setdefault(contest.game, []).append(contest)
    most = max([contest.players for contest in contests], default=1)
    with _Stage(bot, random_bots(most - 1), isolation, limits, played) as stage:
        for name, of_game in by_game.items():
            trial = stage.trial(name, of_game)
            yield trial
            if trial.not_loaded:
                return


def _deals(contest: Contest) -> int:
    return -(-DEALS // contest.games_per_match) * contest.games_per_match


class _Stage:
    """Where a bot is tried."""

    def __init__(
        self, bot: Bot, opponents: Sequence[Bot], isolation: Isolation, limits: Limits, played: OnPlayed
    ) -> None:
        self._entrant = bot.entrant()
        self._opponents = [opponent.entrant() for opponent in opponents]
        self._bots = {entry.entrant(): entry for entry in (bot, *opponents)}
        self._limits = limits
        self._played = played
        self._factory = HostFactory(isolation, limits, on_print=self._hear)
        self._listener: Listener
        self._printed = Printed()

    def __enter__(self) -> _Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self._factory.close()

    def trial(self, name: str, contests: Sequence[Contest]) -> Trial:
        """Try the bot at the contests of one game."""
        self._printed = Printed()
        results = []
        not_alike = ""
        for block in self._blocks(contests):
            results.append(play_block(block, self._open))
            if len(results) == 1 and not self._faults(results):
                not_alike = self._why_not_alike(block)
            self._played(block.games)
            if any(fault.kind == "import" for fault in self._faults(results)):
                break
        usage = [result.usage[result.block.series.lineup.index(self._entrant)] for result in results]
        return Trial(
            game=name,
            tables=tuple(contest.players for contest in contests),
            games=sum(result.block.games for result in results),
            decisions=sum(used.decisions for used in usage),
            seconds=sum(used.seconds for used in usage),
            faults=tuple(self._faults(results)),
            printed=self._printed,
            not_alike=not_alike,
        )

    def _blocks(self, contests: Sequence[Contest]) -> Iterator[Block]:
        for contest in contests:
            lineup = tuple(sorted([self._entrant, *self._opponents[: contest.players - 1]]))
            for rotation in range(contest.players):
                yield Block(Series(contest, lineup, rotation, _SEED, self._limits), 0, _deals(contest))

    def _faults(self, results: list[BlockResult]) -> list[Fault]:
        return [fault for result in results for fault in result.faults if fault.bot == self._entrant.name]

    def _open(self, entrant: Entrant, game: Game) -> Host:
        host = self._factory.open(self._bots[entrant], game)
        if entrant != self._entrant:
            return host
        self._listener = Listener(host, game)
        return self._listener

    def _why_not_alike(self, block: Block) -> str:
        """Send the bot two matches of a block again, each alone, to see whether it is deterministic."""
        listener, bot = self._listener, self._bots[self._entrant]
        last = block.games // block.series.contest.games_per_match - 1
        told = [listener.told(slot) or [] for slot in {min(1, last), last}]
        printed = self._printed
        found = (why_not_alike(partial(self._factory.open, bot, listener.game), part) for part in told)
        reason = next(filter(None, found), "")
        self._printed = printed  # what it prints when the same is sent again is nothing new
        return reason

    def _hear(self, name: str, printed: Printed) -> None:
        if name == self._entrant.name:
            known = self._printed
            beginning = (known.beginning + printed.beginning)[:MOST_PRINTED]
            self._printed = Printed(known.size + printed.size, beginning)
