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
from struct import unpack as unpacked_numbers
from typing import NamedTuple

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


def numbers_of(packed: bytes, count: int) -> tuple[int, bytes]:
    """The width of the numbers in packed outcomes, and so many numbers as bytes; other outcomes are refused."""
    code = packed[0] if packed else 0
    width = code & ~COMPRESSED
    expect(width in FORMATS, "expected outcomes of games in a known format", code)
    content = unpacked(packed[1:], width * count) if code & COMPRESSED else packed[1:]
    expect(len(content) == width * count, f"expected outcomes of {width * count} bytes", len(content))
    return width, content


def endings_of(result: BlockResult) -> list[Ending]:
    """How the games of a block ended, in the order of its deals."""
    block = result.block
    players = len(block.series.lineup)
    width, content = numbers_of(result.outcomes, 2 * players * block.games)
    numbers = unpacked_numbers(f"<{2 * players * block.games}{FORMATS[width]}", content)
    forfeited: dict[int, list[int]] = {}
    for deal, entrant in result.forfeits:
        forfeited.setdefault(deal, []).append(entrant)
    starts = range(0, len(numbers), 2 * players)
    return [
        Ending(
            numbers[start : start + players],
            numbers[start + players : start + 2 * players],
            tuple(sorted(forfeited.get(deal, ()))),
        )
        for deal, start in enumerate(starts, block.first)
    ]


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
