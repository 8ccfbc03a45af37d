"""A bot for Raj that reads its opponents."""


class Bot:
    """Foresee what each opponent bids from what they bid before, and bid just more than that.

    The idea: all bids are public (`view.history`), and so is what everybody still holds (`view.hands`). A player
    who pays two more than a prize is worth has often done so before. If it takes too much to beat them all, spend the
    lowest card and let them have it.
    """

    games = ("raj",)
    generous = 4

    def choose(self, view):
        worth = 1.5 * abs(view.prize)  # the best mouse is 10, the best card 15
        expected = [self.foresee(view, seat, worth) for seat in range(len(view.scores)) if seat != view.seat]
        rival = max(expected) if view.prize >= 0 else min(expected)  # a vulture is for the lowest: beat just that one
        enough = [card for card in view.legal if card > rival and card not in expected]
        if enough and enough[0] <= worth + self.generous:
            return enough[0]
        return view.legal[0]

    def foresee(self, view, seat, worth):
        """The card of that seat's hand that lies nearest to what the seat usually pays."""
        paid = []
        pile = 0
        for past in view.history:
            pile += past.shown
            paid.append(past.bids[seat] - 1.5 * abs(pile))
            if past.winner >= 0:
                pile = 0
        usual = worth + sum(paid) / max(1, len(paid))
        return min(view.hands[seat], key=lambda card: abs(card - usual))
