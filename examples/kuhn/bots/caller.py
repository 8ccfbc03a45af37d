class Bot:
    """Bets the best card, and calls with all but the worst one."""

    games = ("kuhn",)

    def choose(self, view):
        return int(view.card == 3 or (view.card == 2 and view.history[-1:] == (1,)))
