"""What scenes are made of. Defaults are left out when they are written, so that pages stay small."""

from __future__ import annotations

from typing import Literal

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
    """The role of the player: 'storyteller'."""
    zones: tuple[Zone, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    """Names and values that only this seat knows, for games that are not drawn."""


class Scene(msgspec.Struct, frozen=True, omit_defaults=True):
    """A table, at one moment."""

    title: str
    seats: tuple[Seat, ...]
    table: tuple[Zone, ...] = ()
    turn: tuple[int, ...] = ()
    """The seats that decide next."""


class Frame(msgspec.Struct, frozen=True, omit_defaults=True):
    """A scene, the step that led to it, and the story of that step."""

    step: int
    scene: Scene
    story: tuple[str, ...] = ()
    """For a reader who sees everything."""
    seen: tuple[tuple[str, ...], ...] = ()
    """By seat: for a player who sees what that seat sees."""
