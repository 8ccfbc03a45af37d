"""The posterior of TrueSkill's model by brute force: no factor graph, no messages, only integrals.

The likelihood of a game is integrated numerically down its ranking, and the mean over all skills is taken by importance
sampling. Slow, and as exact as one has patience for: it is the judge where two ways of rating differ.
"""

from itertools import permutations, product

import numpy as np

from league.rating.fit import draw_margin, fit
from tests.rating.simulate import BETA

GRID = np.linspace(-9, 9, 361)
"""Performances around the mean of a table, in betas."""
STEP = GRID[1] - GRID[0]
WIDER = 1.1
"""Skills are drawn from a Gaussian around the fit with so many times its spread."""


def posterior_means(rng, table, rating, pairs=120):
    """The mean skill of each bot, anchored at mu, and the largest standard error that the sampling leaves in them."""
    means, _, error = posterior_moments(rng, table, rating, pairs)
    return means, error


def posterior_moments(rng, table, rating, pairs):
    """Means and covariance of the skills, anchored at mu, and the largest standard error of the means."""
    fitted = fit(table, rating)
    joint = fitted.information + fitted.prior * np.eye(table.bots)
    half = WIDER * rng.standard_normal((pairs, table.bots)) @ np.linalg.cholesky(np.linalg.inv(joint)).T
    half -= half.mean(axis=1, keepdims=True)  # games tell nothing of the common level, which is mu
    drawn = np.concatenate([half, -half])  # in mirrored pairs, so that most of the error cancels
    skills = fitted.mean - rating.mu + drawn
    log_drawn = -np.einsum("ij,jk,ik->i", drawn, joint, drawn) / (2 * WIDER**2)
    log_weight = log_likelihood(table, rating, skills) - fitted.prior * (skills**2).sum(axis=1) / 2 - log_drawn
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    means = weight @ skills
    errors = weight[:, None] * (skills - means)
    covariance = errors.T @ (skills - means)
    return means + rating.mu, covariance, float(np.sqrt(((errors[:pairs] + errors[pairs:]) ** 2).sum(axis=0)).max())


def log_likelihood(table, rating, skills):
    """Of all games of the table, for each row of skills."""
    margin = draw_margin(table, rating) / BETA
    total = np.zeros(len(skills))
    for places, ties, games in _every_order(table):
        means = skills[:, places] / BETA
        means -= means.mean(axis=1, keepdims=True)
        ahead = _density(means[:, 0])  # of this place's performance, jointly with the places before it
        for place, tie in enumerate(ties, 1):
            passed = _integral(ahead)
            above = passed[:, -1:] - _at(passed, GRID + margin)
            within = _at(passed, GRID + margin) - _at(passed, GRID - margin)
            ahead = (within if tie else above) * _density(means[:, place])
        total += games * np.log(_integral(ahead)[:, -1])
    return total


def _every_order(table):
    """Rows with their games; where places are shared, a part of the games for each order of those who share them."""
    for order, ties, games in zip(table.order, table.ties, table.games, strict=True):
        runs = np.split(order, np.nonzero(~ties)[0] + 1)
        orders = list(product(*(permutations(run) for run in runs)))
        for choice in orders:
            yield [bot for run in choice for bot in run], ties, games / len(orders)


def _density(means):
    return np.exp(-((GRID - means[:, None]) ** 2) / 2) / np.sqrt(2 * np.pi)


def _integral(values):
    """From the left end up to each point of the grid, by trapezia."""
    parts = (values[:, 1:] + values[:, :-1]) * STEP / 2
    return np.concatenate([np.zeros((len(values), 1)), np.cumsum(parts, axis=1)], axis=1)


def _at(values, points):
    """Interpolated between the points of the grid."""
    where = np.clip((points - GRID[0]) / STEP, 0, len(GRID) - 1 - 1e-9)
    left = where.astype(int)
    part = where - left
    return values[:, left] * (1 - part) + values[:, left + 1] * part
