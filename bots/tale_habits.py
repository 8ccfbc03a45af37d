"""For Magilla't: every mark and every pick is shown in the end, so habits can be counted."""


class Bot:
    """Every player has a favourite place: mark the storyteller's, and avoid the listener's.

    It counts how often a player has chosen the left, the middle and the right card so far in this game, as guesser and
    as storyteller. Against players without such a habit this is as good as any other choice.
    """

    games = ("magillat",)

    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        telling = view.seat == view.storyteller
        used = self.places_used_by(view.listener if telling else view.storyteller, view.history)
        wanted = min(used) if telling else max(used)
        return self.rng.choice([move for move in view.legal if used[move] == wanted])

    def places_used_by(self, seat, history):
        """How often this seat chose each of the three places."""
        used = [0, 0, 0]
        for turn in history:
            chosen = [pick for pick in turn.picks if pick >= 0] if seat == turn.storyteller else [turn.marks[seat]]
            for place in chosen:
                used[place] += 1
        return used
