"""A small neural network that learnt to bid. `train.py` made `net.npz`; to play, numpy is enough."""

from pathlib import Path

import numpy as np

CARDS = range(1, 16)
PRIZES = [*range(-5, 0), *range(1, 11)]
ROUNDS = 15
PAST = [10, 15, 15, 2]  # a past round: its prize, both bids, and who won; each was divided by its largest size


def features(rows):
    """What the network is told, a row for each view: who holds which card, the prizes, who leads.

    `rows` are views as `table.encode` gives them: the own hand, seat, prize, pile, scores, and the rounds so far.
    """
    each = np.arange(len(rows))
    seat = (rows[:, 15] * 2).round().astype(int)
    prize = (rows[:, 16] * 55).round().astype(int)
    pile = (rows[:, 18:33] * 10).round().astype(int)
    points = (rows[:, 33:35] * 55).round()
    past = (rows[:, 36:].reshape(-1, ROUNDS, len(PAST)) * PAST).round().astype(int)  # zeros where nothing was yet
    theirs = np.ones((len(rows), 16), dtype=np.float32)
    theirs[each[:, None], past[each, :, 2 - seat]] = 0
    unseen = np.ones((len(rows), 16), dtype=np.float32)  # by prize, from -5
    unseen[each[:, None], np.concatenate([past[:, :, 0], pile], axis=1) + 5] = 0
    at_stake = np.zeros((len(rows), 16), dtype=np.float32)
    alone = (prize >= PRIZES[0]) & (prize <= PRIZES[-1])  # several prizes may be at stake together
    at_stake[each[alone], prize[alone] + 5] = 1
    unseen, at_stake = np.delete(unseen, 5, axis=1), np.delete(at_stake, 5, axis=1)  # there is no prize of 0
    ahead = points[each, seat] - points[each, 1 - seat]
    numbers = np.stack([prize / 10, abs(prize) / 10, ahead / 10, unseen.sum(1) / 15], axis=1)
    return np.concatenate([rows[:, :15], theirs[:, 1:], unseen, at_stake, numbers], axis=1, dtype=np.float32)


def scores(net, inputs):
    """What the network thinks of each card: a row of 15 for each row of inputs; and its hidden layer, for training."""
    hidden = np.tanh(inputs @ net["w1"] + net["b1"])
    return hidden @ net["w2"] + net["b2"], hidden


with np.load(Path(__file__).parent / "net.npz") as file:
    NET = dict(file)  # once for the process: an instance of the bot lives for one match only


class Bot:
    """Bid what a small neural network likes best."""

    games = ("raj",)
    players = (2,)  # all that it has learnt

    def __init__(self, table):
        self.table = table

    @classmethod
    def choose_many(cls, bots, views):
        rows = bots[0].table.encode(views)
        # The last digits of a sum depend on how many rows are summed at once, and the choice must not.
        likes = scores(NET, features(rows))[0].round(4)
        held = rows[:, :15] > 0
        return np.where(held, likes, -np.inf).argmax(axis=1) + 1
