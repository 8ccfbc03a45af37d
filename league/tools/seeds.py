"""Where every random number starts: a keyed hash of what it is for, never of when, where or in which order.

`seed_for(2026, "deal", "raj", 2, 17)` is the same number on every machine, in every process, in every version.

The key is a secret. The hash is one-way, so the numbers that a bot gets tell nothing about any other purpose's, unless
the bot can guess the secret: one that is `drawn` cannot be guessed, one that is `stretched` from a seed only by trying
seeds, at tens of milliseconds and 16 MB each.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b, scrypt
from secrets import token_hex

Word = str | int
Secret = str | int
"""128 bits in hexadecimal; or a number, where no bot has a reason to guess it."""
SECRET_BYTES = 16


class Seeds:
    """Seeds for purposes with a common beginning: `Seeds(2026, "deal", "raj", 2).of(17)` hashes only what differs."""

    __slots__ = ("_begun",)

    def __init__(self, secret: Secret, *beginning: Word) -> None:
        key = bytes.fromhex(secret) if isinstance(secret, str) else secret.to_bytes(SECRET_BYTES, "big", signed=True)
        self._begun = blake2b(_spelt(beginning), digest_size=8, key=key)

    def of(self, *rest: Word) -> int:
        """A 64-bit seed; purposes that differ in any word are independent."""
        hashed = self._begun.copy()
        hashed.update(_spelt(rest))
        return int.from_bytes(hashed.digest(), "big")


def seed_for(secret: Secret, *purpose: Word) -> int:
    """A 64-bit seed for one purpose; purposes that differ in any word are independent."""
    return Seeds(secret, *purpose).of()


def drawn() -> str:
    """A new secret that cannot be guessed."""
    return token_hex(SECRET_BYTES)


@lru_cache(maxsize=16)
def stretched(seed: int) -> str:
    """The secret that follows from a seed that a user chose: always the same, and slow to compute."""
    return scrypt(str(seed).encode(), salt=b"league", n=2**14, r=8, p=1, dklen=SECRET_BYTES).hex()


def _spelt(words: tuple[Word, ...]) -> bytes:
    """Every word with a terminator, so that no two sequences of words give the same bytes."""
    return "".join([f"{word}\x1f" for word in words]).encode()
