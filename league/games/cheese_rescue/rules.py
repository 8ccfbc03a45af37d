"""Cheese Rescue: save your cheeses from the mice. By Éric Plotton and David Paput, 2 to 4 players.

Everybody lays twelve cards, cheeses and animals, one beside another until they fill a square. Then the dogs scare
away the cats next to them, the cats left catch the mice next to them, and the mice left eat the cheeses next to them.
`docs/rules/cheese_rescue.md` describes all of it.

A card is 1 to 6 for a cheese, 7 dog, 8 cat, 9 mouse. A place is its row followed by its column, two digits each, both
1 to 13 (rows from below, columns from the left). 0707 is the origin, where the first card lies; 0708 is to the right
of it, 0807 above it. A move is the card followed by the place: 70807 lays a dog above the origin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import chain, cycle, islice, pairwise
from operator import itemgetter
from random import Random
from typing import Annotated, ClassVar, Literal, NamedTuple

import msgspec

from league.games.contract import (
    Bounded,
    Coded,
    Deal,
    Encoding,
    Every,
    Game,
    Options,
    Outcome,
    Shape,
    State,
    UpTo,
    View,
    competition_ranks,
)

START = 0
CHEESES = (1, 2, 3, 4, 5, 6)
DOG, CAT, MOUSE = ANIMALS = (7, 8, 9)
NOBODY = -1

PACK = {
    players: (DOG,) * dogs + (CAT,) * cats + (MOUSE,) * mice
    for players, dogs, cats, mice in ((2, 3, 6, 9), (3, 4, 9, 14), (4, 6, 12, 18))
}
"""By number of players: the animals that are left when the rulebook's are taken out."""
SIZE = {2: 5, 3: 6, 4: 7}
"""By number of players: the side of the square."""
WITHOUT_START_CARD = 3
ANIMALS_AT_FIRST = 2
DRAWS = 7
"""Cards that each player draws from the pile, for any number of players."""

PLACES = 10_000
FIRST_ANIMAL = DOG * PLACES
"""Moves below this lay cheeses."""
ROW = 100
ORIGIN = 707
REACH = 6
"""No card lies farther from the origin than this, in either direction."""
COLUMNS = "ABCDEFGHIJKLM"
"""What people call them, from the left."""


def encode(card: int, x: int, y: int) -> int:
    """The move that lays a card `x` columns to the right of the origin and `y` rows above it."""
    return card * PLACES + ORIGIN + y * ROW + x


def card_of(move: int) -> int:
    """The card that a move lays."""
    return move // PLACES


def place_of(move: int) -> int:
    """Where a move lays its card."""
    return move % PLACES


def xy(place: int) -> tuple[int, int]:
    """A place as columns to the right of the origin and rows above it."""
    return place % ROW - ORIGIN % ROW, place // ROW - ORIGIN // ROW


def neighbours(place: int) -> tuple[int, int, int, int]:
    """The four places that share a side with a place."""
    return place - ROW, place - 1, place + 1, place + ROW


def spot(place: int) -> str:
    """A place for people, as on a chessboard: columns A to M from the left, rows 1 to 13 from below, the origin G7."""
    return f"{COLUMNS[place % ROW - 1]}{place // ROW}"


Points = Annotated[int, msgspec.Meta(ge=0, le=99)]


class CheeseRescueOptions(Options, frozen=True):
    """The choices of a game of Cheese Rescue."""

    surface: Literal["floating", "centred"] = "floating"
    """Where the square may lie: anywhere as long as all cards fit in, or around the start card as its middle."""
    cheese_points: tuple[Points, Points, Points, Points, Points, Points] = CHEESES
    """What the cheeses 1 to 6 are worth."""


class CheeseRescueDeal(Deal, frozen=True):
    """The chance of a game of Cheese Rescue."""

    animals: tuple[int, ...]
    """The animals as shuffled (7 dog, 8 cat, 9 mouse): two for each seat in turn, then the pile from its top."""


class Laid(NamedTuple):
    """A card on the table."""

    card: int
    """0 start card, 1 to 6 cheese, 7 dog, 8 cat, 9 mouse."""
    seat: int
    """Who laid it, and so whose cheese it is; -1 for the start card."""


