"""Which lineups play the next round, so that games are spent where they decide something.

Everything here is a function of plain arrays: the ratings of one contest, and the worlds that the results allow. The
same arguments give the same lineups. Bots are numbers below `bots`, as in `lineups`.

The first round lets every bot meet a few others. From then on, nine tenths of a round go to lineups of bots about
which something is open, preferably of about the same strength, since such games tell most. One tenth goes to the bots
with the fewest games, so no bot waits forever. Rounds only add games, so bots that are connected stay connected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil, comb
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from league.plan.lineups import Combinations, Lineup, sampled
from league.rating.errors import leads
from league.rating.table import Floats, Ints
from league.tools.seeds import Seeds
from league.values.settings import Settle

FIRST_OPPONENTS = 10
"""About how many others each bot meets in the first round."""
GROWTH = 0.25
"""A round is this part of all games before it."""
GROWTH_OF_LARGE = 0.5
"""The same for large fields, for which choosing a round takes seconds."""
MATCHES = 2
"""Matches of a lineup each time that it is drawn: an even number, since seats are mirrored in turns."""
FEWEST_FIRST = 0.1
"""This part of a round goes to the bots with the fewest games."""
FEWEST_FIRST_OF_FEW = 0.5
"""The same if all bots of a field meet at first: few games are saved there, and ratings depend on who met whom."""
CLOSENESS = 4
"""How much games between equals are preferred: the power of a game's information in the weight of a pair."""
FLOOR = 1e-9
"""The weight of a pair about which nothing is open: a table may need one more bot."""
SURE = 0.95
"""How probable it must be that the places are right."""
TAU = 0.95
"""Kendall's tau between the order found and the true one that is expected when the order is settled."""
GROUP = 64
"""In large fields, lineups are chosen in groups of this many bots: those of a group are played in one sitting."""
LARGE = 2 * GROUP
"""More bots than this are a large field."""
LINKED = 0.25
"""In the first round, this part of the bots of each group meets some bots of other groups, which connects all."""
AT_ONCE = 1024
"""Lineups that are drawn at a time, which bounds the memory."""


class Sight(NamedTuple):
    """What the finished rounds of a contest tell."""

    rating: Floats
    worlds: Floats
    """Strengths that the results allow: worlds by bots."""
    widths: Floats
    """By bot: how wide the 95 % interval of its rating is."""
    games: Ints
    """By bot."""
    beta: float
    """How much luck there is in one game."""


