"""A bot that knows no game and can play them all a little: it asks the rules what could happen."""

CANDIDATES = 6
WORLDS = 4


class Bot:
    """Try a few moves in imagined worlds, play each on at random, and take the one that ends best.

    The idea: `table.game.imagine(view, rng)` returns a whole state that looks the same from this seat. A copy of it can
    be played to the end, and the place one comes to there says a little about the move; many copies say more. All
    moves are tried in the same worlds, which makes them comparable, so that few worlds are enough.
    """

    def __init__(self, table):
        self.game = table.game
        self.rng = table.rng

    def choose(self, view):
        moves = view.legal
        if len(moves) > CANDIDATES:
            moves = self.rng.sample(moves, CANDIDATES)
        if len(moves) == 1:
            return moves[0]
        worlds = [self.game.imagine(view, self.rng) for _ in range(WORLDS)]
        return max(moves, key=lambda move: sum(self.value(world.copy(), view.seat, move) for world in worlds))

    def value(self, state, seat, move):
        """How the game ends for a seat that makes this move, if all else is left to chance."""
        state.step([move if who == seat else self.any_move(state, who) for who in state.turn])
        outcome = state.playout(self.rng)
        beaten = sum(rank > outcome.ranks[seat] for rank in outcome.ranks)
        return beaten - sum(rank < outcome.ranks[seat] for rank in outcome.ranks) + outcome.scores[seat] / 100

    def any_move(self, state, who):
        legal = state.legal(who)
        return legal[int(self.rng.random() * len(legal))]
