"""A bot for Raj that remembers its opponents from game to game."""


class Bot:
    """Remember what each opponent bid for each prize in earlier games of the match, and bid just more.

    The idea: an instance lives for one match, and `finish` gets the final view, with all bids. A player who bid 11
    for the 7 in the last game will do something like it in this one. Seats rotate from game to game, but each opponent
    stays equally far to the left. In matches of one game it can only guess that all bid what a prize is worth.
    """

    games = ("raj",)
    generous = 4

    def __init__(self, table):
        self.players = table.players
        self.bids = {}  # by distance to the left and prize, every bid of the match so far

    def finish(self, outcome, view):
        pile = 0
        for past in view.history:
            pile += past.shown
            for seat, bid in enumerate(past.bids):
                self.bids.setdefault(((seat - view.seat) % self.players, pile), []).append(bid)
            if past.winner >= 0:
                pile = 0

    def choose(self, view):
        worth = 1.5 * abs(view.prize)  # the best mouse is 10, the best card 15
        others = [seat for seat in range(self.players) if seat != view.seat]
        hands = view.hands
        expected = [self.foresee(view, seat, hands[seat], worth) for seat in others]
        rival = max(expected) if view.prize >= 0 else min(expected)  # a vulture is for the lowest: beat just that one
        enough = [card for card in view.legal if card > rival and card not in expected]
        return enough[0] if enough and enough[0] <= worth + self.generous else view.legal[0]

    def foresee(self, view, seat, hand, worth):
        """The card of that seat's hand that is nearest to what it bid for this prize before."""
        known = self.bids.get(((seat - view.seat) % self.players, view.prize), [worth])
        usual = sum(known) / len(known)
        return min(hand, key=lambda card: abs(card - usual))
