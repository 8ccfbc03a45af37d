"""What a playing looks like: a scene after each step, as plain data that the viewer page can draw.

A scene knows nothing of pixels: seats with zones of cards, and what lies in the middle of the table. Each of the four
games draws its own in `scene.py`; any other game is shown by the fields of its views. A card says which
seats know its face, so that the viewer can hide hands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from league import games
from league.games.contract import Game
from league.games.replay import Replay, game_of, steps, told_faults
from league.games.scene_parts import Card, Frame, Scene, Seat, Zone

__all__ = ["Card", "Frame", "Scene", "Seat", "Zone", "frames"]

Draw = Callable[[Game, Sequence[Any], Sequence[Sequence[int]]], list[list[Scene]]]
"""From all states of a playing and the moves between them: for each state the scenes that lead to it, at least one."""


def frames(replay: Replay, names: Sequence[str]) -> list[Frame]:
    """All scenes of a playing, each with its story."""
    game = game_of(replay)
    played = list(steps(replay))
    states = [played[0].before, *(step.after for step in played)]
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
    module = import_module(f"league.games.{name}.scene" if name in games.BUILT_IN else "league.games.other_scene")
    draw: Draw = module.draw
    return draw


def _plain(lines: Sequence[str]) -> tuple[str, ...]:
    """Without pictures and tables: the scene shows them."""
    return tuple(line for line in _sentences(lines) if "  " not in line)


def _sentences(lines: Sequence[str]) -> tuple[str, ...]:
    """Without the pictures for the terminal, lines that begin with a blank, and the line that announces one."""
    pictures = [line.startswith(" ") for line in lines] + [False]
    return tuple(
        line
        for at, line in enumerate(lines)
        if line and not pictures[at] and not (line.endswith(":") and pictures[at + 1])
    )
