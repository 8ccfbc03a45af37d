"""Follows every branch of a bot's random numbers, for the exact frequency of each move.

The bot runs in this process, so it must be a trusted one. Wherever it draws by `choice`, `choices`, `randrange`,
`randint` or `sample`, it is run again for every result that the draw can have, unless it returns what it drew without
looking at it. What it draws otherwise has no branches that can be counted, and its frequencies must be estimated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, permutations
from math import perm
from random import Random
from typing import Any, NoReturn

from league.games.contract import Game, View
from league.hosts.bot import BotTable
from league.hosts.seeded_random import current
from league.hosts.trusted import CAUGHT, TrustedHost


class LookedAtError(BaseException):
    """A bot uses a token instead of just keeping or returning it. A `BaseException`, so that bots do not catch it."""


class Token:
    """Stands for a drawn int. All that an int can do raises `LookedAtError`; what an int cannot do fails anyway."""

    __slots__ = ("blindfold", "items", "likely")

    def __init__(self, items: Sequence[int], likely: Sequence[float], blindfold: Blindfold) -> None:
        self.items = items
        self.likely = likely
        self.blindfold = blindfold


def _look(token: Token, *_: object) -> NoReturn:
    object.__getattribute__(token, "blindfold").looked_at = True
    raise LookedAtError


_NEEDED = {"__class__", "__doc__", "__init__", "__init_subclass__", "__new__", "__setattr__", "__subclasshook__"}
for _name in {*dir(int), "__copy__", "__deepcopy__"} - _NEEDED:
    setattr(Token, _name, _look)


FAULT = -1
"""Instead of a move: the bot was at fault."""
Mix = dict[int, float]
"""Move to how often it is made; `FAULT` is one of them."""
MOST_BRANCHES = 5_000
"""The limit for one decision."""


class UntraceableError(BaseException):
    """A draw whose branches cannot be followed. A `BaseException`, so that bots do not catch it."""


class Script(Random):
    """Random numbers that follow a script: the branch to take at each draw, and the first branch after its end."""

    gauss_next = None  # as after a seed

    def __init__(self, script: Sequence[int]) -> None:
        # `Random` itself is not seeded, which takes long: none of its own numbers are ever drawn.
        self._script = script
        self.taken: list[tuple[int, list[float]]] = []
        """For each draw, the branch that was taken and the probabilities of all branches."""
        self.is_traceable = True

    def _give_up(self) -> NoReturn:
        self.is_traceable = False  # a bot that catches everything would hide the error
        raise UntraceableError

    def _one_of(self, items: Any, likely: list[float] | None = None) -> Any:
        """One of the items, which are equally likely unless `likely` is given."""
        if len(items) == 1:
            return items[0]
        if len(items) > MOST_BRANCHES:
            self._give_up()
        return self._drawn(items, likely or [1 / len(items)] * len(items))

    def _drawn(self, items: Any, likely: list[float]) -> Any:
        step = len(self.taken)
        branch = self._script[step] if step < len(self._script) else next(i for i, p in enumerate(likely) if p > 0)
        self.taken.append((branch, likely))
        return items[branch]

    def choice(self, seq: Any) -> Any:
        if not len(seq):
            raise IndexError("Cannot choose from an empty sequence")
        return self._one_of(seq)

    def choices(self, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1) -> list[Any]:
        if weights is None and cum_weights is None:
            return [self._one_of(population) for _ in range(k)]
        ends = list(cum_weights) if cum_weights is not None else list(accumulate(weights))
        if len(ends) != len(population) or not ends[-1] > 0:
            raise ValueError("The number of weights does not match the population, or they add up to nothing")
        likely = [(end - start) / ends[-1] for start, end in zip([0, *ends], ends, strict=False)]
        return [self._one_of(population, likely) for _ in range(k)]

    def randrange(self, start: Any, stop: Any = None, step: Any = 1) -> int:
        numbers = range(start) if stop is None else range(start, stop, step)
        if not numbers:
            raise ValueError("empty range for randrange()")
        number: int = self._one_of(numbers)
        return number

    def randint(self, a: int, b: int) -> int:
        return self.randrange(a, b + 1)

    def sample(self, population: Any, k: int, *, counts: Any = None) -> list[Any]:
        if counts is not None:
            self._give_up()
        if not 0 <= k <= len(population):
            raise ValueError("Sample larger than population or is negative")
        if perm(len(population), k) > MOST_BRANCHES:
            self._give_up()
        return list(self._one_of(list(permutations(population, k))))

    def shuffle(self, x: Any) -> None:
        x[:] = self.sample(list(x), len(x))

    def random(self) -> float:
        self._give_up()

    def getrandbits(self, k: int, /) -> int:
        self._give_up()


class Blindfold(Script):
    """Random numbers that are tokens, and whether any of them was looked at."""

    def __init__(self) -> None:
        super().__init__(())
        self.looked_at = False

    def _drawn(self, items: Any, likely: list[float]) -> Token:
        if not all(type(item) is int for item in items):  # others cannot be replaced, and count as looked at
            self.looked_at = True
            raise LookedAtError
        return Token(items, likely, self)


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
            return self._host.run(
                lambda: [self._at_once(view) or self._branch_by_branch(view) for view in views], len(views)
            )
        except UntraceableError:
            self._is_traceable = False
            return None

    def _at_once(self, view: View) -> Mix | None:
        """The mix from one run, if the bot looks at nothing that it draws."""
        blindfold = Blindfold()
        try:
            move = self._choose(view, blindfold)
        except (LookedAtError, UntraceableError):
            return None
        except CAUGHT:  # perhaps because of a token
            return None
        if blindfold.looked_at or not blindfold.is_traceable:  # the bot has caught the error
            return None
        if type(move) is not Token:
            return {_legal(move, view): 1.0}
        get = object.__getattribute__
        mix: Mix = {}
        for drawn, often in zip(get(move, "items"), get(move, "likely"), strict=True):
            if often > 0:
                legal = _legal(drawn, view)
                mix[legal] = mix.get(legal, 0.0) + often
        return mix

    def _branch_by_branch(self, view: View) -> Mix:
        mix: Mix = {}
        for branches, (move, often) in enumerate(_all_branches(lambda script: self._move(view, script))):
            mix[move] = mix.get(move, 0.0) + often
            if branches >= MOST_BRANCHES:
                raise UntraceableError
        return mix

    def _move(self, view: View, script: Script) -> int:
        try:
            move = _legal(self._choose(view, script), view)
        except UntraceableError:
            raise
        except CAUGHT:
            move = FAULT
        if not script.is_traceable:
            raise UntraceableError
        return move

    def _choose(self, view: View, script: Script) -> Any:
        table = ScriptedTable(self._game, view.seat, script)
        current.table = table
        bot = self._bot(table) if self._wants_table else self._bot()
        if self._starts:
            bot.start(table)
        return bot.choose(view)


def _legal(move: object, view: View) -> int:
    return move if type(move) is int and move in view.legal else FAULT


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
