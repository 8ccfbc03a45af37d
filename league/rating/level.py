"""The quantiles of intervals."""

from __future__ import annotations

from scipy.special import ndtri

from league.values.settings import LEVEL

LOWER, UPPER = (1 - LEVEL) / 2, (1 + LEVEL) / 2
"""The quantiles that bound an interval."""
TAIL = float(ndtri(UPPER))
"""Half of the width of an interval, in standard errors."""
