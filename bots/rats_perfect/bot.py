"""A bot for BraveRats that cannot be beaten in the long run: it knows the solution of the standard game."""

import zlib
from pathlib import Path

UNIT = 1 << 24
SMALL = 4
"""With this number of cards or fewer, the rest is solved here."""
SOLVED = {}
"""Positions to what `solve` found, to be looked up when they come up again."""
MOST_SOLVED = 300_000


class Bot:
    """Play every card exactly as often as perfect play does.

    The idea: hands are open and so is the past, so BraveRats can be solved from its last round back. `league solve`
    did it; the table beside this file says what to play while more than four cards are left. The rest is solved
    here, in the same way: a round is worth what the positions after it are worth. For variants there is no table, and
    until the last four cards the next round alone is solved, with a guess of what it leads to.
    """

    games = ("braverats",)

    def __init__(self, table):
        self.game = table.game
        self.rng = table.rng
        options = table.options
        others = options.traitor or options.deck or options.mime or options.quick
        self.in_table = options.deal == "standard" and not others

    def choose(self, view):
        if len(view.legal) == 1:
            return view.legal[0]
        if view.drafting:
            return max(view.legal)
        mix = self.mix(view)
        return self.rng.choices(tuple(mix), tuple(mix.values()))[0]

    def mix(self, view):
        """How often to play each card."""
        if self.in_table and len(view.hand) > SMALL:
            return TABLE.mix(key_of(view))
        state = self.game.imagine(view, self.rng)
        depth = 9 if len(view.hand) <= SMALL and not sum(view.piles) else 1
        cards, shares = solve(state, view.seat, depth, view.game)[1]
        return {card: share for card, share in zip(cards, shares, strict=True) if share > 0}


def key_of(view):
    """The position in 32 bits, with the own side first."""
    me, you = view.seat, view.opponent
    key = sum(1 << card for card in view.hand) | sum(1 << 8 + card for card in view.opponent_cards)
    key |= view.scores[me] << 16 | view.scores[you] << 18 | view.on_hold << 20
    key |= bool(view.bonus[me]) << 24 | bool(view.bonus[you]) << 25
    spy = -1 if view.spy < 0 else int(view.spy == you)
    return key | spy + 1 << 26 | view.shown + 1 << 28


class Table:
    """The packed solution, in the format of `league.solver.braverats.pack`."""

    def __init__(self, packed):
        data = zlib.decompress(packed)
        count = int.from_bytes(data[:4], "little")
        planes = [data[4 + plane * count : 4 + (plane + 1) * count] for plane in range(4)]
        masks = data[4 + 4 * count : 4 + 5 * count]
        self.shares = data[4 + 5 * count :]
        self.places = {}
        key = place = 0
        for low, second, third, high, mask in zip(*planes, masks, strict=True):
            key += low | second << 8 | third << 16 | high << 24
            self.places[key] = (mask, place)
            place += 3 * (mask.bit_count() - 1)

    def mix(self, key):
        """Card to how often it is played."""
        mask, place = self.places[key]
        cards = [card for card in range(8) if mask >> card & 1]
        ends = range(place, place + 3 * (len(cards) - 1), 3)
        shares = [int.from_bytes(self.shares[at : at + 3], "little") for at in ends]
        return dict(zip(cards, [*shares, UNIT - sum(shares)], strict=True))


def solve(state, me, depth, game):
    """What a state is worth to `me`, and how often to play each card."""
    if not state.turn or len(state.earlier[0]) + 1 > game or not depth:
        return worth(state, me, game), ((), ())
    if depth <= SMALL:
        return one_round(state, me, depth, game)
    key = key_of_state(state, me)
    if key not in SOLVED:
        if len(SOLVED) > MOST_SOLVED:
            SOLVED.clear()
        SOLVED[key] = one_round(state, me, depth, game)
    return SOLVED[key]


def key_of_state(state, me):
    """All that the rest of the game depends on, with the own side first."""
    you = 1 - me
    spy = -1 if state.spy < 0 else int(state.spy == you)
    key = state.hands[me], state.hands[you], state.scores[me], state.scores[you], state.on_hold
    copied = state.history[-1:] if state.options.mime else ()
    return *key, state.bonus[me], state.bonus[you], spy, state.shown, me if copied else -1, copied


def one_round(state, me, depth, game):
    """The same from what the states after it are worth."""
    you = 1 - me
    depth -= len(state.turn) == 2 or state.shown >= 0
    if len(state.turn) == 1:
        sign = 1 if state.turn == (me,) else -1
        cards = state.view(state.turn[0]).legal
        values = [sign * solve(after(state, (card,)), me, depth, game)[0] for card in cards]
        best = values.index(max(values))
        return sign * values[best], (cards, [int(at == best) for at in range(len(cards))])
    cards, others = state.view(me).legal, state.view(you).legal
    rounds = [[(card, other) if me == 0 else (other, card) for other in others] for card in cards]
    matrix = [[solve(after(state, moves), me, depth, game)[0] for moves in row] for row in rounds]
    value, shares = matrix_game(matrix)
    return value, (cards, shares)


def after(state, moves):
    """The state that follows."""
    following = state.copy()
    following.step(moves)
    return following


def worth(state, me, game):
    """The result of the game that is over, or a guess."""
    you = 1 - me
    if state.earlier[0][game - 1 :]:  # an emperor's next game has begun
        winner = state.earlier[0][game - 1].winner
        return (winner == me) - (winner == you)
    if not state.turn:
        return (state.games_won[me] > state.games_won[you]) - (state.games_won[me] < state.games_won[you])
    general = state.bonus[me] - state.bonus[you]
    spy = (state.spy == me) - (state.spy == you)
    return 0.2 * (state.scores[me] - state.scores[you]) + 0.03 * general + 0.1 * spy


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


TABLE = Table(Path(__file__).with_name("table.bin").read_bytes())