class CheeseRescueView(View, frozen=True, array_like=True, gc=False):
    """What one seat sees of a game of Cheese Rescue. Properties are worked out each time: read them once."""

    hand: tuple[int, ...]
    """The cards in hand, in ascending order: 1 to 6 cheese, 7 dog, 8 cat, 9 mouse."""
    players: int
    """How many play."""
    cheese_points: tuple[int, ...]
    """What the cheeses 1 to 6 are worth."""
    history: tuple[int, ...]
    """Every move so far; seats take turns from 0, so that move number i (from 0) is that of seat i % players."""

    @property
    def size(self) -> int:
        """The side of the square."""
        return SIZE[self.players]

    @property
    def board(self) -> dict[int, Laid]:
        """The cards on the table, by place."""
        return lay_out(self.history, self.players)

    @property
    def places(self) -> tuple[int, ...]:
        """Where a card may be laid now, in ascending order; empty if it is not this seat's turn."""
        return tuple(sorted({place_of(move) for move in self.legal}))

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        """How many cards each seat holds."""
        turns = [len(self.history[seat :: self.players]) for seat in range(self.players)]
        return tuple(len(CHEESES) + ANIMALS_AT_FIRST - max(0, taken - DRAWS) for taken in turns)

    @property
    def pile_size(self) -> int:
        """How many cards are left to draw."""
        return max(0, DRAWS * self.players - len(self.history))

    @property
    def cheeses(self) -> tuple[tuple[int, ...], ...]:
        """The cheeses that each seat still holds: all know them, since everybody began with all six."""
        laid = [{card_of(move) for move in self.history[seat :: self.players]} for seat in range(self.players)]
        return tuple(tuple(card for card in CHEESES if card not in gone) for gone in laid)

    @property
    def unseen(self) -> tuple[int, ...]:
        """The animals in other hands and in the pile, in ascending order: all know which, nobody knows where."""
        seen = Counter([*map(card_of, self.history), *self.hand])
        return tuple((Counter(PACK[self.players]) - seen).elements())

    @property
    def scores(self) -> tuple[int, ...]:
        """The points that each seat would have if the game ended now."""
        return count_saved(self.history, self.players, self.cheese_points)[0]


class CheeseRescueState(State):
    """A game of Cheese Rescue under way. A set of places is an int with bit p for place p."""

    options: CheeseRescueOptions
    hands: tuple[tuple[int, ...], ...]
    """Everybody's cards, in ascending order."""
    pile: tuple[int, ...]
    """The animals still to draw, from the top."""
    fits: int
    """The places that can be in one square with all cards on the table."""
    free: int = 0
    """Those of them that never were in the frontier."""
    frontier: tuple[int, ...] = (ORIGIN,)
    """Where a card may be laid, in ascending order."""
    history: tuple[int, ...] = ()

    def view(self, seat: int) -> CheeseRescueView:
        hands = self.hands
        return CheeseRescueView(
            seat, self.legal(seat), hands[seat], len(hands), self.options.cheese_points, self.history
        )

    def legal(self, seat: int) -> tuple[int, ...]:
        return _all_moves(self.hands[seat], self.frontier) if seat in self.turn else ()

    def step(self, moves: Sequence[int]) -> None:
        (seat,) = self.turn
        (move,) = moves
        hands = self.hands
        card, place = divmod(move, PLACES)
        hand = list(hands[seat])
        hand.remove(card)
        if self.pile:
            hand.append(self.pile[0])
            hand.sort()
            self.pile = self.pile[1:]
        self.hands = (*hands[:seat], tuple(hand), *hands[seat + 1 :])
        self.history = (*self.history, move)
        self.cover(place)
        self.turn = ((seat + 1) % len(hands),) if self.frontier else ()

    def cover(self, place: int) -> None:
        """Bring the frontier up to date when a card is laid at a place."""
        frontier = list(self.frontier)
        frontier.remove(place)
        area = _areas(SIZE[len(self.hands)])[place]
        fits = self.fits & area.square
        if fits != self.fits:
            self.fits = fits
            self.free &= fits
            within = area.places
            frontier = [spot for spot in frontier if spot in within]
        fresh = self.free & area.beside
        if fresh:
            self.free ^= fresh
            frontier += _members(fresh)
            frontier.sort()
        self.frontier = tuple(frontier)

    def outcome(self) -> Outcome:
        points, numbers = count_saved(self.history, len(self.hands), self.options.cheese_points)
        return Outcome(competition_ranks([*zip(points, numbers, strict=True)]), points)

    def playout(self, rng: Random) -> Outcome:
        # Every card may go to every place of the frontier: both are drawn, and no list of all moves is made.
        if not self.turn:
            return self.outcome()
        draw = rng.random
        hands = [(sorted({*hand}), [card for card, after in pairwise(hand) if card == after]) for hand in self.hands]
        pile, history, frontier = [*reversed(self.pile)], [*self.history], [*self.frontier]
        fits, free, areas = self.fits, self.free, _areas(SIZE[len(hands)])
        for different, copies in islice(cycle(hands), self.turn[0], None):
            number = int(draw() * len(different))
            card = different[number]
            if card in copies:
                copies.remove(card)
            else:
                del different[number]
            if pile:
                animal = pile.pop()
                (copies if animal in different else different).append(animal)
            place = frontier.pop(int(draw() * len(frontier)))
            history.append(_MOVES[card][place])
            area = areas[place]  # from here on as in `cover`, which would take a tenth longer
            if fits & area.square != fits:
                fits &= area.square
                free &= fits
                within = area.places
                frontier = [spot for spot in frontier if spot in within]
            fresh = free & area.beside
            if fresh:
                free ^= fresh
                frontier += _members(fresh)
            if not frontier:
                break
        self.turn = self.frontier = ()
        self.hands = tuple([tuple(sorted(different + copies)) for different, copies in hands])
        self.pile, self.history = tuple(reversed(pile)), tuple(history)
        self.fits, self.free = fits, free
        return self.outcome()

    def redeal(self, seat: int, rng: Random) -> None:
        held = [[card for card in hand if card in ANIMALS] for hand in self.hands]
        held[seat] = []
        hidden = [*chain.from_iterable(held), *self.pile]
        rng.shuffle(hidden)
        hands = list(self.hands)
        for other, animals in enumerate(held):
            if animals:
                kept = [card for card in hands[other] if card in CHEESES]
                hands[other] = (*kept, *sorted(hidden[: len(animals)]))
                del hidden[: len(animals)]
        self.hands = tuple(hands)
        self.pile = tuple(hidden)


