"""Games counted one by one in plain Python: what the columns of `league.results.games` must agree with."""

from __future__ import annotations

import zlib
from collections import Counter
from struct import unpack
from typing import Any, NamedTuple

import msgspec
import numpy as np

from league.games.contract import competition_ranks
from league.plan.seating import seating_of, seatings
from league.results.outcomes import COMPRESSED, FORMATS, Ending, result_of
from league.results.store import Store
from league.results.tallies import Results, Tallies
from league.values.block import DEAL_GROUPS, Block, BlockResult


class Ranking(NamedTuple):
    """The number of games of a block with the same seating and ranking."""

    group: int
    seating: int
    ranks: tuple[int, ...]
    games: int


class Tally(NamedTuple):
    """The games of a block, counted."""

    rankings: tuple[Ranking, ...]
    points: tuple[tuple[int, tuple[int, ...]], ...]
    """(group, sum of the game's own points by entrant)."""
    histogram: tuple[tuple[int, int, int], ...]
    """(index of the entrant, points, games)."""


def endings_of(result: BlockResult) -> list[Ending]:
    """How the games of a block ended, in the order of its deals."""
    block, packed = result.block, result.outcomes
    players = len(block.series.lineup)
    content = zlib.decompress(packed[1:]) if packed[0] & COMPRESSED else packed[1:]
    numbers = unpack(f"<{2 * players * block.games}{FORMATS[packed[0] & ~COMPRESSED]}", content)
    endings = []
    for deal, start in zip(range(block.first, block.stop), range(0, len(numbers), 2 * players), strict=True):
        forfeited = sorted(entrant for of, entrant in result.forfeits if of == deal)
        ranks, points = numbers[start : start + players], numbers[start + players : start + 2 * players]
        endings.append(Ending(ranks, points, tuple(forfeited)))
    return endings


def stored(store: Store) -> list[BlockResult]:
    """The blocks that count, each cut to the deals that do, in canonical order."""
    results = []
    for some in (some for chosen in store.counting() for some in store.blocks(chosen)):
        every = [*store.faults_in(some)]
        for row, (first, stop) in enumerate(some.wanted.tolist()):
            block = some.block(row)
            first, stop = max(first, block.first), min(stop, block.stop)
            kept = store.record_of(block.series, first)
            assert kept is not None
            forfeited = tuple((deal, place) for at, deal, place, kind, *_ in every if (at, kind) == (row, "forfeit"))
            results.append(cut(msgspec.structs.replace(kept, forfeits=forfeited), first, stop))
    return results


def cut(result: BlockResult, first: int, stop: int) -> BlockResult:
    """The part of a result from one deal up to another, as if nothing else had been played; without moves and usage."""
    endings = endings_of(result)[first - result.block.first : stop - result.block.first]
    faults = [fault for fault in result.faults if first <= fault.deal < stop]
    return result_of(Block(result.block.series, first, stop), endings, faults)


def bare(result: BlockResult) -> BlockResult:
    """A result without its moves and what it cost, which are kept apart."""
    return msgspec.structs.replace(result, moves=b"", usage=())


