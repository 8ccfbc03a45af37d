"""The bot that every other should beat: it knows no game, so it can play them all."""


class Bot:
    """Any legal move, drawn at random."""

    baseline = True  # rated like any other, but never on a podium

    def __init__(self, table):
        self.rng = table.rng  # the bot's own random numbers: the same game played again goes the same way

    def choose(self, view):
        return self.rng.choice(view.legal)
