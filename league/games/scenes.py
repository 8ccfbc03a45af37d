"""What a playing looks like: a scene after each step, as plain data that the viewer page can draw.

A scene knows nothing of pixels: seats with zones of cards, and what lies in the middle of the table. Each of the four
games draws its own in `scene.py`; any other game is shown by the fields of its views. A card says which
seats know its face, so that the viewer can hide hands.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Literal

import msgspec

from league import games
from league.games.contract import Game, State, plain
from league.games.replay import Replay, game_of, made_up_deals_refused, steps, told_faults

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


Draw = Callable[[Game, Sequence[Any], Sequence[Sequence[int]]], list[list[Scene]]]
"""From all states of a playing and the moves between them: for each state the scenes that lead to it, at least one."""


def frames(replay: Replay, names: Sequence[str]) -> list[Frame]:
    """All scenes of a playing, each with its story."""
    game = game_of(replay)
    played = list(steps(replay))
    states = [played[0].before, *(step.after for step in played)]
    with made_up_deals_refused(game):
        told = [game.opening(states[0], names)]
        for number, step in enumerate(played, 1):
            told.append([*told_faults(replay, number, names), *game.tell(step.before, step.moves, step.after, names)])
        seen = [[_plain(game.sketch(state.view(seat), names)) for seat in range(game.players)] for state in states]
        drawn = _draw(game.name)(game, states, replay.moves)
    return [
        Frame(number, scene, *((_sentences(lines), tuple(sights)) if first else ()))
        for number, (scenes, lines, sights) in enumerate(zip(drawn, told, seen, strict=True))
        for first, scene in zip([True] + [False] * len(scenes), scenes, strict=False)
    ]


def _draw(name: str) -> Draw:
    if name not in games.BUILT_IN:
        return draw_fields
    draw: Draw = import_module(f"league.games.{name}.scene").draw
    return draw


def _plain(lines: Sequence[str]) -> tuple[str, ...]:
    """Without pictures and tables: the scene shows them."""
    return tuple(line for line in _sentences(lines) if "  " not in line)


def _sentences(lines: Sequence[str]) -> tuple[str, ...]:
    """Without the pictures for the terminal, lines that begin with a blank, and the line that announces one."""
    pictures = [line.startswith(" ") for line in lines] + [False]
    return tuple(
        line
        for number, line in enumerate(lines)
        if line and not pictures[number] and not (line.endswith(":") and pictures[number + 1])
    )


HIDDEN_FIELDS = ("seat", "legal")
LONGEST = 400
"""Characters of a value; histories grow."""


def draw_fields(game: Game, states: Sequence[State], moves: Sequence[Sequence[int]]) -> list[list[Scene]]:
    """Scenes of a game without scenes of its own: after each step the fields of each view, and the moves in words."""
    scenes = [[Scene("Before the first move", _seats(game, states[0], {}), turn=states[0].turn)]]
    for number, (before, after, played) in enumerate(zip(states, states[1:], moves, strict=False), start=1):
        roles = {seat: game.label(move, before.view(seat)) for seat, move in zip(before.turn, played, strict=True)}
        scenes.append([Scene(f"Step {number} of {len(moves)}", _seats(game, after, roles), turn=after.turn)])
    return scenes


def _seats(game: Game, state: State, roles: dict[int, str]) -> tuple[Seat, ...]:
    return tuple(
        Seat(role=roles.get(seat, ""), facts=tuple(_facts(plain(state.view(seat))))) for seat in range(game.players)
    )


def _facts(view: dict[str, object]) -> list[tuple[str, str]]:
    return [(name.replace("_", " "), _shown(value)) for name, value in view.items() if name not in HIDDEN_FIELDS]


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"… {text[-LONGEST:]}"
