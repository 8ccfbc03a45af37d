"""Commands that print a game: `match` plays one, `replay` shows one of a league again, as it was or with a new bot."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from league.analysis.turning_points import ASSUMED, FEWEST_PLAYOUTS, MOST_PLAYOUTS, PLAYOUTS, ChanceCurve, Unit
from league.cli import complete
from league.cli.options import (
    COUNT,
    PATH,
    SEED,
    bots_option,
    filters,
    game_options,
    goes_with,
    isolation_option,
    json_option,
    only_one,
    only_these,
    order_of,
    picked,
    query_of,
    sandbox_option,
    whole,
)
from league.cli.output import print_json, prints_apart, tell, tell_fault
from league.cli.what_if import RETRIES, replay_with
from league.errors import LeagueError, ReplayError, did_you_mean
from league.tools.files import make_folder, read_bytes, refuse_link, write_text
from league.tools.table import Table
from league.tools.text import columns, safe, shorten, shown_path
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.api.matches import PlayedGame
    from league.results.find import Query, SortBy
    from league.results.store import Store


@click.command("match")
@click.argument("game", shell_complete=complete.games)
@click.argument("names", nargs=-1, required=True, metavar="BOT...", shell_complete=complete.bots)
@game_options
@click.option("--seed", default=0, type=SEED, help="Another seed, another deal.")
@json_option("Print the replay as JSON.")
@bots_option
@isolation_option
def match_command(game: str, names: tuple[str, ...], as_json: bool, **asked: Any) -> None:
    """Play one GAME between bots, seated in the order given, and print it round by round.

    GAME is a name, or a file such as ./crown.py. A BOT is a path, or a name in --bots, in this folder or among the
    shipped bots. The same bot may sit at several seats, as random and random_2. What bots print is shown beside the
    rounds, unless they run in this process (--isolation trusted).

    \b
      league match raj random raj_nearest
      league match braverats random random --option mime=true --seed 7 --json
    """
    from league.api.matches import match

    with prints_apart(as_json):
        played = match(game, names, **asked)
    _tell_game(played, as_json=as_json)


MAX_BYTES = 10_000_000
"""The most that a replay's file may have."""


@click.command("replay")
@click.argument("source", metavar="DIR|FILE", type=PATH, shell_complete=complete.leagues)
@click.argument("wanted", metavar="[ADDRESS|BOT]", required=False, shell_complete=complete.entrants)
@filters
@click.option("--worst", is_flag=True, help="The worst game of BOT, by place, then points.")
@click.option("--closest", is_flag=True, help="Its closest game, by points.")
@click.option(
    "--with",
    "change",
    metavar="NAME=BOT",
    help="Play games of a bot again with another version of it, and compare: amy=new_amy.py. The game at ADDRESS, or "
    "all of its games, or those that the options choose.",
)
@click.option("--games", type=COUNT, help=f"With --with: at most N games, spread evenly.  [default: {RETRIES}]")
@click.option("--again", is_flag=True, help="Play it again with the bots as they were, to see what they print.")
@json_option("Print the replay as JSON.")
@click.option("--html", "as_html", is_flag=True, help="Write a page to step through, next to the standings.")
@click.option(
    "--curve",
    is_flag=True,
    help="The chance to win of each bot after each step, from random playouts, with the turning point marked.",
)
@click.option(
    "--playouts",
    type=whole(FEWEST_PLAYOUTS, MOST_PLAYOUTS),
    help=f"Playouts after each step, for --curve.  [default: {PLAYOUTS}, fewer for long games]",
)
@click.option("--step", type=whole(1), help="Only step N: what the bots saw that decided, and what happened.")
@click.option(
    "--rules",
    metavar="FILE",
    shell_complete=complete.games,
    help="The file of its game, such as ./crown.py, if that is not installed.",
)
@sandbox_option
def replay_command(
    source: Path,
    wanted: str | None,
    *,
    worst: bool,
    closest: bool,
    change: str | None,
    games: int | None,
    again: bool,
    as_json: bool,
    as_html: bool,
    curve: bool,
    playouts: int | None,
    step: int | None,
    isolation: Isolation,
    rules: str | None,
    **asked: Any,
) -> None:
    """Show a game again: the one at ADDRESS of the league in DIR, one of BOT's games there, or the replay in FILE.

    Addresses are printed by `league find` and `league faults`, and are on the page: raj-2p:ann+bob:17.1 is deal 17 of
    ann against bob, at seat rotation 1. For a BOT, it is the first game that the options choose. It is shown from its
    stored moves, and no bot runs; --again plays it again from its seed. So are games whose moves were not kept. If the
    game of a FILE is itself a file, name it with --rules.

    \b
      league replay results/quick raj-2p:ann+bob:17.1
      league replay results/quick ann --lost --against bob
      league replay results/quick ann --worst --curve
      league replay results/quick raj-2p:ann+bob:17.1 --with ann=new_ann.py
      league replay results/quick --with ann=new_ann.py --lost
    """
    from league import games as registry

    order = order_of(worst=worst, closest=closest)
    if change is not None:
        only_these("--with", "change", "games", "isolation", "as_json", "worst", "closest", *asked)
        replay_with(source, wanted, change, order, games or RETRIES, isolation, as_json=as_json, **asked)
        return
    only_one(json=as_json, html=as_html, step=step)
    only_one(curve=curve, html=as_html, step=step)
    goes_with("--with", change, games=games)
    goes_with("--curve", curve, playouts=playouts)
    goes_with("a game of a league's folder: a replay's FILE has no bots", wanted, again=again)
    bot = None if wanted is None or ":" in wanted else wanted
    goes_with("a BOT, whose game it is", bot, worst=worst, closest=closest, **asked)
    if rules is not None:
        registry.load(rules)
    if wanted is None:
        played = _from_file(source)
    else:
        with prints_apart(as_json):
            played = _from_league(source, wanted, bot, order, isolation, again=again, **asked)
    if curve:
        found = played.curve(playouts or PLAYOUTS)
        if as_json:
            about = {"address": played.address, "game": played.replay.game, "names": played.names}
            print_json(about | msgspec.to_builtins(found))
        else:
            _tell_curve(played, found)
    elif step is not None:
        _tell_step(played, step)
    elif as_html:
        _write_page(played, source)
    else:
        _tell_game(played, as_json=as_json)
        return
    _tell_faults(played)


