"""Every game of a league, found by how it ended, without replaying it.

for game in find(store, Query(bot="amy", ended="lost")):
    print(game.address, game.points)
worst = top(store, Query(bot="amy"), "worst", 3)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from league.errors import LeagueError, did_you_mean
from league.plan.seating import seatings
from league.rating.table import Floats, Ints
from league.results.games import FoundGame, GameColumns, Mask, Selection
from league.results.store import Store
from league.tools.text import safe
from league.values.settings import Contest

Ended = Literal["won", "drawn", "lost"]
SortBy = Literal["first", "worst", "best", "closest", "upsets"]
Which = Sequence[Selection] | None
"""Games of a league; None: those that count."""
Ratings = Mapping[str, Mapping[str, float]]
"""Key of a contest to bot to rating."""


def contests_of(game: str, contests: Sequence[Contest]) -> list[Contest]:
    """The contests of a game, or the one of that key; raises `LeagueError` if there is none."""
    found = [contest for contest in contests if game in (contest.game, contest.key)]
    if not found:
        keys, games = ([getattr(contest, name) for contest in contests] for name in ("key", "game"))
        near = did_you_mean(game, dict.fromkeys([*keys, *games]))
        raise LeagueError(f"This league has no game {safe(game)!r}; it has {', '.join(keys)}.{near}")
    return found


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

    def check(self, store: Store, which: Which = None) -> None:
        """Raise `LeagueError` if a name is unknown in a league, or among these games of it, or if parts are missing."""
        contests = store.settings().contests()  # before the names: a league that was never begun has none
        every = [entrant.name for chosen in which or () for entrant in chosen.bots]
        names = {bot.name for bot in store.bots()} if which is None else {*every}
        for name in (self.bot, self.against):
            if name is not None and name not in names:
                raise LeagueError(f"There is no bot {safe(name)!r} in this league.{did_you_mean(name, names)}")
        if self.bot is None and (self.ended or self.against or self.seat):
            raise LeagueError("Say whose games are wanted: name a bot.")
        if self.bot is not None and self.bot == self.against:
            raise LeagueError(f"Expected two different bots, found {safe(self.bot)!r} twice.")
        if self.game is not None:
            contests_of(self.game, contests)


EVERYTHING = Query()
HIGHLIGHTS: dict[str, tuple[Query, SortBy]] = {
    "worst loss": (Query(ended="lost"), "worst"),
    "best win": (Query(ended="won"), "best"),
    "closest game": (EVERYTHING, "closest"),
    "first fault": (Query(fault=True), "first"),
    "upset": (EVERYTHING, "upsets"),
}
"""The games of a bot that are worth a look; an upset is the one that it lost although it is rated highest above the
winner."""


def find(store: Store, query: Query = EVERYTHING) -> Iterator[FoundGame]:
    """The games that are wanted, in canonical order."""
    return (part.game(row) for part in find_columns(store, query) for row in range(part.size))


def count(store: Store, query: Query = EVERYTHING) -> int:
    """How many games are wanted; quicker than going through them."""
    return sum(part.size for part in find_columns(store, query))


def find_columns(store: Store, query: Query = EVERYTHING, which: Which = None) -> Iterator[GameColumns]:
    """The games that are wanted as columns, in canonical order."""
    query.check(store, which)
    return (
        part.part(np.flatnonzero(_Seen.of(part, query).wanted(query)))
        for part in store.games(which, wanted=query.wants)
    )


def top(
    store: Store,
    query: Query,
    by: SortBy,
    most: int,
    ratings: Ratings | None = None,
    which: Which = None,
) -> list[FoundGame]:
    """The first `most` games of each contest: points of different games cannot be compared.

    - `first`: in canonical order;
    - `worst` and `best`: by the bot's place, then by how far its points are behind or ahead of the others';
    - `closest`: by how far the bot's points, or those of the first place, are from the others';
    - `upsets`: by how much higher the loser is rated, for which `ratings` are needed.

    The last two leave out games with faults: they were not decided by play.
    """
    return [part.game(0) for part in top_columns(store, query, by, most, ratings, which)]


def top_columns(
    store: Store,
    query: Query,
    by: SortBy,
    most: int,
    ratings: Ratings | None = None,
    which: Which = None,
) -> list[GameColumns]:
    """The same games as columns, each for itself."""
    if by in ("worst", "best") and query.bot is None:
        raise LeagueError(f"Say whose {by} games are wanted: name a bot.")
    best: dict[str, list[tuple[tuple[float, ...], GameColumns]]] = {}
    for part in find_columns(store, query, which):
        wanted, keys = _Seen.of(part, query).order(by, ratings or {})
        rows = np.flatnonzero(wanted)
        if keys:
            rows = rows[np.lexsort([key[rows] for key in reversed(keys)])]
        kept = best.setdefault(part.contest.key, [])
        kept += [(tuple(key[row].item() for key in keys), part.part(np.array([row]))) for row in rows[:most]]
        kept.sort(key=lambda found: found[0])
        del kept[most:]
    return [game for kept in best.values() for _, game in kept]


def highlights(store: Store, ratings: Ratings) -> dict[tuple[str, str], dict[str, FoundGame]]:
    """The `HIGHLIGHTS` of every bot, by key of a contest and bot. Everything is read once."""
    best: dict[tuple[str, str], dict[str, tuple[tuple[float, ...], FoundGame]]] = {}
    for number, part in enumerate(store.games()):
        players = np.arange(part.contest.players)
        for place in players:
            seen, bots = _Seen(part, np.broadcast_to(players == place, part.lineup.shape)), part.lineup[:, place]
            for kind, (query, by) in HIGHLIGHTS.items():
                wanted, keys = seen.order(by, ratings)
                for row in _least(bots, wanted & seen.wanted(query), keys):
                    of_bot = best.setdefault((part.contest.key, part.bots[bots[row]].name), {})
                    key = (*(column[row].item() for column in keys), number, row)
                    if kind not in of_bot or key < of_bot[kind][0]:
                        of_bot[kind] = (key, part.game(row))
    return {place: {kind: of_bot[kind][1] for kind in HIGHLIGHTS if kind in of_bot} for place, of_bot in best.items()}


def _sits(part: GameColumns, name: str) -> Mask:
    """Games by entrants: whether it is this bot."""
    here: Mask = np.array([entrant.name == name for entrant in part.bots])[part.lineup]
    return here


class _Seen(NamedTuple):
    """Games as a bot sees them."""

    part: GameColumns
    mine: Mask | None = None
    """Games by entrants: whether it is the bot, which sits at all of these tables. None: they are seen by nobody."""
    other: Mask | None = None
    """Whether it is the opponent that the bot is compared with; if there is none, it is compared with all others."""

    @classmethod
    def of(cls, part: GameColumns, query: Query) -> _Seen:
        """As the bot of a query, if it has one, sees them."""
        return cls(part, *(_sits(part, name) if name else None for name in (query.bot, query.against)))

    def wanted(self, query: Query) -> Mask:
        """Which games a query wants, by how they ended for the bot."""
        wanted = np.ones(self.part.size, dtype=bool)
        if query.ended:
            wanted &= np.sign(self._lead(-self.part.ranks)) == {"won": 1, "drawn": 0, "lost": -1}[query.ended]
        if query.fault:
            at_fault = self.part.at_fault
            wanted &= at_fault.any(axis=1) if self.mine is None else at_fault[self.mine]
        if query.seat is not None:
            seats = np.array([way.seats for way in seatings(self.part.contest.players)])[self.part.seating]
            wanted &= seats[self.mine] == query.seat - 1
        return wanted

    def order(self, by: SortBy, ratings: Ratings) -> tuple[Mask, list[Ints | Floats]]:
        """Which games are to be sorted, and what by, smallest first."""
        part = self.part
        if by == "first":
            return np.ones(part.size, dtype=bool), []
        if by in ("worst", "best"):
            sign = -1 if by == "worst" else 1
            return np.ones(part.size, dtype=bool), [sign * part.ranks[self.mine], -sign * self._lead(part.points)]
        undisturbed: Mask = np.all(~part.at_fault, axis=1)
        if by == "closest":
            return undisturbed, [self._distance() if self.mine is None else abs(self._lead(part.points))]
        gaps = self._upsets(ratings[part.contest.key])
        return undisturbed & (gaps > 0), [-gaps]

    def _lead(self, values: Ints) -> Ints:
        """By game: how much more the bot has than its opponent, or than the best of all others."""
        assert self.mine is not None, "this needs a bot"
        others = np.where(self.mine, np.iinfo(np.int64).min, values).max(axis=1)
        lead: Ints = values[self.mine] - (others if self.other is None else values[self.other])
        return lead

    def _distance(self) -> Ints:
        """The points between the first place and the second one."""
        two = np.argsort(self.part.ranks, axis=1, kind="stable")[:, :2]
        first, second = np.take_along_axis(self.part.points, two, axis=1).T
        distance: Ints = abs(first - second)
        return distance

    def _upsets(self, ratings: Mapping[str, float]) -> Floats:
        """The most by which a loser is rated higher than a winner of the same table; negative if nobody is."""
        part = self.part
        rated = np.array([ratings.get(entrant.name, np.nan) for entrant in part.bots])[part.lineup]
        gaps = rated[:, :, None] - rated[:, None, :]
        upset = (part.ranks[:, :, None] > part.ranks[:, None, :]) & (gaps > 0)
        for sits in (self.mine, self.other):
            if sits is not None:
                upset &= sits[:, :, None] | sits[:, None, :]
        most: Floats = np.where(upset, gaps, -1.0).max(axis=(1, 2))
        return most


def _least(groups: Ints, wanted: Mask, keys: Sequence[Ints | Floats]) -> list[int]:
    """For each group, the first row with the least keys among those that are wanted."""
    rows = np.flatnonzero(wanted)
    for key in keys:
        least = np.full(int(groups.max(initial=0)) + 1, np.inf)
        np.minimum.at(least, groups[rows], key[rows])
        rows = rows[key[rows] == least[groups[rows]]]
    _, first = np.unique(groups[rows], return_index=True)
    return rows[first].tolist()  # type: ignore[no-any-return]
