"""For Magilla't: ties are broken by families, so every new family is worth having."""


class Bot:
    """Collect families: mark, and name, only cards of a family that it does not have yet.

    Who gets a card is luck against an honest opponent, but which card it is, is not. Points are often equal at the end,
    and then the greater number of different families wins.
    """

    games = ("magillat",)

    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        telling = view.seat == view.storyteller
        cards = view.stories[view.listener if telling else view.seat]
        had = {card // 100 for card in view.points[view.seat]}
        if telling:  # what it has named in this turn may soon be its own
            had |= {three[pick] // 100 for three, pick in zip(view.stories, view.picks, strict=True) if pick >= 0}
        new = [move for move in view.legal if cards[move] // 100 not in had]
        return self.rng.choice(new or view.legal)
