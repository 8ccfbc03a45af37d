"""A bot's class and its instances, a slot each: the same code on every level of isolation.

The module `random` is shared by all games of a block, which advance together; a bot that uses it would mix them up.
So while bots run, the functions of `random` speak to the random numbers of the match whose bot is asked.
"""

from __future__ import annotations

import random
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from league.bot import Table
from league.game import Game, Outcome
from league.hosts import Begin, Trouble

TAIL_LINES = 12
TAIL_CHARACTERS = 2000

ROUTED = tuple(
    name
    for name in random.__all__
    if not isinstance(getattr(random, name), type) and name not in ("getstate", "setstate")
)


class _Current:
    """Whose turn it is, for the functions of `random`."""

    table: Table | None = None


def _route(name: str) -> Callable[..., Any]:
    original = getattr(random, name)

    def routed(*args: Any, **kwargs: Any) -> Any:
        table = _Current.table
        return original(*args, **kwargs) if table is None else getattr(table.rng, name)(*args, **kwargs)

    routed.__name__ = name
    return routed


_ORIGINAL = {name: getattr(random, name) for name in ROUTED}
_ROUTES = {name: _route(name) for name in ROUTED}


@contextmanager
def routed_random() -> Iterator[None]:
    """Inside, the functions of the module `random` draw from the match of the bot that is running."""
    vars(random).update(_ROUTES)
    try:
        yield
    finally:
        _Current.table = None
        vars(random).update(_ORIGINAL)


class Runtime:
    """One bot in one block. Call it inside `routed_random()`; its methods raise whatever the bot raises."""

    def __init__(self, name: str, code: CodeType, game: Game) -> None:
        self._game = game
        namespace: dict[str, Any] = {"__name__": name, "__builtins__": __builtins__}
        exec(code, namespace)  # noqa: S102 - running the bot is what a host is for
        self._bot: Any = namespace["Bot"]
        self._wants_table = self._bot.__init__ is not object.__init__
        self._starts = hasattr(self._bot, "start")
        self._finishes = hasattr(self._bot, "finish")
        self._tables: dict[int, Table] = {}
        self._bots: dict[int, Any] = {}
        self.choosers: dict[int, tuple[Callable[[Any], int], Table]] = {}
        """By slot: the bot's `choose`, and the table to make current before it is called."""

    def begin(self, begin: Begin) -> None:
        """A game begins in a slot: a new instance if the match is fresh, and its `start`."""
        slot = begin.slot
        table = Table(self._game, begin.seat, begin.seed)
        if begin.fresh or slot not in self._bots:
            _Current.table = table
            self._bots[slot] = self._bot(table) if self._wants_table else self._bot()
        else:
            table.share_random(self._tables[slot])
            _Current.table = table
        self._tables[slot] = table
        bot = self._bots[slot]
        if self._starts:
            bot.start(table)
        self.choosers[slot] = (bot.choose, table)

    def end(self, slot: int, outcome: Outcome) -> None:
        """A game is over in a slot: the bot's `finish`."""
        if self._finishes and slot in self._bots:
            _Current.table = self._tables[slot]
            self._bots[slot].finish(outcome)

    @staticmethod
    def make_current(table: Table) -> None:
        """From now on the functions of `random` draw for this table."""
        _Current.table = table


def trouble_of(slot: int, error: BaseException) -> Trouble:
    """What an exception that left a bot's code is called, in one line and with the end of its traceback."""
    kind = "memory" if isinstance(error, MemoryError) else "error"
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - the exception is the bot's own, and so is its __str__
        text = "(its message cannot be shown)"
    cause = f"{type(error).__name__}: {text}".replace("\n", " ")[:200]
    lines = traceback.format_exception(error)[-TAIL_LINES:]
    return Trouble(slot, kind, cause, "".join(lines)[-TAIL_CHARACTERS:])  # type: ignore[arg-type]
