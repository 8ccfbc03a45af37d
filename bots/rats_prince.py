"""A bot for BraveRats with one rule of thumb."""


class Bot:
    """Keep the Prince at home while the opponent could ruin him, then send him out.

    The idea: the cards that the opponent has left are known (`view.opponent_cards`). While the Princess is among them,
    a Prince may lose the game; once she is gone he wins nearly any round, and four rounds are not many.
    """

    games = ("braverats",)
    musician, princess, prince, mime = 0, 1, 7, 8

    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        if view.drafting:
            return max(view.legal)
        danger = {self.princess, self.musician, self.mime} & {*view.opponent_cards}
        if view.shown >= 0:
            danger = {view.shown} & {self.princess, self.musician}
            if view.shown == self.prince and self.princess in view.legal:
                return self.princess  # the Spy has earned the kingdom
        if self.prince in view.legal and not danger:
            return self.prince
        others = [card for card in view.legal if card != self.prince]
        return self.rng.choice(others or view.legal)
