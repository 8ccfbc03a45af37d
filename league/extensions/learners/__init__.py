"""For those who train agents: seats that decide one at a time, and what places are worth.

Where several decide at once, they are asked in turn, and no seat sees another's move before all have made theirs.
"""

from __future__ import annotations

from league.games.contract import State


class Turns:
    """A state and the moves that wait for others to be made."""

    def __init__(self, state: State, waiting: tuple[int, ...] = ()) -> None:
        self.state = state
        self.waiting = waiting
        """The moves made so far by the first seats in turn."""

    @property
    def seat(self) -> int | None:
        """Who decides now; None when it is over."""
        return self.state.turn[len(self.waiting)] if self.state.turn else None

    def play(self, move: int) -> bool:
        """Make the move of the seat that decides now; returns whether all had made theirs, so that they were played."""
        self.waiting = (*self.waiting, move)
        if len(self.waiting) < len(self.state.turn):
            return False
        self.state.step(self.waiting)
        self.waiting = ()
        return True

    def __deepcopy__(self, memo: object) -> Turns:
        return Turns(self.state.copy(), self.waiting)


def place_points(ranks: tuple[int, ...]) -> list[float]:
    """What each place is worth to a learner: 1 for the first, -1 for the last, evenly spaced between, ties averaged.

    They sum to 0.
    """
    others = len(ranks) - 1
    return [sum((rank < other) - (rank > other) for other in ranks) / others for rank in ranks]
