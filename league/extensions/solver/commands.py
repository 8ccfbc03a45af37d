"""`league solve`: perfect play, and what it gets against a bot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from league.cli import complete
from league.cli.options import (
    bots_option,
    game_options,
    isolation_option,
    json_option,
    players_option,
    results_option,
    whole,
)
from league.cli.output import print_json, prints_apart, tell
from league.tools.table import Table
from league.tools.text import counted, safe, shown_path

if TYPE_CHECKING:
    from league.extensions.solver.braverats.exploit import Exploitability
    from league.extensions.solver.studies import ExactSolution


@click.command("solve")
@click.argument("game", shell_complete=complete.games)
@click.argument("bot", required=False, shell_complete=complete.bots)
@players_option
@game_options
@click.option("--hands", nargs=2, metavar="CARDS CARDS", help="The hands at the start, by the values of their cards.")
@click.option(
    "--seeds",
    type=whole(2, 100_000),
    help="How often BOT is asked in each position if it plays at random and its random numbers cannot be followed."
    "  [default: 32]",
)
@click.option(
    "--games",
    type=whole(10, 10**7),
    help="Whole games against BOT.  [default: 2000, or 100 if the opponent searches]",
)
@json_option("Print the result as JSON; with BOT, with the replays in it.")
@results_option
@bots_option
@isolation_option
def command(
    game: str,
    bot: str | None,
    *,
    hands: tuple[str, str] | None,
    results: Path,
    bots_dir: str,
    isolation: str,
    options: dict[str, object],
    as_json: bool,
    **asked: Any,
) -> None:
    """Solve GAME exactly, or measure what a perfect opponent gets per game against BOT.

    BraveRats can be solved: without `deck` and `draft`, both know everything but the card being played. The solution is
    checked by its best response.

    A won game is 1, a draw 0, a lost one -1. In BraveRats the measure is exact for bots whose choice depends on the
    position alone, with `--isolation trusted` also if they choose at random; perfect play has 0. For other bots and in
    other games, an opponent that knows the bot searches, and gets a lower bound.

    \b
      league solve braverats
      league solve braverats --option mime=true
      league solve braverats rats_prince
      league solve raj raj_nearest --games 200 --json
    """
    from league.api.matches import load_game
    from league.extensions.solver import studies
    from league.games.contract import plain
    from league.setup.roster import find

    given = {name: value for name, value in asked.items() if value}
    if bot is None:
        for name in given:
            raise click.UsageError(f"--{name} goes with a BOT, which it measures.")
        solved = studies.solve(game, options=options, hands=hands)
        if as_json:
            print_json(_solution_data(solved))
        else:
            _tell_solution(solved)
        return
    if hands:
        raise click.UsageError("--hands is about the solution of the game: it excludes a BOT.")
    entrant, rules = find(bot, bots_dir), load_game(game, asked["players"], options)
    with prints_apart(as_json):
        measured = studies.exploit(entrant, game, options=options, bots_dir=bots_dir, isolation=isolation, **given)
    if as_json:
        about = {"bot": entrant.name, "game": rules.name, "players": rules.players, "options": plain(rules.options)}
        print_json({**about, **plain(measured)})
    else:
        _tell_exploit(entrant.name, measured, results / "exploit" / f"{entrant.name}-{rules.name}")


def _solution_data(solved: ExactSolution) -> dict[str, Any]:
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
        "gains": solved.gains,
    }


def _tell_solution(solved: ExactSolution) -> None:
    from league.games.braverats.rules import NAMES

    positions = counted(solved.solution.size, "position")
    tell(f"BraveRats: the value is {solved.value:.6f} for seat 0; {positions}, solved in {solved.seconds:.1f} s.")
    first, second = solved.gains
    tell(f"Checked: the best response gains {first:.0e} against seat 0 and {second:.0e} against seat 1.")
    cards = sorted({card for mix in solved.first_move for card in mix})
    rows = [(NAMES[card], *(f"{mix.get(card, 0):.2%}" for mix in solved.first_move)) for card in cards]
    click.echo(Table.of(("first card", "seat 0", "seat 1"), rows, ("seat 0", "seat 1")).text())


def _tell_exploit(name: str, measured: Exploitability, folder: Path) -> None:
    from league.games import replay
    from league.tools.files import make_folder, write_text

    played = measured.played
    tell(f"{safe(name)}: {measured}.")
    if measured.way == "search":
        tell(f"{counted(played.games, 'game')} of an opponent that searches; a perfect one may get more.")
        return
    if measured.kind == "lower_bound":
        tell("It does not always choose by the position alone: it remembers, or it is not deterministic.")
    way = {
        "deterministic": "it is deterministic",
        "branches": "every branch of its random numbers was followed",
        "seeds": "its frequencies were estimated with many seeds",
    }[measured.way]
    games = f"{played.mean:+.4f} ({played.low:+.4f} … {played.high:+.4f}) in {counted(played.games, 'whole game')}"
    tell(f"Asked in {counted(measured.positions, 'position')}; {way}. The best response got {games}.")
    for number, leak in enumerate(measured.leaks, start=1):
        path = folder / f"{number}.json"
        make_folder(folder)
        write_text(path, replay.write(leak.replay))
        tell(f"{number}. {leak} See step {leak.step}: `league replay {shown_path(path)}`")
