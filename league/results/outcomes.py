"""How every game of a block ended: kept in some bytes a game, and counted for any part of the block.

Packed outcomes are one byte with the version of the format, 1, and then, compressed by zlib, MessagePack of
`[endings, codes, points]`:

- `endings`: the different ways in which games of the block ended, each `[ranks, forfeited]`, as in `Ending`;
- `codes`: for each game, in the order of the deals, the index of its ending;
- `points`: for each entrant, in the order of the lineup, its points in each game.

Who sat where is not in them: it follows from the series and the deal.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from league.errors import StoreError
from league.games.contract import competition_ranks
from league.plan.seating import seating_of
from league.results.untrusted import expect, most_bytes, unpacked
from league.values.block import DEAL_GROUPS, Block, BlockResult, Count, Fault, Points, Ranking, Tally, Usage

VERSION = 1


class Ending(NamedTuple):
    """How one game ended."""

    ranks: tuple[int, ...]
    """By entrant, in the order of the lineup; bots at fault are last."""
    points: tuple[int, ...]
    """The game's own, by entrant."""
    forfeited: tuple[int, ...] = ()
    """Indices of the entrants who forfeited it after too many faults in the match, ascending."""


class OutcomeColumns(msgspec.Struct, array_like=True):
    """Outcomes as they are packed: quick to filter, because a block has few different endings."""

    endings: list[tuple[tuple[Count, ...], tuple[Count, ...]]]
    """Ranks and forfeits."""
    codes: list[Count]
    """By game: the index of its ending."""
    points: list[tuple[Points, ...]]
    """By entrant, then by game."""


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(OutcomeColumns)


def pack(endings: Sequence[Ending]) -> bytes:
    """The endings of a block's games, in the order of its deals, as bytes."""
    known: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    codes = [known.setdefault((ending.ranks, ending.forfeited), len(known)) for ending in endings]
    points = list(zip(*(ending.points for ending in endings), strict=True))
    columns = OutcomeColumns(list(known), codes, points)
    return bytes([VERSION]) + zlib.compress(_encoder.encode(columns))


def unpack(packed: bytes, players: int, games: int) -> list[Ending]:
    """The endings of a block's games, in the order of its deals."""
    columns = columns_of(packed, players, games)
    points = zip(*columns.points, strict=True)
    return [
        Ending(ranks, scored, forfeited)
        for (ranks, forfeited), scored in zip(map(columns.endings.__getitem__, columns.codes), points, strict=True)
    ]


def columns_of(packed: bytes, players: int, games: int) -> OutcomeColumns:
    """The same as columns; refuses those of another number of players or games."""
    if packed[:1] != bytes([VERSION]):
        raise StoreError(
            f"These outcomes have format {packed[0] if packed else 'none'}, not {VERSION}:"
            " another version of League wrote them. Use that version."
        )
    columns = _decoder.decode(unpacked(packed[1:], most_bytes(games, players)))
    in_order = len(columns.codes) == games and {len(points) for points in columns.points} <= {games}
    expect(in_order and len(columns.points) == players, f"expected the outcomes of {games} games, found others")
    expect(not games or max(columns.codes) < len(columns.endings), "expected how games ended, found no such ending")
    for ranks, forfeited in columns.endings:
        expect(len(ranks) == players and max(*ranks, *forfeited) < players, "expected places", (ranks, forfeited))
    return columns


def result_of(
    block: Block,
    endings: Sequence[Ending],
    faults: Sequence[Fault] = (),
    usage: Sequence[Usage] = (),
    moves: bytes = b"",
) -> BlockResult:
    """The result of a block whose games ended so, in the order of its deals."""
    forfeits = [0] * len(block.series.lineup)
    for ending in endings:
        for entrant in ending.forfeited:
            forfeits[entrant] += 1
    return BlockResult(block, tally(block, endings), tuple(faults), tuple(usage), tuple(forfeits), pack(endings), moves)


def cut(result: BlockResult, first: int, stop: int) -> BlockResult:
    """The part of a result from one deal up to another, whole matches, as if nothing else had been played.

    Only `usage` stays as it is: timings are measured for a block as a whole. Its moves are left out.
    """
    block = result.block
    every = unpack(result.outcomes, block.series.contest.players, block.games)
    endings = every[first - block.first : stop - block.first]
    faults = [fault for fault in result.faults if first <= fault.deal < stop]
    return result_of(Block(block.series, first, stop), endings, faults, result.usage)


def match_rankings(result: BlockResult) -> list[Ranking]:
    """The matches of a block, each ranked by the sum of its points; who forfeited a part of it is last.

    The seating is that of the first game of a match.
    """
    block = result.block
    series, per_match, first_group = block.series, block.series.contest.games_per_match, block.series.first_group
    endings = unpack(result.outcomes, series.contest.players, block.games)
    rankings: Counter[tuple[int, int, tuple[int, ...]]] = Counter()
    for start in range(0, block.games, per_match):
        games, deal = endings[start : start + per_match], block.first + start
        forfeited = {entrant for ending in games for entrant in ending.forfeited}
        sums = map(sum, zip(*(ending.points for ending in games), strict=True))
        ranks = competition_ranks([(entrant not in forfeited, points) for entrant, points in enumerate(sums)])
        group = (first_group + deal // per_match) % DEAL_GROUPS
        rankings[group, seating_of(series, deal).number, ranks] += 1
    return [Ranking(*key, matches) for key, matches in sorted(rankings.items())]


def tally(block: Block, endings: Sequence[Ending]) -> Tally:
    """The endings of a block's games, counted; equal results give equal bytes."""
    series = block.series
    per_match, players = series.contest.games_per_match, series.contest.players
    first_group = series.first_group
    rankings: dict[tuple[int, int, tuple[int, ...]], int] = {}
    points: dict[int, list[int]] = {}
    histogram: dict[tuple[int, int], int] = {}
    for deal, ending in enumerate(endings, block.first):
        group = (first_group + deal // per_match) % DEAL_GROUPS
        key = (group, seating_of(series, deal).number, ending.ranks)
        rankings[key] = rankings.get(key, 0) + 1
        sums = points.get(group)
        if sums is None:
            sums = points[group] = [0] * players
        for entrant, scored in enumerate(ending.points):
            sums[entrant] += scored
            bar = (entrant, scored)
            histogram[bar] = histogram.get(bar, 0) + 1
    return Tally(
        rankings=tuple(Ranking(*key, games) for key, games in sorted(rankings.items())),
        points=tuple((group, tuple(sums)) for group, sums in sorted(points.items())),
        histogram=tuple((*bar, games) for bar, games in sorted(histogram.items())),
    )