_MOVES = [tuple(range(card * PLACES, encode(card, REACH, REACH) + 1)) for card in (START, *CHEESES, *ANIMALS)]
"""By card and place."""


def _all_moves(hand: tuple[int, ...], frontier: tuple[int, ...]) -> tuple[int, ...]:
    """Every card in every place. The moves are picked out of tables: to make the numbers again takes longer."""
    if len(frontier) == 1:  # an itemgetter of one item gives no tuple
        return tuple([moves[frontier[0]] for moves in _moves_by_card(hand)])
    in_frontier = itemgetter(*frontier)
    legal: list[int] = []
    for moves in _moves_by_card(hand):
        legal += in_frontier(moves)
    return tuple(legal)


@cache
def _moves_by_card(hand: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """For each different card of a hand, its moves by place."""
    return tuple([_MOVES[card] for card in sorted({*hand})])


class Area(msgspec.Struct, frozen=True, gc=False):
    """What lies around a place."""

    places: frozenset[int]
    """Those that can be in one square with it."""
    square: int
    """The same as an int."""
    beside: int
    """Those next to it."""


@cache
def _areas(side: int) -> dict[int, Area]:
    """For a square with this side: the area of each place."""
    spots = range(-REACH, REACH + 1)
    everywhere = [encode(START, x, y) for y in spots for x in spots]
    areas = {}
    for place in everywhere:
        near = _near(place, side - 1)
        areas[place] = Area(near, _as_int(near), around(1 << place))
    return areas


def _near(place: int, distance: int) -> frozenset[int]:
    """The places at most `distance` columns and `distance` rows away."""
    x, y = xy(place)
    return frozenset(
        encode(START, column, row)
        for row in range(max(y - distance, -REACH), min(y + distance, REACH) + 1)
        for column in range(max(x - distance, -REACH), min(x + distance, REACH) + 1)
    )


def _as_int(places: Iterable[int]) -> int:
    return sum([1 << place for place in places])


@cache
def _members(places: int) -> tuple[int, ...]:
    """The places of a set, in ascending order."""
    numbers = []
    while places:
        lowest = places & -places
        numbers.append(lowest.bit_length() - 1)
        places ^= lowest
    return tuple(numbers)


def around(places: int) -> int:
    """The places next to a set of places; sets are ints with bit p for place p."""
    return places << 1 | places >> 1 | places << ROW | places >> ROW


def chase(dogs: int, cats: int, mice: int) -> tuple[int, int]:
    """The cats and the mice that are left at the end: sets of places, as ints with bit p for place p."""
    cats &= ~around(dogs)
    mice &= ~around(cats)
    return cats, mice


_LAID = [[Laid(card, seat) for card in range(10)] for seat in range(4)]


def lay_out(history: Sequence[int], players: int) -> dict[int, Laid]:
    """The table after these moves, by place."""
    board = {} if players == WITHOUT_START_CARD else {ORIGIN: Laid(START, NOBODY)}
    for number, move in enumerate(history):
        card, place = divmod(move, PLACES)
        board[place] = _LAID[number % players][card]
    return board


def where(board: Mapping[int, Laid], card: int) -> int:
    """The places where a kind of card lies, as an int with bit p for place p."""
    return sum([1 << place for place, laid in board.items() if laid.card == card])


def rescue(board: Mapping[int, Laid]) -> dict[int, Laid]:
    """What is left on the table at the end, when every animal has chased its prey."""
    dogs, cats, mice = (where(board, animal) for animal in ANIMALS)
    cats_left, mice_left = chase(dogs, cats, mice)
    bitten = around(mice_left)
    gone = cats & ~cats_left | mice & ~mice_left
    return {place: laid for place, laid in board.items() if not (bitten if laid.card in CHEESES else gone) >> place & 1}


def count_saved(
    history: Sequence[int], players: int, cheese_points: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Points and number of cheeses that each seat saves at the end of these moves."""
    animals = [0] * (MOUSE + 1)
    for move in history:
        if move >= FIRST_ANIMAL:
            animals[move // PLACES] |= 1 << move % PLACES
    _, mice_left = chase(*animals[DOG:])
    bitten = around(mice_left)
    points, numbers = [0] * players, [0] * players
    for number, move in enumerate(history):
        if move < FIRST_ANIMAL and not bitten >> move % PLACES & 1:
            seat = number % players
            points[seat] += cheese_points[move // PLACES - 1]
            numbers[seat] += 1
    return tuple(points), tuple(numbers)


class CheeseRescueRules(Game):
    """The rules of Cheese Rescue."""

    name: ClassVar[str] = "cheese_rescue"
    title: ClassVar[str] = "Cheese Rescue"
    player_counts: ClassVar[range] = range(2, 5)
    options_type = CheeseRescueOptions
    deal_type = CheeseRescueDeal
    view_type = CheeseRescueView
    options: CheeseRescueOptions

    def deal(self, rng: Random) -> CheeseRescueDeal:
        animals = list(PACK[self.players])
        rng.shuffle(animals)
        return CheeseRescueDeal(tuple(animals))

    def start(self, deal: CheeseRescueDeal) -> CheeseRescueState:
        return self._set_out([CHEESES] * self.players, [ANIMALS_AT_FIRST] * self.players, deal.animals)

    def imagine(self, view: CheeseRescueView, rng: Random) -> CheeseRescueState:
        cheeses = list(view.cheeses)
        numbers = [size - len(own) for size, own in zip(view.hand_sizes, cheeses, strict=True)]
        cheeses[view.seat], numbers[view.seat] = view.hand, 0
        state = self._set_out(cheeses, numbers, view.unseen)
        state.redeal(view.seat, rng)
        for move in view.history:
            state.cover(place_of(move))
        state.history = view.history
        state.turn = (len(view.history) % self.players,) if state.frontier else ()
        return state

    def encoding(self) -> Encoding:
        size = SIZE[self.players]
        reach = range(1 - size, size)
        moves = tuple(encode(card, x, y) for card in (*CHEESES, *ANIMALS) for y in reach for x in reach)
        fields: dict[str, Shape] = {
            "seat": Bounded(self.players),
            "hand": UpTo(len(CHEESES) + ANIMALS_AT_FIRST, Bounded(MOUSE)),
            "players": Bounded(self.players),
            "cheese_points": Every(tuple(Bounded(max(points, 1)) for points in self.options.cheese_points)),
            "history": UpTo(size * size, Coded((PLACES, ROW), (MOUSE, 2 * REACH + 1, 2 * REACH + 1))),
        }
        return Encoding(moves, fields, longest=size * size)

    def _set_out(
        self, hands: Sequence[tuple[int, ...]], numbers: Sequence[int], animals: Iterable[int]
    ) -> CheeseRescueState:
        """The table before the first move: each hand gets its number of the animals, the rest is the pile."""
        pile = iter(animals)
        has_start_card = self.players != WITHOUT_START_CARD
        centred = has_start_card and self.options.surface == "centred"
        size = SIZE[self.players]
        fits = _as_int(_near(ORIGIN, size // 2)) if centred else _areas(size)[ORIGIN].square
        state = CheeseRescueState(
            turn=(0,),
            options=self.options,
            hands=tuple([(*hand, *sorted(islice(pile, number))) for hand, number in zip(hands, numbers, strict=True)]),
            pile=tuple(pile),
            fits=fits,
            free=fits ^ 1 << ORIGIN,
        )
        if has_start_card:
            state.cover(ORIGIN)
        return state
