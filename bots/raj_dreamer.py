"""A bot for Raj that tries things out in its head."""


class Bot:
    """Try a few cards in games that are played on at random, and bid the one after which things went best.

    The idea: the rules come with the game. `table.game.imagine(view, rng)` returns a whole state that looks the
    same from this seat, with the prizes to come in some order. Copies of it can be played to the end.
    """

    games = ("raj",)
    candidates = 3
    dreams = 5

    def __init__(self, table):
        self.game = table.game
        self.rng = table.rng

    def choose(self, view):
        worth = 1.5 * abs(view.prize)  # the best mouse is 10, the best card 15
        sensible = sorted(view.legal, key=lambda card: abs(card - worth))[: self.candidates]
        totals = dict.fromkeys(sensible, 0)
        for _ in range(self.dreams if len(sensible) > 1 else 0):
            state = self.game.imagine(view, self.rng)
            orders = [self.rng.sample(hand, len(hand)) for hand in view.hands]
            bids = [self.guess(hand, worth) for hand in view.hands]
            for card in sensible:  # in the same dream each, so that they can be compared
                bids[view.seat] = card
                totals[card] += self.dream(state.copy(), bids, orders, view.seat)
        return max(sensible, key=totals.get)

    def guess(self, hand, worth):
        """What another may bid: near to what the prize is worth, more or less."""
        about = worth + self.rng.gauss(0, 3)
        return min(hand, key=lambda card: abs(card - about))

    def dream(self, state, bids, orders, seat):
        """How far ahead of the best other one is, if all bid like this now, and then their cards in these orders."""
        state.step(bids)
        left = [[card for card in order if card != bid] for order, bid in zip(orders, bids, strict=True)]
        for later in zip(*left, strict=True):
            state.step(later)
        scores = list(state.scores)
        return scores.pop(seat) - max(scores)
