"""Seats that left a playing because of a fault, and what that does to the result."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from league.games.contract import Outcome, competition_ranks


class Lapse(msgspec.Struct, frozen=True):
    """What took a seat out of a playing: from then on random moves were played for it, and it is ranked last."""

    seat: int
    step: int
    """The first one that was played for it, counted from 1."""
    kind: str
    """Of the fault, or 'forfeit' after too many of them in earlier games of the match."""
    cause: str
    """One line."""


def rank_last(outcome: Outcome, at_fault: Collection[int]) -> Outcome:
    """The outcome with these seats behind all others."""
    keys = [(seat not in at_fault, 0 if seat in at_fault else -rank) for seat, rank in enumerate(outcome.ranks)]
    return Outcome(competition_ranks(keys), outcome.scores) if at_fault else outcome
