"""Commands that print a game: `match` plays one, `replay` shows one of a league again, as it was or with a new bot."""

from __future__ import annotations

import os
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
    chosen_by,
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
from league.errors import LeagueError, ReplayError
from league.tools.files import make_folder, read_bytes, refuse_link, write_text
from league.tools.table import Column, Table
from league.tools.text import columns, counted, safe, shown_path
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.analysis.what_if import Retry, SeatResult
    from league.api.matches import PlayedGame
    from league.api.studies import WhatIfResult
    from league.results.find import SortBy


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
RETRIES = 200
"""Games that are played again by --with, unless --games says how many."""
SHOWN = 20
"""Games in its table."""


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
        _replay_with(source, wanted, change, order, games or RETRIES, isolation, as_json=as_json, **asked)
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
            played = _from_league(source, wanted, order, isolation, again=again, **asked)
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
    if ":" not in wanted:
        query = query_of(wanted, **asked)
        with Store.open(folder) as store:
            games = (part.game(0) for part in picked(store, query, order) if part.size)
            if (game := next(games, None)) is None:
                raise LeagueError(f"There are no {query}.")
        wanted = str(game.address)
        tell(f"league: this is {wanted}.", err=True)
    return League(folder).replay(wanted, again=again, isolation=isolation)


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


def shown_value(value: float, unit: Unit) -> str:
    """A chance or points, as people read it."""
    return f"{100 * value:.1f} %" if unit == "places" else f"{value:.2f}"


def _tell_step(played: PlayedGame, number: int) -> None:
    """What the bots saw that had to decide in a step, and what happened then."""
    from league.games.replay import called_in, game_of, steps, story

    replay, names = played.replay, [*map(safe, called_in(played.replay))]
    if number > len(replay.moves):
        raise LeagueError(f"Expected a step from 1 to {len(replay.moves)}, found {number}: the game was over then.")
    game, before = game_of(replay), list(steps(replay))[number - 1].before
    tell(f"{game.title}, step {number} of {len(replay.moves)}.")
    for seat in before.turn:
        tell(f"{names[seat]} sees:")
        for line in game.sketch(before.view(seat), names):
            click.echo(f"  {line}")
    for line in story(replay, names)[number]:
        tell(line)


def _tell_curve(played: PlayedGame, curve: ChanceCurve) -> None:
    """The chances as a table, and what happened at the turning point."""
    from league.games.replay import called_in, game_of, story
    from league.games.scenes import without_pictures

    names = [*map(safe, called_in(played.replay))]
    turned, unit = curve.turning_point, curve.unit
    what = "chance to win" if unit == "places" else "points to expect"
    tell(f"{game_of(played.replay).title}: the {what} after each step.")
    headings = ["step ", *(f"{seat} {name}" for seat, name in enumerate(names, 1))]
    rows = [
        (f"{step}{'*' if turned and turned.step == step else ' '}", *(shown_value(chance, unit) for chance in chances))
        for step, chances in enumerate(curve.chances)
    ]
    click.echo(Table.of(headings, rows, headings).text(columns()))
    if turned:
        told = " ".join(without_pictures(story(played.replay, names)[turned.step]))
        before, after, error = (shown_value(one, unit) for one in (turned.before, turned.after, ERRORS * turned.error))
        verb = "rises" if turned.change > 0 else "falls"
        turn = f"{names[turned.seat]} {verb} from {before} to {after} (± {error})."
        tell(f"* Turning point: step {turned.step}. {told} {turn}")
    else:
        told = "No turning point: no step changed the chances by clearly more than the error."
        tell(f"{told} More playouts have smaller errors: --playouts N.")
    tell(ASSUMED)


# Another version of a bot


def _replay_with(
    folder: Path,
    address: str | None,
    change: str,
    order: tuple[SortBy, int] | None,
    games: int,
    isolation: Isolation,
    *,
    as_json: bool,
    **asked: Any,
) -> None:
    """Play games again with another version of a bot, and print what it changes; `change` is NAME=BOT."""
    from league.api.studies import what_if
    from league.results.store import Store

    name, equals, path = change.partition("=")
    if not equals or not name or not path:
        raise click.UsageError(f"--with needs NAME=BOT, such as amy=new_amy.py, not {change!r}.")
    address = None if address == name else address
    if address and (any(asked.values()) or order):
        raise click.UsageError("An ADDRESS is one game; options that choose games do not go with it.")
    wanted = chosen_by(query_of(name, **asked)) | ({order[0]: games} if order else {})
    with prints_apart(as_json):
        compared = what_if(folder, name, path, address=address, games=games, isolation=isolation, **wanted)
    if as_json:
        print_json(compared._asdict())
    else:
        with Store.open(folder) as store:
            titles = store.settings().titles()
        _tell_changes(compared, (name, path), titles, single=address is not None)
    if strange := sum(not retry.reproduced for retry in compared.games):
        count = counted(strange, "game")
        tell(f"league: {count} did not end as counted: a bot is not deterministic. `league verify` finds it.", err=True)


def _tell_changes(compared: WhatIfResult, versions: tuple[str, str], titles: dict[str, str], *, single: bool) -> None:
    from league.analysis.what_if import shown_gain

    retries = sorted(compared.games, key=_change, reverse=True)
    rows = [(one.address, _ended(one.before), _ended(one.after), _difference(one)) for one in retries[:SHOWN]]
    if rows:
        click.echo(Table.of(("game", *map(safe, versions), "first different decision"), rows).text(columns()))
    if len(retries) > SHOWN:
        tell(f"… and {counted(len(retries) - SHOWN, 'game')} more: --json has all.")
    if single and (decision := retries[0].decision):
        tell(f"\nBefore that decision, {safe(decision.bot)} sees:")
        for line in decision.position:
            click.echo(f"  {safe(line)}")
    elif compared.contests and not single:
        numbers = [
            Column("games", spec=","),
            Column("decided differently", "decided", ","),
            Column("better", spec=","),
            Column("worse", spec=","),
            Column("points gained", spec=">", shown=lambda effect: shown_gain(effect.points, 2)),
            Column("score gained", spec=">", shown=lambda effect: shown_gain(effect.score, 3), spare=1),
        ]
        table = Table([Column("contest", shown=lambda effect: titles[effect.contest]), *numbers], compared.contests)
        click.echo(f"\n{table.text(columns(), '--json has all.')}")
    tell(str(compared))


def _change(retry: Retry) -> tuple[float, int]:
    """How much a game changed."""
    return abs(retry.after.score - retry.before.score), abs(retry.after.points - retry.before.points)


def _ended(result: SeatResult) -> str:
    return f"place {result.place}, {counted(result.points, 'point')}{', at fault' if result.fault else ''}"


def _difference(retry: Retry) -> str:
    decision = retry.decision
    if decision is None:
        return "none"
    who = "" if decision.bot == retry.bot else f"{decision.bot}, an opponent, "
    return safe(f"step {decision.step}: {who}{decision.before} → {decision.after}")
