"""Scenes of a game without scenes of its own: the fields of each view, and each move in words."""

from __future__ import annotations

import json
from collections.abc import Sequence

from league.games.contract import Game, State, plain
from league.games.scene_parts import Scene, Seat

HIDDEN_FIELDS = ("seat", "legal")
LONGEST = 400
"""Characters of a value; histories grow."""


def draw(game: Game, states: Sequence[State], moves: Sequence[Sequence[int]]) -> list[list[Scene]]:
    """A scene after each step."""
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
