"""What a playing looks like: scenes, as plain data that pages can draw.

A scene knows nothing of pixels: seats with zones of cards, and what lies in the middle of the table. A card says which
seats know its face, so that pages can hide hands. `Game.scenes` makes them; a game that has none of its own is drawn
from the fields of its views.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

Mark = Literal["won", "lost", "held", "gone", "new", "chosen"]
"""won, lost, held: how a round went for the card. gone: it is (or would be) taken away. new: just laid."""

Look = Literal["row", "small", "pile", "board"]
"""A row of cards, of small cards, a pile face down of which only the number shows, or a board with columns."""


class Card(msgspec.Struct, frozen=True, omit_defaults=True):
    """A card, or anything else that lies on a table."""

    text: str = ""
    """Its large text: a few letters."""
    caption: str = ""
    """Its name, small."""
    icon: str = ""
    """The picture on it: one of those in `templates/icons.j2`."""
    seat: int = -1
    """Whose it is: it gets that seat's colour."""
    hue: int = -1
    """Its colour on the wheel, in degrees, where it is of no seat."""
    about: str = ""
    """What it can do, in a sentence: pages tell it when somebody points at the card."""
    badge: str = ""
    """The text at its corner: '+2'."""
    marks: tuple[Mark, ...] = ()
    known: tuple[int, ...] | None = None
    """The seats that know its face; None: everybody."""


class Zone(msgspec.Struct, frozen=True, omit_defaults=True):
    """Cards that lie together."""

    label: str
    cards: tuple[Card | None, ...] = ()
    """None is an empty place."""
    look: Look = "row"
    columns: tuple[str, ...] = ()
    """Names of the columns of a board; its cards are row by row from the top."""
    rows: tuple[str, ...] = ()
    """Names of the rows of a board, from the top."""
    note: str = ""


class Seat(msgspec.Struct, frozen=True, omit_defaults=True):
    """What lies before one player."""

    score: str = ""
    role: str = ""
    """The role of the player, which all may know: 'storyteller'."""
    zones: tuple[Zone, ...] = ()


class Scene(msgspec.Struct, frozen=True, omit_defaults=True):
    """A table, at one moment."""

    title: str
    seats: tuple[Seat, ...]
    table: tuple[Zone, ...] = ()
    turn: tuple[int, ...] = ()
    """The seats that decide next."""


Pick = tuple[int, int, int]
"""A card to choose: the seat before which it lies (-1: the table), the number of its zone, and its number there."""

HIDDEN_FIELDS = ("seat", "legal", "history")
"""Fields of a view that are not drawn: the story tells what happened."""
HANDS = ("hand", "cards")
"""Fields whose cards are played: a move is the number on one."""
SCORES = ("scores", "points")
"""Fields that have a number for each seat: its score."""
LONGEST = 400
"""Characters of a value."""
MOST_CARDS = 60
"""The most cards of one zone."""


def zone_number(zones: Sequence[Zone], label: str) -> int:
    """The number of the zone that is called so."""
    return [zone.label for zone in zones].index(label)


def laid(*zones: Zone) -> tuple[Zone, ...]:
    """Those of some zones in which anything lies."""
    return tuple(zone for zone in zones if zone.cards)


def seen_by(seat: int, scene: Scene) -> Scene:
    """The scene without what a seat cannot know."""
    replace = msgspec.structs.replace

    def zones(of: tuple[Zone, ...]) -> tuple[Zone, ...]:
        return tuple(replace(zone, cards=tuple(_back(card, seat) for card in zone.cards)) for zone in of)

    seats = tuple(replace(before, zones=zones(before.zones)) for before in scene.seats)
    return replace(scene, seats=seats, table=zones(scene.table))


def _back(card: Card | None, seat: int) -> Card | None:
    if card is None or card.known is None or seat in card.known:
        return card
    return Card(seat=card.known[0] if card.known else card.seat, known=())


def without_pictures(lines: Sequence[str]) -> tuple[str, ...]:
    """Without the pictures for the terminal, lines that begin with a blank, and the line that announces one."""
    pictures = [line.startswith(" ") for line in lines] + [False]
    return tuple(
        line
        for number, line in enumerate(lines)
        if line and not pictures[number] and not (line.endswith(":") and pictures[number + 1])
    )


def without_tables(lines: Sequence[str]) -> tuple[str, ...]:
    """Without pictures and tables: the scene shows them."""
    return tuple(line for line in without_pictures(lines) if "  " not in line)


def scene_of_views(
    title: str, views: Sequence[Mapping[str, Any]], played: Mapping[int, str], turn: tuple[int, ...]
) -> Scene:
    """A scene made from what each seat sees, as plain data, and from what some of them have just played, in words.

    What all seats see alike lies on the table, the rest before the seat that sees it. A move is known to its seat.
    """
    common = [name for name, value in views[0].items() if all(view[name] == value for view in views)]
    scores = next((views[0][name] for name in SCORES if name in common and _is_by_seat(views[0][name], views)), None)
    shown = [name for name in views[0] if name not in HIDDEN_FIELDS and not (name in SCORES and scores)]
    seats = []
    for seat, view in enumerate(views):
        zones = [_zone(name, view[name], (seat,)) for name in shown if name not in common]
        if seat in played:
            zones.append(Zone("last move", (Card(played[seat], seat=seat, known=(seat,)),)))
        seats.append(Seat(str(scores[seat]) if scores else "", zones=tuple(zones)))
    return Scene(title, tuple(seats), tuple(_zone(name, views[0][name]) for name in shown if name in common), turn)


def cards_by_number(seat: int, moves: Sequence[int], scene: Scene) -> dict[int, tuple[Pick, ...]]:
    """By move, the card of a seat's hand with its number on it; empty if some move has none."""
    for number, zone in enumerate(scene.seats[seat].zones):
        texts = [card.text if card else "" for card in zone.cards]
        if zone.label in HANDS and {*map(str, moves)} <= {*texts}:
            return {move: ((seat, number, texts.index(str(move))),) for move in moves}
    return {}


def _is_by_seat(value: object, views: Sequence[object]) -> bool:
    return isinstance(value, list) and len(value) == len(views) and all(isinstance(item, int) for item in value)


def _zone(name: str, value: Any, known: tuple[int, ...] | None = None) -> Zone:
    """A field of a view: a card for each item of a list, or one for all of it."""
    items = value if isinstance(value, list) else [value]
    cards = tuple(Card(in_words(item), seat=known[0] if known else -1, known=known) for item in items[-MOST_CARDS:])
    return Zone(name.replace("_", " "), cards, "small" if all(len(card.text) < 4 for card in cards) else "row")


def in_words(value: object) -> str:
    """A value of a view or an option, given as plain data, for people."""
    text = json.dumps(value, ensure_ascii=False).replace('"', "")
    return text if len(text) <= LONGEST else f"… {text[-LONGEST:]}"
