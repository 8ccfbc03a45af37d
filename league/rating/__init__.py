"""Ratings: from counts of rankings to strengths, their uncertainty, and what one number cannot express.

    table       counts of rankings, as arrays in canonical order: what all the others work on
    truncated   the two integrals of TrueSkill, exact in all their tails
    graph       the factor graph of all games of a table
    fit         order-free TrueSkill: all games at once
    anchors     ratings that are given, so that leagues can be compared
    points      mean points a game, where points count instead of places
    online      TrueSkill game by game, as the `trueskill` package does it
    errors      how far ratings and points may be off, and how they vary together
    places      which bots are better than which others for sure, and how probable it is that one is the best
    pairs       head to head: which pairs differ significantly, cycles, and Nash averaging
    sequential  when to stop: a test that may be looked at after every block

Nothing here knows files, databases or the command line.
"""

from __future__ import annotations

from statistics import NormalDist

from league.values.settings import LEVEL

UPPER = (1 + LEVEL) / 2
"""The quantile that bounds an interval from above."""
TAIL = NormalDist().inv_cdf(UPPER)
"""Half of the width of an interval, in standard errors."""
