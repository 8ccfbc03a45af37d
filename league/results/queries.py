"""Every game of a league, found by how it ended, without replaying it.

    for game in find(store, Query(bot="amy", ended="lost")):
        print(game.address, game.points)
    top(store, Query(bot="amy"), "worst", 3)

A block keeps the few different ways in which its games ended and a code for each game. So most filters look at a few
endings for each block, and only at the games that are wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from heapq import nsmallest
from operator import sub
from typing import Any, Literal, NamedTuple

import msgspec

from league.errors import LeagueError, did_you_mean
from league.plan.seating import seating_of
from league.results.outcomes import columns_of
from league.results.schema import FILE, explained
from league.results.store import BlockRecord, Store
from league.tools.text import safe
from league.values.block import Address, Series
from league.values.settings import Contest

Ended = Literal["won", "drawn", "lost"]
SortBy = Literal["first", "worst", "best", "closest", "upsets"]
Ratings = Mapping[str, Mapping[str, float]]
"""Key of a contest to bot to rating."""
Key = tuple[float, ...]
"""What games are sorted by, smallest first."""


class Query(msgspec.Struct, frozen=True):
    """Which games are wanted."""

    bot: str | None = None
    """Takes part."""
    against: str | None = None
    """Takes part too."""
    game: str | None = None
    """The name of a game or the key of a contest: 'raj' or 'raj-2p'."""
    ended: Ended | None = None
    """For `bot`: against `against` if there is one, against all others at the table if not."""
    fault: bool = False
    """Only games in which `bot` was at fault, or any bot if `bot` is None."""
    seat: int | None = None
    """In which `bot` sits, from 1."""
    without: frozenset[str] = frozenset()
    """Bots that take no part."""

    def __str__(self) -> str:
        """'games that amy lost against bob'."""
        words = ["games", *([f"of {safe(self.game)}"] if self.game else [])]
        if self.bot:
            verb = {"won": "won", "drawn": "drew", "lost": "lost", None: "played"}[self.ended]
            words.append(f"that {safe(self.bot)} {verb}")
        if self.against:
            words.append(f"against {safe(self.against)}")
        if self.fault:
            words.append("with a fault of its own" if self.bot else "with a fault")
        return " ".join(words)

    def wants(self, series: Series) -> bool:
        """Whether games of a series can be among them."""
        names = [entrant.name for entrant in series.lineup]
        contest = series.contest
        return (
            (self.game is None or self.game in (contest.game, contest.key))
            and (self.bot is None or self.bot in names)
            and (self.against is None or self.against in names)
            and self.without.isdisjoint(names)
        )

    def check(self, store: Store) -> None:
        """Raise `LeagueError` if a name is unknown in a league, or if parts are missing."""
        names = store.names()
        for name in (self.bot, self.against):
            if name is not None and name not in names:
                raise LeagueError(f"There is no bot {safe(name)!r} in this league.{did_you_mean(name, names)}")
        if self.bot is None and (self.ended or self.against or self.seat):
            raise LeagueError("Expected a bot that won or lost, sat in a seat or played against another; found none.")
        if self.bot is not None and self.bot == self.against:
            raise LeagueError(f"Expected two different bots, found {safe(self.bot)!r} twice.")
        contests = store.settings().contests()
        known = dict.fromkeys([*(contest.key for contest in contests), *(contest.game for contest in contests)])
        if self.game is not None and self.game not in known:
            keys = ", ".join(contest.key for contest in contests)
            near = did_you_mean(self.game, known)
            raise LeagueError(f"This league has no game {safe(self.game)!r}; it has {keys}.{near}")


class FoundGame(msgspec.Struct, frozen=True):
    """How one game ended; all tuples are by seat."""

    series: Series
    deal: int
    bots: tuple[str, ...]
    ranks: tuple[int, ...]
    """0 is best; equal ranks are ties."""
    points: tuple[int, ...]
    """The game's own."""
    faults: tuple[bool, ...]
    """Whether the bot was at fault in it, or forfeited it."""
    forfeits: tuple[bool, ...]
    """Whether the bot forfeited it after too many faults in the match."""

    @property
    def address(self) -> Address:
        """The address with which it can be replayed."""
        return self.series.address(self.deal)

    @property
    def contest(self) -> Contest:
        """The game and its options."""
        return self.series.contest

    @property
    def versions(self) -> tuple[str, ...]:
        """Hashes of the bots' sources."""
        return seating_of(self.series, self.deal).by_seat([entrant.source for entrant in self.series.lineup])


class Highlights(NamedTuple):
    """The games of one bot in one contest that are worth a look; None where there is none."""

    worst_loss: FoundGame | None = None
    best_win: FoundGame | None = None
    closest: FoundGame | None = None
    first_fault: FoundGame | None = None
    upset: FoundGame | None = None
    """The one in which the better rated bot lost by the largest difference of ratings."""


Against = tuple[str, str, str]
"""The key of a contest, a bot, and an opponent; '' is any opponent."""
EVERYTHING = Query()
_HIGHLIGHTS: dict[str, tuple[Query, SortBy]] = {
    "worst_loss": (Query(ended="lost"), "worst"),
    "best_win": (Query(ended="won"), "best"),
    "closest": (EVERYTHING, "closest"),
    "first_fault": (Query(fault=True), "first"),
    "upset": (EVERYTHING, "upsets"),
}


