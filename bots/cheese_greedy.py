"""Cheese Rescue, one card at a time."""


class Bot:
    """Count first: lay the card after which I lead by most, if the game ended now.

    A set of places is one int with a bit for each place, so that all neighbours of all dogs are found in four shifts.
    """

    games = ("cheese_rescue",)

    def choose(self, view):
        me, worth = view.seat, view.cheese_points
        animals = {7: 0, 8: 0, 9: 0}
        cheeses = []
        for place, (card, seat) in view.board.items():
            if card in animals:
                animals[card] |= 1 << place
            elif card:
                cheeses.append((1 << place, seat, worth[card - 1]))

        def lead(move):
            """My points less those of the best of the others, with this card on the table."""
            card, place = divmod(move, 10_000)
            points = [0] * view.players
            if card in animals:
                danger = bitten({**animals, card: animals[card] | 1 << place})
            else:
                danger = now
                if not danger >> place & 1:
                    points[me] = worth[card - 1]
            for spot, seat, value in cheeses:
                if not danger & spot:
                    points[seat] += value
            return points[me] - max(points[:me] + points[me + 1 :])

        now = bitten(animals)
        return max(view.legal, key=lead)


def bitten(animals):
    """The places next to a mouse that no cat catches, because a dog scared the cat away or none is near."""
    cats = animals[8] & ~around(animals[7])
    mice = animals[9] & ~around(cats)
    return around(mice)


def around(places):
    return places << 1 | places >> 1 | places << 100 | places >> 100
