"""The agent of `docs/learners.md`: it plays, better than the bots it learnt from, and its training works."""

import importlib.util
import sys
from pathlib import Path
from random import Random

import pytest

from league import games
from league.hosts.bot import BotTable
from league.hosts.factory import HostFactory
from league.setup.roster import load as load_bot
from league.values.settings import Isolation, Limits
from tests.hosts.stage import HONEST, block, bot, play

FOLDER = Path(__file__).parents[2] / "examples" / "agents" / "raj_net"


def load(name):
    spec = importlib.util.spec_from_file_location(f"raj_net_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def train(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    monkeypatch.delitem(sys.modules, "bot", raising=False)
    yield load("train")
    sys.modules.pop("bot", None)


def wins(bot, opponent, playings=60):
    """The share of games that a bot wins."""
    game = games.make("raj", 2)
    won = 0
    for seed in range(playings):
        rng = Random(seed)
        state = game.start(game.deal(rng))
        seat = seed % 2
        player = bot(BotTable(game, seat, seed))
        while state.turn:
            moves = [opponent(state.view(1 - seat), rng)]
            moves.insert(seat, int(bot.choose_many([player], [state.view(seat)])[0]))
            state.step(moves)
        won += state.outcome().ranks[seat] < state.outcome().ranks[1 - seat]
    return won / playings


def test_the_agent_beats_those_it_learnt_from(train):
    bot = load("bot").Bot
    assert wins(bot, train.nearest) > 0.75
    assert wins(bot, train.anything) > 0.75


def test_the_weights_are_few():
    assert (FOLDER / "net.npz").stat().st_size < 50_000


@pytest.mark.slow
def test_the_agent_plays_in_the_sandbox():
    agent = load_bot(FOLDER)
    assert agent.players == (2,)
    bots = [agent, bot("honest", HONEST)]
    with HostFactory(Isolation.SANDBOX, Limits()) as factory:
        assert play(factory, bots, block(bots, 2, Limits())).faults == ()


@pytest.mark.slow
def test_training_makes_a_network_that_learns(train, monkeypatch):
    monkeypatch.setattr(train, "GAMES", 32)
    monkeypatch.setattr(train, "OPPONENTS", (train.nearest,))
    agent = load("bot")

    def trained(rounds):
        monkeypatch.setattr(agent, "NET", train.train(rounds))
        return wins(agent.Bot, train.nearest)

    assert trained(40) > trained(0) + 0.2
