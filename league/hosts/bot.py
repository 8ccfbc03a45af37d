"""What a bot is, and what it is given. A bot file needs none of this: it defines a class `Bot` with `choose`.

    class Bot:
        '''Bid the card nearest to the prize.'''
        games = ("raj",)                    # left out: plays every game

        def choose(self, view):
            return min(view.legal, key=lambda card: abs(card - view.prize))

A bot that judges many tables at once, such as a neural net, has `choose_many` instead of `choose`. It gets an instance
and a view for each table that waits, and returns as many moves. What it answers must not depend on which tables come
together:

    class Bot:
        @classmethod
        def choose_many(cls, bots, views):
            return [bot.rng.choice(view.legal) for bot, view in zip(bots, views)]

Optional: `__init__(self, table)` at the beginning of a match, `start(self, table)` before each game of it,
`finish(self, outcome, view)` after each. An instance lives for one match.

The view that `finish` gets is what the bot's seat sees at the end: the last moves are in it, and `legal` is empty. It
is made only for bots that want it: `finish(self, outcome)` works too, and costs less.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from league.games.contract import Game, Options, View

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class BotTable:
    """Where a bot sits: handed to `__init__` and `start`."""

    __slots__ = ("_first", "_rng", "_seed", "game", "options", "players", "seat")

    def __init__(self, game: Game, seat: int, seed: int) -> None:
        self.game = game
        """The rules, with `game.name`, `game.imagine(view, rng)` and the rest, for bots that search."""
        self.options: Options = game.options
        self.players: int = game.players
        self.seat = seat
        self._seed = seed
        self._rng: Random | None = None
        self._first: BotTable | None = None
        """In the first game of the match; None: this is the first one."""

    @property
    def rng(self) -> Random:
        """The bot's own random numbers, the same whenever this match is played."""
        if self._rng is None:  # seeding costs as much as several decisions, and many bots need none
            self._rng = Random(self._seed) if self._first is None else self._first.rng
        return self._rng

    def encode(self, views: Sequence[View]) -> NDArray[np.float32]:
        """Views of this game as one array, a row of numbers from -1 to 1 for each: see docs/learners.md."""
        from league.games.arrays import encoder_of  # loads numpy, which few bots need

        return encoder_of(self.game).encode(views)

    def share_random(self, earlier: BotTable) -> None:
        """Continue with the random numbers of an earlier game of the same match."""
        self._first = earlier._first or earlier
