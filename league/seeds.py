"""Where every random number starts: a keyed hash of what it is for, never of when, where or in which order.

`seed_for(2026, "deal", "raj", 2, 17)` is the same number on every machine, in every process, for ever.
"""

from __future__ import annotations

from hashlib import blake2b


def seed_for(league_seed: int, *purpose: str | int) -> int:
    """A 64-bit seed for one purpose; purposes that differ in any part are independent."""
    words = "\x1f".join([f"{word}" if type(word) is str else f"{word:d}" for word in purpose])
    key = league_seed.to_bytes(16, "big", signed=True)
    return int.from_bytes(blake2b(words.encode(), digest_size=8, key=key).digest(), "big")
