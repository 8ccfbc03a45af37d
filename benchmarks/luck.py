"""How much luck cancels: what a game is worth when deals are played in every rotation, shared, or corrected for.

`python -m benchmarks luck` plays every pair of a field on the same deals, in every rotation, and prints how many games
are needed to tell two bots apart to the same error, as a part of those that are needed with a new deal for each game:

- `rotations`: every deal in every rotation, as leagues play. Below 1 luck cancels, above 1 it is repeated;
- `value, one seat`: one rotation only, corrected by the value of the deal for a seat, learned from all other pairs;
- `value, rotations`: every rotation, corrected in the same way, beside every rotation without it;
- `features, rotations`: every rotation, corrected by features of the deal whose means are known, as leagues do it in
  games that have them (`Game.luck`): 1 if they are not worth it;
- `shared / own`: of a whole round robin, deals that all pairs share beside deals of their own.

All are medians over the pairs. Corrections are judged on deals that they were not learned from.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.banks import Field, deals_of, played, sources_of
from league.rating.places import place_scores
from league.rating.points import LuckSums, PointsTable, without_luck
from league.rating.table import Floats
from league.values.block import DEAL_GROUPS

DEALS = 2000 if os.environ.get("FULL") else 400
SEED = int(os.environ.get("TRUTH_SEED", "1"))
FOLDS = 10
KUHN = Path(__file__).parent.parent / "examples" / "kuhn"
FIELDS = (
    Field("mixed", "raj", 2, ("raj_habits", "raj_nearest", 0.8, 0.5, "random")),
    Field("cheese", "cheese_rescue", 2, ("cheese_chain", "cheese_greedy", "cheese_patient", "random")),
    Field(
        "kuhn",
        str(KUHN / "kuhn.py"),
        2,
        (*(str(KUHN / "bots" / name) for name in ("equilibrium", "bettor", "honest", "caller")), "random"),
    ),
)
FEATURES: dict[str, Callable[[Any], list[float]]] = {
    "mixed": lambda deal: [float(prize) for prize in deal.prizes[:-1]],
    "cheese": lambda deal: [float(animal == kind) for animal in deal.animals[:10] for kind in (7, 8)],
    "kuhn": lambda deal: [float(sum(deal.cards) == total) for total in (3, 4)],
}
"""By field: numbers that describe a deal."""


def run() -> Iterator[dict[str, object]]:
    """Rows for `python -m benchmarks`."""
    for field in FIELDS:
        ranks, points = played(field, sources_of(field), DEALS, SEED, by_seat=True)
        features = np.array([FEATURES[field.name](deal) for deal in deals_of(field, DEALS, SEED)])
        lineups = list(combinations(range(len(field.bots)), 2))
        scores = place_scores(ranks.reshape(-1, 2)).reshape(ranks.shape)
        for what, values in (("points", points.astype(np.float64)), ("places", scores)):
            leads = values[..., 0] - values[..., 1]
            yield {"game": field.name if field.name == "kuhn" else field.game, "counts": what} | _row(
                leads, lineups, features
            )


def _row(leads: Floats, lineups: list[tuple[int, int]], features: Floats) -> dict[str, object]:
    """Of leads by pair, deal and rotation."""
    by_deal = leads.mean(axis=2)
    parts: dict[str, list[float]] = {}
    for number, pair in enumerate(lineups):
        one_game, one_deal = leads[number].var(), by_deal[number].var()
        if not (one_deal and leads[number, :, 0].var()):
            continue  # it always ends the same way
        others = [at for at, other in enumerate(lineups) if not set(pair) & set(other)]
        # In the second rotation the first bot of a pair sits in the other seat: the deal's value has the other sign.
        value = (leads[others, :, 0] - leads[others, :, 1]).mean(axis=0)[:, None] / 2
        of_pair = {
            "rotations": 2 * one_deal / one_game,
            "value, one seat": _left(leads[number, :, 0], value) * leads[number, :, 0].var() / one_game,
            "value, rotations": _left(by_deal[number], value),
            "features, rotations": _left_by_leagues(by_deal[number], features),
        }
        for name, part in of_pair.items():
            parts.setdefault(name, []).append(float(part))
    shared = [_shared(by_deal, lineups, one, other) for one, other in lineups]
    parts["shared / own"] = shared
    return {name: float(np.median(of_pairs)) for name, of_pairs in parts.items()}


def _left(values: Floats, features: Floats) -> float:
    """The part of the variance that a regression on features leaves, judged on deals that it has not seen."""
    fold = np.arange(len(values)) % FOLDS
    rows = np.column_stack([np.ones(len(values)), features])
    wrong = 0.0
    for number in range(FOLDS):
        learn, judge = fold != number, fold == number
        weights = np.linalg.lstsq(rows[learn], values[learn], rcond=None)[0]
        wrong += float(((values[judge] - rows[judge] @ weights) ** 2).sum())
    return wrong / (len(values) * float(values.var()))


def _left_by_leagues(leads: Floats, features: Floats) -> float:
    """The part of the variance that is left by what leagues take out, if a game describes its deals so."""
    deals = len(leads)
    features = features - features.mean(axis=0)
    points = np.column_stack([leads / 2, -leads / 2])
    lineups, ones = np.tile([[0, 1]], (deals, 1)), np.ones(deals)
    table = PointsTable(2, lineups, np.arange(deals) % DEAL_GROUPS, ones, points)
    products = features[:, :, None] * points[:, None, :]
    return 1 - without_luck(table, LuckSums(features, features[:, :, None] * features[:, None, :], products)).saved


def _shared(by_deal: Floats, lineups: list[tuple[int, int]], one: int, other: int) -> float:
    """The variance of the difference of two bots' means, if all pairs share their deals, beside deals of their own."""
    weights = np.array([(one in pair) * (1 if pair[0] == one else -1) for pair in lineups], dtype=np.float64)
    weights -= [(other in pair) * (1 if pair[0] == other else -1) for pair in lineups]
    covariance = np.cov(by_deal)
    return float(weights @ covariance @ weights / (weights**2 @ np.diag(covariance)))
