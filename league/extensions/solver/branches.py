"""Follows every branch of a bot's random numbers, for the exact frequency of each move.

The bot runs in this process, so it must be a trusted one. Wherever it draws by `choice`, `choices`, `randrange`,
`randint` or `sample`, it is run again for every result that the draw can have. What it draws otherwise has no branches
that can be counted, and its frequencies must be estimated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from random import Random
from typing import Any, NoReturn

from league.games.contract import Game, View
from league.hosts.bot import BotTable
from league.hosts.seeded_random import current
from league.hosts.trusted import CAUGHT, TrustedHost

FAULT = -1
"""Instead of a move: the bot was at fault."""
Mix = dict[int, float]
"""Move to how often it is made; `FAULT` is one of them."""
MOST_BRANCHES = 5_000
"""The limit for one decision."""
MOST_DRAWS = 100
"""In one branch: `sample` draws again what it has drawn already, over and over where that is the first branch."""


class UntraceableError(BaseException):
    """A draw whose branches cannot be followed. A `BaseException`, so that bots do not catch it."""


class Script(Random):
    """Random numbers that follow a script: the branch to take at each draw, and the first branch after its end.

    `choice`, `randrange`, `randint`, `sample` and `shuffle` of `Random` draw by `_randbelow` alone.
    """

    gauss_next = None  # as after a seed

    def __init__(self, script: Sequence[int]) -> None:
        # `Random` itself is not seeded, which takes long: none of its own numbers are ever drawn.
        self._script = script
        self.taken: list[tuple[int, list[float]]] = []
        """For each draw, the branch that was taken and the probabilities of all branches."""
        self.is_traceable = True

    def _branch(self, likely: list[float]) -> int:
        """Which of these branches is taken."""
        possible = [branch for branch, often in enumerate(likely) if often > 0]
        if len(possible) == 1:
            return possible[0]
        step = len(self.taken)
        if step > MOST_DRAWS:
            self._give_up()
        branch = self._script[step] if step < len(self._script) else possible[0]
        self.taken.append((branch, likely))
        return branch

    def _randbelow(self, n: int) -> int:
        if n > MOST_BRANCHES:
            self._give_up()
        return self._branch([1 / n] * n)

    def choices(self, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1) -> list[Any]:
        if weights is None and cum_weights is None:
            return [self.choice(population) for _ in range(k)]
        ends = list(cum_weights) if cum_weights is not None else list(accumulate(weights))
        if len(ends) != len(population) or not ends[-1] > 0:
            raise ValueError("The number of weights does not match the population, or they add up to nothing")
        likely = [(end - start) / ends[-1] for start, end in zip([0, *ends], ends, strict=False)]
        return [population[self._branch(likely)] for _ in range(k)]

    def random(self) -> float:
        self._give_up()

    def getrandbits(self, k: int, /) -> int:
        self._give_up()

    def _give_up(self) -> NoReturn:
        self.is_traceable = False
        raise UntraceableError


class ScriptedTable(BotTable):
    """A table whose random numbers follow a script."""

    __slots__ = ("_script",)

    def __init__(self, game: Game, seat: int, script: Script) -> None:
        super().__init__(game, seat, 0)
        self._script = script

    @property
    def rng(self) -> Random:
        return self._script


class Branches:
    """A bot whose branches are followed. Every view is a match of its own."""

    def __init__(self, host: TrustedHost, game: Game) -> None:
        self._host = host
        self._bot = host.bot
        self._game = game
        self._wants_table = self._bot is not None and self._bot.__init__ is not object.__init__
        self._starts = hasattr(self._bot, "start")
        self._is_traceable = self._bot is not None and not callable(getattr(self._bot, "choose_many", None))
        """A bot that answers for many views is asked with seeds: many at once is what it is quick at."""

    def mixes(self, views: Sequence[View]) -> list[Mix] | None:
        """How often the bot makes each move in each view, or None if that cannot be known."""
        if not self._is_traceable:
            return None
        try:
            return self._host.run(lambda: [self._mix(view) for view in views], len(views))
        except UntraceableError:
            self._is_traceable = False
            return None

    def _mix(self, view: View) -> Mix:
        mix: Mix = {}
        for branches, (move, often) in enumerate(_all_branches(lambda script: self._move(view, script))):
            mix[move] = mix.get(move, 0.0) + often
            if branches >= MOST_BRANCHES:
                raise UntraceableError
        return mix

    def _move(self, view: View, script: Script) -> int:
        try:
            chosen = self._choose(view, script)
            move = chosen if type(chosen) is int and chosen in view.legal else FAULT
        except CAUGHT:
            move = FAULT
        if not script.is_traceable:  # a bot that catches everything hides the error
            raise UntraceableError
        return move

    def _choose(self, view: View, script: Script) -> Any:
        table = ScriptedTable(self._game, view.seat, script)
        current.table = table
        bot = self._bot(table) if self._wants_table else self._bot()
        if self._starts:
            bot.start(table)
        return bot.choose(view)


def _all_branches(run: Callable[[Script], int]) -> Iterator[tuple[int, float]]:
    """The result of a run and its probability, for every combination of its draws."""
    scripts: list[list[int]] = [[]]
    while scripts:
        prefix = scripts.pop()
        script = Script(prefix)
        result = run(script)
        often = 1.0
        for step, (branch, likely) in enumerate(script.taken):
            often *= likely[branch]
            if step >= len(prefix):
                begun = [taken for taken, _ in script.taken[:step]]
                scripts += [[*begun, other] for other, p in enumerate(likely) if other != branch and p > 0]
        yield result, often
