"""The moves of every game of a block: kept in some bytes a game, and read again by the rules.

A move is kept as its index in the list of legal moves, in as few bits as the length of that list needs. So the moves of
a game can be read only by playing it, from its deal on. Packed moves are one byte, 1, or 2 if zlib has compressed what
follows, and then MessagePack of `[moves, sizes, lapses]`:

- `moves`: the bits of one game after the other, in the order of the deals, each filled up to whole bytes; in a game
  step by step, and in a step in the order of the seats;
- `sizes`: of each `GROUP` games, the number of their bytes, so that a game is found without reading all before it;
- `lapses`: `[game, entrant, step]` for every bot that was taken out of a game, from 0, in the order of the lineup, from
  1. What happened there is among the faults of the block; without a fault, the game was forfeited.

A list of n legal moves needs b bits if n is at most 2 to the power of b; the first 2^b - n of its moves have one bit
less, and all others are raised by that number.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

import msgspec

from league.errors import StoreError
from league.games.contract import State
from league.results.untrusted import expect, unpacked
from league.values.block import Count

PLAIN, COMPRESSED = 1, 2
GROUP = 32
"""Games that are read one after the other to get at one of them."""
MOST_BYTES = 16 << 20
"""The most bytes of a block's moves; if it would have more, they are not kept."""
WORTH_COMPRESSING = 64
"""In bytes: fewer never become less."""


class RecordedLapse(NamedTuple):
    """From which step on a bot's moves were chosen at random."""

    game: Count
    """Its index in the block."""
    entrant: Count
    """Its index in the lineup."""
    step: Count
    """The first one that was played for it, counted from 1."""


class PackedMoves(msgspec.Struct, array_like=True):
    """Moves as they are packed."""

    moves: bytes
    sizes: list[Count]
    lapses: list[RecordedLapse]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(PackedMoves)


@cache
def _codes(legal: int) -> tuple[str, ...]:
    """The bits of each of so many legal moves."""
    bits = (legal - 1).bit_length()
    shorter = (1 << bits) - legal
    numbers = ((index, bits - 1) if index < shorter else (index + shorter, bits) for index in range(legal))
    return tuple([f"{number:0{width}b}" if width else "" for number, width in numbers])


def code_of(legal: Sequence[int], move: int) -> str:
    """The bits of a legal move; raises ValueError for another one."""
    return _codes(len(legal))[legal.index(move)]


@cache
def _indices(size: int) -> tuple[int, dict[str, int]]:
    """For this many legal moves: the bits of the longest code, and the index of the move that each code stands for."""
    codes = {code: index for index, code in enumerate(_codes(size))}
    return max([1, *map(len, codes)]), codes


def bits_of_game(codes: Sequence[str]) -> str:
    """The moves of one game as the bits of whole bytes."""
    bits = "".join(codes)
    return bits + "0" * (-len(bits) % 8)


def pack(games: Sequence[str], lapses: Sequence[RecordedLapse] = ()) -> bytes:
    """The moves of a block's games, in the order of its deals; empty if they are too many to be kept."""
    sizes = [sum(map(len, games[first : first + GROUP])) // 8 for first in range(0, len(games), GROUP)]
    size = sum(sizes)
    moves = int("".join(games), 2).to_bytes(size) if size else b""
    plain = _encoder.encode(PackedMoves(moves, sizes, sorted(lapses)))
    if len(plain) > MOST_BYTES:
        return b""
    compressed = zlib.compress(plain) if len(plain) >= WORTH_COMPRESSING else plain
    return bytes([COMPRESSED]) + compressed if len(compressed) < len(plain) else bytes([PLAIN]) + plain


class BlockMoves:
    """The moves of a block, to be read by the rules."""

    def __init__(self, packed: bytes, players: int, games: int) -> None:
        if packed[0] not in (PLAIN, COMPRESSED):
            raise StoreError(
                f"These moves have format {packed[0]}, not {PLAIN} or {COMPRESSED}:"
                " another version of League wrote them. Use that version."
            )
        content = packed[1:] if packed[0] == PLAIN else unpacked(packed[1:], MOST_BYTES)
        decoded = _decoder.decode(content)
        fits = len(decoded.sizes) == -(-games // GROUP) and sum(decoded.sizes) == len(decoded.moves)
        expect(fits, f"expected the moves of {games} games, found others")
        for lapse in decoded.lapses:
            is_here = lapse.game < games and lapse.entrant < players and lapse.step
            expect(is_here, "expected faults of its games, found others", tuple(lapse))
        self.lapses = decoded.lapses
        self._moves = decoded.moves
        self._ends = [*accumulate(decoded.sizes, initial=0)]

    def group(self, number: int) -> MovesReader:
        """The moves of a group of games, from the first one on."""
        return MovesReader(self._moves[self._ends[number] : self._ends[number + 1]])


class MovesReader:
    """Reads moves one after the other. The caller plays them, and says what is legal."""

    def __init__(self, moves: bytes) -> None:
        self._bits = f"{int.from_bytes(moves):0{8 * len(moves)}b}" if moves else ""
        self._at = 0

    def move(self, legal: Sequence[int]) -> int:
        """The next move, of these."""
        width, indices = _indices(len(legal))
        start, end = self._at, self._at + width
        index = indices.get(self._bits[start : end - 1])
        if index is None:
            index = indices.get(self._bits[start:end])
            expect(index is not None, "expected more moves, found the end of them")
            self._at = end
        else:
            self._at = end - 1
        return legal[index]  # type: ignore[index]

    def steps(self, state: State) -> list[list[int]]:
        """All moves of the next game, which begins in a state and is played to its end."""
        steps = []
        while state.turn:
            moves = [self.move(state.legal(seat)) for seat in state.turn]
            state.step(moves)
            steps.append(moves)
        self.end_of_game()
        return steps

    def end_of_game(self) -> None:
        """The next game begins with the next whole byte."""
        self._at += -self._at % 8
