"""Numbers of the page that are computed from arrays: meetings, how ratings settled, and scores by seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from league.page.data import Meeting, SeatScore
from league.rating.errors import clustered_mean
from league.rating.fit import fit
from league.rating.online import rate_online
from league.rating.places import place_scores
from league.rating.table import Cells, RankingTable, summed

if TYPE_CHECKING:
    from league.rating.table import Floats
    from league.results.contest_standings import ContestStandings
    from league.results.standings import Unit
    from league.values.settings import Rating

STEPS = ((40, 2), (400, 4), (10**9, 16))
"""By the largest number of bots: how many times the deals of the step before each step of settling ratings has."""
ALL_PAIRS = 80_000
"""Pairs on all boards of a page together; the files have all."""
SETTLING_ROWS = 60_000
"""Different results that may be fitted again to show how ratings settled."""
SETTLING_BOTS = 400
Index = Mapping[str, int]
"""Name of a bot to its number on the page."""


class Settled(NamedTuple):
    """Ratings from the first groups of deals only."""

    games: int
    ratings: dict[str, float]


def shown_meetings(boards: int) -> int:
    """For a page with this many boards: how many bots of each, best first, have their meetings shown."""
    return int((2 * ALL_PAIRS / max(boards, 1)) ** 0.5)


def lead_span(contest: ContestStandings) -> float:
    """The largest lead in points that any two bots may have, if points count; otherwise 0."""
    if contest.points is None:
        return 0.0
    ends = np.abs(contest.pairs.high)
    return float(ends[np.isfinite(ends)].max(initial=0.0)) or 1.0


def meetings(contest: ContestStandings, index: Index, among: Sequence[str]) -> tuple[Meeting, ...]:
    """How each pair of bots did when they met."""
    pairs, expected = contest.pairs, contest.expected
    number = np.array([index[name] for name in contest.bots], dtype=np.int64)
    chosen = np.isin(np.array(contest.bots), np.array(among))
    one, other = np.nonzero(pairs.met & np.outer(chosen, chosen))
    first = number[one] < number[other]
    one, other = one[first], other[first]
    order = np.lexsort((number[other], number[one]))
    one, other = one[order], other[order]
    columns = (number[one], number[other], pairs.games[one, other].astype(int))
    values = [table[one, other] for table in (pairs.score, pairs.low, pairs.high, expected)]
    if contest.points:  # as parts of the largest lead
        values = [0.5 + lead / (2 * lead_span(contest)) for lead in values]
    return tuple(map(Meeting, *(column.tolist() for column in (*columns, *values))))


def settle(contest: ContestStandings, rating: Rating) -> list[Settled]:
    """Ratings from the first group of deals, the first two, four and so on, up to all; large pools take larger steps.

    A group holds some deals of each lineup once enough were played, so each step is about a league of fewer deals.
    Steps that would take too long are left out.
    """
    present = np.unique(contest.table.cells.group)
    if not len(present):
        return []
    steps = []
    count, rows = 1, 0
    factor = next(factor for most, factor in STEPS if len(contest.bots) <= most)
    while count < len(present):
        part = _first_groups(contest.table, int(present[count]))
        rows += len(part.order)
        if rows > SETTLING_ROWS:
            break
        if contest.points is not None:
            mean = contest.points_after(int(present[count]))
        else:
            mean = rate_online(part, rating)[0] if rating.mode == "online" else fit(part, rating).mean
        steps.append(_settled(contest, part, mean))
        count *= factor
    return [*steps, _settled(contest, contest.table, contest.rating)]


def settling(steps: Sequence[Settled], index: Index) -> tuple[tuple[int, tuple[tuple[int, float], ...]], ...]:
    """The steps for the page, of the best bots of `index`; empty if there is only one step."""
    if len(steps) < 2:
        return ()
    last = steps[-1].ratings
    best = sorted((name for name in last if name in index), key=lambda name: (-last[name], name))[:SETTLING_BOTS]
    return tuple(
        (step.games, tuple((index[name], step.ratings[name]) for name in best if name in step.ratings))
        for step in steps
    )


def in_unit(steps: Sequence[Settled], unit: Unit) -> list[Settled]:
    """Steps of a contest in the unit of all contests together."""
    return [
        step._replace(
            ratings=dict(zip(step.ratings, unit.common(np.array([*step.ratings.values()])).tolist(), strict=True))
        )
        for step in steps
    ]


def settle_overall(of_contests: Sequence[Sequence[Settled]]) -> list[Settled]:
    """The mean over contests, step by step; a contest with fewer deals stays where it ended."""
    means_of_steps = []
    for step_number in range(max(map(len, of_contests), default=0)):
        now = [steps[min(step_number, len(steps) - 1)] for steps in of_contests]
        ratings: dict[str, list[float]] = {}
        for step in now:
            for name, rating in step.ratings.items():
                ratings.setdefault(name, []).append(rating)
        means = {name: sum(parts) / len(parts) for name, parts in ratings.items()}
        means_of_steps.append(Settled(sum(step.games for step in now), means))
    return means_of_steps


def seats(contest: ContestStandings, index: Index) -> tuple[tuple[SeatScore, ...], dict[int, tuple[SeatScore, ...]]]:
    """The mean place score of each seat, and by bot of each bot in each seat, with intervals."""
    counts = contest.counts
    bots, players = len(contest.bots), counts.ranks.shape[1]
    present, group = np.unique(counts.groups, return_inverse=True)
    score = place_scores(counts.ranks)
    games = np.broadcast_to(counts.games[:, None], counts.seats.shape).astype(float)
    where = (group.reshape(-1, 1) * bots + counts.lineups) * players + counts.seats
    shape = len(present), bots, players
    size = len(present) * bots * players
    played, scored = (summed(where, values, size).reshape(shape) for values in (games, score * games))
    own = {
        index[name]: _seat_scores(played[:, bot], scored[:, bot])
        for bot, name in enumerate(contest.bots)
        if played[:, bot].any()
    }
    return _seat_scores(played.sum(axis=1), scored.sum(axis=1)), own


def _seat_scores(games: Floats, scores: Floats) -> tuple[SeatScore, ...]:
    """The seats that were played, from games and scores by group of deals and seat; no interval from a single group."""
    found = []
    for seat in np.flatnonzero(games.any(axis=0)).tolist():
        mean, half = clustered_mean(scores[:, seat], games[:, seat])
        interval = (max(0.0, mean - half), min(1.0, mean + half)) if half < np.inf else ()
        found.append(SeatScore(seat + 1, int(games[:, seat].sum()), mean, interval))
    return tuple(found)


def _first_groups(table: RankingTable, stop: int) -> RankingTable:
    """The part of a table that comes from the groups of deals before one."""
    row, group, games = table.cells
    kept = group < stop
    rows, new_row = np.unique(row[kept], return_inverse=True)
    return RankingTable(
        table.bots, table.order[rows], table.ties[rows], Cells(new_row.ravel(), group[kept], games[kept])
    )


def _settled(contest: ContestStandings, table: RankingTable, rating: Floats) -> Settled:
    ratings = {contest.bots[bot]: float(rating[bot]) for bot in np.unique(table.order).tolist()}
    return Settled(int(table.games.sum()), ratings)
