"""Cheese Rescue in words: moves and the table, with a map of it, for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from league.games.cheese_rescue.rules import (
    CAT,
    CHEESES,
    DOG,
    MOUSE,
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
    count,
    lay_out,
    neighbours,
    place_of,
    rescue,
    spot,
)
from league.tools.text import counted, listed, table

OWNERS = "abcd"
"""By seat: the letter that its cheeses have on the map."""
ANIMAL_NAMES = {DOG: "dog", CAT: "cat", MOUSE: "mouse"}
PLURALS = {"dog": "dogs", "cat": "cats", "mouse": "mice"}
STIRS = {DOG: ("barks at", (CAT,)), CAT: ("stalks", (MOUSE,)), MOUSE: ("sniffs at", CHEESES)}
"""By animal: what it does to its prey, and which cards that are."""


class CheeseRescue(CheeseRescueRules):
    """Cheese Rescue: the rules, with words for people."""

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
        lines += table(header, [*rows], right=header[2:]).splitlines()
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
            lines += _tell_end(board, after.options.cheese_points, names)
        return lines


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


def _tell_end(board: Mapping[int, Laid], cheese_points: Sequence[int], names: Sequence[str]) -> list[str]:
    """Who chases whom when the square is full, and what everybody saves."""
    saved = rescue(board)
    gone = {place: board[place] for place in sorted(board) if place not in saved}
    cats, mice = ([spot(place) for place, laid in gone.items() if laid.card == prey] for prey in (CAT, MOUSE))
    eaten = [f"{_named(laid, names)} at {spot(place)}" for place, laid in gone.items() if laid.card in CHEESES]
    points, numbers = count(saved, len(names), cheese_points)
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
