"""Error bars by resampling whole groups of deals.

Each deal is played in every rotation, so games are not independent but deals are. A
replicate draws as many groups of deals as there are, with replacement, and asks what the ratings would have been. It
needs no new fit: one step of Newton's method from the fitted ratings is linear in the weights of the groups, so
thousands of replicates are one product of matrices.

Two things a plain bootstrap leaves out are added as noise. The prior is an observation too, so it is perturbed as
well; where the model holds, the spread is then that of the Bayesian posterior. And where one set of bots beat another
without exception, resampling would find no doubt at all; there the model's own information is used.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import stdtrit

from league.rating.fit import Fit
from league.rating.joint import anchored
from league.rating.level import LOWER, TAIL, UPPER
from league.rating.table import Floats, Ints, RankingTable, information, summed

REPLICATES = 2000


def replicates(table: RankingTable, fitted: Fit, seed: str, count: int = REPLICATES) -> Floats:
    """Ratings as they might have been: replicates by bots. Deterministic for the same data and seed."""
    bots = table.bots
    rng = _generator(seed)
    groups, pulls = group_pulls(table, fitted)
    weights = rng.multinomial(groups, np.full(max(groups, 1), 1 / max(groups, 1)), count) - 1.0
    wider = float(small_sample_factor(groups))
    noise = rng.standard_normal((count, bots)) * np.sqrt(fitted.prior)
    noise += rng.standard_normal((count, bots)) @ _root(_unopposed_information(table, fitted, all_of_it=groups < 2)).T
    pushed = wider * (weights @ pulls) + noise if groups > 1 else noise
    factor = cho_factor(fitted.information + fitted.prior * np.eye(bots), lower=True) if bots else None
    moved = cho_solve(factor, pushed.T).T if factor else pushed
    shifted: Floats = fitted.mean + anchored(moved, table.pools)
    return shifted


def around(samples: Floats, mean: Floats, sigma: Floats, seed: str) -> Floats:
    """Replicates around another mean, spread by `sigma` at least: what the order of games adds is in it."""
    more = np.sqrt(np.maximum(sigma**2 - samples.var(axis=0), 0.0))
    moved: Floats = samples - samples.mean(axis=0) + mean + more * _generator(seed).standard_normal(samples.shape)
    return moved


def widened(samples: Floats, mean: Floats, sigma: Floats) -> Floats:
    """Replicates that are spread by `sigma` at least, bot by bot; what varies together still does."""
    factor = np.maximum(sigma / np.maximum(samples.std(axis=0), np.finfo(float).tiny), 1.0)
    moved: Floats = mean + (samples - mean) * factor
    return moved


def group_pulls(table: RankingTable, fitted: Fit) -> tuple[int, Floats]:
    """How many groups of deals there are, and what each pulls at each bot's mean."""
    row, group, games = table.cells
    present, at = np.unique(group, return_inverse=True)
    where = at[:, None] * table.bots + table.order[row]
    pulls = summed(where, fitted.pull[row] * games[:, None], len(present) * table.bots)
    return len(present), pulls.reshape(len(present), table.bots)


def small_sample_factor(groups: Floats | int) -> Floats:
    """Few groups show too little spread, and its tails are too thin: the usual corrections for both; 1 below two."""
    several = np.maximum(groups, 2)
    factor: Floats = np.sqrt(several / (several - 1)) * stdtrit(several - 1, UPPER) / TAIL
    return np.where(np.asarray(groups) < 2, 1.0, factor)


def interval(samples: Floats) -> tuple[Floats, Floats]:
    """The bounds of the middle 95 % of the replicates, for each bot."""
    if not samples.shape[1]:
        return samples[0], samples[0]
    low, high = np.quantile(samples, [LOWER, UPPER], axis=0)
    return low, high


def unopposed(table: RankingTable) -> Ints:
    """For each bot the number of its league of equals: those linked by upsets or ties in both directions.

    If a pool has more than one, some bots came in ahead of some others without exception, and only the prior says
    how far apart they are.
    """
    upper, lower = table.order[:, :-1], table.order[:, 1:]
    start = np.concatenate([upper.ravel(), lower[table.ties]])
    stop = np.concatenate([lower.ravel(), upper[table.ties]])
    links = coo_array((np.ones(len(start)), (start, stop)), shape=(table.bots, table.bots))
    labels: Ints = connected_components(links, directed=True, connection="strong")[1].astype(np.int64)
    return labels


def _unopposed_information(table: RankingTable, fitted: Fit, *, all_of_it: bool) -> Floats:
    """The information of the games whose results never varied between leagues of equals, or of all games."""
    equals = unopposed(table)[table.order]
    counts = np.where((equals != equals[:, :1]).any(axis=1) | all_of_it, table.games, 0)
    return information(table.bots, table.order, fitted.links * counts[:, None])


def _generator(seed: str) -> np.random.Generator:
    return np.random.default_rng(int.from_bytes(blake2b(seed.encode(), digest_size=16).digest()))


def _root(matrix: Floats) -> Floats:
    """A square root of a positive semidefinite matrix."""
    if not matrix.any():
        return matrix
    values, vectors = np.linalg.eigh(matrix)
    root: Floats = vectors * np.sqrt(np.maximum(values, 0.0))
    return root
