"""What learners pay: the example net for many tables at once and one by one, and environments beside the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np

from league import games
from league.extensions.learners.vector import Tables
from league.play.worker import Team, Worker
from league.setup.roster import Bot, load
from league.values.block import Block, Series
from league.values.settings import Contest, Isolation, Limits

NET = Path(__file__).parents[1] / "examples" / "agents" / "raj_net"
OPPONENT = Path(__file__).parents[1] / "bots" / "random.py"
ONE_BY_ONE = """

class Bot(Bot):
    choose_many = None

    def choose(self, view, many=Bot.choose_many):
        return int(many([self], [view])[0])
"""
DEALS = 64
ROUNDS = 5
"""The best of so many rounds counts."""
SETUPS = (("raj", 2), ("braverats", 2), ("magillat", 3), ("cheese_rescue", 2))
SIDE_BY_SIDE = 128
SECONDS = 0.5


def run() -> Iterator[dict[str, object]]:
    """The net first, then one row for each game."""
    with TemporaryDirectory() as name:
        many, one = _decision_us(load(NET)), _decision_us(_one_by_one(Path(name)))
    yield {"what": "raj_net, µs a decision, sandboxed", "before": one, "now": many, "times": one / many}
    for game, players in SETUPS:
        rules = _best(partial(_bare, game, players))
        for kind, played in (("env", _env), ("vector", _vector)):
            pace = _best(partial(played, game, players))
            yield {
                "what": f"{game}, {kind}, games/s beside the rules",
                "before": rules,
                "now": pace,
                "times": pace / rules,
            }


def _best(measured: Callable[[], float]) -> float:
    return max(measured() for _ in range(ROUNDS))


def _one_by_one(folder: Path) -> Bot:
    own = folder / "raj_one"
    own.mkdir()
    (own / "net.npz").write_bytes((NET / "net.npz").read_bytes())
    (own / "bot.py").write_text((NET / "bot.py").read_text() + ONE_BY_ONE)
    return load(own)


def _decision_us(bot: Bot) -> float:
    """Processor time of the bot's own process for a decision, in microseconds."""
    bots = (bot, load(OPPONENT))
    lineup = tuple(sorted(entry.entrant() for entry in bots))
    series = Series(Contest.of(games.make("raj", 2)), lineup, 0, 1, Limits())
    best = float("inf")
    with closing(Worker(Team(bots, Isolation.SANDBOX, Limits()))) as worker:
        for number in range(ROUNDS):
            result = worker.play(Block(series, number * DEALS * 4, (number + 1) * DEALS * 4))
            usage = result.usage[lineup.index(bot.entrant())]
            best = min(best, usage.seconds / usage.decisions * 1e6)
    return best


def _bare(game: str, players: int) -> float:
    """Games a second of the rules alone, with random moves."""
    rules, rng = games.make(game, players), Random(1)
    played, started = 0, process_time()
    while process_time() - started < SECONDS:
        state = rules.start(rules.deal(rng))
        while state.turn:
            state.step([rng.choice(state.legal(seat)) for seat in state.turn])
        played += 1
    return played / (process_time() - started)


def _env(game: str, players: int) -> float:
    """Games a second of PettingZoo's environment."""
    from league.extensions import pettingzoo

    env, rng = pettingzoo.env(game, players=players), Random(1)
    played, started = 0, process_time()
    while process_time() - started < SECONDS:
        env.reset(seed=played)
        for _ in env.agent_iter():
            seen, _, over, _, _ = env.last()
            env.step(None if over else rng.choice(np.flatnonzero(seen["action_mask"]).tolist()))
        played += 1
    return played / (process_time() - started)


def _vector(game: str, players: int) -> float:
    """Games a second of many tables side by side."""
    tables, rng = Tables(game, players, tables=SIDE_BY_SIDE), np.random.default_rng(1)
    played, started = 0, process_time()
    while process_time() - started < SECONDS:
        played += int(tables.step((rng.random(tables.masks.shape) * tables.masks).argmax(1)).over.sum())
    return played / (process_time() - started)
