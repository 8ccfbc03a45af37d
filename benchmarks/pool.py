"""What the standings of very many bots cost, part by part: each meets 20 others in ten deals."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from time import process_time
from typing import TypeVar

import numpy as np

from league.rating.errors import measure as measured_errors
from league.rating.errors import of_places
from league.rating.fit import draw_margin, fit
from league.rating.pairs import cycles, expected_scores, head_to_head, nash
from league.rating.places import certain_order, likely_strengths
from league.rating.table import Ints, RankingTable
from league.values.settings import Rating

CIRCLES = 10
"""In each one, every bot meets its two neighbours."""
DEALS = 10
Value = TypeVar("Value")


def run() -> Iterator[dict[str, object]]:
    """One row for each number of bots."""
    for bots in (100, 1000, 3000):
        yield measure(bots)


def measure(bots: int) -> dict[str, object]:
    """Seconds of processor time; the memory is the most that this process has ever used."""
    rating = Rating()
    table = _play(bots)
    fitted, cold = _timed(lambda: fit(table, rating))
    _, learned = _timed(lambda: fit(table, Rating(sigma=None)))
    evidence, gathered = _timed(lambda: of_places(table, fitted))
    (errors, luck, _), bars = _timed(lambda: measured_errors(evidence))
    _, places = _timed(lambda: certain_order(fitted.mean, errors, "pool"))
    _, chances = _timed(lambda: likely_strengths(evidence, errors, luck, "pool"))
    pairs, counted = _timed(lambda: head_to_head(table))
    _, circles = _timed(lambda: cycles(pairs))
    expected = expected_scores(fitted.mean, draw_margin(table, rating), rating.beta)
    _, second = _timed(lambda: nash(np.where(pairs.met, pairs.score, expected)))
    return {
        "bots": f"{bots:,}",
        "games": f"{table.games.sum():,}",
        "fit s": cold,
        "sigma auto / fit": learned / cold,
        "intervals s": gathered + bars,
        "places s": places,
        "chances s": chances,
        "head to head s": counted,
        "cycles s": circles,
        "nash s": second,
        "memory MB": f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}",
    }


def _play(bots: int) -> RankingTable:
    rng = np.random.default_rng(bots)
    skills = rng.normal(0, 4, bots)
    circles = [rng.permutation(bots) for _ in range(CIRCLES)]
    met = np.concatenate([np.stack([circle, np.roll(circle, 1)], axis=1) for circle in circles])
    lineups: Ints = np.repeat(np.unique(np.sort(met, axis=1), axis=0), 2 * DEALS, axis=0)
    performance = np.round(skills[lineups] + rng.normal(0, 25 / 6, lineups.shape))
    ranks = (performance < performance[:, ::-1]).astype(np.int64)
    groups = np.tile(np.repeat(np.arange(DEALS), 2), len(lineups) // (2 * DEALS))
    return RankingTable.from_rankings(bots, lineups, ranks, groups, np.ones(len(lineups), dtype=np.int64))


def _timed(work: Callable[[], Value]) -> tuple[Value, float]:
    began = process_time()
    return work(), process_time() - began
