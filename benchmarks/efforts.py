"""How strong the searcher is by how much it searches.

At BraveRats, what it loses a game to the perfect player: exact for each of its choices, by how often it plays each
card and by the values of the positions before and after, so that few games are enough. A game is played until the
searcher solves the rest. At the other games, its mean result against a specialist: 1 for a win.
`LEAGUE_EFFORT_GAMES=60 python -m benchmarks efforts` plays more games than 20 for each row;
`python -m benchmarks.efforts raj` measures one game, and prints each row as soon as it is known, and
`python -m benchmarks.efforts raj 20 80` only these efforts. The largest effort at BraveRats solves the whole game.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from operator import mul
from pathlib import Path
from random import Random
from statistics import mean, stdev
from time import process_time
from typing import Any

from league import games
from league.extensions.solver.braverats import solvable
from league.extensions.solver.braverats.induction import Solution
from league.extensions.solver.games import score
from league.games.braverats.rules import BraveRatsOptions, BraveRatsState
from league.hosts.bot import BotTable
from league.hosts.runtime import load

BOTS = Path(__file__).parent.parent / "bots"
GAMES = int(os.environ.get("LEAGUE_EFFORT_GAMES", "20"))
EFFORTS = {
    "braverats": ("POSITIONS", (200, 800, 3_200, 12_800, 51_200, 64_000, 110_000, 190_000, 220_000)),
    "raj": ("PLAYOUTS", (20, 80, 320)),
    "cheese_rescue": ("LAYS_PLAYOUTS", (40, 160, 640)),
    "magillat": ("PLAYOUTS", (20, 80, 320)),
}
"""The constant of the bot that says how much it searches, and what it is set to."""
RIVALS = {"raj": "raj_habits", "cheese_rescue": "cheese_chain", "magillat": "tale_mixed"}


def run(*wanted: str) -> Iterator[dict[str, object]]:
    """One row for each game and effort: all of them, or those of one game, or some of those."""
    for name in wanted[:1] or EFFORTS:
        constant, efforts = EFFORTS[name]
        for effort in map(int, wanted[1:]) if wanted[1:] else efforts:
            yield measure(name, constant, effort)


def measure(name: str, constant: str, effort: int) -> dict[str, object]:
    """What the searcher gets with one effort."""
    searcher = searching(constant, effort)
    slowest: dict[str, object] = {}
    if name == "braverats":
        found = solvable.exact(BraveRatsOptions())
        solution = solvable.solution_of(found)
        results = [-lost(searcher, found, solution, number) for number in range(GAMES)]
        slowest["slowest decision, s"] = f"{slowest_decision(searcher, found):.2f}"
    else:
        results = [played(searcher, name, number) for number in range(GAMES)]
    error = 1.96 * stdev(results) / len(results) ** 0.5
    return {
        "game": name,
        "against": RIVALS.get(name, "perfect play"),
        constant.lower(): effort,
        "games": GAMES,
        "mean result": f"{mean(results):+.4f}",
        "±": f"{error:.4f}",
        **slowest,
    }


def searching(constant: str, effort: int) -> Any:
    """The searcher's class with another effort."""
    lines = (BOTS / "searcher.py").read_text(encoding="utf-8").splitlines()
    changed = [f"{constant} = {effort}" if line.startswith(f"{constant} = ") else line for line in lines]
    return load("searcher", "\n".join(changed).encode())


def made(kind: Any, game: Any, seat: int, number: int) -> Any:
    """A bot at its table."""
    return kind(BotTable(game, seat, 100 * number + seat)) if kind.__init__ is not object.__init__ else kind()


def played(searcher: Any, name: str, number: int) -> float:
    """The searcher's result in one game for the fewest players, the others all being the specialist."""
    game = games.make(name, None)
    rival = load(RIVALS[name], (BOTS / f"{RIVALS[name]}.py").read_bytes())
    me = number % game.players
    bots = [made(searcher if seat == me else rival, game, seat, number) for seat in range(game.players)]
    state = game.start(game.deal(Random(number // game.players)))
    while state.turn:
        state.step([bots[seat].choose(state.view(seat)) for seat in state.turn])
    return score(state.outcome(), me)


def lost(searcher: Any, found: solvable.Exact, solution: Solution, number: int) -> float:
    """What the searcher can expect to lose in one game against perfect play: by its shares, not by the cards drawn."""
    me, you, rng = number % 2, 1 - number % 2, Random(number)
    state = found.game.start(found.deal)
    total = 0.0
    while state.turn and not solves(searcher, len(state.hands[me])):
        answers = solution.mixes([state], you)[0] if you in state.turn else {-1: 1.0}
        cards = shares(searcher, state, me, rng) if me in state.turn else {-1: 1.0}
        after = {(card, answer): stepped(state, me, card, answer) for card in cards for answer in answers}
        chances = [cards[card] * answers[answer] for card, answer in after]
        if me in state.turn:
            worths = [solution.worth(following, me) for following in after.values()]
            total += solution.worth(state, me) - sum(map(mul, chances, worths))
        state = rng.choices([*after.values()], chances)[0]
    return total


def solves(searcher: Any, cards: int) -> bool:
    """Whether the searcher solves all the rest with this number of cards, so that it loses nothing any more."""
    rounds, _ = searcher.choose.__globals__["depth"](cards)
    return bool(rounds == cards)


def shares(searcher: Any, state: BraveRatsState, me: int, rng: Random) -> dict[int, float]:
    """How often the searcher plays each card."""
    found = searcher.choose.__globals__["Lookahead"](state.copy(), me, rng).shares()
    return {card: often for card, often in zip(state.legal(me), found, strict=True) if often}


def slowest_decision(searcher: Any, found: solvable.Exact) -> float:
    """The processor time in seconds of the slowest of the searcher's decisions in a game of random cards."""
    rng, state, times = Random(0), found.game.start(found.deal), []
    while state.turn:
        if 0 in state.turn:
            began = process_time()
            shares(searcher, state, 0, rng)
            times.append(process_time() - began)
        state.step([rng.choice(state.legal(seat)) for seat in state.turn])
    return max(times)


def stepped(state: BraveRatsState, me: int, card: int, answer: int) -> BraveRatsState:
    """The state after both have chosen, or the one whose turn it is."""
    moves: Sequence[int] = (card, answer) if me == 0 else (answer, card)
    after = state.copy()
    after.step([moves[seat] for seat in state.turn])
    return after


if __name__ == "__main__":
    for line in run(*sys.argv[1:]):
        print(line, flush=True)