def find(store: Store, query: Query = EVERYTHING) -> Iterator[FoundGame]:
    """The games that are wanted, in canonical order."""
    query.check(store)
    return (block.game(index) for block in _blocks(store, query.wants) for index in block.wanted(query))


def count(store: Store, query: Query = EVERYTHING) -> int:
    """How many games are wanted; quicker than going through them."""
    query.check(store)
    return sum(sum(1 for _ in block.wanted(query)) for block in _blocks(store, query.wants))


def game_at(store: Store, address: Address) -> FoundGame | None:
    """The game at an address; None if it was not played."""
    return game_in(store, lambda series: series.address(address.deal) == address, address.deal)


def game_in(store: Store, wanted: Callable[[Series], bool], deal: int) -> FoundGame | None:
    """The game of the wanted series that plays a deal; None if it was not played."""
    for block in _blocks(store, wanted, deal):
        return block.game(deal - block.first)
    return None


def first_games(store: Store, wanted: Callable[[Series], bool], deals: int) -> Iterator[FoundGame]:
    """The games on the first deals of the series that are wanted, in canonical order."""
    for record in store.records(wanted=wanted):
        if record.span[0] < deals:
            block = _unpacked(store, record)
            yield from (block.game(index) for index in range(min(len(block.codes), deals - block.first)))


def top(store: Store, query: Query, by: SortBy, most: int, ratings: Ratings | None = None) -> list[FoundGame]:
    """The first `most` games of each contest: points of different games cannot be compared.

    - `first`: in canonical order;
    - `worst` and `best`: by the bot's place, then by how far its points are behind or ahead of the others';
    - `closest`: by how far the bot's points, or those of the first place, are from the others';
    - `upsets`: by how much higher the loser is rated, for which `ratings` are needed.

    The last two leave out games with faults: they were not decided by play.
    """
    query.check(store)
    if by in ("worst", "best") and query.bot is None:
        raise LeagueError(f"Expected a bot whose {by} games are wanted; found none.")
    kept: dict[str, list[tuple[Any, ...]]] = {}
    for number, block in enumerate(_blocks(store, query.wants)):
        key = block.series.contest.key
        best = nsmallest(most, ((value, number, index, block) for value, index in block.keys(query, by, ratings or {})))
        kept[key] = nsmallest(most, [*kept.get(key, []), *best])
    return [block.game(index) for chosen in kept.values() for _, _, index, block in chosen]


def highlights(
    store: Store,
    wanted: Callable[[Series], bool] = lambda _: True,
    pairs: Collection[Against] = (),
    ratings: Ratings | None = None,
) -> dict[Against, Highlights]:
    """A bot's worst loss, best win, closest game and first fault: in the series that are wanted, and against others.

    `pairs` are the bots that are looked at against each other, both ways. With `ratings`, the largest upset is found
    too. Everything is read once.
    """
    both_ways = {way for key, bot, other in pairs for way in ((key, bot, other), (key, other, bot))}
    best: dict[Against, dict[str, tuple[Key, FoundGame]]] = {}

    def places(series: Series) -> list[Against]:
        key, names = series.contest.key, [entrant.name for entrant in series.lineup]
        met = [(key, bot, other) for bot in names for other in names if (key, bot, other) in both_ways]
        return [(key, bot, "") for bot in names if wanted(series)] + met

    for block in _blocks(store, lambda series: bool(places(series))):
        for place in places(block.series):
            _, bot, other = place
            of_bot = best.setdefault(place, {})
            for kind, (query, by) in _HIGHLIGHTS.items():
                if by == "upsets" and (ratings is None or other):
                    continue
                keys = block.keys(msgspec.structs.replace(query, bot=bot, against=other or None), by, ratings or {})
                key, game = min(keys, default=(None, 0))
                if key is not None and (kind not in of_bot or key < of_bot[kind][0]):
                    of_bot[kind] = (key, block.game(game))
    return {
        place: Highlights(**{kind: game for kind, (_, game) in of_bot.items()})
        for place, of_bot in sorted(best.items())
    }


