"""A bot for BraveRats that tries out the next round before it plays it."""


class Bot:
    """Try every own card against every card the opponent may play, and play the one that does best on average.

    The idea: `table.game.imagine(view, rng)` returns a full state that looks the same from this seat, and a round
    played in a copy of it shows what that round would bring. No rule of the game needs to be written down again.
    """

    games = ("braverats",)

    def __init__(self, table):
        self.game = table.game
        self.rng = table.rng

    def choose(self, view):
        if view.drafting:
            return max(view.legal)
        state = self.game.imagine(view, self.rng)
        return max(view.legal, key=lambda card: self.prospect(state, view.seat, card))

    def prospect(self, state, me, card):
        """What to expect of a card."""
        if state.spy == me:  # the other card is on the table
            return self.worth(self.played(state, (card,)), me)
        if state.spy == 1 - me:  # the other will see this one and choose the best answer
            shown = self.played(state, (card,))
            return min(self.worth(self.played(shown, (answer,)), me) for answer in shown.view(1 - me).legal)
        answers = state.view(1 - me).legal
        rounds = [(card, answer) if me == 0 else (answer, card) for answer in answers]
        return sum(self.worth(self.played(state, cards), me) for cards in rounds) / len(rounds)

    def played(self, state, moves):
        after = state.copy()
        after.step(moves)
        return after

    def worth(self, state, me):
        """How good a state is: games, then rounds, then a General or a Spy at work in the next round."""
        you = 1 - me
        games = state.games_won[me] - state.games_won[you]
        rounds = state.scores[me] - state.scores[you]
        general = state.bonus[me] - state.bonus[you]
        spy = (state.spy == me) - (state.spy == you)
        return 10 * games + rounds + 0.2 * general + 0.5 * spy
