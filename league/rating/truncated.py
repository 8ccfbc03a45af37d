"""The two integrals of TrueSkill: a unit normal cut off by a win or by a tie, exact in all their tails.

One player leads by `t` standard deviations before the game is seen. A win says that the lead was above the draw
margin, a tie that it lay within it. Both functions give the shift of the mean `v` (in standard deviations), the part
of the variance that is lost `w`, and the part that remains. The two parts add up to 1, but either may be smaller than
a float could tell from the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx, ndtr

Floats = NDArray[np.float64]

_ROOT_HALF_PI = np.sqrt(np.pi / 2)
_FAR = -25.0
"""Below this lead the closed form subtracts equals, and a series is exact."""
_FAR_SERIES = (0, 1, -6, 50, -518, 6354, -89782, 1435330)
"""The variance beyond a far threshold t in powers of 1/t², from the asymptotic series of the Mills ratio."""
_WIDE = 2.0
"""Margins below this many standard deviations are integrated by quadrature: the closed form subtracts equals."""
_STEEP = 20.0
"""Where the density falls by more than exp(2 * this) over the margin, only its near end matters."""
_GENTLE = 3.0
"""Below this slope, and with margins below 1, ten nodes do instead of 32."""
_FEW_NODES = np.polynomial.legendre.leggauss(10)
_MANY_NODES = np.polynomial.legendre.leggauss(32)


class Cut(NamedTuple):
    """What is left of a unit normal."""

    v: Floats
    """How far the mean moves."""
    w: Floats
    """The part of the variance that is lost, between 0 and 1."""
    rest: Floats
    """The part of the variance that remains."""


def won(t: Floats) -> Cut:
    """After a win, where the lead before, less the draw margin, was `t`."""
    v = 1 / (_ROOT_HALF_PI * erfcx(-t / np.sqrt(2)))
    w = v * (v + t)
    rest = 1 - w
    far = t < _FAR
    if far.any():
        rest[far] = np.polynomial.polynomial.polyval(1 / t[far] ** 2, _FAR_SERIES)
        w[far] = 1 - rest[far]
    return Cut(v, w, rest)


def tied(t: Floats, margin: Floats) -> Cut:
    """After a tie, where the lead before was `t` and `margin` is the draw margin (above zero)."""
    lead = np.abs(t)
    steep = lead * margin > _STEEP
    wide = (margin >= _WIDE) & ~steep
    gentle = (lead * margin <= _GENTLE) & (margin <= 1)
    cut = Cut(np.empty_like(lead), np.empty_like(lead), np.empty_like(lead))
    parts = (
        (steep, lambda lead, margin: won(margin - lead)),  # the near end cuts as a win does, seen from the other side
        (wide, _tied_wide),
        (gentle, lambda lead, margin: _tied_narrow(lead, margin, *_FEW_NODES)),
        (~(steep | wide | gentle), lambda lead, margin: _tied_narrow(lead, margin, *_MANY_NODES)),
    )
    for chosen, part in parts:
        if chosen.any():
            for into, values in zip(cut, part(lead[chosen], margin[chosen]), strict=True):
                into[chosen] = values
    return cut._replace(v=-np.sign(t) * cut.v)


def _tied_wide(lead: Floats, margin: Floats) -> Cut:
    near, far = margin - lead, margin + lead
    mass = ndtr(near) - ndtr(-far)
    at_near, at_far = _density(near), _density(far)
    v = (at_near - at_far) / mass
    w = v * v + (near * at_near + far * at_far) / mass
    return Cut(v, w, 1 - w)


def _tied_narrow(lead: Floats, margin: Floats, nodes: Floats, weights: Floats) -> Cut:
    """By Gauss-Legendre quadrature over the margin, where the density is smooth."""
    slope, curve = (lead * margin)[:, None], (margin * margin)[:, None] / 2
    mass = weights * np.exp(slope * (nodes - 1) - curve * nodes**2)
    mass /= mass.sum(axis=1, keepdims=True)
    mean = mass @ nodes
    spread = (mass * (nodes - mean[:, None]) ** 2).sum(axis=1)
    rest = margin * margin * spread
    return Cut(lead - margin * mean, 1 - rest, rest)


def _density(x: Floats) -> Floats:
    density: Floats = np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    return density
