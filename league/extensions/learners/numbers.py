"""Games for learners: moves numbered from 0 without gaps, and views as a fixed number of floats.

    table = Numbers(games.make("raj", 3))
    table.moves[4]                 # the move that is action 4: bid the 5
    table.observe(view)            # every field of the view as numbers from -1 to 1
    table.encode(views)            # the same for many views, as one numpy array with a row for each

`league.games.arrays` says what the numbers are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from league.games.arrays import encoder_of
from league.games.contract import Game, View


class Numbers:
    """The moves of one game as actions, and its views as numbers."""

    def __init__(self, game: Game) -> None:
        self._encoder = encoder_of(game)
        encoding = game.encoding()
        self.longest = 0 if encoding is None else encoding.longest
        """An upper bound for the decisions of one playing."""
        self.moves = self._encoder.moves
        """By action, ascending."""
        self.actions = self._encoder.actions
        self.size = self._encoder.size
        """How many numbers `observe` returns."""

    def legal(self, view: View) -> list[int]:
        """The actions that a view allows, ascending."""
        return [self.actions[move] for move in view.legal]

    def masks(self, views: Sequence[View]) -> NDArray[np.bool_]:
        """A row for each view: whether each action is allowed."""
        return self._encoder.masks(views)

    def mask(self, view: View) -> list[int]:
        """For each action, 1 if a view allows it and 0 if not."""
        mask: list[int] = self.masks((view,))[0].astype(int).tolist()
        return mask

    def observe(self, view: View) -> list[float]:
        """A view as numbers from -1 to 1."""
        return self._encoder.observe(view)

    def encode(self, views: Sequence[View]) -> NDArray[np.float32]:
        """A row of such numbers for each view."""
        return self._encoder.encode(views)

    def encode_one(self, view: View) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """The row of one view, and its mask: for each action, 1 if the view allows it."""
        return self._encoder.encode_one(view)
