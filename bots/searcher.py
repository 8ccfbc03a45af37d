"""A bot that plays every game by search: it plays on in imagined worlds, and prefers the moves that did best."""

from bisect import bisect
from math import comb
from random import Random

PLAYOUTS = 80
"""Imagined games for one decision. A number, not a clock, decides, so that the bot is deterministic."""
POSITIONS = 3_200
"""About how many positions one decision at BraveRats looks at."""
MIME = 8
BIDS = 8
"""The bids of a seat at Raj that are tried out, at most."""
LAYS = 3
"""The moves at Cheese Rescue that are tried out: few, so that each is played out often."""
LAYS_PLAYOUTS = 160
"""Imagined games for one decision at Cheese Rescue. They are more, since they are played at random, which is quick."""
DOG, CAT, MOUSE = 7, 8, 9
KEPT = 0.6
"""What a cheese in hand is worth, as a part of its points: late in the game there are safe places."""


class Bot:
    """Try the likely moves in imagined worlds; where others decide at the same time, mix them by regret.

    The idea: `table.game.imagine(view, rng)` returns a whole state that looks the same from this seat. In each such
    world every seat that decides now draws a move, and each candidate is played out against what the others drew, all
    with the same dice. What a candidate got more than the mix is its regret, and the next mix is in proportion to all
    regrets so far (regret matching). Such mixes approach an equilibrium, which no opponent can exploit.

    At Cheese Rescue a look at who may eat whom picks the candidates: the fewer they are, the surer is the best of them.

    BraveRats has few positions, and what is good now depends on good play later. There the next rounds are solved, each
    as a matrix game, and only what lies beyond them is played at random. With five cards or fewer nothing does.
    """

    def __init__(self, table):
        self.game = table.game
        self.rng = table.rng
        self.habits_of = HABITS.get(table.game.name)
        self.playouts = LAYS_PLAYOUTS if table.game.name == "cheese_rescue" else PLAYOUTS
        self.candidates = CANDIDATES.get(table.game.name, all_moves)
        options = table.options
        self.looks_ahead = table.game.name == "braverats" and not options.deck and options.deal != "draft"

    def choose(self, view):
        if len(view.legal) == 1:
            return view.legal[0]
        state = self.game.imagine(view, self.rng)
        if self.looks_ahead:
            return self.rng.choices(view.legal, Lookahead(state, view.seat, self.rng).shares())[0]
        habits = self.habits_of(view) if self.habits_of else None
        learners = [view.seat] if habits else state.turn
        mixes = {seat: Mix(self.candidates(state, seat, habits)) for seat in learners}
        for _ in range(self.playouts // sum(len(mix.moves) for mix in mixes.values()) or 1):
            world = state.copy()
            world.redeal(view.seat, self.rng)
            learn(world, mixes, habits, self.rng)
        mine = mixes[view.seat]
        if len(mixes) == 1:  # no other seat learns to answer: the best move, not a mix
            return max(zip(mine.totals, mine.moves, strict=True))[1]
        return self.rng.choices(mine.moves, mine.average)[0]


class Lookahead:
    """The next rounds of BraveRats from a state on, for one seat: a tree of matrix games."""

    def __init__(self, state, me, rng):
        self.state, self.me, self.rng = state, me, rng
        self.goes_on = bool(state.to_come)
        state.to_come = ()  # of an emperor's games, only this one is played on
        self.rounds, positions = depth(len(state.hands[me]))
        self.playouts = max(1, POSITIONS // positions)
        self.values = {}

    def shares(self):
        """How often to make each move."""
        return self.solved(self.state, self.rounds)[1]

    def value(self, state, rounds):
        """What a state is worth, looking this many rounds ahead."""
        if not state.turn:
            return self.result(state.outcome())
        key = key_of(state)
        if key not in self.values:
            self.values[key] = self.solved(state, rounds)[0] if rounds else self.guess(state)
        return self.values[key]

    def guess(self, state):
        """The mean result of random games."""
        return sum([self.result(state.copy().playout(self.rng)) for _ in range(self.playouts)]) / self.playouts

    def result(self, outcome):
        """How it ended: 1 won, 0 drawn, -1 lost; while an emperor has games to come, half of the lead in games."""
        me, you = self.me, 1 - self.me
        if self.goes_on:
            return (outcome.scores[me] - outcome.scores[you]) / 2
        return outcome.ranks[you] - outcome.ranks[me]

    def solved(self, state, rounds):
        """What a state is worth, and how often to make each move; of the seat that decides alone, if one does."""
        me = self.me
        if len(state.turn) == 2:
            mine, theirs = state.legal(me), state.legal(1 - me)
            pairs = [[(one, two) if me == 0 else (two, one) for two in theirs] for one in mine]
            return matrix_game([[self.after(state, moves, rounds - 1) for moves in row] for row in pairs])
        sign = 1 if state.turn == (me,) else -1
        rounds -= state.shown >= 0
        worths = [sign * self.after(state, (move,), rounds) for move in state.legal(state.turn[0])]
        best = worths.index(max(worths))
        return sign * worths[best], [int(at == best) for at in range(len(worths))]

    def after(self, state, moves, rounds):
        following = state.copy()
        following.step(moves)
        return self.value(following, rounds)


def depth(cards):
    """How many rounds to look ahead with this number of cards, at least one; and about how many positions these have.

    After some rounds there are this many pairs of hands, and the more rounds, the more ways to have come there.
    """
    positions = cards**2
    for rounds in range(2, cards + 1):
        more = (rounds * comb(cards, rounds)) ** 2
        if positions + more > POSITIONS:
            return rounds - 1, positions
        positions += more
    return cards, positions


def key_of(state):
    """All that matters for the rest of a game of BraveRats; a Mime copies what was played last."""
    last = state.history[-1].acted if state.history and MIME in state.cards[0] + state.cards[1] else ()
    return state.hands, state.scores, state.on_hold, state.bonus, state.spy, state.shown, last


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


class Mix:
    """How often a seat plays each of its candidates: in proportion to its regret so far."""

    def __init__(self, moves):
        self.moves = moves
        self.regrets, self.totals, self.average = ([0.0] * len(moves) for _ in range(3))
        self.chances = [1.0] * len(moves)

    def draw(self, legal, rng):
        if self.moves == legal:
            return rng.choices(self.moves, self.chances)[0]
        chances = dict(zip(self.moves, self.chances, strict=True))  # in this world the seat has other cards
        return rng.choices(legal, [chances.get(move, 1.0) + 1e-9 for move in legal])[0]

    def learn(self, worths):
        total = sum(self.chances)
        mean = sum([chance * worth for chance, worth in zip(self.chances, worths, strict=True)]) / total
        self.regrets = [max(0.0, so_far + worth - mean) for so_far, worth in zip(self.regrets, worths, strict=True)]
        self.totals = [so_far + worth for so_far, worth in zip(self.totals, worths, strict=True)]
        self.average = [so_far + chance / total for so_far, chance in zip(self.average, self.chances, strict=True)]
        if any(self.regrets):
            self.chances = self.regrets


def learn(world, mixes, habits, rng):
    """Let every seat with a mix try all its candidates against what the others draw."""
    drawn = [
        mixes[seat].draw(world.legal(seat), rng) if seat in mixes else habits.draw(world, seat, rng)
        for seat in world.turn
    ]
    number = rng.getrandbits(32)
    for at, seat in enumerate(world.turn):
        if seat in mixes and {*mixes[seat].moves} <= {*world.legal(seat)}:
            worths = []
            for move in mixes[seat].moves:
                after = world.copy()
                after.step([*drawn[:at], move, *drawn[at + 1 :]])
                worths.append(worth(play_on(after, habits, Random(number)), seat))
            mixes[seat].learn(worths)


def play_on(state, habits, dice):
    """Play to the end: as each seat is known to play, or at random."""
    if not habits:
        return state.playout(dice)
    while state.turn:
        state.step([habits.draw(state, seat, dice) for seat in state.turn])
    return state.outcome()


def worth(outcome, seat):
    """How good an outcome is for a seat: from -1 (last) to 1 (first), and a little for its lead in points."""
    ranks, scores = outcome.ranks, outcome.scores
    rank, others = ranks[seat], len(ranks) - 1
    beaten = sum([other > rank for other in ranks]) - sum([other < rank for other in ranks])
    return (beaten + (scores[seat] * len(scores) - sum(scores)) / 20) / others


def all_moves(state, seat, habits):
    return state.legal(seat)


def usual_bids(state, seat, habits):
    """The lowest card, and those nearest to what the seat usually bids."""
    lowest, *others = state.legal(seat)
    return [lowest, *sorted(others, key=lambda card: abs(card - habits.aim(state, seat)))[: BIDS - 1]]


def promising_lays(state, seat, habits):
    """The moves after which the seat can expect to lead by most."""
    return sorted(state.legal(seat), key=Chain(state.view(seat)).lead)[-LAYS:]


class Chain:
    """Who eats whom at Cheese Rescue, as probabilities; `bots/cheese_chain.py` plays by these alone.

    Each animal is hunted by the number before its own. What will lie in a free place is not known, but how many animals
    of each kind are to come is.
    """

    def __init__(self, view):
        self.me, self.points, self.players = view.seat, view.cheese_points, view.players
        self.cards = {place: laid.card for place, laid in view.board.items()}
        self.cheeses = [(place, *laid) for place, laid in view.board.items() if 1 <= laid.card < DOG]
        to_come = len(view.unseen) + sum(map(len, view.cheeses))
        self.shares = {animal: view.unseen.count(animal) / to_come for animal in (DOG, CAT, MOUSE)}
        self.free = {*view.places}
        self.known = {}
        self.now = [self.spared(place, MOUSE) for place, _, _ in self.cheeses]

    def lead(self, move):
        """By how many points this seat can expect to lead, with this card on the table."""
        card, place = divmod(move, 10_000)
        self.cards[place] = card
        self.known = {}
        points = [0.0] * self.players
        for (spot, cheese, seat), now in zip(self.cheeses, self.now, strict=True):
            near = abs(spot // 100 - place // 100) + abs(spot % 100 - place % 100) <= 3  # dog, cat, mouse, cheese
            points[seat] += self.points[cheese - 1] * (self.spared(spot, MOUSE) if near else now)
        if card < DOG:
            points[self.me] += self.points[card - 1] * (self.spared(place, MOUSE) - KEPT)
        del self.cards[place]
        return points[self.me] - max(points[: self.me] + points[self.me + 1 :])

    def spared(self, place, hunter):
        """The probability that no such hunter is left beside a place."""
        chance = 1.0
        for spot in (place - 100, place - 1, place + 1, place + 100):
            if (hunter, spot) not in self.known:
                self.known[hunter, spot] = self.left(spot, hunter)
            chance *= 1 - self.known[hunter, spot]
        return chance

    def left(self, place, animal):
        """The probability that this animal is in a place at the end."""
        chance = self.cards[place] == animal if place in self.cards else self.shares[animal] * (place in self.free)
        return chance * self.spared(place, animal - 1) if chance and animal > DOG else chance


class RajHabits:
    """What each seat usually bids: what a prize is worth, plus what the seat usually adds; all bids are public."""

    def __init__(self, view):
        extras = [[0.0] for _ in view.scores]
        pile = 0
        for past in view.history:
            pile += past.shown
            for seat, bid in enumerate(past.bids):
                extras[seat].append(bid - 1.5 * abs(pile))  # the best mouse is 10, the best card 15
            if past.winner >= 0:
                pile = 0
        self.extra = [sum(paid) / len(paid) for paid in extras]
        self.spread = [
            ((9 + sum([(more - extra) ** 2 for more in paid])) / len(paid)) ** 0.5
            for paid, extra in zip(extras, self.extra, strict=True)
        ]

    def aim(self, state, seat):
        return 1.5 * abs(state.prize) + self.extra[seat]

    def draw(self, state, seat, dice):
        return nearest(state.legal(seat), dice.gauss(self.aim(state, seat), self.spread[seat]))


def nearest(cards, about):
    """The card nearest to a number, of cards in ascending order; the lower one of two."""
    above = bisect(cards, about)
    if above in (0, len(cards)):
        return cards[above and -1]
    low, high = cards[above - 1], cards[above]
    return low if about - low <= high - about else high


HABITS = {"raj": RajHabits}
"""By game, a model of how the players play. In other games all are expected to play at random after this move."""
CANDIDATES = {"raj": usual_bids, "cheese_rescue": promising_lays}
"""By game, the moves of a seat that are tried out. In other games these are all."""
