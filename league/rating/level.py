"""Intervals: their quantiles, and how wide they will be."""

from __future__ import annotations

from math import pi, sqrt

from scipy.special import ndtri

from league.values.settings import LEVEL

LOWER, UPPER = (1 - LEVEL) / 2, (1 + LEVEL) / 2
"""The quantiles that bound an interval."""
TAIL = float(ndtri(UPPER))
"""Half of the width of an interval, in standard errors."""


def expected_half_width(games: float, players: int, beta: float, sigma: float) -> float:
    """About half of the width of a bot's interval after this many games against opponents of its own strength.

    A place among `players` says nearly as much as the performance itself if they are many, and 2/pi of it if they
    are two. The luck of the deals is not in it.
    """
    efficiency = 1 - 2 * (1 - 2 / pi) / players
    variance = beta**2 * (1 + 1 / (players - 1)) / efficiency
    return TAIL / sqrt(games / variance + sigma**-2)
