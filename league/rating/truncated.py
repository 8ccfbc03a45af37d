"""The two integrals of TrueSkill: a unit normal cut off by a win or by a tie, exact in all their tails.

One player leads by `t` standard deviations before the game is seen. A win says that the lead was above the draw
margin, a tie that it lay within it. All functions give three rows: how far the mean moves (in standard deviations), the
part of the variance that is lost, and the part that remains. The two parts add up to 1, but either may be smaller than
a float could distinguish from the other.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx, ndtr

from league.rating.table import Floats

_FAR = -25.0
"""Below this lead the closed form subtracts equals, and a series is exact."""
_FAR_SERIES = (0, 1, -6, 50, -518, 6354, -89782, 1435330)
"""The variance beyond a far threshold t in powers of 1/t², from the asymptotic series of the Mills ratio."""
_WIDE = 2.0
"""Margins below this many standard deviations are integrated by quadrature: the closed form subtracts equals."""
_STEEP = 20.0
"""Where the density falls by more than exp(2 * this) over the margin, only its near end matters."""


def won(t: Floats) -> Floats:
    """After a win, where the lead before, minus the draw margin, was `t`."""
    v = 1 / (np.sqrt(np.pi / 2) * erfcx(t * -np.sqrt(0.5)))
    w = v * (v + t)
    rest = 1 - w
    far = t < _FAR
    if far.any():
        rest[far] = np.polynomial.polynomial.polyval(1 / t[far] ** 2, _FAR_SERIES)
        w[far] = 1 - rest[far]
    return np.stack([v, w, rest])


def tied(t: Floats, margin: Floats) -> Floats:
    """After a tie, where the lead before was `t` and `margin` is the draw margin (above zero)."""
    lead = np.abs(t)
    slope = lead * margin
    cut = np.empty((3, len(t)))
    left = np.ones(len(t), dtype=bool)
    for steepest, widest, way in _WAYS:
        chosen = left & (slope <= steepest) & (margin <= widest)
        if chosen.any():
            cut[:, chosen] = way(lead[chosen], margin[chosen])
            left &= ~chosen
    cut[0] *= -np.sign(t)
    return cut


def cut(t: Floats, margin: Floats, ties: NDArray[np.bool_]) -> Floats:
    """After a win or a tie, where the lead before was `t`."""
    if ties.all():
        return tied(t, margin)
    cut = won(t - margin)
    if ties.any():
        cut[:, ties] = tied(t[ties], margin[ties])
    return cut


def _tied_wide(lead: Floats, margin: Floats) -> Floats:
    near, far = margin - lead, margin + lead
    mass = ndtr(near) - ndtr(-far)
    at_near, at_far = (np.exp(-end * end / 2) / np.sqrt(2 * np.pi) for end in (near, far))
    v = (at_near - at_far) / mass
    w = v * v + (near * at_near + far * at_far) / mass
    return np.stack([v, w, 1 - w])


def _quadrature(nodes: int) -> Callable[[Floats, Floats], Floats]:
    """By Gauss and Legendre over the margin, where the density is smooth."""
    points, weights = np.polynomial.legendre.leggauss(nodes)

    def narrow(lead: Floats, margin: Floats) -> Floats:
        slope, curve = lead * margin, margin * margin / 2
        mass, first, second = np.zeros((3, len(lead)))
        for point, weight in zip(points.tolist(), weights.tolist(), strict=True):
            short = 1 - point  # of the end, where most of the mass is
            here = weight * np.exp(-slope * short - curve * (point * point))
            mass += here
            first += here * short
            second += here * (short * short)
        first /= mass
        rest = margin * margin * (second / mass - first * first)
        return np.stack([lead - margin * (1 - first), 1 - rest, rest])

    return narrow


def _tied_steep(lead: Floats, margin: Floats) -> Floats:
    """The near end cuts as a win does, seen from the other side."""
    return won(margin - lead)


_WAYS: tuple[tuple[float, float, Callable[[Floats, Floats], Floats]], ...] = (
    (1.0, 0.5, _quadrature(6)),
    (3.0, 1.0, _quadrature(10)),
    (_STEEP, _WIDE, _quadrature(32)),
    (_STEEP, np.inf, _tied_wide),
    (np.inf, np.inf, _tied_steep),
)
"""How a tie is integrated, up to which slope of the density over the margin, and up to which margin."""
