"""Every game of a league, found by how it ended, without replaying it.

for game in find(store, Query(bot="amy", ended="lost")):
    print(game.address, game.points)
top(store, Query(bot="amy"), "worst", 3)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from league.errors import LeagueError, did_you_mean
from league.plan.seating import seatings
from league.rating.table import Floats, Ints
from league.results.games import FoundGame, GameColumns, Mask, Which, counting, games
from league.results.store import Store
from league.tools.text import safe
from league.values.block import Address
from league.values.settings import Contest

Ended = Literal["won", "drawn", "lost"]
SortBy = Literal["first", "worst", "best", "closest", "upsets"]
Ratings = Mapping[str, Mapping[str, float]]
"""Key of a contest to bot to rating."""


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

    def wants(self, contest: Contest, names: Sequence[str]) -> bool:
        """Whether games of a lineup can be among them."""
        return (
            (self.game is None or self.game in (contest.game, contest.key))
            and (self.bot is None or self.bot in names)
            and (self.against is None or self.against in names)
        )

    def check(self, store: Store, which: Which = counting) -> None:
        """Raise `LeagueError` if a name is unknown in a league, or if parts are missing."""
        names = {entrant.name for chosen in which(store) for entrant in chosen.bots}
        if which is counting:
            names |= {bot.name for bot in store.bots()}
        for name in (self.bot, self.against):
            if name is not None and name not in names:
                raise LeagueError(f"There is no bot {safe(name)!r} in this league.{did_you_mean(name, names)}")
        if self.bot is None and (self.ended or self.against or self.seat):
            raise LeagueError("Say whose games are wanted: name a bot.")
        if self.bot is not None and self.bot == self.against:
            raise LeagueError(f"Expected two different bots, found {safe(self.bot)!r} twice.")
        contests = store.settings().contests()
        known = dict.fromkeys([*(contest.key for contest in contests), *(contest.game for contest in contests)])
        if self.game is not None and self.game not in known:
            keys = ", ".join(contest.key for contest in contests)
            near = did_you_mean(self.game, known)
            raise LeagueError(f"This league has no game {safe(self.game)!r}; it has {keys}.{near}")


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
    return (part.game(row) for part, rows in _found(store, query) for row in rows.tolist())


def count(store: Store, query: Query = EVERYTHING) -> int:
    """How many games are wanted; quicker than going through them."""
    query.check(store)
    return sum(len(rows) for _, rows in _found(store, query))


def game_at(store: Store, address: Address) -> FoundGame | None:
    """The game at an address; None if it was not played."""

    def wanted(contest: Contest, names: Sequence[str]) -> bool:
        return contest.key == address.contest and (*names,) == address.lineup

    for part in games(store, wanted=wanted, deal=address.deal):
        for row in np.flatnonzero(part.rotation == address.rotation).tolist():
            return part.game(row)
    return None


def top(
    store: Store, query: Query, by: SortBy, most: int, ratings: Ratings | None = None, which: Which = counting
) -> list[FoundGame]:
    """The first `most` games of each contest: points of different games cannot be compared.

    - `first`: in canonical order;
    - `worst` and `best`: by the bot's place, then by how far its points are behind or ahead of the others';
    - `closest`: by how far the bot's points, or those of the first place, are from the others';
    - `upsets`: by how much higher the loser is rated, for which `ratings` are needed.

    The last two leave out games with faults: they were not decided by play.
    """
    query.check(store, which)
    if by in ("worst", "best") and query.bot is None:
        raise LeagueError(f"Say whose {by} games are wanted: name a bot.")
    best: dict[str, list[tuple[tuple[float, ...], FoundGame]]] = {}
    for part, rows in _found(store, query, which):
        seen = _Seen.by(part, rows, query)
        wanted, keys = seen.order(by, ratings or {})
        chosen = np.flatnonzero(wanted)
        keys = [key[chosen] for key in keys]
        first = np.lexsort(keys[::-1])[:most] if keys else np.arange(len(chosen))[:most]
        kept = best.setdefault(part.contest.key, [])
        kept += [(tuple(key[at].item() for key in keys), part.game(int(rows[chosen[at]]))) for at in first]
        kept.sort(key=lambda found: found[0])
        del kept[most:]
    return [game for kept in best.values() for _, game in kept]


def highlights(
    store: Store, pairs: Collection[Against] = (), ratings: Ratings | None = None
) -> dict[Against, Highlights]:
    """A bot's worst loss, best win, closest game and first fault, among all its games and against others.

    `pairs` are the bots that are looked at against each other, both ways. With `ratings`, the largest upset is found
    too. Everything is read once.
    """
    best: dict[Against, dict[str, tuple[tuple[float, ...], FoundGame]]] = {}

    def keep(seen: _Seen, against: str = "") -> None:
        bots = seen.part.lineup[seen.rows, seen.places]
        for kind, (query, by) in _HIGHLIGHTS.items():
            if by == "upsets" and (ratings is None or against):
                continue
            wanted, keys = seen.order(by, ratings or {}, query)
            for at in _least(bots, wanted, keys):
                name = seen.part.bots[bots[at]].name
                of_bot = best.setdefault((seen.part.contest.key, name, against), {})
                key = tuple(column[at].item() for column in keys)
                if kind not in of_bot or key < of_bot[kind][0]:
                    of_bot[kind] = (key, seen.part.game(int(seen.rows[at])))

    for part in games(store):
        keep(_Seen.by_everybody(part))
        for key, one, other in pairs:
            for bot, against in ((one, other), (other, one)) if key == part.contest.key else ():
                query = Query(bot=bot, against=against)
                rows = np.flatnonzero(_place(part, bot)[0] & _place(part, against)[0])
                if len(rows):
                    keep(_Seen.by(part, rows, query), against)
    return {
        place: Highlights(**{kind: game for kind, (_, game) in of_bot.items()})
        for place, of_bot in sorted(best.items())
    }


def _found(store: Store, query: Query, which: Which = counting) -> Iterator[tuple[GameColumns, Ints]]:
    """Games, and the rows of those that are wanted."""
    for part in games(store, which, wanted=query.wants):
        rows = np.arange(part.size)
        if query.fault and query.bot is None:
            rows = np.flatnonzero(part.at_fault.any(axis=1))
        elif query.bot is not None:
            seen = _Seen.by(part, rows, query)
            wanted = seen.ended(query.ended) if query.ended else np.ones(part.size, dtype=bool)
            if query.fault:
                wanted &= seen.at_fault
            if query.seat is not None:
                seats = np.array([way.seats for way in seatings(part.contest.players)])
                wanted &= seats[part.seating, seen.places] == query.seat - 1
            rows = np.flatnonzero(wanted)
        if len(rows):
            yield part, rows


def _place(part: GameColumns, name: str) -> tuple[Mask, Ints]:
    """By game: whether a bot sits at the table, and its place in the lineup."""
    here = np.array([entrant.name == name for entrant in part.bots])[part.lineup]
    return np.any(here, axis=1), here.argmax(axis=1)


class _Seen:
    """Games as a bot sees them: rows of a part, the bot's place in each lineup, and its opponent's if there is one."""

    def __init__(self, part: GameColumns, rows: Ints, places: Ints | None, others: Ints | None = None) -> None:
        self.part, self.rows, self._places, self._others = part, rows, places, others

    @classmethod
    def by(cls, part: GameColumns, rows: Ints, query: Query) -> _Seen:
        """By the bot of a query, if it has one, that all lineups have."""
        names = (query.bot, query.against)
        places, others = (None if name is None else _place(part, name)[1][rows] for name in names)
        return cls(part, rows, places, others)

    @classmethod
    def by_everybody(cls, part: GameColumns) -> _Seen:
        """By each bot of each game."""
        players = part.contest.players
        rows = np.repeat(np.arange(part.size), players)
        return cls(part, rows, np.tile(np.arange(players), part.size))

    @property
    def places(self) -> Ints:
        """The place of the bot in the lineups."""
        assert self._places is not None
        return self._places

    @cached_property
    def at_fault(self) -> Mask:
        """Whether the bot was at fault."""
        here: Mask = self.part.at_fault[self.rows, self.places]
        return here

    @cached_property
    def rank(self) -> Ints:
        """The bot's."""
        rank: Ints = self.part.ranks[self.rows, self.places]
        return rank

    @cached_property
    def rival_rank(self) -> Ints:
        """That of its opponent, or of the best of them."""
        return self._of_rivals(self.part.ranks, np.iinfo(np.int64).max).min(axis=1)  # type: ignore[no-any-return]

    @cached_property
    def margin(self) -> Ints:
        """The bot's points minus those of its opponent, or of the best of them."""
        best = self._of_rivals(self.part.points, np.iinfo(np.int64).min).max(axis=1)
        margin: Ints = self.part.points[self.rows, self.places] - best
        return margin

    def _of_rivals(self, values: Ints, own: int) -> Ints:
        """Values of those the bot is compared with, and others in its own place."""
        if self._others is not None:
            of_other: Ints = values[self.rows, self._others][:, None]
            return of_other
        rivals = values[self.rows]
        np.put_along_axis(rivals, self.places[:, None], own, axis=1)
        return rivals

    def ended(self, how: Ended) -> Mask:
        """Whether a game ended so: as the standings count it, or compared with the opponent."""
        order = np.sign(self.rival_rank - self.rank)
        ended: Mask = order == {"won": 1, "drawn": 0, "lost": -1}[how]
        return ended

    def order(self, by: SortBy, ratings: Ratings, query: Query = EVERYTHING) -> tuple[Mask, list[Ints | Floats]]:
        """Which games are to be sorted, and what by, smallest first."""
        wanted = np.ones(len(self.rows), dtype=bool)
        if query.ended:
            wanted &= self.ended(query.ended)
        if query.fault:
            wanted &= self.at_fault
        if by == "first":
            return wanted, []
        if by in ("worst", "best"):
            sign = -1 if by == "worst" else 1
            return wanted, [sign * self.rank, -sign * self.margin]
        if len(self.part.faults):
            wanted &= ~self.part.at_fault[self.rows].any(axis=1)
        if by == "closest":
            return wanted, [self._distances() if self._places is None else abs(self.margin)]
        gaps = self._upsets(ratings[self.part.contest.key])
        return wanted & (gaps > 0), [-gaps]

    def _distances(self) -> Ints:
        """The points between the first place and the second one."""
        two = np.argsort(self.part.ranks[self.rows], axis=1, kind="stable")[:, :2]
        first, second = np.take_along_axis(self.part.points[self.rows], two, axis=1).T
        distances: Ints = abs(first - second)
        return distances

    def _upsets(self, ratings: Mapping[str, float]) -> Floats:
        """The most by which a loser is rated higher than a winner of the same table; negative if nobody is."""
        part = self.part
        rated = np.array([ratings.get(entrant.name, np.nan) for entrant in part.bots])[part.lineup][self.rows]
        ranks, upset = part.ranks[self.rows], np.full(len(self.rows), -1.0)
        for loser in range(part.contest.players):
            for winner in range(part.contest.players):
                gap = rated[:, loser] - rated[:, winner]
                concerned = ranks[:, winner] < ranks[:, loser]
                for places in (self._places, self._others):
                    if places is not None:
                        concerned &= (places == loser) | (places == winner)
                upset = np.where(concerned & (gap > upset), gap, upset)
        return upset


def _least(groups: Ints, wanted: Mask, keys: Sequence[Ints | Floats]) -> list[int]:
    """For each group, the first row with the least keys among those that are wanted."""
    rows = np.flatnonzero(wanted)
    for key in keys:
        least = np.full(int(groups.max(initial=0)) + 1, np.inf)
        np.minimum.at(least, groups[rows], key[rows])
        rows = rows[key[rows] == least[groups[rows]]]
    _, first = np.unique(groups[rows], return_index=True)
    return rows[first].tolist()  # type: ignore[no-any-return]
