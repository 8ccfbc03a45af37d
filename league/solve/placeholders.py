"""Placeholders for drawn numbers that the bot has not used yet.

Most bots that mix end with `return self.rng.choices(cards, weights)[0]`. If what was drawn is returned untouched, one
run covers every branch: each number is returned as often as it was likely to be drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn


class LookedAtError(BaseException):
    """A bot uses a token instead of just keeping or returning it. A `BaseException`, so that bots do not catch it."""


class Purse:
    """Creates tokens, and records whether any of them was looked at."""

    def __init__(self) -> None:
        self.looked_at = False

    def token(self, items: Any, likely: Sequence[float]) -> Token:
        """A token for one of these ints. Items of other types cannot be replaced, and count as looked at."""
        if not all(type(item) is int for item in items):
            self.looked_at = True
            raise LookedAtError
        return Token(items, likely, self)


class Token:
    """Stands for a drawn int. All that an int can do raises `LookedAtError`; what an int cannot do fails anyway."""

    __slots__ = ("items", "likely", "purse")

    def __init__(self, items: Sequence[int], likely: Sequence[float], purse: Purse) -> None:
        self.items = items
        self.likely = likely
        self.purse = purse


def mix_of(token: Token) -> dict[int, float]:
    """The probability of each number."""
    get = object.__getattribute__
    found: dict[int, float] = {}
    for item, often in zip(get(token, "items"), get(token, "likely"), strict=True):
        if often > 0:
            found[item] = found.get(item, 0.0) + often
    return found


def _look(token: Token, *_: object) -> NoReturn:
    object.__getattribute__(token, "purse").looked_at = True
    raise LookedAtError


_NEEDED = {"__class__", "__doc__", "__init__", "__init_subclass__", "__new__", "__setattr__", "__subclasshook__"}
for _name in {*dir(int), "__copy__", "__deepcopy__"} - _NEEDED:
    setattr(Token, _name, _look)
