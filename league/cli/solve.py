"""`league solve`: solve a game exactly."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from league.cli import complete
from league.cli.options import game_options
from league.cli.output import progress, tell
from league.errors import LeagueError
from league.tools.text import counted, shown_path, table

if TYPE_CHECKING:
    from league.solver.braverats.induction import Solution
    from league.solver.braverats.solvable import Exact


@click.command("solve")
@click.argument("game", shell_complete=complete.games)
@game_options
@click.option("--hands", nargs=2, metavar="CARDS CARDS", help="The hands at the start, by the values of their cards.")
@click.option(
    "--pack",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the strategy of a perfect player to a file for a bot.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(
    game: str, options: dict[str, object], hands: tuple[str, str] | None, pack: Path | None, as_json: bool
) -> None:
    """Solve GAME exactly, check the solution by its best response, and print its value and first move.

    BraveRats can be solved: without `deck` and `draft`, both know everything but the card being played.
    The solution is kept in ~/.cache/league (or $LEAGUE_CACHE), where other commands find it.

    \b
      league solve braverats
      league solve braverats --option mime=true
      league solve braverats --hands 01234567 01233567
    """
    from league import games
    from league.games.braverats import BraveRats
    from league.solver.braverats import solvable

    rules = games.make(game, None, options)
    if not isinstance(rules, BraveRats):
        raise LeagueError(f"{rules.name} cannot be solved exactly; braverats can. `league exploit` takes any game.")
    read = (solvable.read_hand(hands[0]), solvable.read_hand(hands[1])) if hands else None
    found = solvable.exact(rules.options, read)
    began = perf_counter()
    with progress("solving") as (on_size, on_progress):
        cached = solvable.load_solution(found.hands, rules.options.target) is not None
        solution = solvable.solution_of(found, on_progress, on_size)
    seconds = perf_counter() - began
    with progress("checking"):
        gains = solvable.gains(found, solution)
    if max(gains) >= solvable.PROVEN:
        raise LeagueError(f"The solution does not hold: its best response gains {max(gains):.1e}. Report this bug.")
    known = _as_data(found, solution) | {"seconds": seconds, "cached": cached, "gains": gains}
    if as_json:
        click.echo(json.dumps(known))
    else:
        _tell(known)
    if pack:
        _write(pack, found, solution)


def _as_data(found: Exact, solution: Solution) -> dict[str, Any]:
    from league.games.contract import plain

    start = found.game.start(found.deal)
    return {
        "game": found.game.name,
        "options": plain(found.game.options),
        "hands": solution.hands,
        "value": _plain(solution.value),
        "positions": solution.size,
        "first_move": [solution.mixes([start], seat)[0] for seat in (0, 1)],
    }


def _tell(known: dict[str, Any]) -> None:
    from league.games.braverats.rules import NAMES

    how = "found in the cache" if known["cached"] else f"solved in {known['seconds']:.1f} s"
    tell(f"BraveRats: the value is {known['value']:.6f} for seat 0; {counted(known['positions'], 'position')}, {how}.")
    first, second = known["gains"]
    tell(f"Checked: the best response gains {first:.0e} against seat 0 and {second:.0e} against seat 1.")
    cards = sorted({card for mix in known["first_move"] for card in mix})
    rows = [(NAMES[card], *(f"{mix.get(card, 0):.2%}" for mix in known["first_move"])) for card in cards]
    click.echo(table(("first card", "seat 0", "seat 1"), rows, right=("seat 0", "seat 1")))


def _write(path: Path, found: Exact, solution: Solution) -> None:
    from league.solver.braverats.pack import packed
    from league.tools.files import write_bytes

    content, gain = packed(solution, found.game, found.deal)
    write_bytes(path, content)
    tell(f"league: {shown_path(path)} has {len(content):,} bytes; its best response gains {gain:.0e}.", err=True)


def _plain(value: float) -> float:
    """A value without rounding noise."""
    return round(value, 12) + 0.0
