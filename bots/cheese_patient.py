"""Cheese Rescue, with cheeses kept back until they are safe."""


class Bot:
    """Keep cheese for late: where no free place is left beside it, no mouse can come.

    Until then, lay an animal where it touches the fewest cards.
    """

    games = ("cheese_rescue",)

    def choose(self, view):
        board = view.board
        free = {*view.places}

        def value(move):
            """The best cheese in a place that is closed and without mice; else an animal out of the way."""
            card, place = divmod(move, 10_000)
            beside = (place - 100, place - 1, place + 1, place + 100)
            if card > 6:
                return -sum(spot in board for spot in beside) / 10
            mice = sum(spot in board and board[spot].card == 9 for spot in beside)
            open_sides = sum(spot in free for spot in beside)
            return view.cheese_points[card - 1] * (1 - mice - open_sides)

        return max(view.legal, key=value)