class _BlockGames:
    """The games of one block that count."""

    def __init__(self, record: BlockRecord) -> None:
        block = record.block
        self.series = block.series
        self.first, stop = record.span
        chosen = slice(self.first - block.first, stop - block.first)
        columns = columns_of(record.outcomes, len(block.series.lineup), block.games)
        self.endings = columns.endings
        self.codes = columns.codes[chosen]
        self.points = [points[chosen] for points in columns.points]
        self.names = [entrant.name for entrant in block.series.lineup]
        self.at_fault: dict[int, set[int]] = {}
        """By index of a game: the entrants at fault."""
        for fault in record.faults:
            if self.first <= fault.deal < stop:
                self.at_fault.setdefault(fault.deal - self.first, set()).add(self.names.index(fault.bot))
        forfeits = {code: forfeited for code, (_, forfeited) in enumerate(self.endings) if forfeited}
        for index, code in enumerate(self.codes) if forfeits else ():
            if code in forfeits:
                self.at_fault.setdefault(index, set()).update(forfeits[code])

    def game(self, index: int) -> FoundGame:
        series, deal = self.series, self.first + index
        ranks, forfeited = self.endings[self.codes[index]]
        faults = self.at_fault.get(index, ())
        seating = seating_of(series, deal)
        order = seating.entrants
        return FoundGame(
            series=series,
            deal=deal,
            bots=seating.by_seat(self.names),
            ranks=seating.by_seat(ranks),
            points=tuple([self.points[entrant][index] for entrant in order]),
            faults=tuple([entrant in faults for entrant in order]),
            forfeits=tuple([entrant in forfeited for entrant in order]),
        )

    def wanted(self, query: Query) -> Iterator[int]:
        """The indices of the games that are wanted."""
        ended_so = self._ended_so(query)
        if query.seat is None:
            return ended_so
        return (index for index in ended_so if query.bot == self._by_seat(index).get(query.seat))

    def _by_seat(self, index: int) -> dict[int, str]:
        return dict(enumerate(seating_of(self.series, self.first + index).by_seat(self.names), start=1))

    def _ended_so(self, query: Query) -> Iterator[int]:
        """The same, wherever its bot sits."""
        bot, against = self._entrant(query.bot), self._entrant(query.against)
        if query.ended is None:
            codes = set(range(len(self.endings)))
        else:
            assert bot is not None
            ended = [_ended(ranks, bot, against) for ranks, _ in self.endings]
            codes = {code for code, ending in enumerate(ended) if ending == query.ended}
        if query.fault:
            yield from (
                index
                for index, entrants in sorted(self.at_fault.items())
                if self.codes[index] in codes and (bot is None or bot in entrants)
            )
        elif codes:
            yield from (index for index, code in enumerate(self.codes) if code in codes)

    def keys(self, query: Query, by: SortBy, ratings: Ratings) -> Iterator[tuple[Key, int]]:
        """What to sort the games that are wanted by, with their indices."""
        if by == "first":
            yield from (((), index) for index in self.wanted(query))
            return
        bot, against = self._entrant(query.bot), self._entrant(query.against)
        if by in ("worst", "best"):
            assert bot is not None
            sign = -1 if by == "worst" else 1
            margins = self._margins(bot, against)
            for index in self.wanted(query):
                yield (sign * self.endings[self.codes[index]][0][bot], -sign * margins[index]), index
            return
        if by == "closest":
            distances = self._distances() if bot is None else [abs(margin) for margin in self._margins(bot, against)]
            yield from (((distances[index],), index) for index in self.wanted(query) if index not in self.at_fault)
            return
        rated = ratings[self.series.contest.key]
        gaps = [_upset(ranks, [rated[name] for name in self.names], bot, against) for ranks, _ in self.endings]
        for index in self.wanted(query):
            if gaps[self.codes[index]] > 0 and index not in self.at_fault:
                yield (-gaps[self.codes[index]],), index

    def _margins(self, bot: int, against: int | None) -> list[int]:
        """By game: the bot's points minus those of its opponent, or of the best of them."""
        others = [points for entrant, points in enumerate(self.points) if entrant != bot]
        if against is not None:
            others = [self.points[against]]
        rivals: Sequence[int] = others[0] if len(others) == 1 else list(map(max, *others))
        return list(map(sub, self.points[bot], rivals))

    def _distances(self) -> list[int]:
        """By game: the points between the first place and the second one."""
        firsts = [sorted(range(len(ranks)), key=ranks.__getitem__)[:2] for ranks, _ in self.endings]
        pairs = ((firsts[code], index) for index, code in enumerate(self.codes))
        return [abs(self.points[entrant][index] - self.points[second][index]) for (entrant, second), index in pairs]

    def _entrant(self, name: str | None) -> int | None:
        return None if name is None else self.names.index(name)


def _blocks(store: Store, wanted: Callable[[Series], bool], deal: int | None = None) -> Iterator[_BlockGames]:
    return (_unpacked(store, record) for record in store.records(wanted=wanted, deal=deal))


def _unpacked(store: Store, record: BlockRecord) -> _BlockGames:
    with explained(store.folder / FILE):
        return _BlockGames(record)


def _ended(ranks: Sequence[int], bot: int, against: int | None) -> Ended:
    """How a game ended for a bot: as the standings count it, or compared with one opponent."""
    others = [rank for entrant, rank in enumerate(ranks) if entrant != bot] if against is None else [ranks[against]]
    best = min(others)
    return "won" if ranks[bot] < best else "drawn" if ranks[bot] == best else "lost"


def _upset(ranks: Sequence[int], ratings: Sequence[float], bot: int | None, against: int | None) -> float:
    """The most by which a loser is rated higher than a winner of the same table; negative if nobody is."""
    gaps = [
        ratings[loser] - ratings[winner]
        for loser, last in enumerate(ranks)
        for winner, first in enumerate(ranks)
        if first < last and {bot, against} - {None} <= {loser, winner}
    ]
    return max(gaps, default=-1.0)
