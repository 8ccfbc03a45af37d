"""Whether intervals and places in points are as right as they say: leagues of Kuhn poker, drawn from many deals.

Every pair plays 2,000 deals in both rotations. What they say together is the truth that drawn leagues of fewer deals
are judged by: `covered`, the part of all intervals that hold it, and of the bot that is worst off; `false orders`, the
part of leagues in which any place is wrong; `claims`, how many pairs are said to be in a certain order; and how often a
chance of 80 to 95 % was right.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np

from benchmarks.banks import Field, groups_of, played, sources_of
from league.rating import TAIL
from league.rating.chances import chance_of_better, worlds_of_means
from league.rating.places import certain_order
from league.rating.points import PointsTable, fit_points
from league.rating.table import Floats, Ints

BANK_DEALS = 2000
LEAGUES = 100
DEALS = (3, 5, 8, 20, 60, 200)
SURE = (0.8, 0.95)
BETA = 25 / 6
KUHN = Path(__file__).parent.parent / "examples" / "kuhn"
FIELD = Field(
    "kuhn",
    str(KUHN / "kuhn.py"),
    2,
    (*(str(KUHN / "bots" / name) for name in ("equilibrium", "bettor", "honest", "caller")), "random"),
)


def run() -> Iterator[dict[str, object]]:
    """Rows for `python -m benchmarks`."""
    points = played(FIELD, sources_of(FIELD), BANK_DEALS, 1, by_seat=True)[1].astype(np.float64)
    by_deal = points.sum(axis=2)
    bots = len(FIELD.bots)
    lineups = np.array(list(combinations(range(bots), 2)))
    variance = float(points.var())
    pools = np.zeros(bots, dtype=np.int64)
    every = np.indices(by_deal.shape[:2]).reshape(2, -1)
    truth = fit_points(_table(bots, lineups, by_deal, every[0], every[1], every[1] % 64), variance, pools).mean
    better = truth[:, None] > truth[None, :]
    unit = variance**0.5 / (2**0.5 * BETA)
    for deals in DEALS:
        held, wrong, claims, chances, half = [], 0, 0, [], 0.0
        for league in range(LEAGUES):
            rng = np.random.default_rng([league, deals])
            lineup = np.repeat(np.arange(len(lineups)), deals)
            drawn = rng.integers(0, BANK_DEALS, len(lineup))
            groups = groups_of(rng, lineup)
            table = _table(bots, lineups, by_deal, lineup, drawn, groups)
            found = fit_points(table, variance, pools)
            half += TAIL * float(np.sqrt(np.diag(found.covariance)).mean()) / LEAGUES
            held.append(np.abs(found.mean - truth) <= TAIL * np.sqrt(np.diag(found.covariance)))
            order = certain_order(found.mean, found.covariance, found.known, f"{league}").ahead
            wrong += bool((order & ~better).any())
            claims += int(order.sum())
            worlds = worlds_of_means(found.mean, found.covariance, pools, unit, f"{league}")
            for one, other in combinations(range(bots), 2):
                chance = chance_of_better(worlds[:, one], worlds[:, other])
                chances.append((max(chance, 1 - chance), (chance > 0.5) == better[one, other]))
        covered = np.mean(held, axis=0)
        said = np.array([pair for pair in chances if SURE[0] <= pair[0] < SURE[1]], dtype=np.float64).reshape(-1, 2)
        yield {
            "deals": deals,
            "±": f"{half:.3f}",
            "covered": f"{covered.mean():.3f}",
            "worst": float(covered.min()),
            "false orders": wrong / LEAGUES,
            "claims": claims / LEAGUES,
            "said": float(said[:, 0].mean()) if len(said) else "-",
            "right": float(said[:, 1].mean()) if len(said) else "-",
            "of": len(said),
        }


def _table(bots: int, lineups: Ints, by_deal: Floats, lineup: Ints, deal: Ints, group: Ints) -> PointsTable:
    """Deals of lineups, both rotations added up; deals of one lineup and group are one row."""
    rows, at = np.unique(np.column_stack([lineup, group]), axis=0, return_inverse=True)
    games, sums = np.zeros(len(rows)), np.zeros((len(rows), 2))
    np.add.at(games, at.ravel(), 2)
    np.add.at(sums, at.ravel(), by_deal[lineup, deal])
    return PointsTable(bots, lineups[rows[:, 0]], rows[:, 1], games, sums)
