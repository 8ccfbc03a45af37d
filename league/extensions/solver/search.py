"""A lower bound for games that cannot be solved: an opponent that knows the bot and searches.

Before each move it imagines worlds that look the same from its seat and tries its moves in all of them. All seats,
including its own, go on as the bot would: the bot is asked, with other random numbers. So it plays as well as the bot
does, and better wherever a move can be improved. It knows neither the bot's random numbers nor hidden cards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from random import Random

from league.extensions.solver.branches import FAULT
from league.extensions.solver.games import Estimate, Place, Questions, Respond, estimate, play, play_on, score
from league.games.contract import Game, State
from league.tools.seeds import Seeds

MOST_MOVES = 16
"""If more moves are legal, this many are drawn and tried."""
WORLDS = 4
GAMES = 100
TOGETHER = 16
"""Games that are played at the same time: the bot is asked for all of their worlds at once."""


def lower_bound(
    game: Game, questions: Questions, games: int, seed: int = 0, on_games: Callable[[int], None] | None = None
) -> Estimate:
    """What the searching opponent gets per game, at every seat in turn."""
    seeds = Seeds(seed, "exploit", game.name, game.players)
    results: list[float] = []
    while len(results) < games:
        numbers = range(len(results), min(games, len(results) + TOGETHER))
        starts = [
            (game.start(game.deal(Random(seeds.of("deal", number // game.players)))), number % game.players)
            for number in numbers
        ]
        respond = searching(game, questions, Seeds(seeds.of("search", numbers.start), "worlds"))
        results += play(questions, starts, respond, Seeds(seeds.of("bot", numbers.start), "play"))
        if on_games:
            on_games(len(numbers))
    return estimate(results)


def searching(game: Game, questions: Questions, seeds: Seeds) -> Respond:
    """The opponent."""
    moves_made = count(1)

    def respond(states: Sequence[State], seats: Sequence[int]) -> list[int]:
        rng = Random(seeds.of(next(moves_made)))
        tried = []
        worlds: list[tuple[State, int, int, int]] = []
        for state, seat in zip(states, seats, strict=True):
            view = state.view(seat)
            moves = view.legal if len(view.legal) <= MOST_MOVES else tuple(sorted(rng.sample(view.legal, MOST_MOVES)))
            tried.append(moves)
            for _ in range(WORLDS if len(moves) > 1 else 0):
                imagined, dice = game.imagine(view, rng), rng.getrandbits(63)
                worlds += [(imagined.copy(), seat, move, dice) for move in moves]
        scores = iter(_played_on(questions, worlds))
        chosen = []
        for moves in tried:
            totals = [0.0] * len(moves)
            for _ in range(WORLDS if len(moves) > 1 else 0):
                totals = [total + next(scores) for total in totals]
            chosen.append(moves[totals.index(max(totals))])
        return chosen

    return respond


def _played_on(questions: Questions, worlds: Sequence[tuple[State, int, int, int]]) -> list[float]:
    """The result of each world for the seat that makes the move, if all seats play on as the bot does."""
    states = [state for state, *_ in worlds]
    steps = 0

    def decide(places: Sequence[Place]) -> list[int]:
        nonlocal steps
        moves = {(index, seat): move for index, (_, seat, move, _) in enumerate(worlds)} if steps == 0 else {}
        asked = [place for place in places if place not in moves]
        seeds = [worlds[index][3] ^ (steps << 8 | seat) for index, seat in asked]
        views = [states[index].view(seat) for index, seat in asked]
        for place, view, move in zip(asked, views, questions.ask(views, seeds), strict=True):
            dice = Random(worlds[place[0]][3] + steps)
            moves[place] = dice.choice(view.legal) if move == FAULT else move
        steps += 1
        return [moves[place] for place in places]

    play_on(states, decide)
    return [score(state.outcome(), seat) for state, seat, _, _ in worlds]
