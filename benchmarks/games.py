"""How long the rules take: `view + step` for one decision, for every game and player count.

The same random bot is called directly with the same views, without any game: that is the yardstick.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from time import perf_counter

from league import games
from league.games.contract import Game, State, View

DECISIONS = 2_000
ROUNDS = 30
"""The best of so many rounds counts: whatever else the machine does only adds."""


class RandomBot:
    """Chooses a legal move at random, as fast as Python can."""

    def __init__(self) -> None:
        self.random = Random(0).random

    def choose(self, view: View) -> int:
        """One of the legal moves."""
        legal = view.legal
        return legal[int(self.random() * len(legal))]


def run() -> Iterator[dict[str, object]]:
    """One row for each game and player count."""
    for name in games.names():
        for players in games.find(name).player_counts:
            yield measure(games.make(name, players))


def measure(game: Game) -> dict[str, object]:
    """Play at random; then call the bot alone with the views that it saw."""
    rng, bot = Random(1), RandomBot()
    starts: list[State] = []
    views: list[View] = []
    while len(views) < DECISIONS:
        starts.append(game.start(game.deal(rng)))
        views += _views(starts[-1].copy(), bot)
    whole = alone = float("inf")
    for _ in range(ROUNDS):
        states, bot = [state.copy() for state in starts], RandomBot()
        began = perf_counter()
        decisions = sum([_play(state, bot) for state in states])
        whole = min(whole, (perf_counter() - began) / decisions)
        began = perf_counter()
        _ask(views, bot)
        alone = min(alone, (perf_counter() - began) / len(views))
    return {
        "game": f"{game.name}-{game.players}p",
        "view + step µs": (whole - alone) * 1e6,
        "random bot µs": alone * 1e6,
        "with rules / without": whole / alone,
        "decisions/game": decisions / len(starts),
    }


def _play(state: State, bot: RandomBot) -> int:
    """Play to the end; gives the number of decisions."""
    decisions = 0
    choose = bot.choose
    while turn := state.turn:
        view = state.view
        state.step([choose(view(seat)) for seat in turn])
        decisions += len(turn)
    return decisions


def _views(state: State, bot: RandomBot) -> list[View]:
    """Every view of one playing."""
    seen = []
    while state.turn:
        views = [state.view(seat) for seat in state.turn]
        seen += views
        state.step([bot.choose(view) for view in views])
    return seen


def _ask(views: list[View], bot: RandomBot) -> None:
    choose = bot.choose
    for view in views:
        choose(view)
