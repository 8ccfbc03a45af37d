"""A trial for one bot: some games against random ones in everything it plays, to see what it does wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import msgspec

from league import games
from league.games.contract import Game
from league.hosts import Host, Printed
from league.hosts.factory import HostFactory
from league.play.audit import Listener, why_not_alike
from league.play.match import play_block
from league.setup.roster import Bot, random_bot
from league.values.block import Block, BlockResult, Contest, Entrant, Fault, Limits, Series
from league.values.settings import Isolation

DEALS = 5
"""At each table size that is tried; each is played in every seat rotation."""
TOLD_AGAIN = (1, DEALS - 1)
"""The deals of the first block that the bot is told again, each alone, to see whether it is deterministic."""
_SEED = 0

OnPlayed = Callable[[int], None]
"""Is told of so many games as soon as they are over."""


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
    printed: Printed
    not_alike: str = ""
    """If it is not deterministic: in what way, as an audit would say it."""

    @property
    def not_loaded(self) -> bool:
        """Whether the bot could not even be loaded, so that it was not tried any further."""
        return any(fault.kind == "import" for fault in self.faults)


def random_bots(count: int) -> tuple[Bot, ...]:
    """So many bots that choose at random, whatever is played."""
    return tuple(random_bot(f"opponent-{number}") for number in range(1, count + 1))


def games_of_trials(bot: Bot, names: Sequence[str] = ()) -> int:
    """How many games the trials of a bot take, at some games or at all that it plays."""
    return sum(DEALS * players for name in names or _played_by(bot) for players in _tables(name))


def trials(
    bot: Bot, isolation: Isolation, limits: Limits, played: OnPlayed, names: Sequence[str] = ()
) -> Iterator[Trial]:
    """Play a bot in each of its games, or in those named, at the smallest and at the largest table.

    The deals are always the same.

    A bot that cannot be loaded is tried no further: it would take as long to fail in every other game.
    """
    chosen = names or _played_by(bot)
    with _Stage(bot, chosen, isolation, limits, played) as stage:
        for name in chosen:
            trial = stage.trial(name)
            yield trial
            if trial.not_loaded:
                return


class _Stage:
    """Where a bot is tried."""

    def __init__(self, bot: Bot, names: Sequence[str], isolation: Isolation, limits: Limits, played: OnPlayed) -> None:
        most = max(_tables(name)[-1] for name in names)
        self._entrant = bot.entrant()
        self._opponents = [opponent.entrant() for opponent in random_bots(most - 1)]
        self._bots = {entry.entrant(): entry for entry in (bot, *random_bots(most - 1))}
        self._limits = limits
        self._played = played
        self._factory = HostFactory(isolation, limits, on_print=self._hear)
        self._listener: Listener
        self._printed = Printed()

    def __enter__(self) -> _Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self._factory.close()

    def trial(self, name: str) -> Trial:
        """Try the bot at one game."""
        self._printed = Printed()
        results = []
        not_alike = ""
        for block in self._blocks(name):
            results.append(play_block(block, self._open))
            if len(results) == 1 and not self._faults(results):
                not_alike = self._why_not_alike()
            self._played(block.games)
            if any(fault.kind == "import" for fault in self._faults(results)):
                break
        usage = [result.usage[result.block.series.lineup.index(self._entrant)] for result in results]
        return Trial(
            game=name,
            tables=_tables(name),
            games=sum(result.block.games for result in results),
            decisions=sum(used.decisions for used in usage),
            seconds=sum(used.seconds for used in usage),
            faults=tuple(self._faults(results)),
            printed=self._printed,
            not_alike=not_alike,
        )

    def _blocks(self, name: str) -> Iterator[Block]:
        for players in _tables(name):
            rules = games.make(name, players)
            contest = Contest.of(rules)
            lineup = tuple(sorted([self._entrant, *self._opponents[: players - 1]]))
            for rotation in range(players):
                yield Block(Series(contest, lineup, rotation, _SEED, self._limits), 0, DEALS)

    def _faults(self, results: list[BlockResult]) -> list[Fault]:
        return [fault for result in results for fault in result.faults if fault.bot == self._entrant.name]

    def _open(self, entrant: Entrant, game: Game) -> Host:
        host = self._factory.open(self._bots[entrant], game)
        if entrant != self._entrant:
            return host
        self._listener = Listener(host, game)
        return self._listener

    def _why_not_alike(self) -> str:
        listener, bot = self._listener, self._bots[self._entrant]
        told = [listener.told(slot) or [] for slot in TOLD_AGAIN]
        printed = self._printed
        found = (why_not_alike(partial(self._factory.open, bot, listener.game), part) for part in told)
        reason = next(filter(None, found), "")
        self._printed = printed  # what it prints when it is told the same again is nothing new
        return reason

    def _hear(self, name: str, printed: Printed) -> None:
        if name == self._entrant.name:
            known = self._printed
            self._printed = Printed(known.size + printed.size, known.beginning or printed.beginning)


def _played_by(bot: Bot) -> tuple[str, ...]:
    return bot.games or tuple(games.names())


def _tables(name: str) -> tuple[int, ...]:
    counts = games.find(name).player_counts
    return tuple(dict.fromkeys((counts[0], counts[-1])))
