"""Many tables of one game side by side, for learners: all that has to be decided comes as arrays, a row for each seat.

    tables = Tables("raj", players=2, tables=256, seed=1)
    while learning:
        actions = policy(tables.observations, tables.masks)     # an action for each row
        rewards, over = tables.step(actions)

Only numpy is needed. A table at which a game is over is dealt again at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from league import games
from league.errors import LeagueError
from league.extensions.learners import place_points
from league.games.arrays import encoder_of


class Stepped(NamedTuple):
    """What came of one step at every table."""

    rewards: NDArray[np.float32]
    """By table and seat: the worth of the place at the end of a game, from 1 for the first to -1 for the last; 0 before
    the end."""
    over: NDArray[np.bool_]
    """By table: whether a game ended there."""


class Tables:
    """Games of one kind that are played side by side."""

    def __init__(
        self, game: str, players: int | None = None, tables: int = 256, seed: int = 0, **options: object
    ) -> None:
        if tables < 1:
            raise LeagueError(f"Expected at least 1 table, found {tables}.")
        self.rules = games.make(game, players, options)
        self.encoder = encoder_of(self.rules)
        self._random = Random(seed)
        self._states = [self._dealt() for _ in range(tables)]
        self._look()

    def step(self, actions: Sequence[int] | NDArray[np.integer]) -> Stepped:
        """Play an action for each row. Raises `LeagueError` if one is illegal; nothing is played then."""
        chosen = np.asarray(actions)
        if chosen.shape != self.tables.shape:
            raise LeagueError(f"Expected an action for each of {len(self.tables)} rows, found {chosen.shape}.")
        inside = (chosen >= 0) & (chosen < len(self.encoder.moves))
        legal = inside & self.masks[np.arange(len(chosen)), np.where(inside, chosen, 0)]
        if not legal.all():
            row = int(np.flatnonzero(~legal)[0])
            raise LeagueError(f"Expected a legal action for each row, found {chosen[row]} for row {row}. See masks.")
        moves = iter([self.encoder.moves[action] for action in chosen.tolist()])
        rewards = np.zeros((len(self._states), self.rules.players), dtype=np.float32)
        over = np.zeros(len(self._states), dtype=np.bool_)
        for table, state in enumerate(self._states):
            state.step([next(moves) for _ in state.turn])
            if not state.turn:
                rewards[table] = place_points(state.outcome().ranks)
                over[table] = True
                self._states[table] = self._dealt()
        self._look()
        return Stepped(rewards, over)

    def _dealt(self) -> games.contract.State:
        return self.rules.start(self.rules.deal(self._random))

    def _look(self) -> None:
        places = [(table, seat) for table, state in enumerate(self._states) for seat in state.turn]
        self.tables, self.seats = np.array(places, dtype=np.int64).T
        """The table and the seat of each row."""
        views = [self._states[table].view(seat) for table, seat in places]
        self.observations = self.encoder.encode(views)
        """What each of them sees, as numbers from -1 to 1."""
        self.masks = self.observations[:, : len(self.encoder.moves)] != 0
        """Which actions are legal for each."""
