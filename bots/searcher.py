"""A bot that plays every game by search: it plays on in imagined worlds, and prefers the moves that did best."""

from bisect import bisect
from random import Random

PLAYOUTS = 80
"""Imagined games for one decision. A number, not a clock, decides, so that the bot is deterministic."""
SIMULATIONS = 200
"""The same where positions are remembered, which takes less time for each."""
EXPLORED = 0.1
"""How often a remembered position tries any move."""
RARE = 1 / 3
"""Moves are left out that are played less often than this, compared with the most frequent: most of them are noise."""
MIME = 8
CANDIDATES = 8
"""The moves of a seat that are tried out, at most."""


class Bot:
    """Try the likely moves in imagined worlds; where others decide at the same time, mix them by regret.

    The idea: `table.game.imagine(view, rng)` returns a whole state that looks the same from this seat. In each such
    world every seat that decides now draws a move, and each candidate is played out against what the others drew, all
    with the same dice. What a candidate got more than the mix is its regret, and the next mix is in proportion to all
    regrets so far (regret matching). Such mixes approach an equilibrium, which no opponent can exploit.

    BraveRats has few positions, and what is good now depends on good play later. There every position that is met has
    such mixes, and only what lies beyond the known positions is played at random.
    """

    def __init__(self, table):
        self.game = table.game
        self.rng = table.rng
        self.habits_of = HABITS.get(table.game.name)
        options = table.options
        self.remembers = table.game.name == "braverats" and not options.deck and options.deal != "draft"

    def choose(self, view):
        if len(view.legal) == 1:
            return view.legal[0]
        state = self.game.imagine(view, self.rng)
        if self.remembers:
            return self.remembered(state, view.seat)
        habits = self.habits_of(view) if self.habits_of else None
        mixes = {seat: Mix(candidates(state, seat, habits)) for seat in state.turn if seat == view.seat or not habits}
        for _ in range(PLAYOUTS // sum(len(mix.moves) for mix in mixes.values()) or 1):
            world = state.copy()
            world.redeal(view.seat, self.rng)
            learn(world, mixes, habits, self.rng)
        mine = mixes[view.seat]
        if len(mixes) == 1:  # no other seat learns to answer: the best move, not a mix
            return max(zip(mine.totals, mine.moves, strict=True))[1]
        return self.rng.choices(mine.moves, mine.average)[0]

    def remembered(self, state, me):
        """A move by simulations through remembered positions."""
        positions = {}
        for _ in range(SIMULATIONS):
            simulate(state.copy(), positions, self.rng)
        position = positions[key_of(state)]
        average = position.average[me]
        least = max(average) * (RARE if len(position.moves) > 1 else 1)
        return self.rng.choices(position.moves[me], [share * (share >= least) for share in average])[0]


def simulate(world, positions, rng):
    """Play on by the mixes of known positions, and at random from the first unknown one; returns the result."""
    if not world.turn:
        return results(world.outcome())
    key = key_of(world)
    if key not in positions:
        positions[key] = Position(world)
        return results(world.playout(rng))
    position = positions[key]
    drawn = position.draw(rng)
    world.step([position.moves[seat][at] for seat, at in zip(position.moves, drawn, strict=True)])
    got = simulate(world, positions, rng)
    position.learn(drawn, got)
    return got


def key_of(state):
    """All that matters for the rest of a game of BraveRats; a Mime copies what was played last."""
    last = state.history[-1].acted if state.history and MIME in state.cards[0] + state.cards[1] else ()
    return state.hands, state.scores, state.on_hold, state.bonus, state.spy, state.shown, state.games_won, last


class Position:
    """A position that was met: for each seat that decides its moves, regrets and average mix; and what moves led to."""

    def __init__(self, state):
        self.moves = {seat: state.legal(seat) for seat in state.turn}
        self.regrets = {seat: [0.0] * len(moves) for seat, moves in self.moves.items()}
        self.average = {seat: [0.0] * len(moves) for seat, moves in self.moves.items()}
        self.known = {}  # by the moves of all: how often they were drawn, and the mean result
        self.visits = 0

    def draw(self, rng):
        """For each seat the number of a move; later mixes count more, since they are better."""
        self.visits += 1
        drawn = []
        for seat, regrets in self.regrets.items():
            total = sum(regrets)
            chances, total = (regrets, total) if total > 0 else ([1.0] * len(regrets), len(regrets))
            weight = self.visits / total
            self.average[seat] = [
                so_far + weight * chance for so_far, chance in zip(self.average[seat], chances, strict=True)
            ]
            explores = rng.random() < EXPLORED
            drawn.append(rng.choices(range(len(regrets)), None if explores else chances)[0])
        return tuple(drawn)

    def learn(self, drawn, got):
        """Compare with what each seat would have got by its other moves, as far as that is known."""
        often, mean = self.known.get(drawn, (0, got))
        often += 1
        self.known[drawn] = often, [so_far + (new - so_far) / often for so_far, new in zip(mean, got, strict=True)]
        for place, (seat, regrets) in enumerate(self.regrets.items()):
            for at, regret in enumerate(regrets):
                if at != drawn[place]:
                    instead = self.known.get((*drawn[:place], at, *drawn[place + 1 :]))
                    regrets[at] = max(0.0, regret + (instead[1][seat] if instead else 0.0) - got[seat])


def results(outcome):
    """How good an outcome is for each seat: from -1 (last) to 1 (first)."""
    ranks = outcome.ranks
    beaten = [sum([other > rank for other in ranks]) - sum([other < rank for other in ranks]) for rank in ranks]
    return [number / (len(ranks) - 1) for number in beaten]


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


def candidates(state, seat, habits):
    """The moves of a seat that are worth a try: the usual ones, or those that lead by most at once."""
    legal = state.legal(seat)
    if len(legal) <= CANDIDATES:
        return legal
    if habits:
        return [legal[0], *sorted(legal[1:], key=lambda card: abs(card - habits.aim(state, seat)))[: CANDIDATES - 1]]
    if len(state.turn) > 1:
        return legal
    return sorted(legal, key=lambda move: -lead_after(state, seat, move))[:CANDIDATES]


def lead_after(state, seat, move):
    """How many points a seat leads by, right after its move."""
    after = state.copy()
    after.step([move])
    scores = after.view(seat).scores
    return scores[seat] - max(scores[:seat] + scores[seat + 1 :])


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
