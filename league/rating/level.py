"""The level of all intervals."""

from __future__ import annotations

from scipy.special import ndtri

LEVEL = 0.95
LOWER, UPPER = (1 - LEVEL) / 2, (1 + LEVEL) / 2
"""The quantiles that bound an interval."""
TAIL = float(ndtri(UPPER))
"""Half of the width of an interval, in standard errors."""
