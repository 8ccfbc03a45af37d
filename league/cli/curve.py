"""Prints the chances of a game over its steps, with the turning point marked, and one step as its bots saw it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
import msgspec

from league.analysis.turning_points import ASSUMED, ChanceCurve, TurningPoint, Unit
from league.api.tables import PlayedGame
from league.cli.output import tell
from league.errors import LeagueError
from league.games.replay import Replay, game_of, steps, told_faults
from league.games.scenes import without_pictures
from league.tools.text import columns, safe, shorten, width

ERRORS = 2
"""Standard errors that are shown on each side: about 95 % of the truth lies within."""
USUAL_COLUMNS = 100
"""Where lines are not cut to a terminal."""
LEAST_PLOT = 20
LONGEST_NAME = 14


def shown_value(value: float, unit: Unit) -> str:
    """A chance or points, as people read it."""
    return f"{100 * value:.1f} %" if unit == "places" else f"{value:.2f}"


def curve_data(played: PlayedGame, curve: ChanceCurve) -> dict[str, Any]:
    """A curve as plain data."""
    turned = curve.turning_point
    return {
        "address": played.address,
        "game": played.replay.game,
        "names": played.names,
        "unit": curve.unit,
        "steps": [
            {"step": step, "chances": chances, "errors": errors, "playouts": playouts}
            for step, (chances, errors, playouts) in enumerate(
                zip(curve.chances, curve.errors, curve.playouts, strict=True)
            )
        ],
        "turning_point": msgspec.to_builtins(turned) if turned else None,
    }


def print_curve(played: PlayedGame, curve: ChanceCurve) -> None:
    """The curve as rows of text, and what happened at the turning point."""
    names = _names(played)
    what = "chance to win" if curve.unit == "places" else "points to expect"
    tell(f"{game_of(played.replay).title}: the {what} after each step.")
    for line in _rows(names, curve, columns() or USUAL_COLUMNS):
        tell(line)
    tell(_turn(played, names, curve))
    tell(ASSUMED)


def _rows(names: Sequence[str], curve: ChanceCurve, most: int) -> list[str]:
    turned, unit = curve.turning_point, curve.unit
    headings = [f"{seat} {shorten(name, LONGEST_NAME)}" for seat, name in enumerate(names, 1)]
    cells = [[shown_value(value, unit) for value in chances] for chances in curve.chances]
    low, high = (0.0, 1.0) if unit == "places" else _ends(curve)
    ends = ("0 %", "100 %") if unit == "places" else (shown_value(low, unit), shown_value(high, unit))

    def measured() -> tuple[list[int], int]:
        """The width of each column, and what they leave for the picture."""
        widths = [max(map(width, column)) for column in zip(headings, *cells, strict=True)]
        return widths, most - sum(widths) - 2 * len(widths) - len("step  ") - len("||")

    lines = []
    widths, room = measured()
    if room < LEAST_PLOT:  # at large tables, columns are named by their seats alone
        lines.append(", ".join(f"{seat} {name}" for seat, name in enumerate(names, 1)))
        headings = [str(seat) for seat in range(1, len(names) + 1)]
        widths, room = measured()
    while room < LEAST_PLOT and len(widths) > 1:  # and the last seats are only in the picture
        room += widths.pop() + 2
    for step, row in enumerate([headings, *cells], -1):
        shown = "".join(" " * (columns - width(cell)) + cell + "  " for cell, columns in zip(row, widths))  # noqa: B905
        if step < 0:
            plot = f"{ends[0]}{ends[1]:>{room + 2 - len(ends[0])}}"
        else:
            plot = f"|{_plotted(curve.chances[step], curve.errors[step], low, high, room)}|"
        mark = "*" if turned and turned.step == step else " "
        lines.append(f"{'step' if step < 0 else f'{step:4}'}{mark} {shown}{plot}".rstrip())
    return lines


def _ends(curve: ChanceCurve) -> tuple[float, float]:
    values = [
        value + sign * ERRORS * error
        for chances, errors in zip(curve.chances, curve.errors, strict=True)
        for value, error in zip(chances, errors, strict=True)
        for sign in (-1, 1)
    ]
    return min(values), max(values)


def _plotted(chances: Sequence[float], errors: Sequence[float], low: float, high: float, room: int) -> str:
    """Every seat's number at its chance, with its error left and right of it."""

    def column(value: float) -> int:
        share = (value - low) / ((high - low) or 1.0)
        return min(max(round(share * (room - 1)), 0), room - 1)

    cells = [" "] * room
    for value, error in zip(chances, errors, strict=True):
        for place in range(column(value - ERRORS * error), column(value + ERRORS * error) + 1):
            cells[place] = "-"
    for seat, value in enumerate(chances, 1):
        cells[column(value)] = str(seat) if cells[column(value)] in " -" else "="
    return "".join(cells)


def _turn(played: PlayedGame, names: Sequence[str], curve: ChanceCurve) -> str:
    turned = curve.turning_point
    if turned is None:
        return (
            "No turning point: no step changed the chances by clearly more than the error. "
            "More playouts have smaller errors: --playouts N."
        )
    story = " ".join(without_pictures(_story(played.replay, names, turned.step)))
    return f"* Turning point: step {turned.step}. {story} {_changed(turned, names, curve.unit)}"


def print_step(played: PlayedGame, number: int) -> None:
    """What the bots saw that had to decide in a step, and what happened then."""
    replay = played.replay
    if number > len(replay.moves):
        raise LeagueError(f"Expected a step from 1 to {len(replay.moves)}, found {number}: the game was over then.")
    game, before = game_of(replay), list(steps(replay))[number - 1].before
    names = _names(played)
    tell(f"{game.title}, step {number} of {len(replay.moves)}.")
    for seat in before.turn:
        tell(f"{names[seat]} sees:")
        for line in game.sketch(before.view(seat), names):
            click.echo(f"  {line}")
    for line in _story(replay, names, number):
        tell(line)


def _names(played: PlayedGame) -> list[str]:
    return [safe(name) for name in played.names or [f"Player {seat + 1}" for seat in range(played.replay.players)]]


def _story(replay: Replay, names: Sequence[str], number: int) -> list[str]:
    """What happened in a step."""
    step = list(steps(replay))[number - 1]
    told = game_of(replay).tell(step.before, step.moves, step.after, names)
    return [*told_faults(replay, number, names), *told]


def _changed(turned: TurningPoint, names: Sequence[str], unit: Unit) -> str:
    """By how much a step changed what a seat can expect, in a sentence."""
    verb = "rise" if turned.change > 0 else "fall"
    before, after, error = (shown_value(value, unit) for value in (turned.before, turned.after, ERRORS * turned.error))
    what = f"chance to win {verb}s" if unit == "places" else f"points to expect {verb}"
    return f"{names[turned.seat]}: the {what} from {before} to {after} (± {error})."