def group_of(result: BlockResult, deal: int) -> int:
    """The group of a deal."""
    series = result.block.series
    return (series.first_group + deal // series.contest.games_per_match) % DEAL_GROUPS


def forfeits(result: BlockResult) -> tuple[int, ...]:
    """How many games of a block each entrant forfeited."""
    counts = Counter(place for _, place in result.forfeits)
    return tuple(counts[place] for place in range(len(result.block.series.lineup)))


def tally_of(result: BlockResult) -> Tally:
    """The games of a block, counted."""
    series, first = result.block.series, result.block.first
    rankings: Counter[tuple[int, int, tuple[int, ...]]] = Counter()
    points: dict[int, list[int]] = {}
    histogram: Counter[tuple[int, int]] = Counter()
    for deal, ending in enumerate(endings_of(result), first):
        group = group_of(result, deal)
        rankings[group, seating_of(series, deal).number, ending.ranks] += 1
        sums = points.setdefault(group, [0] * len(series.lineup))
        for place, scored in enumerate(ending.points):
            sums[place] += scored
            histogram[place, scored] += 1
    return Tally(
        tuple(Ranking(*key, games) for key, games in sorted(rankings.items())),
        tuple((group, tuple(sums)) for group, sums in sorted(points.items())),
        tuple((*bar, games) for bar, games in sorted(histogram.items())),
    )


def check_counts(store: Store) -> int:
    """Compare what the columns give with these counts, in all that a league counts; returns the number of games."""
    results = Results.read(store)
    plain: dict[str, list[BlockResult]] = {key: [] for key in results.contests}
    for result in stored(store):
        plain[result.block.series.contest.key].append(result)
    for key, tallies in results.contests.items():
        check_tallies(tallies, plain[key])
    kinds = Counter((fault.address.split(":")[0], fault.bot, fault.kind) for fault in store.faults())
    assert kinds == {
        (key, bot, kind): times
        for key, tallies in results.contests.items()
        for bot, faults in zip(tallies.bots, tallies.faults, strict=True)
        for kind, times in faults.items()
    }
    return results.games


def check_tallies(tallies: Tallies, results: list[BlockResult]) -> None:
    """Compare one contest."""
    rows: Counter[tuple[object, ...]] = Counter()
    lineup_points: dict[tuple[object, ...], list[int]] = {}
    histograms: Counter[tuple[str, int]] = Counter()
    forfeited: Counter[str] = Counter()
    for result in results:
        names = [entrant.name for entrant in result.block.series.lineup]
        places = tuple(tallies.bots.index(name) for name in names)
        tally = tally_of(result)
        rankings = match_rankings(result) if tallies.count == "match" else tally.rankings
        for group, number, ranks, games in rankings:
            rows[places, group, seatings(len(names))[number].seats, ranks] += games
        for group, sums in tally.points:
            games = sum(ranking.games for ranking in tally.rankings if ranking.group == group)
            before = lineup_points.setdefault((places, group), [0] * (1 + len(names)))
            lineup_points[places, group] = [one + more for one, more in zip(before, (games, *sums), strict=True)]
        histograms.update({(names[place], value): games for place, value, games in tally.histogram})
        forfeited.update(dict(zip(names, forfeits(result), strict=True)))
    counts = tallies.counts()
    columns = (counts.lineups, counts.groups, counts.seats, counts.ranks, counts.games)
    found: list[tuple[Any, ...]] = [*zip(*(column.tolist() for column in columns), strict=True)]
    assert {(tuple(a), b, tuple(c), tuple(d)): games for a, b, c, d, games in found} == rows
    assert [row[:2] for row in found] == sorted(row[:2] for row in found)
    assert {
        (bot, value): games
        for bot, histogram in zip(tallies.bots, tallies.histograms, strict=True)
        for value, games in histogram.items()
    } == histograms
    assert tallies.points() == [
        sum(value * games for (name, value), games in histograms.items() if name == bot) for bot in tallies.bots
    ]
    assert dict(zip(tallies.bots, tallies.forfeits, strict=True)) == {bot: forfeited[bot] for bot in tallies.bots}
    if tallies.count == "points":
        table = tallies.points_table()
        scored = np.column_stack([table.lineups, table.groups, table.games, table.sums]).astype(np.int64).tolist()
        players = table.players
        assert {(tuple(row[:players]), row[players]): row[players + 1 :] for row in scored} == lineup_points


def match_rankings(result: BlockResult) -> list[Ranking]:
    """The matches of a block, each ranked by the sum of its points; who forfeited a part of it is last."""
    block = result.block
    per_match = block.series.contest.games_per_match
    endings = endings_of(result)
    rankings: Counter[tuple[int, int, tuple[int, ...]]] = Counter()
    for start in range(0, block.games, per_match):
        match, deal = endings[start : start + per_match], block.first + start
        rankings[group_of(result, deal), seating_of(block.series, deal).number, _ranks_of_match(match)] += 1
    return [Ranking(*key, matches) for key, matches in sorted(rankings.items())]


def _ranks_of_match(endings: list[Ending]) -> tuple[int, ...]:
    forfeited = {place for ending in endings for place in ending.forfeited}
    sums = map(sum, zip(*(ending.points for ending in endings), strict=True))
    return competition_ranks([(place not in forfeited, points) for place, points in enumerate(sums)])