def _from_file(file: Path) -> PlayedGame:
    from league.api.matches import PlayedGame
    from league.games import replay
    from league.results.recorded import Shown

    if os.path.isdir(file):
        raise click.UsageError("A league's folder needs an ADDRESS such as raj-2p:ann+bob:17.1, or a BOT.")
    try:
        read = replay.read(read_bytes(file, MAX_BYTES))
        replay.verify(read)
        return PlayedGame(Shown(read))
    except ReplayError as problem:
        raise ReplayError(f"{shown_path(file)}: {problem}") from None


def _from_league(
    folder: Path,
    wanted: str,
    bot: str | None,
    order: tuple[SortBy, int] | None,
    isolation: Isolation,
    *,
    again: bool,
    **asked: Any,
) -> PlayedGame:
    """The game at the address that is wanted, or the first one of a bot's that the options choose."""
    from league.api.leagues import League
    from league.results.store import Store

    if os.path.isfile(folder):
        raise click.UsageError("An ADDRESS goes with the folder of a league; a replay's FILE takes none.")
    address = wanted
    if bot is not None:
        with Store.open(folder) as store:
            address = _pick(store, query_of(bot, **asked), order)
    return League(folder).replay(address, again=again, isolation=isolation)


def _pick(store: Store, query: Query, order: tuple[SortBy, int] | None) -> str:
    """The address of the first game that is wanted, which is also printed on standard error."""
    names = [bot.name for bot in store.bots()]
    if query.bot is not None and query.bot not in names:
        expected = (
            "Expected an address such as raj-2p:ann+bob:17.1 (contest:bots:deal.rotation) or a bot of this league"
        )
        raise LeagueError(f"{expected}, found {safe(query.bot)!r}.{did_you_mean(query.bot, names)}")
    game = next((part.game(0) for part in picked(store, query, order) if part.size), None)
    if game is None:
        raise LeagueError(f"There are no {query}.")
    tell(f"league: this is {game.address}.", err=True)
    return str(game.address)


def _write_page(played: PlayedGame, source: Path) -> None:
    """Write the page of a game beside the standings of its league, or beside the file of its replay."""
    from league.analysis.rematch import parse_address
    from league.page.viewer import page_name

    page, back = source.with_suffix(".html"), ""
    if played.address:
        page, back = source / "games" / page_name(parse_address(played.address)), "../standings.html"
        refuse_link(page.parent)
        make_folder(page.parent)
    write_text(page, played.to_html(back=back))
    tell(f"The game is in {shown_path(page)}: open it in a browser.")


