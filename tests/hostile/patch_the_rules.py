"""Replaces the rules of the game, so that it always wins, and the way that moves are checked."""

import league.games.raj.rules
import league.hosts.runtime

EXPECT = "contained"


def attack(view):
    league.games.raj.rules.resolved = lambda prize, bids: (view.seat, 0)
    league.games.raj.rules.competition_ranks = lambda keys: tuple(seat != view.seat for seat in range(len(keys)))
    league.games.raj.rules.RajState.step = lambda self, moves: None
    league.hosts.runtime.trouble_of = None
