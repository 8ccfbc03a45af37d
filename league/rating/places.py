"""What places are worth, and which places the results leave open."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr

from league.rating.errors import Errors, generator, leads, root_of
from league.rating.table import Floats, Ints
from league.values.settings import LEVEL

DRAWS = 2000
FEWEST_DRAWS = 200
MOST_NUMBERS = 4e7
"""Pairs times draws: of very many bots, fewer are drawn."""
LITTLE = 0.01
"""It is over when a smaller part of the leads than this became certain: another round would find hardly more."""


def place_scores(ranks: Ints) -> Floats:
    """For each rank of each row: 1 for the first place, 0 for the last, evenly between, ties averaged."""
    players = ranks.shape[1]
    scores: Floats = 1 - (ranks + (sharing(ranks) - 1) / 2) / (players - 1)
    return scores


def sharing(ranks: Ints) -> Ints:
    """For each rank of each row: how many share it."""
    sharing: Ints = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2)
    return sharing


class Order(NamedTuple):
    """What is certain about the order of some bots."""

    ahead: NDArray[np.bool_]
    """Bots by bots: whether the one is better than the other."""
    tail: float
    """A lead beyond this quantile of the normal distribution is certain, once its freedom is allowed for."""


def certain_order(value: Floats, errors: Errors, seed: str) -> Order:
    """Which bots are better than which others, for sure: in 95 of 100 leagues nothing of it is wrong.

    All leads are tested at once. Each has Student's t with its degrees of freedom, and is turned into the normal score
    of the same probability. How large the largest of them gets by luck alone follows from draws with the covariance of
    the values. Leads that are larger are certain, and no longer among those that may be large by luck, so the others
    are tested again: the step-down method of Romano and Wolf. Bots that are not `known` are neither behind nor ahead of
    others.
    """
    members = np.flatnonzero(errors.known)
    ahead = np.zeros((len(value), len(value)), dtype=bool)
    if len(members) < 2:
        return Order(ahead, np.inf)
    inside = errors.part(members)
    one, other = np.triu_indices(len(members), 1)
    lead, error = (part[one, other] for part in leads(value[members], inside.covariance))
    score = -ndtri(np.maximum(stdtr(inside.freedom_of_leads()[one, other], -np.abs(lead) / error), 1e-300))
    draws = int(np.clip(MOST_NUMBERS / len(one), FEWEST_DRAWS, DRAWS))
    luck = generator(seed).standard_normal((draws, len(members))) @ root_of(inside.covariance)
    tail = float(ndtri(1 - (1 - LEVEL) / 2 / len(one)))  # as if all leads were independent: saves drawing most of them
    undecided = score <= tail
    open_errors = np.zeros((len(members), len(members)))
    while undecided.any():
        open_errors[one, other] = np.where(undecided, error, 0.0)
        tail = float(np.quantile(_largest(luck, open_errors), LEVEL))
        certain = undecided & (score > tail)
        enough = certain.sum() <= LITTLE * undecided.sum()
        undecided &= ~certain
        if enough:
            break
    first, second = members[one], members[other]
    ahead[first, second], ahead[second, first] = ~undecided & (lead > 0), ~undecided & (lead < 0)
    return Order(ahead, tail)


def _largest(luck: Floats, errors: Floats) -> Floats:
    """By draw: the largest lead in either direction, in standard errors; of pairs that have one above the diagonal."""
    by_bot = np.ascontiguousarray(luck.T)
    largest = np.zeros(len(luck))
    for bot in range(len(by_bot) - 1):  # bot by bot, so that memory stays small and is read in order
        others = bot + 1 + np.flatnonzero(errors[bot, bot + 1 :])
        if len(others):
            leads_of_bot = np.abs(by_bot[others] - by_bot[bot]) / errors[bot, others, None]
            np.maximum(largest, leads_of_bot.max(axis=0), out=largest)
    return largest


def place_ranges(ahead: NDArray[np.bool_]) -> list[str]:
    """The range of places of each bot: below all that are surely ahead of it, above all that it is surely ahead of."""
    best = 1 + ahead.sum(axis=0)
    worst = len(ahead) - ahead.sum(axis=1)
    return [str(low) if low == high else f"{low}-{high}" for low, high in zip(best, worst, strict=True)]


def plain_ranks(rating: Floats) -> list[int]:
    """1 for the best rating and so on; equal ratings have the same rank."""
    ranks: list[int] = (1 + (rating[None, :] > rating[:, None]).sum(axis=1)).tolist()
    return ranks
