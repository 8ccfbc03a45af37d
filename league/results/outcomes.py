"""How every game of a block ended, in a few bytes a game.

Packed outcomes are one byte, the width of a number in bytes (1, 2, 4 or 8), plus 16 if zlib has compressed what
follows. Then come, for each game in the order of the deals, the ranks of the entrants and their points, in the order of
the lineup, as signed integers, the lowest byte first.

Who sat where is not in them: it follows from the series and the deal. `league.results.games` reads them as columns.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import chain
from struct import pack as packed_numbers
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from league.results.untrusted import expect, unpacked
from league.values.block import Block, BlockResult, Fault, Usage

FORMATS = {1: "b", 2: "h", 4: "i", 8: "q"}
"""By width, as `struct` calls them."""
COMPRESSED = 16
WORTH_COMPRESSING = 64
"""In bytes: fewer never become less."""


class Ending(NamedTuple):
    """How one game ended."""

    ranks: tuple[int, ...]
    """By entrant, in the order of the lineup; bots at fault are last."""
    points: tuple[int, ...]
    """The game's own, by entrant."""
    forfeited: tuple[int, ...] = ()
    """Indices of the entrants who forfeited it after too many faults in the match, ascending."""


def pack(endings: Sequence[Ending]) -> bytes:
    """The endings of a block's games, in the order of its deals, as bytes; without who forfeited."""
    numbers = [*chain.from_iterable((*ending.ranks, *ending.points) for ending in endings)]
    most = max(max(numbers), ~min(numbers))
    width = next(width for width in FORMATS if most < 1 << 8 * width - 1)
    plain = packed_numbers(f"<{len(numbers)}{FORMATS[width]}", *numbers)
    compressed = zlib.compress(plain) if len(plain) >= WORTH_COMPRESSING else plain
    return bytes([COMPRESSED + width]) + compressed if len(compressed) < len(plain) else bytes([width]) + plain


def numbers_of(code: int, packed: Sequence[bytes], counts: Sequence[int]) -> NDArray[np.integer]:
    """All numbers in packed outcomes that begin with this byte, so many in each; other outcomes are refused."""
    width = code & ~COMPRESSED
    expect(width in FORMATS, "expected outcomes of games in a known format", code)
    sizes, contents = [width * count for count in counts], [outcomes[1:] for outcomes in packed]
    if code & COMPRESSED:
        contents = [unpacked(content, size) for content, size in zip(contents, sizes, strict=True)]
    expect([*map(len, contents)] == sizes, "expected outcomes of as many games as their blocks have, found others")
    return np.frombuffer(b"".join(contents), f"<i{width}")


def result_of(
    block: Block,
    endings: Sequence[Ending],
    faults: Sequence[Fault] = (),
    usage: Sequence[Usage] = (),
    moves: bytes = b"",
) -> BlockResult:
    """The result of a block whose games ended so, in the order of its deals."""
    forfeits = [(deal, entrant) for deal, ending in enumerate(endings, block.first) for entrant in ending.forfeited]
    return BlockResult(block, pack(endings), tuple(faults), tuple(usage), tuple(forfeits), moves)
