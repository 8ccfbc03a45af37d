"""`league solve`: solve a game exactly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from league.cli import complete
from league.cli.options import game_options
from league.cli.output import tell
from league.tools.text import counted, shown_path, table

if TYPE_CHECKING:
    from league.api.studies import ExactSolution


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
    from league.api.studies import solve

    solved = solve(game, options=options, hands=hands)
    if as_json:
        click.echo(json.dumps(_as_data(solved)))
    else:
        _tell(solved)
    if pack:
        _write(pack, solved)


def _as_data(solved: ExactSolution) -> dict[str, Any]:
    from league.games.contract import plain

    rules = solved.exact.game
    return {
        "game": rules.name,
        "options": plain(rules.options),
        "hands": solved.solution.hands,
        "value": solved.value,
        "positions": solved.solution.size,
        "first_move": solved.first_move,
        "seconds": solved.seconds,
        "cached": solved.cached,
        "gains": solved.gains,
    }


def _tell(solved: ExactSolution) -> None:
    from league.games.braverats.rules import NAMES

    how = "found in the cache" if solved.cached else f"solved in {solved.seconds:.1f} s"
    positions = counted(solved.solution.size, "position")
    tell(f"BraveRats: the value is {solved.value:.6f} for seat 0; {positions}, {how}.")
    first, second = solved.gains
    tell(f"Checked: the best response gains {first:.0e} against seat 0 and {second:.0e} against seat 1.")
    cards = sorted({card for mix in solved.first_move for card in mix})
    rows = [(NAMES[card], *(f"{mix.get(card, 0):.2%}" for mix in solved.first_move)) for card in cards]
    click.echo(table(("first card", "seat 0", "seat 1"), rows, right=("seat 0", "seat 1")))


def _write(path: Path, solved: ExactSolution) -> None:
    from league.solver.braverats.pack import packed
    from league.tools.files import write_bytes

    content, gain = packed(solved.solution, solved.exact.game, solved.exact.deal)
    write_bytes(path, content)
    tell(f"league: {shown_path(path)} has {len(content):,} bytes; its best response gains {gain:.0e}.", err=True)
