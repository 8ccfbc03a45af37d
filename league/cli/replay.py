"""Commands that print one game: `match` plays it, `replay` shows one of a league again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from league.analysis.turning_points import FEWEST_PLAYOUTS, MOST_PLAYOUTS, PLAYOUTS
from league.cli import complete
from league.cli.options import (
    COUNT,
    PATH,
    SEED,
    bots_option,
    filters,
    game_options,
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
from league.tools.files import read_bytes
from league.tools.text import safe, shown_path
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.results.find import Query, SortBy
    from league.results.store import Store
    from league.values.block import Address


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
    from league.api.tables import match

    with prints_apart(as_json):
        played = match(game, names, **asked)
    if as_json:
        click.echo(played.to_json(), nl=False)
    else:
        tell(str(played))
    for fault in played.faults:
        tell_fault(fault)


DIFFERS = (
    "This is not the game that was counted: a bot at this table is not deterministic. `league verify` finds out which."
)
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
@click.option("--html", "as_html", is_flag=True, help="Write a page to step through, beside the standings.")
@click.option(
    "--curve",
    "as_curve",
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
    as_curve: bool,
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
    from league.analysis.rematch import Shown, parse_address, play_again, show
    from league.analysis.turning_points import unit_in
    from league.api.tables import PlayedGame
    from league.games import replay
    from league.page.viewer import page_name
    from league.results.store import Store

    order = order_of(worst=worst, closest=closest)
    if change is not None:
        only_these("--with", "change", "games", "isolation", "as_json", "worst", "closest", *asked)
        replay_with(source, wanted, change, order, games or RETRIES, isolation, as_json=as_json, **asked)
        return
    if games is not None:
        raise click.UsageError("--games goes with --with.")
    if rules is not None:
        registry.load(rules)
    only_one(json=as_json, html=as_html)
    if playouts is not None and not as_curve:
        raise click.UsageError("--playouts goes with --curve.")
    if step is not None and (as_json or as_html or as_curve):
        raise click.UsageError("--step prints one step: it excludes --json, --html and --curve.")
    if as_curve and as_html:
        raise click.UsageError("--curve and --html exclude each other; pages of `league serve` draw the curve.")
    chosen = order is not None or any(asked.values())
    bot = wanted if wanted is not None and ":" not in wanted else None
    if again and wanted is None:
        raise click.UsageError("--again goes with a game of a league's folder: a replay's FILE has no bots.")
    if bot is None and chosen:
        raise click.UsageError("Options that choose a game go with a BOT, whose game it is.")
    if wanted is None:
        if os.path.isdir(source):
            raise click.UsageError("A league's folder needs an ADDRESS such as raj-2p:ann+bob:17.1, or a BOT.")
        try:
            read = replay.read(read_bytes(source, MAX_BYTES))
            replay.verify(read)
            played = PlayedGame(Shown(read))
        except ReplayError as problem:
            raise ReplayError(f"{shown_path(source)}: {problem}") from None
        page = source.with_suffix(".html")
    else:
        if os.path.isfile(source):
            raise click.UsageError("An ADDRESS goes with the folder of a league; a replay's FILE takes none.")
        parsed = None if bot is not None else parse_address(wanted)
        with Store.open(source) as store, prints_apart(as_json):
            address = parsed or _pick(store, query_of(bot, **asked), order)
            see = play_again if again else show
            played = PlayedGame(see(store, address, isolation), str(address), unit_in(store, address.contest))
        page = source / "games" / page_name(address)
    if as_curve:
        from league.cli.curve import curve_data, print_curve

        curve = played.curve(playouts or PLAYOUTS)
        if as_json:
            print_json(curve_data(played, curve))
        else:
            print_curve(played, curve)
    elif step is not None:
        from league.cli.curve import print_step

        print_step(played, step)
    elif as_json:
        click.echo(played.to_json(), nl=False)
    elif as_html:
        from league.tools.files import make_folder, refuse_link, write_text

        if played.address:
            refuse_link(page.parent)
            make_folder(page.parent)
        write_text(page, played.to_html(back="../standings.html" if played.address else ""))
        tell(f"The game is in {shown_path(page)}: open it in a browser.")
    else:
        tell(str(played))
    for fault in played.faults:
        tell_fault(fault)
    if played.differs:
        tell(f"league: {DIFFERS}", err=True)


def _pick(store: Store, query: Query, order: tuple[SortBy, int] | None) -> Address:
    """The first game that is wanted; standard error gets its address."""
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
    return game.address
