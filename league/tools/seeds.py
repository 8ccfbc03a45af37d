"""Where every random number starts: a keyed hash of what it is for, never of when, where or in which order.

`seed_for(2026, "deal", "raj", 2, 17)` is the same number on every machine, in every process, for ever.
"""

from __future__ import annotations

from hashlib import blake2b

Word = str | int


class Seeds:
    """Seeds for purposes with a common beginning: `Seeds(2026, "deal", "raj", 2).of(17)` hashes only what differs."""

    __slots__ = ("_begun",)

    def __init__(self, league_seed: int, *beginning: Word) -> None:
        key = league_seed.to_bytes(16, "big", signed=True)
        self._begun = blake2b(_spelt(beginning), digest_size=8, key=key)

    def of(self, *rest: Word) -> int:
        """A 64-bit seed; purposes that differ in any word are independent."""
        hashed = self._begun.copy()
        hashed.update(_spelt(rest))
        return int.from_bytes(hashed.digest(), "big")


def seed_for(league_seed: int, *purpose: Word) -> int:
    """A 64-bit seed for one purpose; purposes that differ in any word are independent."""
    return Seeds(league_seed, *purpose).of()


def _spelt(words: tuple[Word, ...]) -> bytes:
    """Every word with a terminator, so that no two sequences of words give the same bytes."""
    return "".join([f"{word}\x1f" for word in words]).encode()
