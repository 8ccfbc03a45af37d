"""Cheese Rescue, one answer ahead."""

CANDIDATES = 10
"""Cards whose answers are looked at: those after which I lead by most."""


class Bot:
    """Count who eats whom, and expect the worst answer: a card is worth what the next one leaves of it.

    The idea: a dog scares cats, a cat left catches mice, a mouse left eats cheese. A cheese with a free place beside
    it is worth little while others hold mice, and a mouse beside it is harmless while a cat can still come. So each
    of the most promising cards is followed by the most harmful animal that somebody else may lay, which everybody
    can work out: `view.unseen` has the animals in other hands and in the pile, each as often as it is there.
    """

    games = ("cheese_rescue",)

    def choose(self, view):
        table = Board(view)
        leads = {move: table.lead(move) for move in view.legal}
        promising = sorted(view.legal, key=lambda move: -leads[move])[:CANDIDATES]
        if not view.unseen:
            return promising[0]
        return max(promising, key=lambda move: leads[move] + table.after_answers(move, view))


class Board:
    """The table as sets of places; a set is one int with a bit for each place."""

    def __init__(self, view):
        self.me, self.players, self.worth = view.seat, view.players, view.cheese_points
        self.animals = {7: 0, 8: 0, 9: 0}
        self.cheeses = []
        self.free = sum(1 << place for place in view.places)
        self.taken = 0
        for place, (card, seat) in view.board.items():
            self.taken |= 1 << place
            if card in self.animals:
                self.animals[card] |= 1 << place
            elif card:
                self.cheeses.append((1 << place, seat, self.worth[card - 1]))

    def lead(self, *moves):
        """My points minus those of the best of the others with these cards on the table, the first of them mine."""
        animals, cheeses = {**self.animals}, self.cheeses
        for number, move in enumerate(moves):
            card, place = divmod(move, 10_000)
            if card in animals:
                animals[card] |= 1 << place
            else:
                seat = (self.me + number) % self.players
                cheeses = [*cheeses, (1 << place, seat, self.worth[card - 1])]
        danger = bitten(animals)
        points = [0] * self.players
        for spot, seat, value in cheeses:
            if not danger & spot:
                points[seat] += value
        me = self.me
        return points[me] - max(points[:me] + points[me + 1 :])

    def after_answers(self, move, view):
        """What the worst animal nearby leaves of the lead, on average over the animals that others may hold."""
        place = 1 << move % 10_000
        beside = around(place)
        open_places = (beside | around(beside)) & (self.free | beside) & ~self.taken & ~place
        spots = [spot for spot in range(open_places.bit_length()) if open_places >> spot & 1]
        if not spots:
            return self.lead(move)
        worst = {animal: min(self.lead(move, animal * 10_000 + spot) for spot in spots) for animal in {*view.unseen}}
        return sum(worst[animal] for animal in view.unseen) / len(view.unseen)


def bitten(animals):
    """The places next to a mouse that no cat catches, because a dog scared the cat away or none is near."""
    cats = animals[8] & ~around(animals[7])
    mice = animals[9] & ~around(cats)
    return around(mice)


def around(places):
    return places << 1 | places >> 1 | places << 100 | places >> 100
