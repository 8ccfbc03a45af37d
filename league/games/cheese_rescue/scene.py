"""Scenes of Cheese Rescue: the square as it grows, with what would be lost if the game ended now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from league.games.cheese_rescue.rules import (
    CAT,
    CHEESES,
    DOG,
    MOUSE,
    NOBODY,
    ROW,
    START,
    CheeseRescueState,
    CheeseRescueView,
    Laid,
    card_of,
    lay_out,
    place_of,
    rescue,
    spot,
)
from league.games.cheese_rescue.rules import CheeseRescueRules as Rules
from league.games.scenes import Card, Mark, Pick, Scene, Seat, Zone, zone_number

ANIMALS = {DOG: ("Dog", 210), CAT: ("Cat", 35), MOUSE: ("Mouse", 0)}
"""By card: name and colour."""


def draw(game: Rules, states: Sequence[CheeseRescueState], moves: Sequence[Sequence[int]]) -> list[list[Scene]]:
    """A scene before the first card, and one after each; the board is as large as it gets, with all free places."""
    last = states[-1]
    free = [place_of(move) for seat in last.turn for move in last.legal(seat)]
    whole = [*last.view(0).board, *free]
    cards = len(moves) + sum(map(len, last.hands)) + last.view(0).pile_size
    rows = range(max(whole) // ROW, min(whole) // ROW - 1, -1)
    columns = range(min(place % ROW for place in whole), max(place % ROW for place in whole) + 1)
    return [[_scene(game, state, rows, columns, cards)] for state in states]


def _scene(game: Rules, state: CheeseRescueState, rows: range, columns: range, moves: int) -> Scene:
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
            note="Crossed out: would be gone if the game ended now." if state.turn else "Crossed out: gone.",
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


def picks(view: CheeseRescueView, scene: Scene) -> dict[int, tuple[Pick, ...]]:
    """A card of the own hand, then a place of the table."""
    hand = zone_number(scene.seats[view.seat].zones, "Hand")
    board = scene.table[0]

    def place(move: int) -> int:
        name = spot(place_of(move))
        return board.rows.index(name[1:]) * len(board.columns) + board.columns.index(name[0])

    return {move: ((view.seat, hand, view.hand.index(card_of(move))), (-1, 0, place(move))) for move in view.legal}
