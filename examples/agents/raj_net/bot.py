"""A small neural network that learnt to bid. `train.py` made `net.npz`; to play, numpy is enough."""

from pathlib import Path

import numpy as np

CARDS = range(1, 16)
PRIZES = [*range(-5, 0), *range(1, 11)]


def features(view):
    """What the network is told: who holds which card, what is at stake, what is still to come, who leads."""
    own, other = view.hands[view.seat], view.hands[1 - view.seat]
    unseen = view.unseen
    ahead = view.scores[view.seat] - view.scores[1 - view.seat]
    return (
        [card in own for card in CARDS]
        + [card in other for card in CARDS]
        + [prize in unseen for prize in PRIZES]
        + [prize == view.prize for prize in PRIZES]
        + [view.prize / 10, abs(view.prize) / 10, ahead / 10, len(unseen) / 15]
    )


def scores(net, inputs):
    """What the network thinks of each card: a row of 15 for each row of inputs; and its hidden layer, for training."""
    hidden = np.tanh(inputs @ net["w1"] + net["b1"])
    return hidden @ net["w2"] + net["b2"], hidden


class Bot:
    """Bid what a small neural network likes best."""

    games = ("raj",)
    players = (2,)  # all that it has learnt

    def __init__(self, table):
        with np.load(Path(__file__).parent / "net.npz") as net:
            self.net = dict(net)

    def choose(self, view):
        likes = scores(self.net, np.array(features(view), dtype=np.float32))[0]
        return max(view.legal, key=lambda card: likes[card - 1])
