"""Reproducible random numbers: while bots run, `random` and `numpy.random` draw from the bot's own match.

Both modules are shared by all games of a block, which advance together; a bot that used them would mix its games up.
So their functions are replaced by ones that ask whose turn it is. Generators that are made without a seed get one from
the match too. Only what bots get straight from the operating system is beyond this; `league verify` finds that.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from functools import cache
from threading import get_ident
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from league.hosts.bot import BotTable

SEED_BITS = 64


class Current:
    """Whose turn it is, and in which thread: other threads may use the modules at the same time."""

    __slots__ = ("table", "thread")

    def __init__(self) -> None:
        self.table: BotTable | Loading | ManyTables | None = None
        self.thread = 0

    def rng(self) -> random.Random | None:
        """The random numbers of the match under way, if it is a bot that asks."""
        table = self.table
        return None if table is None or get_ident() != self.thread else table.rng


current = Current()


class Loading:
    """While a bot's file is run there is no match yet: its random numbers are the same every time."""

    def __init__(self) -> None:
        self.rng = random.Random(0)


class ManyTables:
    """While a bot answers for many tables at once, there is no match whose random numbers could be meant."""

    @property
    def rng(self) -> random.Random:
        """Raises: numbers that the tables share would depend on which tables are asked together."""
        raise RuntimeError("choose_many must draw from the rng of each bot's own table, not from a shared generator")


Routes = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]
"""A module's names, those that are replaced, and what they were."""


class Routed:
    """Inside, the shared modules draw from the match of the bot that is running.

    It may be entered again inside. Only the outermost replaces and restores, since that takes longer than a decision.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._routes: list[Routes] = []

    def __enter__(self) -> None:
        current.thread = get_ident()
        self._depth += 1
        if len(self._routes) < 1 + ("numpy.random" in sys.modules):
            self._routes = [_routes_of_random()]
            if "numpy.random" in sys.modules:
                self._routes.append(_routes_of_numpy())
            for module, replaced, _ in self._routes:
                module.update(replaced)

    def __exit__(self, *error: object) -> None:
        current.table = None
        self._depth -= 1
        if not self._depth:
            for module, _, original in self._routes:
                module.update(original)
            self._routes = []


routed = Routed()


@cache
def _routes_of_random() -> Routes:
    names = [
        name
        for name in random.__all__
        if not isinstance(getattr(random, name), type) and name not in ("getstate", "seed", "setstate")
    ]
    replaced = {name: _method_of_rng(name, getattr(random, name)) for name in names}
    replaced |= {"seed": _seed, "Random": Seeded}
    return vars(random), replaced, {name: getattr(random, name) for name in replaced}


def _method_of_rng(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    def drawn(*args: Any, **kwargs: Any) -> Any:
        rng = current.rng()
        return original(*args, **kwargs) if rng is None else getattr(rng, name)(*args, **kwargs)

    drawn.__name__ = name
    return drawn


_original_seed = random.seed


def _seed(a: Any = None, version: int = 2) -> None:
    rng = current.rng()
    if rng is None:
        _original_seed(a, version)
    else:
        rng.seed(rng.getrandbits(SEED_BITS) if a is None else a, version)


class Seeded(random.Random):
    """`random.Random`; made without a seed, it takes one from the match under way."""

    def __init__(self, x: Any = None) -> None:
        rng = current.rng() if x is None else None
        super().__init__(x if rng is None else rng.getrandbits(SEED_BITS))


@cache
def _routes_of_numpy() -> Routes:
    from numpy import random as shared

    state = shared.mtrand._rand
    replaced = {
        name: _method_of_state(name, value)
        for name, value in vars(shared).items()
        if getattr(value, "__self__", None) is state and name not in ("get_state", "set_state")
    }
    replaced["default_rng"] = _default_rng
    return vars(shared), replaced, {name: getattr(shared, name) for name in replaced}


def _method_of_state(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    from numpy.random import RandomState

    def drawn(*args: Any, **kwargs: Any) -> Any:
        rng: Any = current.rng()
        if rng is None:
            return original(*args, **kwargs)
        if not hasattr(rng, "numpy"):  # one for each match, made when it is first needed
            rng.numpy = RandomState(rng.getrandbits(32))
        if name == "seed" and not args:
            args = (rng.getrandbits(32),)
        return getattr(rng.numpy, name)(*args, **kwargs)

    drawn.__name__ = name
    return drawn


def _default_rng(seed: Any = None) -> Any:
    from numpy.random import _generator

    rng = current.rng() if seed is None else None
    return _generator.default_rng(seed if rng is None else rng.getrandbits(SEED_BITS))
