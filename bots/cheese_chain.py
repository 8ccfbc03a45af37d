"""Cheese Rescue, with the chain of who eats whom as probabilities."""

DOG, CAT, MOUSE = 7, 8, 9
KEPT = 0.6
"""What a cheese in hand is worth, as a part of its points: late in the game there are safe places."""


class Bot:
    """Follow the chain: a mouse may be caught, the cat be scared away, and any free place may get any animal.

    The idea: a dog scares cats, a cat that is left catches mice, a mouse that is left eats cheese. What will lie in a
    free place is not known, but how many animals of each kind are to come is (`view.unseen`). So every link of the
    chain has a probability, and a cheese is worth its points times the probability that no mouse is left beside it.
    Of all cards, the one is laid after which these points lead by most.
    """

    games = ("cheese_rescue",)

    def choose(self, view):
        me, worth = view.seat, view.cheese_points
        board = {place: laid.card for place, laid in view.board.items()}
        cheeses = [(place, *laid) for place, laid in view.board.items() if 1 <= laid.card < DOG]
        to_come = len(view.unseen) + sum(map(len, view.cheeses))
        shares = {animal: view.unseen.count(animal) / to_come for animal in (DOG, CAT, MOUSE)}
        free = {*view.places}
        now = {place: Chain(board, free, shares).safe(place) for place, _, _ in cheeses}

        def lead(move):
            """My expected points minus those of the best of the others, with this card on the table."""
            card, place = divmod(move, 10_000)
            chain = Chain({**board, place: card}, free, shares)
            points = [0.0] * view.players
            for spot, cheese, seat in cheeses:
                near = abs(spot // 100 - place // 100) + abs(spot % 100 - place % 100) <= 3
                points[seat] += worth[cheese - 1] * (chain.safe(spot) if near else now[spot])
            if card < DOG:
                points[me] += worth[card - 1] * (chain.safe(place) - KEPT)
            return points[me] - max(points[:me] + points[me + 1 :])

        return max(view.legal, key=lead)


class Chain:
    """The probabilities of who is left at the end, given the cards on the table and the shares of animals to come."""

    def __init__(self, board, free, shares):
        self.board, self.free, self.shares = board, free, shares
        self.cats, self.mice = {}, {}

    def there(self, animal, place):
        """The probability that this animal is laid in a place."""
        if place in self.board:
            return float(self.board[place] == animal)
        return self.shares[animal] if place in self.free else 0.0

    def cat_left(self, place):
        if place not in self.cats:
            chance = self.there(CAT, place)
            for spot in beside(place) if chance else ():
                chance *= 1 - self.there(DOG, spot)
            self.cats[place] = chance
        return self.cats[place]

    def mouse_left(self, place):
        if place not in self.mice:
            chance = self.there(MOUSE, place)
            for spot in beside(place) if chance else ():
                chance *= 1 - self.cat_left(spot)
            self.mice[place] = chance
        return self.mice[place]

    def safe(self, place):
        """The probability that no mouse is left beside a place."""
        chance = 1.0
        for spot in beside(place):
            chance *= 1 - self.mouse_left(spot)
        return chance


def beside(place):
    return place - 100, place - 1, place + 1, place + 100
