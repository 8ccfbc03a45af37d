"""Cheese Rescue for people: moves and the table in words, with a map of it, and as scenes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from league.games.cheese_rescue.rules import (
    CAT,
    CHEESES,
    DOG,
    MOUSE,
    NOBODY,
    ORIGIN,
    ROW,
    SIZE,
    START,
    WITHOUT_START_CARD,
    CheeseRescueRules,
    CheeseRescueState,
    CheeseRescueView,
    Laid,
    card_of,
    count_saved,
    lay_out,
    neighbours,
    place_of,
    rescue,
    spot,
)
from league.games.scenes import Card, Mark, Pick, Scene, Seat, Zone, zone_number
from league.tools.table import Table
from league.tools.text import counted, listed

OWNERS = "abcd"
"""By seat: the letter that its cheeses have on the map."""
ANIMAL_NAMES = {DOG: "dog", CAT: "cat", MOUSE: "mouse"}
PLURALS = {"dog": "dogs", "cat": "cats", "mouse": "mice"}
STIRS = {DOG: ("barks at", (CAT,)), CAT: ("stalks", (MOUSE,)), MOUSE: ("sniffs at", CHEESES)}
"""By animal: what it does to its prey, and which cards that are."""
ANIMALS = {DOG: ("Dog", 210), CAT: ("Cat", 35), MOUSE: ("Mouse", 0)}
"""By card: name and colour."""


class CheeseRescue(CheeseRescueRules):
    """The rules, with words and pictures for people."""

    def label(self, move: int, view: CheeseRescueView) -> str:
        """Which card is laid, and where."""
        card = card_of(move)
        laid = f"cheese {card}" if card in CHEESES else f"a {ANIMAL_NAMES[card]}"
        return f"lays {laid} at {spot(place_of(move))}"

    def opening(self, state: CheeseRescueState, names: Sequence[str]) -> list[str]:
        """Where it begins, and how to read the map."""
        players, points = len(state.hands), state.options.cheese_points
        size = SIZE[players]
        first = "first card goes to" if players == WITHOUT_START_CARD else "start card (*) lies at"
        cheeses = ", ".join(f"{OWNERS[seat]}1 to {OWNERS[seat]}6 {name}'s" for seat, name in enumerate(names))
        lines = [
            f"The {first} {spot(ORIGIN)}; all cards together must fit into a square of {size} by {size}.",
            f"On the map D is a dog, C a cat, M a mouse; the cheeses are {cheeses}.",
        ]
        if points != CHEESES:
            lines.append(f"The cheeses 1 to 6 are worth {listed([*map(str, points)])} points.")
        return lines

    def sketch(self, view: CheeseRescueView, names: Sequence[str]) -> list[str]:
        """What the others laid since this seat's last turn, the map, everybody's points and cheeses, the own hand."""
        players, history, board = view.players, view.history, view.board
        free = view.places if board else (ORIGIN,)
        lines = []
        own = range(view.seat, len(history), players)
        for turn in range(own[-1] + 1 if own else 0, len(history)):
            stir = _stir(lay_out(history[: turn + 1], players), place_of(history[turn]), names)
            lines.append(f"{names[turn % players]} {self.label(history[turn], view)}{stir}.")
        start = "" if players == WITHOUT_START_CARD else ", * start"
        lines.append(f"The table (D dog, C cat, M mouse{start}{'; a card may go to +' if free else ''}):")
        lines += draw(board, free)
        held = [" ".join(map(str, cheeses)) for cheeses in view.cheeses]
        rows = zip(OWNERS[:players], names, view.scores, held, view.hand_sizes, strict=True)
        header = ("", "", "points now", "cheeses in hand", "cards in hand")
        lines += Table.of(header, [*rows], header[2:]).text().splitlines()
        return [*lines, f"Your hand: {_hand(view.hand)}. In the pile: {counted(view.pile_size, 'card')}."]

    def tell(
        self, before: CheeseRescueState, moves: Sequence[int], after: CheeseRescueState, names: Sequence[str]
    ) -> list[str]:
        """One card laid, with the map after each round; and what happens at the end."""
        (seat,) = before.turn
        (move,) = moves
        players = len(after.hands)
        board = lay_out(after.history, players)
        lines = [f"{names[seat]} {self.label(move, before.view(seat))}{_stir(board, place_of(move), names)}."]
        rounds, rest = divmod(len(after.history), players)
        if not rest:
            lines += [f"After round {rounds}:", *draw(board)]
        if not after.turn:
            lines += _tell_end(after, board, names)
        return lines

    def scenes(self, states: Sequence[CheeseRescueState], moves: Sequence[Sequence[int]]) -> list[list[Scene]]:
        """A scene before the first card, and one after each; the board is as large as it gets, with all free places."""
        last = states[-1]
        free = [place_of(move) for seat in last.turn for move in last.legal(seat)]
        whole = [*last.view(0).board, *free]
        cards = len(moves) + sum(map(len, last.hands)) + last.view(0).pile_size
        rows = range(max(whole) // ROW, min(whole) // ROW - 1, -1)
        columns = range(min(place % ROW for place in whole), max(place % ROW for place in whole) + 1)
        return [[_scene(self, state, rows, columns, cards)] for state in states]

    def picks(self, view: CheeseRescueView, scene: Scene) -> dict[int, tuple[Pick, ...]]:
        """A card of the own hand, then a place of the table."""
        hand = zone_number(scene.seats[view.seat].zones, "Hand")
        board = scene.table[0]

        def place(move: int) -> int:
            name = spot(place_of(move))
            return board.rows.index(name[1:]) * len(board.columns) + board.columns.index(name[0])

        return {move: ((view.seat, hand, view.hand.index(card_of(move))), (-1, 0, place(move))) for move in view.legal}


def draw(board: Mapping[int, Laid], free: Collection[int] = ()) -> list[str]:
    """A map of the table, a line for each row from the top, and the names of the columns below; + where it is free."""
    shown = [*board, *free]
    rows = range(max(shown) // ROW, min(shown) // ROW - 1, -1)
    columns = range(min(place % ROW for place in shown), max(place % ROW for place in shown) + 1)
    lines = []
    for row in rows:
        places = [row * ROW + column for column in columns]
        signs = ["+ " if place in free else _sign(board.get(place)) for place in places]
        lines.append(f"{spot(row * ROW + columns[0])[1:]:>4}  {'  '.join(signs)}".rstrip())
    return [*lines, f"{'':6}{'   '.join(spot(rows[0] * ROW + column)[0] for column in columns)}"]


def _sign(laid: Laid | None) -> str:
    if laid is None:
        return ". "
    if laid.card in CHEESES:
        return f"{OWNERS[laid.seat]}{laid.card}"
    return "* " if laid.card == START else f"{ANIMAL_NAMES[laid.card][0].upper()} "


def _tell_end(state: CheeseRescueState, board: Mapping[int, Laid], names: Sequence[str]) -> list[str]:
    """Who chases whom when the square is full, and what everybody saves."""
    saved = rescue(board)
    gone = {place: board[place] for place in sorted(board) if place not in saved}
    cats, mice = ([spot(place) for place, laid in gone.items() if laid.card == prey] for prey in (CAT, MOUSE))
    eaten = [f"{_named(laid, names)} at {spot(place)}" for place, laid in gone.items() if laid.card in CHEESES]
    points, numbers = count_saved(state.history, len(names), state.options.cheese_points)
    return [
        f"The dogs scare away {_some('cat', cats)}.",
        f"The cats that stay catch {_some('mouse', mice)}.",
        f"The mice that are left eat {listed(eaten) or 'no cheese at all'}.",
        *draw(saved),
        *[
            f"{name} saves {counted(cheeses, 'cheese')} for {counted(worth, 'point')}."
            for name, cheeses, worth in zip(names, numbers, points, strict=True)
        ],
    ]


def _stir(board: Mapping[int, Laid], place: int, names: Sequence[str]) -> str:
    """What a card just laid does to its neighbours."""
    card = board[place].card
    beside = [(spot(near), board[near]) for near in neighbours(place) if near in board]
    if card in CHEESES:
        mice = [where for where, laid in beside if laid.card == MOUSE]
        return f", under the nose of {_some('mouse', mice)}" if mice else ""
    does, prey = STIRS[card]
    seen = [f"{_named(laid, names)} at {where}" for where, laid in beside if laid.card in prey]
    return f", where it {does} {listed(seen)}" if seen else ""


def _some(animal: str, spots: Sequence[str]) -> str:
    if not spots:
        return f"no {PLURALS[animal]}"
    return f"the {animal if len(spots) == 1 else PLURALS[animal]} at {listed(spots)}"


def _named(laid: Laid, names: Sequence[str]) -> str:
    return f"{names[laid.seat]}'s cheese {laid.card}" if laid.card in CHEESES else f"the {ANIMAL_NAMES[laid.card]}"


def _hand(cards: Sequence[int]) -> str:
    held = Counter(ANIMAL_NAMES.get(card, f"cheese {card}") for card in cards)
    return ", ".join(kind if number == 1 else f"{number} {PLURALS[kind]}" for kind, number in held.items()) or "empty"


def _scene(game: CheeseRescueRules, state: CheeseRescueState, rows: range, columns: range, moves: int) -> Scene:
    views = [state.view(seat) for seat in range(game.players)]
    view = views[0]
    seats = tuple(
        Seat(str(points), zones=(Zone("Hand", tuple(_card(card, own.seat, known=(own.seat,)) for card in own.hand)),))
        for points, own in zip(view.scores, views, strict=True)
    )
    board = lay_out(view.history, game.players)
    saved = rescue(board)
    last = place_of(view.history[-1]) if view.history else NOBODY
    table = [
        Zone(
            "Table",
            tuple(_laid(board, saved, row * ROW + column, last) for row in rows for column in columns),
            look="board",
            columns=tuple(spot(rows[0] * ROW + column)[0] for column in columns),
            rows=tuple(spot(row * ROW + columns[0])[1:] for row in rows),
            note=""
            if len(saved) == len(board)
            else "Crossed out: would be gone."
            if state.turn
            else "Crossed out: gone.",
        )
    ]
    if view.pile_size:
        table.append(Zone("Draw pile", (Card(known=()),) * view.pile_size, look="pile"))
    title = f"Card {len(view.history)} of {moves}" if view.history else "Before the first card"
    return Scene(title if state.turn else "The end", seats, tuple(table), state.turn)


def _laid(board: Mapping[int, Laid], saved: Mapping[int, Laid], place: int, last: int) -> Card | None:
    if place not in board:
        return None
    marks: list[Mark] = []
    if place not in saved:
        marks.append("gone")
    if place == last:
        marks.append("new")
    return _card(board[place].card, board[place].seat, tuple(marks))


def _card(card: int, seat: int, marks: tuple[Mark, ...] = (), known: tuple[int, ...] | None = None) -> Card:
    if card in CHEESES:
        return Card(str(card), "Cheese", "cheese", seat, marks=marks, known=known)
    if card == START:
        return Card(caption="Start", icon="star", hue=45, marks=marks)
    name, hue = ANIMALS[card]
    return Card(caption=name, icon=name.lower(), hue=hue, marks=marks, known=known)