def first_round(names: Sequence[str], players: int, seeds: Seeds) -> list[Lineup]:
    """Lineups in which each bot meets about `FIRST_OPPONENTS` others, and which connect all bots."""
    rings = _rings(players)
    if comb(len(names), players) <= rings * len(names):
        every = Combinations(len(names), players)
        return [every[rank] for rank in every.in_turns()]
    if len(names) <= LARGE or rings == 1:
        return sampled(names, players, rings * len(names), seeds)
    shuffled = sorted(range(len(names)), key=lambda bot: seeds.of("group", names[bot]))
    count = -(-len(names) // GROUP)
    linked: list[int] = []
    parts: list[tuple[int, list[int]]] = []
    """Bots that meet, and in how many rings."""
    for number in range(count):
        group = shuffled[number::count]
        links = round(LINKED * len(group))
        linked += group[:links]
        parts += [(rings - 1, group), (1, group[links:])]
    lineups: dict[Lineup, None] = {}
    for part, (around, bots) in enumerate([*parts, (1, linked)]):
        drawn = sampled([names[bot] for bot in bots], players, around * len(bots), Seeds(seeds.of("part", part)))
        lineups.update(dict.fromkeys(tuple(sorted(bots[bot] for bot in lineup)) for lineup in drawn))
    return list(lineups)


def _rings(players: int) -> int:
    """How many lineups each bot hosts, if it is to meet about `FIRST_OPPONENTS` others."""
    return max(round(FIRST_OPPONENTS / (players * (players - 1))), 1)


def round_size(bots: int, players: int, matches: int) -> int:
    """How many lineups are drawn for the next round, after so many matches, those of all rotations counted."""
    growth = GROWTH if bots <= LARGE else GROWTH_OF_LARGE
    return max(ceil(growth * matches / (players * MATCHES)), bots)


def next_round(sight: Sight, goal: Settle, players: int, size: int, rng: np.random.Generator) -> Counter[Lineup]:
    """`size` lineups, those that were drawn several times counted, in the order in which they were first drawn."""
    part = FEWEST_FIRST if len(sight.games) > FIRST_OPPONENTS + 1 else FEWEST_FIRST_OF_FEW
    fewest = max(round(part * size), 1)
    drawn = _of_fewest(sight.games, players, fewest, rng)
    drawn += _drawn_in_groups(pair_weights(sight, goal), players, size - fewest, rng)
    return Counter(tuple(sorted(lineup)) for lineup in drawn)


def pair_weights(sight: Sight, goal: Settle) -> Floats:
    """Bots by bots: how much a game between two of them is wanted.

    The questions of a goal count equally, and less when they are nearly settled.
    """
    close = information_of(sight.rating, sight.beta) ** CLOSENESS
    np.fill_diagonal(close, 0.0)
    weights = np.zeros_like(close)
    for open_pairs in open_questions(goal, sight):
        wanted = np.maximum(open_pairs, FLOOR) * close
        weights += wanted / wanted.sum() * np.clip(open_pairs.sum(), FLOOR, 1.0)
    return weights


def information_of(rating: Floats, beta: float) -> Floats:
    """Bots by bots: what a game of two tells about their difference, as a part of what a game of equals tells."""
    lead = np.abs(rating[:, None] - rating[None, :]) / (np.sqrt(2) * beta)
    behind = ndtr(-lead)
    information: Floats = np.exp(-(lead**2)) / np.maximum(4 * behind * (1 - behind), np.finfo(float).tiny)
    return np.maximum(information, 1e-6)


def open_questions(goal: Settle, sight: Sight) -> list[Floats]:
    """For each question of the goal, bots by bots: how far a game between two may answer it; 0: not at all."""
    if goal.places is not None:
        last = min(goal.places, len(sight.rating) - 1)
        lines = [[last], range(1, last)] if last > 1 else [[last]]
        bots = [_open_places(places, goal.within, sight.worlds) for places in lines]
    elif goal.interval is not None:
        bots = [np.maximum(1 - (goal.interval / np.maximum(sight.widths, FLOOR)) ** 2, 0.0)]
    else:
        return [_wrong_orders(sight)]
    return [np.outer(weights, weights) for weights in bots]


def reached(goal: Settle, sight: Sight) -> bool:
    """Whether what was asked is settled."""
    if goal.places is not None:
        return chance_of_places(goal.places, goal.within, sight) >= SURE
    if goal.interval is not None:
        return bool((sight.widths <= goal.interval).all())
    return expected_tau(sight) >= TAU


def chance_of_places(places: int, within: float, sight: Sight) -> float:
    """How probable it is that the best bots by rating are the best, in this order, apart from differences `within`."""
    best = np.argsort(-sight.rating, kind="stable")[:places]
    leaders = sight.worlds[:, best]
    worst_before = np.minimum.accumulate(leaders, axis=1)
    rest = np.delete(sight.worlds, best, axis=1).max(axis=1, initial=-np.inf, keepdims=True)
    next_ones = np.hstack([leaders[:, 1:], rest])
    return float(((next_ones - worst_before).max(axis=1) <= within).mean())


def expected_tau(sight: Sight) -> float:
    """Kendall's tau between the order of the ratings and the true one, as far as the results tell."""
    wrong = _wrong_orders(sight)[np.triu_indices(len(sight.rating), 1)]
    return 1 - 2 * float(wrong.mean()) if wrong.size else 1.0


def _open_places(places: Sequence[int], within: float, worlds: Floats) -> Floats:
    """By bot: how open it is on which side of each line it belongs; the line of place 3 is between places 3 and 4."""
    ranked = -np.sort(-worlds, axis=1)
    doubt = np.zeros(worlds.shape[1])
    for place in places:
        line = ranked[:, place - 1 : place + 1].mean(axis=1, keepdims=True)
        above, below = (worlds > line + within / 2).mean(axis=0), (worlds < line - within / 2).mean(axis=0)
        doubt += np.minimum(above, below)
    return doubt


def _wrong_orders(sight: Sight) -> Floats:
    """Bots by bots: how probable it is that the one with the better rating is the weaker one."""
    lead, error = leads(sight.worlds.mean(axis=0), np.atleast_2d(np.cov(sight.worlds, rowvar=False)))
    chance: Floats = ndtr(-np.abs(lead) / error)
    return chance


def _of_fewest(games: Ints, players: int, count: int, rng: np.random.Generator) -> list[Lineup]:
    """Lineups of the bots with the fewest games, each at one table if there are enough of them.

    In a large field, fewer bots play more: so starting them costs less.
    """
    most = count * players if len(games) <= LARGE else max(count // _rings(players), players)
    members = np.lexsort((rng.random(len(games)), games))[:most]
    lineups: list[Lineup] = []
    while len(lineups) < count:
        shuffled = rng.permutation(members)[: len(members) // players * players]
        lineups += map(tuple, shuffled.reshape(-1, players).tolist())
    return lineups[:count]


def _drawn_in_groups(weights: Floats, players: int, count: int, rng: np.random.Generator) -> list[Lineup]:
    """Lineups drawn at random; in a large field, from one group of bots after the other.

    Around a bot that is drawn by its weights, a group has others, drawn by their weights with it. There are at most as
    many groups as have room for all bots.
    """
    if len(weights) <= LARGE:
        return _drawn(weights, players, count, rng)
    lineups: list[Lineup] = []
    each = max(GROUP * _rings(players), ceil(count * GROUP / len(weights)))
    while len(lineups) < count:
        size = min(each, count - len(lineups))
        center = _picked(np.cumsum(weights.sum(axis=1))[None, :], rng.random((1, 1)))[0, 0]
        with np.errstate(divide="ignore"):  # a bot has no weight with itself
            keys = np.log(weights[center]) + rng.gumbel(size=len(weights))
        keys[center] = np.inf
        bots = max(min(size // _rings(players), GROUP), players)
        group = np.sort(np.argsort(-keys, kind="stable")[:bots])
        lineups += [
            tuple(group[list(lineup)].tolist()) for lineup in _drawn(weights[np.ix_(group, group)], players, size, rng)
        ]
    return lineups


def _drawn(weights: Floats, players: int, count: int, rng: np.random.Generator) -> list[Lineup]:
    """Lineups drawn at random: a pair by its weight, and each further bot by its weights with those at the table."""
    lineups: list[Lineup] = []
    ends = np.cumsum(weights)
    for start in range(0, count, AT_ONCE):
        some = min(AT_ONCE, count - start)
        pairs = _picked(ends[None, :], rng.random((some, 1)))[:, 0]
        table = np.stack(np.divmod(pairs, len(weights)), axis=1)
        for _ in range(2, players):
            each = weights[table].sum(axis=1)
            np.put_along_axis(each, table, 0.0, axis=1)
            table = np.hstack([table, _picked(np.cumsum(each, axis=1), rng.random((some, 1)))])
        lineups += map(tuple, table.tolist())
    return lineups


def _picked(ends: Floats, chance: Floats) -> Ints:
    """By row: the index of the range that holds this part of the whole; ranges end at `ends`."""
    marks = chance * ends[:, -1:]
    if len(ends) == 1:
        return np.searchsorted(ends[0], marks, side="right")
    places: Ints = (ends <= marks).sum(axis=1, keepdims=True)
    return places
