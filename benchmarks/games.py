"""How long the rules take: `view + step` for one decision, and a playout, for every game and player count.

The same random bot is called directly with the same views, without any game: that is the yardstick for decisions.
For playouts it is the same random playing by views and steps, in turn with `playout`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from time import process_time

from league import games
from league.games.contract import Game, Outcome, State, View

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
    whole = alone = by_step = by_playout = float("inf")
    for _ in range(ROUNDS):
        states, bot = [state.copy() for state in starts], RandomBot()
        began = process_time()
        decisions = sum([_play(state, bot) for state in states])
        whole = min(whole, (process_time() - began) / decisions)
        began = process_time()
        _ask(views, bot)
        alone = min(alone, (process_time() - began) / len(views))
        by_step = min(by_step, _playout_time(starts, _play_to_outcome))
        by_playout = min(by_playout, _playout_time(starts, _play_out))
    return {
        "game": f"{game.name}-{game.players}p",
        "view + step µs": (whole - alone) * 1e6,
        "random bot µs": alone * 1e6,
        "with rules / without": whole / alone,
        "decisions/game": decisions / len(starts),
        "playouts/s": round(1 / by_playout),
        "playout against steps": by_step / by_playout,
    }


def _playout_time(starts: list[State], play: Callable[[State, Random], Outcome]) -> float:
    """Seconds for one playing, from a copy of its start to its outcome."""
    rng = Random(2)
    began = process_time()
    for state in starts:
        play(state.copy(), rng)
    return (process_time() - began) / len(starts)


def _play_to_outcome(state: State, rng: Random) -> Outcome:
    """Play random moves by views and steps."""
    random = rng.random
    while turn := state.turn:
        choices = [state.view(seat).legal for seat in turn]
        state.step([legal[int(random() * len(legal))] for legal in choices])
    return state.outcome()


def _play_out(state: State, rng: Random) -> Outcome:
    return state.playout(rng)


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
