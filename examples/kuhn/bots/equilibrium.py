"""Plays an equilibrium of Kuhn poker: nobody wins chips from it in the long run."""


class Bot:
    """Bets the best card, bluffs with the worst, and calls with the middle one now and then."""

    games = ("kuhn",)

    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        if view.history in ((), (0,)):  # nobody has bet yet
            chance = {1: 1 / 3, 2: 0, 3: 1}[view.card]
        elif view.history == (1,):
            chance = {1: 0, 2: 1 / 3, 3: 1}[view.card]
        else:  # it checked, and there is a bet
            chance = {1: 0, 2: 2 / 3, 3: 1}[view.card]
        return int(self.rng.random() < chance)
