"""A first bot for Raj, in one line."""


class Bot:
    """Bid the card nearest to what the prize is worth.

    The idea: pay what a thing is worth. Fifteen prizes, fifteen cards: strong cards for the big mice, weak ones for
    the small. A vulture of -5 deserves a good card as well, since the lowest card has to take it.
    """

    games = ("raj",)

    def choose(self, view):
        worth = 1.5 * abs(view.prize)  # the best mouse is 10, the best card 15
        return min(view.legal, key=lambda card: abs(card - worth))
