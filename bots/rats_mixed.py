"""A bot for BraveRats that cannot be predicted."""


class Bot:
    """Weigh the next round as a game of its own, and play each card as often as it deserves.

    The idea: a player who always plays the best card is predictable. So both sides are imagined to answer each other
    over and over (fictitious play), and each card is played as often as it was the answer.
    """

    games = ("braverats",)
    lessons = 50

    def __init__(self, table):
        self.game = table.game
        self.rng = table.rng

    def choose(self, view):
        if view.drafting:
            return max(view.legal)
        me, you = view.seat, view.opponent
        state = self.game.imagine(view, self.rng)
        if view.shown >= 0:
            return max(view.legal, key=lambda card: self.worth(state, (card,), me))
        if view.spy == you:
            return self.rng.choice(view.legal)
        theirs = state.view(you).legal
        worth = [
            [self.worth(state, (card, other) if me == 0 else (other, card), me) for other in theirs]
            for card in view.legal
        ]
        return self.rng.choices(view.legal, self.mix(worth))[0]

    def worth(self, state, moves, me):
        """How good it is for me when these cards are played."""
        after = state.copy()
        after.step(moves)
        you = 1 - me
        games = after.games_won[me] - after.games_won[you]
        rounds = after.scores[me] - after.scores[you]
        general = after.bonus[me] - after.bonus[you]
        spy = (after.spy == me) - (after.spy == you)
        return 10 * games + rounds + 0.2 * general + 0.5 * spy

    def mix(self, worth):
        """How often to play each row: both sides answer, again and again, all that the other has played so far."""
        columns = list(zip(*worth, strict=True))
        floors = [min(row) for row in worth]
        if max(floors) >= min(max(column) for column in columns):  # a card that is best against its best answer
            return [floor == max(floors) for floor in floors]
        gains, losses = [0.0] * len(worth), [0.0] * len(columns)
        played = [0] * len(worth)
        for _ in range(self.lessons):
            row = gains.index(max(gains))
            played[row] += 1
            losses = [so_far + loss for so_far, loss in zip(losses, worth[row], strict=True)]
            column = losses.index(min(losses))
            gains = [so_far + gain for so_far, gain in zip(gains, columns[column], strict=True)]
        return played
