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
from league.tools.text import counted, listed, safe, shown_path

if TYPE_CHECKING:
    from league.extensions.solver.braverats.exploit import Exploitability, Leak
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
    checked by its best response. It is kept in ~/.cache/league (or $LEAGUE_CACHE), where other commands find it.

    A won game is 1, a draw 0, a lost one -1. In BraveRats the measure is exact for bots whose choice depends on the
    position alone, with `--isolation trusted` also if they choose at random; perfect play has 0. For other bots and in
    other games, an opponent that knows the bot searches, and gets a lower bound.

    \b
      league solve braverats
      league solve braverats --option mime=true
      league solve braverats rats_prince
      league solve raj raj_nearest --games 200 --json
    """
    given = {name: value for name, value in asked.items() if value}
    if bot is None:
        for name in given:
            raise click.UsageError(f"--{name} goes with a BOT, which it measures.")
        _solve(game, options, hands, as_json=as_json)
    elif hands:
        raise click.UsageError("--hands is about the solution of the game: it excludes a BOT.")
    else:
        given |= {"bots_dir": bots_dir, "isolation": isolation}
        _exploit(game, bot, options, results, as_json=as_json, **given)


def _solve(game: str, options: dict[str, object], hands: tuple[str, str] | None, *, as_json: bool) -> None:
    from league.extensions.solver.studies import solve

    solved = solve(game, options=options, hands=hands)
    if as_json:
        print_json(_solution_data(solved))
    else:
        _tell_solution(solved)


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
        "cached": solved.cached,
        "gains": solved.gains,
    }


def _tell_solution(solved: ExactSolution) -> None:
    from league.games.braverats.rules import NAMES

    how = "found in the cache" if solved.cached else f"solved in {solved.seconds:.1f} s"
    positions = counted(solved.solution.size, "position")
    tell(f"BraveRats: the value is {solved.value:.6f} for seat 0; {positions}, {how}.")
    first, second = solved.gains
    tell(f"Checked: the best response gains {first:.0e} against seat 0 and {second:.0e} against seat 1.")
    cards = sorted({card for mix in solved.first_move for card in mix})
    rows = [(NAMES[card], *(f"{mix.get(card, 0):.2%}" for mix in solved.first_move)) for card in cards]
    click.echo(Table.of(("first card", "seat 0", "seat 1"), rows, ("seat 0", "seat 1")).text())


WAYS = {
    "deterministic": "it is deterministic",
    "branches": "every branch of its random numbers was followed",
    "seeds": "its frequencies were estimated with many seeds",
}


def _exploit(
    game: str, name: str, options: dict[str, object], results: Path, *, bots_dir: str, as_json: bool, **asked: Any
) -> None:
    from league.api.matches import load_game
    from league.extensions.solver.studies import exploit
    from league.games.contract import plain
    from league.setup.roster import find

    bot = find(name, bots_dir)
    rules = load_game(game, asked.get("players"), options)
    with prints_apart(as_json):
        measured = exploit(bot, game, options=options, **asked)
    if as_json:
        about = {"bot": bot.name, "game": rules.name, "players": rules.players, "options": plain(rules.options)}
        print_json({**about, **plain(measured)})
    else:
        _tell_exploit(bot.name, measured, results / "exploit" / f"{bot.name}-{rules.name}")


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
    games = f"{played.mean:+.4f} ({played.low:+.4f} … {played.high:+.4f}) in {counted(played.games, 'whole game')}"
    tell(f"Asked in {counted(measured.positions, 'position')}; {WAYS[measured.way]}. The best response got {games}.")
    for number, leak in enumerate(measured.leaks, start=1):
        path = folder / f"{number}.json"
        make_folder(folder)
        write_text(path, replay.write(leak.replay))
        tell(f"{number}. {_leak(leak)} See step {leak.step}: `league replay {shown_path(path)}`")


def _leak(leak: Leak) -> str:
    from league.extensions.solver.branches import FAULT
    from league.games.braverats.rules import NAMES

    shares = sorted(leak.mix.items(), key=lambda item: -item[1])
    plays = listed(
        [f"{NAMES[card]} {often:.0%}" if card != FAULT else f"a fault {often:.0%}" for card, often in shares]
    )
    answer = f" against {NAMES[leak.answer]}" if leak.answer >= 0 else ""
    return (
        f"{leak.lost:.4f} a game is lost in a position that comes up in {leak.often:.1%} of games, by {plays}{answer}."
    )
