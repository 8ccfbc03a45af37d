"""What a playing looks like: a scene after each step, as plain data that the viewer page can draw.

A scene knows nothing of pixels: seats with zones of cards, and what lies in the middle of the table. Each of the four
games draws its own in `scene.py`; any other game by its `scene`, or by the fields of its views. A card says which
seats know its face, so that the viewer can hide hands.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Literal

import msgspec

from league import games
from league.games.contract import Game, State, View, plain
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


def plain_sketch(game: Game, view: View, names: Sequence[str]) -> tuple[str, ...]:
    """What a seat sees, in sentences."""
    return _plain(game.sketch(view, names))


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
        drawn = _draw(game)(game, states, replay.moves)
    return [
        Frame(number, scene, *((sentences(lines), tuple(sights)) if first else ()))
        for number, (scenes, lines, sights) in enumerate(zip(drawn, told, seen, strict=True))
        for first, scene in zip([True] + [False] * len(scenes), scenes, strict=False)
    ]


Pick = tuple[int, int, int]
"""A card to choose: the seat before which it lies (-1: the table), the number of its zone, and its number there."""


def seen_by(seat: int, game: Game, states: Sequence[State], moves: Sequence[Sequence[int]]) -> list[list[Scene]]:
    """The scenes of a playing under way, without what a seat cannot know."""
    own_roles = game.name in games.BUILT_IN  # roles of other games are the moves just played, which may be secret
    return [[_censored(scene, seat, own_roles) for scene in scenes] for scenes in _draw(game)(game, states, moves)]


def _censored(scene: Scene, seat: int, roles: bool) -> Scene:
    replace = msgspec.structs.replace

    def zones(of: tuple[Zone, ...]) -> tuple[Zone, ...]:
        return tuple(replace(zone, cards=tuple(_back(card, seat) for card in zone.cards)) for zone in of)

    seats = tuple(
        replace(before, zones=zones(before.zones), role=before.role if roles or number == seat else "")
        for number, before in enumerate(scene.seats)
    )
    return replace(scene, seats=seats, table=zones(scene.table))


def _back(card: Card | None, seat: int) -> Card | None:
    if card is None or card.known is None or seat in card.known:
        return card
    return Card(seat=card.known[0] if card.known else card.seat, known=())


def picks(game: Game, view: View, scene: Scene) -> dict[int, tuple[Pick, ...]]:
    """For legal moves, the cards of a scene that a person chooses one after the other; empty if they are not drawn."""
    if game.name in games.BUILT_IN:
        chosen: dict[int, tuple[Pick, ...]] = _own_scenes(game).picks(view, scene)
        return chosen
    for number, zone in enumerate(scene.seats[view.seat].zones):
        texts = [card.text if card else "" for card in zone.cards]
        if zone.label in HANDS and {*map(str, view.legal)} <= {*texts}:
            return {move: ((view.seat, number, texts.index(str(move))),) for move in view.legal}
    return {}


def zone_number(zones: Sequence[Zone], label: str) -> int:
    """The number of the zone that is called so."""
    return [zone.label for zone in zones].index(label)


def _draw(game: Game) -> Draw:
    draw: Draw = _own_scenes(game).draw if game.name in games.BUILT_IN else draw_fields
    return draw


def _own_scenes(game: Game) -> Any:
    return import_module(f"league.games.{game.name}.scene")


def _plain(lines: Sequence[str]) -> tuple[str, ...]:
    """Without pictures and tables: the scene shows them."""
    return tuple(line for line in sentences(lines) if "  " not in line)


def sentences(lines: Sequence[str]) -> tuple[str, ...]:
    """Without the pictures for the terminal, lines that begin with a blank, and the line that announces one."""
    pictures = [line.startswith(" ") for line in lines] + [False]
    return tuple(
        line
        for number, line in enumerate(lines)
        if line and not pictures[number] and not (line.endswith(":") and pictures[number + 1])
    )


HIDDEN_FIELDS = ("seat", "legal", "history")
"""Of a view: the story tells what happened."""
HANDS = ("hand", "cards")
"""Fields whose cards are played: a move is the number on one."""
SCORES = ("scores", "points")
"""Fields that have a number for each seat: its score."""
LONGEST = 400
"""Characters of a value."""
MOST_CARDS = 60
"""Of one zone."""


def draw_fields(game: Game, states: Sequence[State], moves: Sequence[Sequence[int]]) -> list[list[Scene]]:
    """Scenes of a game without scenes of its own: what its `scene` returns, or cards made from the fields of its views.

    What all seats see alike lies on the table, the rest before the seat that sees it. Moves are told in words.
    """
    scenes = []
    for number, state in enumerate(states):
        title = f"Step {number} of {len(moves)}" if number else "Before the first move"
        before = states[number - 1]
        labels = {}
        if number:
            turn = zip(before.turn, moves[number - 1], strict=True)
            labels = {seat: game.label(move, before.view(seat)) for seat, move in turn}
        own = game.scene(state)
        scenes.append([_from_views(game, state, title, labels) if own is None else own])
    return scenes


def _from_views(game: Game, state: State, title: str, labels: dict[int, str]) -> Scene:
    views = [plain(state.view(seat)) for seat in range(game.players)]
    common = [name for name, value in views[0].items() if all(view[name] == value for view in views)]
    scores = next((views[0][name] for name in SCORES if name in common and _is_by_seat(views[0][name], game)), None)
    shown = [name for name in views[0] if name not in HIDDEN_FIELDS and not (name in SCORES and scores)]
    seats = tuple(
        Seat(
            score=str(scores[seat]) if scores else "",
            role=labels.get(seat, ""),
            zones=tuple(_zone(name, view[name], (seat,)) for name in shown if name not in common),
        )
        for seat, view in enumerate(views)
    )
    return Scene(title, seats, tuple(_zone(name, views[0][name]) for name in shown if name in common), state.turn)


def _is_by_seat(value: object, game: Game) -> bool:
    return isinstance(value, list) and len(value) == game.players and all(isinstance(item, int) for item in value)


def _zone(name: str, value: Any, known: tuple[int, ...] | None = None) -> Zone:
    """A field of a view: a card for each item of a list, or one for all of it."""
    items = value if isinstance(value, list) else [value]
    cards = tuple(Card(_shown(item), seat=known[0] if known else -1, known=known) for item in items[-MOST_CARDS:])
    return Zone(name.replace("_", " "), cards, "small" if all(len(card.text) < 4 for card in cards) else "row")


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"… {text[-LONGEST:]}"
