"""Ratings: from counts of rankings to strengths, their uncertainty, and what one number cannot express.

    table       counts of rankings, as arrays in canonical order: what all the others work on
    truncated   the two integrals of TrueSkill, exact in all their tails
    chain       messages along the places of games, and the orders of those who share a place
    graph       the factor graph of all games of a table
    fit         order-free TrueSkill: all games at once
    anchors     ratings that are given, so that leagues can be compared
    points      mean points a game, where points count instead of places
    online      TrueSkill game by game, as the `trueskill` package does it
    evidence    what games say about each bot, cluster by cluster
    errors      how far ratings and points may be off, and how they vary together
    places      which bots are better than which others, for sure
    chances     how probable it is that a bot is better than another one, or the best
    pairs       head to head: observed against expected, which pairs differ significantly, and cycles
    nash        Nash averaging: a second opinion that no number of weak bots can sway
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
