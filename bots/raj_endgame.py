"""A bot for Raj that plays the end of a game for two perfectly."""

from functools import cache

MOST_WORK = 1_000
"""Positions that may be solved for one bid. A number, not a clock, decides, so that the bot is deterministic."""


class Bot:
    """Read the opponent until five cards are left; then solve the rest, and bid as perfect play does.

    The idea: two players who know each other's cards play a zero-sum game. Raj for two is Goofspiel with vultures.
    Ross (1971) found the best bids against an opponent who bids at random; Rhoads and Bartholdi (2012) solved thirteen
    cards by computer, from the last card back. Here the last five are solved: a bid is worth what the positions after
    it are worth, on average over the next prize. Who wins is all that counts, not by how much, and equal scores
    are a draw. Where five cards would take too long, the opponent model goes on until four are left.
    """

    games = ("raj",)
    solved = 5
    generous = 4

    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        if len(view.hand) == 1:
            return view.hand[0]
        if len(view.scores) == 2 and len(view.hand) <= self.solved:
            try:
                return self.rng.choices(view.hand, perfect(view)[1])[0]
            except TooMuchError:
                pass
        return self.outbid(view)

    def outbid(self, view):
        """Just more than what the others are expected to bid, if that is not too much; else the lowest card."""
        worth = 1.5 * abs(view.prize)  # the best mouse is 10, the best card 15
        expected = [self.foresee(view, seat, worth) for seat in range(len(view.scores)) if seat != view.seat]
        rival = max(expected) if view.prize >= 0 else min(expected)  # a vulture is for the lowest: beat just that one
        enough = [card for card in view.hand if card > rival and card not in expected]
        return enough[0] if enough and enough[0] <= worth + self.generous else view.hand[0]

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


def perfect(view):
    """The value of the game from here on (won 1, draw 0, lost -1), and how often to bid each card of the hand."""
    me = view.seat
    theirs = view.hands[1 - me]
    # Only who is higher counts. An own card becomes the number of the opponent's cards below it, times two, plus one
    # if the opponent has it too: that is all there is to know of both hands, and many hands become alike.
    codes = tuple([2 * sum(card < own for card in theirs) + (own in theirs) for own in view.hand])
    lead = view.scores[me] - view.scores[1 - me]
    return matrix_game(Endgame().bids(codes, view.prize, view.unseen, lead))


class TooMuchError(Exception):
    """There are too many positions to solve."""


class Endgame:
    """The rest of a game, whose positions are solved once each."""

    def __init__(self):
        self.values = {}

    def bids(self, codes, stake, unseen, lead):
        """What each own card is worth against each of the opponent's: a matrix."""
        follow = prizes_after(unseen)
        matrix = []
        for at, code in enumerate(codes):
            row = []
            for other in range(len(codes)):
                rest = without(codes, at, other)
                above = code - (2 * other + 1)
                if above:  # the higher card takes a mouse and leaves a vulture: ahead by as much either way
                    now = lead + abs(stake) if above > 0 else lead - abs(stake)
                    worth = [self.value(rest, prize, left, now) for prize, left in follow]
                else:
                    worth = [self.value(rest, stake + prize, left, lead) for prize, left in follow]
                row.append(sum(worth) / len(worth))
            matrix.append(row)
        return matrix

    def value(self, codes, stake, unseen, lead):
        """What a position is worth, with `stake` on the table and `unseen` prizes to come."""
        if abs(lead) > abs(stake) + most(unseen):
            return 1 if lead > 0 else -1
        if len(codes) == 1:
            lead += abs(stake) * ((codes[0] > 1) - (codes[0] < 1))
            return (lead > 0) - (lead < 0)
        position = (codes, stake, unseen, lead)
        if position not in self.values:
            if len(self.values) == MOST_WORK:
                raise TooMuchError
            self.values[position] = matrix_game(self.bids(*position))[0]
        return self.values[position]


@cache
def without(codes, own, other):
    """The codes after the own card number `own` and the opponent's number `other` are gone."""
    twin = 2 * other + 1
    return tuple([code - (code >= twin) - (code > twin) for at, code in enumerate(codes) if at != own])


@cache
def most(unseen):
    """How many points the prizes to come can move at most."""
    return sum(map(abs, unseen))


@cache
def prizes_after(unseen):
    """Every prize that can come next, with what is left then."""
    return [(prize, unseen[:at] + unseen[at + 1 :]) for at, prize in enumerate(unseen)]


def matrix_game(matrix):
    """Value and the row player's optimal strategy: a saddle point, or the simplex method with Bland's rule."""
    floors, ceilings = [*map(min, matrix)], [*map(max, zip(*matrix, strict=True))]
    low = max(floors)
    if low >= min(ceilings):
        best = floors.index(low)
        return low, [int(at == best) for at in range(len(matrix))]
    if len(matrix) == len(ceilings) == 2:
        (a, b), (c, d) = matrix
        total = a + d - b - c
        return (a * d - b * c) / total, [(d - c) / total, (a - b) / total]
    height, width, least = len(matrix), len(matrix[0]), min(floors)
    rows = [[*(entry - least + 1 for entry in row), 1.0] for row in matrix]
    costs = [-1.0] * width + [0.0]
    basic, others = list(range(width, width + height)), list(range(width))
    while min(costs[:-1]) < -1e-12:
        entering = min((at for at in range(width) if costs[at] < -1e-12), key=others.__getitem__)
        ratios = [(row[-1] / row[entering], basic[at], at) for at, row in enumerate(rows) if row[entering] > 1e-12]
        leaving = min(ratios)[2]
        pivot = rows[leaving][entering]
        row = [entry / pivot for entry in rows[leaving]]
        row[entering] = 1 / pivot
        rows = [row if at == leaving else swept(line, row, entering) for at, line in enumerate(rows)]
        costs = swept(costs, row, entering)
        basic[leaving], others[entering] = others[entering], basic[leaving]
    shares = [0.0] * height
    for at, label in enumerate(others):
        if label >= width:
            shares[label - width] = max(0.0, costs[at])
    return 1 / costs[-1] - 1 + least, [share / sum(shares) for share in shares]


def swept(line, row, entering):
    """A line of the tableau after a pivot."""
    factor = line[entering]
    line = [entry - factor * other for entry, other in zip(line, row, strict=True)]
    line[entering] = -factor * row[entering]
    return line
