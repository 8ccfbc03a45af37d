"""Cheese Rescue, by dreaming of how it could go on."""

CANDIDATES = 8
DREAMS = 3


class Bot:
    """Imagine: deal the hidden cards at random, play on at random to the end, and trust the average.

    A few moves drawn by lot are tried out, each in the same few dreams, and the one that leads by most is laid.
    """

    games = ("cheese_rescue",)

    def __init__(self, table):
        self.table = table

    def choose(self, view):
        rng = self.table.rng
        moves = rng.sample(view.legal, min(CANDIDATES, len(view.legal)))
        worlds = [self.table.game.imagine(view, rng) for _ in range(DREAMS)]
        return max(moves, key=lambda move: sum(self.lead(world.copy(), move) for world in worlds))

    def lead(self, state, move):
        """Lay this card, play on at random, and see how far I am before the best of the others."""
        state.step([move])
        scores = state.playout(self.table.rng).scores
        me = self.table.seat
        return scores[me] - max(scores[:me] + scores[me + 1 :])
