"""A bracket of the best bots of a contest, told from games that were already played. It decides nothing.

    for bracket in brackets_of(store, standings):
        print(bracket.champion, [pairing.winner for pairing in bracket.rounds[0]])

The rule is fixed, so that nobody chooses which games are told:

- The best bots are seeded in the order of the standings, without baselines: the first meets the last, and so on.
- A pairing is decided by the first `FIRST_DEALS` deals at which both sat at one table, by the number of the deal and
  then by the lineup, each in every rotation: by who finished ahead in more games, or by points where points count.
- If they are level after that, further deals are added one by one, up to `MOST_DEALS` of them.
- If they are level after these too, or never met, the better placed bot goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from league.results.columns import placed
from league.results.games import FoundGame, games

if TYPE_CHECKING:
    from league.results.contest_standings import ContestStandings
    from league.results.standings import Standings
    from league.results.store import Store

SIZES = ((32, 16), (8, 8), (4, 4), (2, 2))
"""Pairs of the least number of bots in a contest and how many of them are in its bracket."""
FIRST_DEALS = 3
MOST_DEALS = 12

Score = tuple[float, float]
How = Literal["games", "points", "level", "unmet"]
"""What decided a pairing. If nothing did, the better placed bot goes on."""


class PairGame(NamedTuple):
    """One game of a pairing."""

    game: FoundGame
    points: tuple[int, int]
    """The points of the better placed bot and of the other."""
    ahead: int
    """1 if the better placed bot finished ahead of the other, -1 if behind, 0 if level."""


class Pairing(msgspec.Struct, frozen=True):
    """Two bots of a bracket, the better placed first, and the games that decide between them."""

    bots: tuple[str, str]
    winner: str
    how: How
    score: Score = (0.0, 0.0)
    games: tuple[PairGame, ...] = ()
    deals: int = 0
    """Deals of these games: more than `FIRST_DEALS` if they were level after those."""
    chance: float | None = None
    """How likely the better placed bot is the better one, from all games of the league; None if it is not known."""

    @property
    def upset(self) -> bool:
        """Whether the bot that is placed lower goes on."""
        return self.winner == self.bots[1]


class Bracket(NamedTuple):
    """The bracket of one contest."""

    contest: str
    """Its key."""
    seeds: tuple[str, ...]
    """The bots, the best placed first."""
    rounds: tuple[tuple[Pairing, ...], ...]
    """The winners of two neighbours meet in the next round; the last one is the final."""

    @property
    def champion(self) -> str:
        """The winner of the final."""
        return self.rounds[-1][0].winner


def brackets_of(store: Store, standings: Standings) -> list[Bracket]:
    """The bracket of each contest in which two bots or more have a place."""
    brackets = []
    for key, contest in standings.contests.items():
        names = [line.bot for line in placed(contest.lines) if line.bot not in standings.baselines]
        seeds = names[: next((size for least, size in SIZES if len(names) >= least), 0)]
        if seeds:
            met = _games_of_pairs(store, key, seeds)
            chance = partial(_chance, contest)
            brackets.append(make_bracket(key, seeds, met, chance, by_points=contest.count != "games"))
    return brackets


def make_bracket(
    contest: str,
    seeds: Sequence[str],
    met: Mapping[frozenset[str], Sequence[FoundGame]],
    chance_of: Callable[[str, str], float | None],
    *,
    by_points: bool = False,
) -> Bracket:
    """The bracket of these bots, the best placed first: 2, 4, 8 or 16 of them.

    `met` has the games at which two bots sat at one table, `chance_of` returns how likely the first is the better one.
    """
    rounds = []
    left = _draw(len(seeds))
    while len(left) > 1:
        pairings = []
        for first, second in zip(left[::2], left[1::2], strict=True):
            a, b = seeds[min(first, second)], seeds[max(first, second)]
            pairings.append(_pairing(a, b, met.get(frozenset((a, b)), ()), chance_of(a, b), by_points))
        rounds.append(tuple(pairings))
        left = [seeds.index(pairing.winner) for pairing in pairings]
    return Bracket(contest, tuple(seeds), tuple(rounds))


def _draw(size: int) -> list[int]:
    """The seeds from top to bottom: the best two can meet in the final only. 0, 3, 1, 2 for four bots."""
    order = [0]
    while len(order) < size:
        order = [seed for upper in order for seed in (upper, 2 * len(order) - 1 - upper)]
    return order


def _pairing(a: str, b: str, games: Sequence[FoundGame], chance: float | None, by_points: bool) -> Pairing:
    """Two bots, `a` placed better, and which of their games decide."""
    counted: list[PairGame] = []
    score, deals = (0.0, 0.0), 0
    for of_deal in _complete_deals(games)[:MOST_DEALS]:
        counted += [_seen_from(a, b, game) for game in of_deal]
        deals += 1
        score = _score(counted, by_points)
        if deals >= FIRST_DEALS and score[0] != score[1]:
            break
    how: How = "unmet" if not counted else "level" if score[0] == score[1] else "points" if by_points else "games"
    return Pairing((a, b), b if score[1] > score[0] else a, how, score, tuple(counted), deals, chance)


def _complete_deals(games: Sequence[FoundGame]) -> list[list[FoundGame]]:
    """The games by deal and lineup, each in every rotation; a deal of which one is missing does not count."""
    tables: dict[tuple[int, tuple[str, ...]], list[FoundGame]] = {}
    for game in games:
        tables.setdefault((game.deal, game.address.lineup), []).append(game)
    return [
        sorted(tables[key], key=lambda game: game.address.rotation)
        for key in sorted(tables)
        if len(tables[key]) == len(tables[key][0].bots)
    ]


def _seen_from(a: str, b: str, game: FoundGame) -> PairGame:
    mine, theirs = game.bots.index(a), game.bots.index(b)
    ranks = game.ranks[mine], game.ranks[theirs]
    return PairGame(game, (game.points[mine], game.points[theirs]), (ranks[0] < ranks[1]) - (ranks[0] > ranks[1]))


def _score(games: Sequence[PairGame], by_points: bool) -> Score:
    """The games in which each finished ahead, a tie as one half; or the points of each."""
    if by_points:
        return float(sum(game.points[0] for game in games)), float(sum(game.points[1] for game in games))
    first = sum((1 + game.ahead) / 2 for game in games)
    return first, len(games) - first


def _games_of_pairs(store: Store, contest: str, names: Sequence[str]) -> dict[frozenset[str], list[FoundGame]]:
    """The games of each pair on the first deals of their lineups."""
    wanted = frozenset(names)
    met: dict[frozenset[str], list[FoundGame]] = {}
    for part in games(store, wanted=lambda one, lineup: one.key == contest and len(wanted.intersection(lineup)) > 1):
        for row in (part.deal < MOST_DEALS).nonzero()[0].tolist():
            game = part.game(row)
            for pair in combinations(wanted.intersection(game.bots), 2):
                met.setdefault(frozenset(pair), []).append(game)
    return met


def _chance(contest: ContestStandings, a: str, b: str) -> float | None:
    """How likely `a` is better than `b`, from all games of the contest, as `league compare` has it."""
    from league.rating.chances import chance_of_better  # the arena's web server draws brackets, and computes none

    one, other = contest.bots.index(a), contest.bots.index(b)
    pools = contest.table.pools
    if pools[one] != pools[other] or not (contest.known[one] and contest.known[other]):
        return None
    return chance_of_better(contest.worlds[:, one], contest.worlds[:, other])
