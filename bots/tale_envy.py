"""For Magilla't: the strongest wish at the table gives a player away."""


class Bot:
    """Take every player for a collector of families, and look at the cards with their eyes.

    As guesser it marks a card of a family that the storyteller still lacks. As storyteller it names a card of a family
    that the listener has already, since the listener is likely to have marked another one.
    """

    games = ("magillat",)

    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        telling = view.seat == view.storyteller
        other = view.listener if telling else view.storyteller
        cards = view.stories[other if telling else view.seat]
        had = {card // 100 for card in view.points[other]}
        fitting = [move for move in view.legal if (cards[move] // 100 in had) == telling]
        return self.rng.choice(fitting or view.legal)