def _tell_game(played: PlayedGame, *, as_json: bool) -> None:
    if as_json:
        click.echo(played.to_json(), nl=False)
    else:
        tell(str(played))
    _tell_faults(played)


def _tell_faults(played: PlayedGame) -> None:
    for fault in played.faults:
        tell_fault(fault)
    if played.differs:
        reason = "a bot at this table is not deterministic. `league verify` finds out which."
        tell(f"league: This is not the game that was counted: {reason}", err=True)


# One step, and the chances after each


ERRORS = 2
"""Standard errors that are shown on each side: about 95 % of the truth lies within."""
LONGEST_NAME = 14
PICTURE = 40
"""Columns of the picture of the chances."""


def shown_value(value: float, unit: Unit) -> str:
    """A chance or points, as people read it."""
    return f"{100 * value:.1f} %" if unit == "places" else f"{value:.2f}"


def _tell_step(played: PlayedGame, number: int) -> None:
    """What the bots saw that had to decide in a step, and what happened then."""
    from league.games.replay import game_of, steps

    replay, names = played.replay, _names(played)
    if number > len(replay.moves):
        raise LeagueError(f"Expected a step from 1 to {len(replay.moves)}, found {number}: the game was over then.")
    game, before = game_of(replay), list(steps(replay))[number - 1].before
    tell(f"{game.title}, step {number} of {len(replay.moves)}.")
    for seat in before.turn:
        tell(f"{names[seat]} sees:")
        for line in game.sketch(before.view(seat), names):
            click.echo(f"  {line}")
    for line in _story(played, names, number):
        tell(line)


def _tell_curve(played: PlayedGame, curve: ChanceCurve) -> None:
    """The chances as a table with a picture, and what happened at the turning point."""
    from league.games.replay import game_of

    names, turned = _names(played), curve.turning_point
    what = "chance to win" if curve.unit == "places" else "points to expect"
    tell(f"{game_of(played.replay).title}: the {what} after each step.")
    every = [chance for chances in curve.chances for chance in chances]
    low, high = (0.0, 1.0) if curve.unit == "places" else (min(every), max(every))
    headings = [f"{seat} {shorten(name, LONGEST_NAME)}" for seat, name in enumerate(names, 1)]
    scale = (shown_value(low, curve.unit), shown_value(high, curve.unit))
    rows = [
        (
            f"{step}*" if turned and turned.step == step else f"{step} ",
            *(shown_value(chance, curve.unit) for chance in chances),
            f"|{_drawn(chances, low, high)}|",
        )
        for step, chances in enumerate(curve.chances)
    ]
    header = ("step ", *headings, f"{scale[0]}{scale[1]:>{PICTURE + 2 - len(scale[0])}}")
    click.echo(Table.of(header, rows, ("step ", *headings), headings).text(columns()))
    tell(_about_turn(played, names, curve))
    tell(ASSUMED)


def _drawn(chances: Sequence[float], low: float, high: float) -> str:
    """The number of every seat at its chance, or = where several are."""
    cells = [" "] * PICTURE
    for seat, chance in enumerate(chances, 1):
        place = round((chance - low) / ((high - low) or 1.0) * (PICTURE - 1))
        cells[place] = str(seat) if cells[place] == " " else "="
    return "".join(cells)


def _about_turn(played: PlayedGame, names: Sequence[str], curve: ChanceCurve) -> str:
    from league.games.scenes import without_pictures

    turned, unit = curve.turning_point, curve.unit
    if turned is None:
        return (
            "No turning point: no step changed the chances by clearly more than the error. "
            "More playouts have smaller errors: --playouts N."
        )
    story = " ".join(without_pictures(_story(played, names, turned.step)))
    before, after, error = (shown_value(value, unit) for value in (turned.before, turned.after, ERRORS * turned.error))
    verb = "rise" if turned.change > 0 else "fall"
    what = f"chance to win {verb}s" if unit == "places" else f"points to expect {verb}"
    return (
        f"* Turning point: step {turned.step}. {story} "
        f"{names[turned.seat]}: the {what} from {before} to {after} (± {error})."
    )


def _names(played: PlayedGame) -> list[str]:
    return [safe(name) for name in played.names or [f"Player {seat + 1}" for seat in range(played.replay.players)]]


def _story(played: PlayedGame, names: Sequence[str], number: int) -> list[str]:
    """What happened in a step."""
    from league.games.replay import game_of, steps, told_faults

    step = list(steps(played.replay))[number - 1]
    told = game_of(played.replay).tell(step.before, step.moves, step.after, names)
    return [*told_faults(played.replay, number, names), *told]
