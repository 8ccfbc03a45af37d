"""`league what-if`: games of a league with another version of a bot."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from league.cli import complete
from league.cli.options import (
    COUNT,
    bots_option,
    described,
    filters,
    isolation_option,
    league_argument,
    order_of,
    picked,
    query_of,
    whole,
)
from league.cli.output import prints_apart, tell
from league.errors import LeagueError
from league.tools.bar import GamesBar
from league.tools.text import columns, counted, fitted_table, safe
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.analysis.what_if import Retry, SeatResult
    from league.results.queries import FoundGame, Query, SortBy
    from league.results.store import Store

GAMES = 200
"""Games that are played again without --games."""
SHOWN = 20
"""Games in the table."""


@click.command("what-if")
@league_argument
@click.argument("address", required=False, shell_complete=complete.addresses)
@click.option(
    "--bot",
    "change",
    required=True,
    metavar="NAME=BOT",
    shell_complete=complete.replacements,
    help="Which bot is replaced by which: amy=new_amy.py.",
)
@filters
@click.option("--worst", type=COUNT, metavar="N", help="The N worst games in each contest, by place, then points.")
@click.option("--closest", type=COUNT, metavar="N", help="The N closest games in each contest, by points.")
@click.option(
    "--games",
    default=GAMES,
    show_default=True,
    type=whole(1),
    metavar="N",
    help="At most N games, spread evenly over all that are wanted.",
)
@bots_option
@isolation_option
@click.option("--json", "as_json", is_flag=True, help="As JSON, for programs.")
def command(
    folder: Path,
    address: str | None,
    change: str,
    *,
    worst: int | None,
    closest: int | None,
    games: int,
    bots_dir: str,
    isolation: Isolation,
    as_json: bool,
    **asked: Any,
) -> None:
    """Play games of the league in DIR again with another version of a bot, and compare.

    With an ADDRESS, that game: same deal, same seats, same opponents, same random numbers. Without one, all games of
    the bot, or those that the options choose. After its first different decision everything else may differ too.

    \b
      league what-if results/quick raj-2p:amy+bob:17.1 --bot amy=new_amy.py
      league what-if results/quick --bot amy=new_amy.py --lost
    """
    from league.analysis.what_if import WhatIf
    from league.results.store import Store
    from league.setup.roster import find

    name, equals, path = change.partition("=")
    if not equals or not name or not path:
        raise click.UsageError(f"--bot needs NAME=BOT, such as amy=new_amy.py, not {change!r}.")
    query = query_of(name, **asked)
    order = order_of(worst=worst, closest=closest)
    version = find(path, bots_dir)
    with Store.open(folder) as store:
        query.check(store)
        chosen = [_at(store, address, query, order)] if address else _sample(store, query, order, games)
        if not chosen:
            tell(f"There are no {described(query)}.")
            return
        bar = GamesBar(len(chosen))
        try:
            with (
                prints_apart() if as_json else nullcontext(),
                closing(WhatIf(store, name, version, isolation)) as what_if,
            ):
                retries = []
                for game in chosen:
                    retries.append(what_if.play(game))
                    bar.played(1)
        finally:
            bar.close()
    if as_json:
        _print_json(retries, path, chosen_by_result=_by_result(query, order))
    elif address:
        _tell_one(retries[0], path)
    else:
        _tell_many(retries, path, chosen_by_result=_by_result(query, order))
    if not all(retry.reproduced for retry in retries):
        count = counted(sum(not retry.reproduced for retry in retries), "game")
        tell(f"league: {count} did not end as counted: a bot is not deterministic. `league audit` finds it.", err=True)


def _by_result(query: Query, order: tuple[SortBy, int] | None) -> bool:
    return bool(query.ended or query.fault or order)


def _at(store: Store, address: str, query: Query, order: tuple[SortBy, int] | None) -> FoundGame:
    """The game at an address, in which the bot must have played."""
    from league.analysis.rematch import parse_address, series_at
    from league.results.queries import game_at

    if _by_result(query, order) or query.against or query.game:
        raise click.UsageError("An ADDRESS is one game; options that choose games do not go with it.")
    parsed = parse_address(address)
    game = game_at(store, series_at(store, parsed).address(parsed.deal))
    if game is None:
        raise LeagueError(f"{safe(address)} was not played yet.")
    if query.bot not in game.bots:
        raise LeagueError(f"{safe(str(query.bot))} does not play in {safe(address)}.")
    return game


def _sample(store: Store, query: Query, order: tuple[SortBy, int] | None, most: int) -> Sequence[FoundGame]:
    """At most `most` of the games that are wanted, spread evenly."""
    from league.results.queries import count

    games = picked(store, query, order)
    if order is not None:
        return list(games)[:most]
    total = count(store, query)
    return [game for at, game in enumerate(games) if at * most % total < most]


def _tell_one(retry: Retry, path: str) -> None:
    from league.analysis.what_if import verdict

    bot, decision = safe(retry.bot), retry.decision
    if decision is None:
        tell(verdict([retry], safe(path), chosen_by_result=False))
        return
    who = "" if decision.bot == retry.bot else f" by {safe(decision.bot)}, an opponent"
    tell(f"{retry.address}: the first different decision{who} is at step {decision.step}.")
    for line in decision.position:
        click.echo(f"  {safe(line)}")
    tell(f"{bot} {safe(decision.before)}; {safe(path)} {safe(decision.after)}.")
    for who, ended in ((f"{bot} ended", retry.before), (f"{safe(path)} ends", retry.after)):
        tell(f"{who} with {_ended(ended)}{f' ({safe(ended.fault)})' if ended.fault else ''}.")


def _tell_many(retries: Sequence[Retry], path: str, *, chosen_by_result: bool) -> None:
    from league.analysis.what_if import effects, shown_gain, verdict

    rows = [
        (retry.address, _ended(retry.before), _ended(retry.after), _difference(retry))
        for retry in sorted(retries, key=_change, reverse=True)[:SHOWN]
    ]
    header = ("game", safe(retries[0].bot), safe(path), "first different decision")
    click.echo(fitted_table(header, rows, most=columns()))
    if len(retries) > SHOWN:
        tell(f"… and {counted(len(retries) - SHOWN, 'game')} more: --json has all.")
    found = [
        (
            one.contest,
            f"{one.games:,}",
            f"{one.decided:,}",
            f"{one.better:,}",
            f"{one.worse:,}",
            shown_gain(one.points, 2),
            shown_gain(one.score, 3),
        )
        for one in effects(retries)
    ]
    numbers = ("games", "decided differently", "better", "worse", "points gained", "score gained")
    click.echo()
    click.echo(
        fitted_table(
            ("contest", *numbers), found, numbers, most=columns(), spare=("score gained",), elsewhere="--json has all."
        )
    )
    tell(verdict(retries, safe(path), chosen_by_result=chosen_by_result))


def _change(retry: Retry) -> tuple[float, int]:
    """How much a game changed."""
    return abs(retry.after.score - retry.before.score), abs(retry.after.points - retry.before.points)


def _ended(one: SeatResult) -> str:
    return f"place {one.place}, {counted(one.points, 'point')}{', at fault' if one.fault else ''}"


def _difference(retry: Retry) -> str:
    if retry.decision is None:
        return "none"
    return safe(f"step {retry.decision.step}: {retry.decision.before} → {retry.decision.after}")


def _print_json(retries: Sequence[Retry], path: str, *, chosen_by_result: bool) -> None:
    import msgspec

    from league.analysis.what_if import effects, verdict

    shown_data = {
        "games": retries,
        "contests": effects(retries),
        "verdict": verdict(retries, safe(path), chosen_by_result=chosen_by_result),
    }
    click.echo(msgspec.json.format(msgspec.json.encode(shown_data), indent=2))
