class Bot:
    """Pays for the best card only."""

    games = ("kuhn",)

    def choose(self, view):
        return int(view.card == 3)
