"""For Magilla't: give no habit away, and use those of others once they are certain."""

CLEAR = 2.0
"""Standard deviations above chance at which a favourite place counts as a habit."""


class Bot:
    """Choose evenly among the three places, unless the other player clearly has a habit.

    The idea: nobody can predict an even mix, so nobody gains against it. It is safe, and abandoned only for a
    profit: a player who used one place far more often than chance is expected to use it again. In matches of many
    games the counts add up: seats rotate from game to game, but each player stays equally far to the left.
    """

    games = ("magillat",)

    def __init__(self, table):
        self.rng = table.rng
        self.players = table.players
        self.used = {}  # of earlier games: by role and distance to the left, how often each place was chosen

    def finish(self, outcome, view):
        self.used = self.counted(view)

    def choose(self, view):
        telling = view.seat == view.storyteller
        other = view.listener if telling else view.storyteller
        role = "marks" if telling else "names"
        used = self.counted(view).get((role, (other - view.seat) % self.players), (0, 0, 0))
        total = sum(used)
        places = view.legal
        if max(used) - total / 3 > CLEAR * (total * 2 / 9) ** 0.5:
            favourite = used.index(max(used))
            places = [place for place in places if (place == favourite) != telling]
        return self.rng.choice(places)

    def counted(self, view):
        """The counts of earlier games, and those of this one."""
        used = {key: [*counts] for key, counts in self.used.items()}
        for turn in view.history:
            for seat in range(self.players):
                distance = (seat - view.seat) % self.players
                if seat == turn.storyteller:
                    role, chosen = "names", [pick for pick in turn.picks if pick >= 0]
                else:
                    role, chosen = "marks", [turn.marks[seat]]
                for place in chosen:
                    used.setdefault((role, distance), [0, 0, 0])[place] += 1
        return used
