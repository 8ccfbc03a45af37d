"""Trains the network of `bot.py` by playing Raj: `python train.py` writes `net.npz` beside it, in about a minute.

Policy gradient in plain numpy. The network plays against a few ways of bidding; what it bid before a good rest of the
game becomes likelier, what it bid before a bad one less likely.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from league import games
from league.games.arrays import encoder_of

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from bot import CARDS, features, scores  # noqa: E402 - the same code that plays

HIDDEN = 48
GAMES = 128
"""At once, in every round of training."""
RATE = 0.01


def train(
    rounds: int = 150, seed: int = 1, report: Callable[[int, float], None] | None = None
) -> dict[str, np.ndarray]:
    """A trained network. `report` hears of every round how many points the network was ahead on average."""
    rng, random = np.random.default_rng(seed), Random(seed)
    rules = games.make("raj", 2)
    inputs = features(encoder_of(rules).encode([rules.start(rules.deal(random)).view(0)])).shape[1]
    net = {
        "w1": rng.normal(0, 1 / np.sqrt(inputs), (inputs, HIDDEN)),
        "b1": np.zeros(HIDDEN),
        "w2": rng.normal(0, 0.1, (HIDDEN, len(CARDS))),
        "b2": np.zeros(len(CARDS)),
    }
    net = {name: part.astype(np.float32) for name, part in net.items()}
    adam = Adam(net)
    for number in range(rounds):
        opponent = OPPONENTS[number % len(OPPONENTS)]
        *played, lead = play(net, rules, opponent, rng, random)
        adam.step(net, gradient(net, *played))
        if report:
            report(number + 1, lead)
    return net


def play(net: Any, rules: Any, opponent: Any, rng: Any, random: Random) -> tuple[Any, Any, Any, Any, float]:
    """Games of the network (seat 0) against an opponent: inputs, odds, bids, what came of each, and the mean lead."""
    states = [rules.start(rules.deal(random)) for _ in range(GAMES)]
    inputs, odds, bids, leads = [], [], [], []
    while states[0].turn:
        views = [state.view(0) for state in states]
        seen = features(encoder_of(rules).encode(views))
        chances = likely(scores(net, seen)[0], seen[:, : len(CARDS)])
        chosen = (chances.cumsum(1) < rng.random((GAMES, 1)) * chances.sum(1, keepdims=True)).sum(1)
        leads.append([view.scores[0] - view.scores[1] for view in views])
        for state, bid in zip(states, chosen, strict=True):
            state.step([int(bid) + 1, opponent(state.view(1), random)])
        inputs.append(seen)
        odds.append(chances)
        bids.append(chosen)
    ends = np.array([state.scores[0] - state.scores[1] for state in states])
    gains = ends - np.array(leads)  # what happened from here on: the past is no merit of this bid
    gains = (gains - gains.mean(1, keepdims=True)) / (gains.std(1, keepdims=True) + 1)
    return np.concatenate(inputs), np.concatenate(odds), np.concatenate(bids), gains.ravel(), float(ends.mean())


def likely(values: Any, held: Any) -> Any:
    """The odds of each card: a softmax over the cards that are held."""
    powers = np.exp(values - values.max(1, keepdims=True)) * held + 1e-9 * held
    return powers / powers.sum(1, keepdims=True)


def gradient(net: Any, inputs: Any, odds: Any, bids: Any, gains: Any) -> dict[str, Any]:
    """Where the network should move to, with a little pressure to keep trying other cards."""
    _, hidden = scores(net, inputs)
    wanted = -odds
    wanted[np.arange(len(bids)), bids] += 1
    surprise = np.log(odds + 1e-9)
    entropy = -odds * (surprise - (odds * surprise).sum(1, keepdims=True))
    push = (wanted * gains[:, None] + 0.01 * entropy) / len(bids)
    back = (push @ net["w2"].T) * (1 - hidden**2)
    return {"w1": inputs.T @ back, "b1": back.sum(0), "w2": hidden.T @ push, "b2": push.sum(0)}


class Adam:
    """Steps of a size that suits each weight."""

    def __init__(self, net: Any) -> None:
        self._mean = {name: np.zeros_like(part) for name, part in net.items()}
        self._square = {name: np.zeros_like(part) for name, part in net.items()}
        self._steps = 0

    def step(self, net: Any, gradient: Any) -> None:
        """Move the weights along the gradient."""
        self._steps += 1
        for name, part in gradient.items():
            mean = self._mean[name] = 0.9 * self._mean[name] + 0.1 * part
            square = self._square[name] = 0.999 * self._square[name] + 0.001 * part**2
            fair = np.sqrt(square / (1 - 0.999**self._steps)) + 1e-8
            net[name] += (RATE * mean / (1 - 0.9**self._steps) / fair).astype(np.float32)


def nearest(view: Any, random: Random) -> int:
    """Pays about what the prize is worth."""
    worth = 1.5 * abs(view.prize) + random.gauss(0, 1)
    return min(view.legal, key=lambda card: abs(card - worth))


def keen(view: Any, random: Random) -> int:
    """Pays a little more."""
    worth = 1.5 * abs(view.prize) + 2 + random.gauss(0, 2)
    return min(view.legal, key=lambda card: abs(card - worth))


def anything(view: Any, random: Random) -> int:
    """Bids at random."""
    return random.choice(view.legal)


OPPONENTS = (nearest, keen, nearest, anything)


def show(number: int, lead: float) -> None:
    """Every tenth round, a line."""
    if number % 10 == 0:
        print(
            f"round {number}: {lead:+.1f} points a game against {OPPONENTS[(number - 1) % len(OPPONENTS)].__name__}",
            flush=True,
        )


if __name__ == "__main__":
    np.savez(HERE / "net.npz", **train(report=show))
