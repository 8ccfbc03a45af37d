"""Commands about perfect play: `solve` a game, and `exploit` a bot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from league.cli import complete
from league.cli.options import (
    FILE,
    bots_option,
    game_options,
    isolation_option,
    json_option,
    players_option,
    results_option,
    whole,
)
from league.cli.output import prints_apart, tell
from league.tools.text import counted, listed, safe, shown_path, table

if TYPE_CHECKING:
    from league.extensions.solver.braverats.exploit import Exploitability, Leak
    from league.extensions.solver.studies import ExactSolution


@click.command("solve")
@click.argument("game", shell_complete=complete.games)
@game_options
@click.option("--hands", nargs=2, metavar="CARDS CARDS", help="The hands at the start, by the values of their cards.")
@click.option("--pack", type=FILE, help="Write the strategy of a perfect player to a file for a bot.")
@json_option("Print the result as JSON.")
def solve_command(
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
    from league.extensions.solver.studies import solve

    solved = solve(game, options=options, hands=hands)
    if as_json:
        click.echo(json.dumps(_solution_data(solved)))
    else:
        _tell_solution(solved)
    if pack:
        _write(pack, solved)


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
    click.echo(table(("first card", "seat 0", "seat 1"), rows, right=("seat 0", "seat 1")))


def _write(path: Path, solved: ExactSolution) -> None:
    from league.extensions.solver.braverats.pack import packed
    from league.tools.files import write_bytes

    content, gain = packed(solved.solution, solved.exact.game, solved.exact.deal)
    write_bytes(path, content)
    tell(f"league: {shown_path(path)} has {len(content):,} bytes; its best response gains {gain:.0e}.", err=True)


WAYS = {
    "deterministic": "it is deterministic",
    "branches": "every branch of its random numbers was followed",
    "seeds": "its frequencies were estimated with many seeds",
}


@click.command("exploit")
@click.argument("name", metavar="BOT", shell_complete=complete.bots)
@click.option("--game", required=True, metavar="G", shell_complete=complete.games, help="The game.")
@players_option
@game_options
@click.option(
    "--seeds",
    default=32,
    type=whole(2, 100_000),
    help="How often a bot that plays at random is asked in each position, if its random numbers cannot be followed.",
)
@click.option(
    "--games",
    type=whole(10, 10**7),
    help="Whole games against the bot.  [default: 2000, or 100 if the opponent searches]",
)
@click.option(
    "--search",
    is_flag=True,
    help="At BraveRats too, ask only in positions that come up: a lower bound for bots that think long.",
)
@json_option("Print the result as JSON, with the replays in it.")
@results_option
@bots_option
@isolation_option
def exploit_command(
    name: str,
    *,
    game: str,
    players: int | None,
    options: dict[str, object],
    as_json: bool,
    results: Path,
    bots_dir: str,
    **asked: Any,
) -> None:
    """Measure what a perfect opponent gets per game against BOT: 1 for a win, 0 for a draw, -1 for a loss.

    In BraveRats this is exact for bots whose choice depends on the position alone; perfect play has 0. For bots that
    remember earlier rounds it is a lower bound. So it is for every bot in the other games, where the opponent searches
    and knows the bot. A bot that thinks long would take hours in all positions of BraveRats; --search is for it.
    With `--isolation trusted`, every branch of the bot's `table.rng` is followed if it draws by `choice` and the like.

    \b
      league exploit rats_prince --game braverats
      league exploit raj_nearest --game raj --games 200 --json
    """
    from league.api.tables import load_game
    from league.extensions.solver.studies import exploit
    from league.games.contract import plain
    from league.setup.roster import find

    bot = find(name, bots_dir)
    rules = load_game(game, players, options)
    with prints_apart(as_json):
        measured = exploit(bot, game, players=players, options=options, **asked)
    if as_json:
        about = {"bot": bot.name, "game": rules.name, "players": rules.players, "options": plain(rules.options)}
        click.echo(json.dumps(about | _exploit_data(measured)))
    else:
        _tell_exploit(bot.name, measured, results / "exploit" / f"{bot.name}-{rules.name}")


def _exploit_data(measured: Exploitability) -> dict[str, Any]:
    from league.games.contract import plain

    data: dict[str, Any] = {
        "exploitability": measured.value,
        "interval": [measured.low, measured.high],
        "kind": measured.kind,
        "way": measured.way,
    }
    if measured.way == "search":
        return data | {"games": measured.played.games}
    return data | {
        "positions": measured.positions,
        "played": measured.played._asdict(),
        "worst": [leak._asdict() | {"replay": plain(leak.replay)} for leak in measured.leaks],
    }


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
    from league.extensions.solver.braverats.best_response import FAULT
    from league.games.braverats.rules import NAMES

    shares = sorted(leak.mix.items(), key=lambda item: -item[1])
    plays = listed(
        [f"{NAMES[card]} {often:.0%}" if card != FAULT else f"a fault {often:.0%}" for card, often in shares]
    )
    answer = f" against {NAMES[leak.answer]}" if leak.answer >= 0 else ""
    return (
        f"{leak.lost:.4f} a game is lost in a position that comes up in {leak.often:.1%} of games, by {plays}{answer}."
    )
