"""How ratings settled over the games of a league, and how good seats are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from league.page.data import SeatScore
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

SETTLING_ROWS = 60_000
"""Different results that may be fitted again to show how ratings settled."""
Settled = tuple[int, Mapping[str, float]]
"""How many games were played, and the ratings from them alone."""


def settle(contest: ContestStandings, rating: Rating, names: Sequence[str]) -> list[Settled]:
    """Ratings from the first group of deals, the first two, four and so on, up to all.

    A group holds some deals of each lineup once enough were played, so each step is about a league of fewer deals.
    Steps that would take too long are left out. The names are those of the bots of the contest, as they are shown.
    """
    present = np.unique(contest.table.cells.group)
    if not len(present):
        return []
    steps = []
    count, rows = 1, 0
    while count < len(present):
        part = _first_groups(contest.table, int(present[count]))
        rows += len(part.order)
        if rows > SETTLING_ROWS:
            break
        if contest.points is not None:
            mean = contest.points_after(int(present[count]))
        else:
            mean = rate_online(part, rating)[0] if rating.mode == "online" else fit(part, rating).mean
        steps.append(_settled(part, mean, names))
        count *= 2
    return [*steps, _settled(contest.table, contest.rating, names)]


def settle_overall(of_contests: Sequence[tuple[Sequence[Settled], Unit]]) -> list[Settled]:
    """The mean over contests in a common unit, step by step; a contest with fewer deals stays where it ended."""
    found: list[Settled] = []
    for number in range(max((len(steps) for steps, _ in of_contests), default=0)):
        played, ratings = 0, dict[str, list[float]]()
        for steps, unit in of_contests:
            games, of_bots = steps[min(number, len(steps) - 1)]
            played += games
            for name, rating in zip(of_bots, unit.common(np.array([*of_bots.values()])).tolist(), strict=True):
                ratings.setdefault(name, []).append(rating)
        found.append((played, {name: sum(parts) / len(parts) for name, parts in ratings.items()}))
    return found


def seats(contest: ContestStandings, names: Sequence[str]) -> tuple[list[SeatScore], dict[str, list[SeatScore]]]:
    """The mean place score of each seat, and by bot of each bot in each seat, with intervals."""
    counts = contest.counts
    bots, players = len(names), counts.ranks.shape[1]
    present, group = np.unique(counts.groups, return_inverse=True)
    score = place_scores(counts.ranks)
    games = np.broadcast_to(counts.games[:, None], counts.seats.shape).astype(float)
    where = (group.reshape(-1, 1) * bots + counts.lineups) * players + counts.seats
    shape = len(present), bots, players
    size = len(present) * bots * players
    played, scored = (summed(where, values, size).reshape(shape) for values in (games, score * games))
    own = {name: _seat_scores(played[:, bot], scored[:, bot]) for bot, name in enumerate(names)}
    return _seat_scores(played.sum(axis=1), scored.sum(axis=1)), own


def _seat_scores(games: Floats, scores: Floats) -> list[SeatScore]:
    """The seats that were played, from games and scores by group of deals and seat; no interval from a single group."""
    found = []
    for seat in np.flatnonzero(games.any(axis=0)).tolist():
        mean, half = clustered_mean(scores[:, seat], games[:, seat])
        interval = (max(0.0, mean - half), min(1.0, mean + half)) if half < np.inf else ()
        found.append(SeatScore(seat + 1, int(games[:, seat].sum()), mean, interval))
    return found


def _first_groups(table: RankingTable, stop: int) -> RankingTable:
    """The part of a table that comes from the groups of deals before one."""
    row, group, games = table.cells
    kept = group < stop
    rows, new_row = np.unique(row[kept], return_inverse=True)
    return RankingTable(
        table.bots, table.order[rows], table.ties[rows], Cells(new_row.ravel(), group[kept], games[kept])
    )


def _settled(table: RankingTable, rating: Floats, names: Sequence[str]) -> Settled:
    return int(table.games.sum()), {names[bot]: float(rating[bot]) for bot in np.unique(table.order).tolist()}
