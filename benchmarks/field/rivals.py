"""The others' part of `python -m benchmarks field`: `python rivals.py FUNCTION` prints seconds, units and version.

It runs in an environment that has the other tools and not League. Processor time counts, imports do not.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import version
from random import Random
from time import process_time
from typing import Any

CARDS = 15
BOTS = 50
STRATEGIES = (
    *("Cooperator", "Defector", "TitForTat", "Grudger", "Alternator"),
    *("WinStayLoseShift", "TitFor2Tats", "Bully", "Random", "Forgiver"),
)
RANDOM_STRATEGIES = (
    *("Random", "GTFT", "StochasticWSLS", "StochasticCooperator", "NiceAverageCopier"),
    *("AverageCopier", "FirstByTullock", "SoftJoss", "ZDExtort2", "FirstByJoss"),
)


def openspiel_bare() -> tuple[float, int, str]:
    """Goofspiel with as many cards as Raj: one generator, and nobody sees anything but legal bids."""
    game = _goofspiel()
    games, decisions = 3_000, 0
    started = process_time()
    for number in range(games):
        rng = Random(number)
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice(state.legal_actions()))
            else:
                state.apply_actions([rng.choice(state.legal_actions(seat)) for seat in (0, 1)])
                decisions += 2
        state.returns()
    return process_time() - started, decisions, "open_spiel"


def openspiel_blind_bots() -> tuple[float, int, str]:
    """The same, with a bot and a seeded generator for each seat."""
    return _goofspiel_bots(None)


def openspiel_text_bots() -> tuple[float, int, str]:
    """Bots that also read what they may know, in the text that OpenSpiel makes of it."""

    def read(state: Any, seat: int) -> int:
        return max(int(word) for word in state.information_state_string(seat).split() if word.isdigit())

    return _goofspiel_bots(read)


def openspiel_array_bots() -> tuple[float, int, str]:
    """Bots that also read a numpy array, by the way that OpenSpiel's documentation recommends."""
    observation = import_module("open_spiel.python.observation").make_observation(_goofspiel())

    def read(state: Any, seat: int) -> float:
        observation.set_from(state, seat)
        return float(observation.tensor.max())

    return _goofspiel_bots(read)


def openspiel_list_bots() -> tuple[float, int, str]:
    """Bots that also read a list of floats, its dearest way."""
    return _goofspiel_bots(lambda state, seat: max(state.observation_tensor(seat)))


def _goofspiel_bots(read: Callable[[Any, int], float] | None) -> tuple[float, int, str]:
    game = _goofspiel()
    games, decisions = 3_000, 0
    started = process_time()
    for number in range(games):
        rng = Random(number)
        bots = [_RandomBot(Random(f"{number} {seat}")) for seat in (0, 1)]
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice(state.legal_actions()))
            else:
                moves = []
                for seat in (0, 1):
                    if read is not None:
                        read(state, seat)
                    moves.append(bots[seat].choose(state.legal_actions(seat)))
                state.apply_actions(moves)
                decisions += 2
        state.returns()
    return process_time() - started, decisions, "open_spiel"


class _RandomBot:
    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def choose(self, legal: list[int]) -> int:
        return self._rng.choice(legal)


def _goofspiel() -> Any:
    return import_module("pyspiel").load_game(f"goofspiel(num_cards={CARDS},players=2,points_order=random)")


def axelrod_tournament() -> tuple[float, int, str]:
    """A round robin of ten strategies at the iterated prisoner's dilemma, each against itself too."""
    return _tournament(STRATEGIES)


def axelrod_random_tournament() -> tuple[float, int, str]:
    """The same with strategies that all draw."""
    return _tournament(RANDOM_STRATEGIES)


def _tournament(names: Sequence[str]) -> tuple[float, int, str]:
    axelrod = import_module("axelrod")
    turns, repetitions = 50, 4
    players = [getattr(axelrod, name)() for name in names]
    draws = [axelrod.Classifiers["stochastic"](player) for player in players]
    started = process_time()
    axelrod.Tournament(players, turns=turns, repetitions=repetitions, seed=1).play(progress_bar=False)
    seconds = process_time() - started
    # A match in which nobody draws is played once; its repetitions are copied.
    pairs = [(one, other) for one in range(len(players)) for other in range(one, len(players))]
    matches = sum(repetitions if draws[one] or draws[other] else 1 for one, other in pairs)
    return seconds, 2 * turns * matches, "axelrod"


def rlcard_leduc() -> tuple[float, int, str]:
    """Random agents in RLCard's own runner."""
    rlcard = import_module("rlcard")
    environment = rlcard.make("leduc-holdem", config={"seed": 1})
    agent = import_module("rlcard.agents").RandomAgent
    environment.set_agents([agent(environment.num_actions) for _ in range(environment.num_players)])
    decisions = 0
    started = process_time()
    for _ in range(1_000):
        trajectories, _ = environment.run()
        decisions += sum(len(one) // 2 for one in trajectories)
    return process_time() - started, decisions, "rlcard"


def pettingzoo_leduc() -> tuple[float, int, str]:
    """Random agents in the usual loop over PettingZoo's agents."""
    environment = import_module("pettingzoo.classic").leduc_holdem_v4.env()
    rng = Random(1)
    decisions = 0
    started = process_time()
    for number in range(300):
        environment.reset(seed=number)
        for _ in environment.agent_iter():
            observation, _, terminated, truncated, _ = environment.last()
            if terminated or truncated:
                environment.step(None)
                continue
            mask = observation["action_mask"]
            environment.step(rng.choice([move for move, legal in enumerate(mask) if legal]))
            decisions += 1
    return process_time() - started, decisions, "pettingzoo"


def trueskill_package() -> tuple[float, int, str]:
    """Ratings of TrueSkill, one game after the other."""
    trueskill = import_module("trueskill")
    ratings = [trueskill.Rating() for _ in range(BOTS)]
    pairs = _pairs(2_000)
    started = process_time()
    for winner, loser in pairs:
        ratings[winner], ratings[loser] = trueskill.rate_1vs1(ratings[winner], ratings[loser])
    return process_time() - started, len(pairs), "trueskill"


def openskill_package() -> tuple[float, int, str]:
    """Ratings of a Plackett-Luce model, one game after the other."""
    model = import_module("openskill.models").PlackettLuce()
    ratings = [model.rating() for _ in range(BOTS)]
    pairs = _pairs(2_000)
    started = process_time()
    for winner, loser in pairs:
        (ratings[winner],), (ratings[loser],) = model.rate([[ratings[winner]], [ratings[loser]]])
    return process_time() - started, len(pairs), "openskill"


def _pairs(games: int) -> list[tuple[int, int]]:
    rng = Random(1)
    return [(first, second) for first, second in (rng.sample(range(BOTS), 2) for _ in range(games))]


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # theirs
    seconds, units, package = globals()[sys.argv[1]]()
    print(json.dumps({"seconds": seconds, "units": units, "version": f"{package} {version(package)}"}))
