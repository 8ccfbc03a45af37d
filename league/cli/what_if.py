"""`league replay --with`: games of a league with another version of a bot."""

from __future__ import annotations

from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from league.cli.options import query_of
from league.cli.output import print_json, prints_apart, tell
from league.tools.bar import GamesBar
from league.tools.table import Table
from league.tools.text import columns, counted, safe
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.analysis.what_if import Retry, SeatResult
    from league.api.studies import WhatIfResult
    from league.results.find import SortBy

RETRIES = 200
"""Games that are played again without --games."""
SHOWN = 20
"""Games in the table."""


def replay_with(
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

    name, equals, path = change.partition("=")
    if not equals or not name or not path:
        raise click.UsageError(f"--with needs NAME=BOT, such as amy=new_amy.py, not {change!r}.")
    address = None if address == name else address
    if address and (any(asked.values()) or order):
        raise click.UsageError("An ADDRESS is one game; options that choose games do not go with it.")
    query = query_of(name, **asked)
    with prints_apart(as_json), ExitStack() as stack:
        bars: list[GamesBar] = []

        def on_games(games: int) -> None:
            """The first call says how many games there are."""
            if bars:
                bars[0].played(games)
            else:
                bars.append(stack.enter_context(closing(GamesBar(games))))

        chosen: dict[str, Any] = {order[0]: games} if order else {}
        compared = what_if(
            *(folder, name, path),
            address=address,
            against=query.against,
            game=query.game,
            ended=query.ended,
            fault=query.fault,
            games=games,
            isolation=isolation,
            on_games=on_games,
            **chosen,
        )
    if not compared.games:
        tell(str(compared))
    elif as_json:
        print_json(compared._asdict())
    elif address:
        _tell_one(compared, path)
    else:
        _tell_many(compared, path)
    if not all(retry.reproduced for retry in compared.games):
        count = counted(sum(not retry.reproduced for retry in compared.games), "game")
        tell(f"league: {count} did not end as counted: a bot is not deterministic. `league verify` finds it.", err=True)


def _tell_one(compared: WhatIfResult, path: str) -> None:
    (retry,) = compared.games
    bot, decision = safe(retry.bot), retry.decision
    if decision is None:
        tell(str(compared))
        return
    who = "" if decision.bot == retry.bot else f" by {safe(decision.bot)}, an opponent"
    tell(f"{retry.address}: the first different decision{who} is at step {decision.step}.")
    for line in decision.position:
        click.echo(f"  {safe(line)}")
    tell(f"{bot} {safe(decision.before)}; {safe(path)} {safe(decision.after)}.")
    for who, ended in ((f"{bot} ended", retry.before), (f"{safe(path)} ends", retry.after)):
        tell(f"{who} with {_ended(ended)}{f' ({safe(ended.fault)})' if ended.fault else ''}.")


def _tell_many(compared: WhatIfResult, path: str) -> None:
    from league.analysis.what_if import shown_gain

    retries = compared.games
    rows = [
        (retry.address, _ended(retry.before), _ended(retry.after), _difference(retry))
        for retry in sorted(retries, key=_change, reverse=True)[:SHOWN]
    ]
    header = ("game", safe(retries[0].bot), safe(path), "first different decision")
    click.echo(Table.of(header, rows).text(columns()))
    if len(retries) > SHOWN:
        tell(f"… and {counted(len(retries) - SHOWN, 'game')} more: --json has all.")
    lines = [
        (
            effect.contest,
            f"{effect.games:,}",
            f"{effect.decided:,}",
            f"{effect.better:,}",
            f"{effect.worse:,}",
            shown_gain(effect.points, 2),
            shown_gain(effect.score, 3),
        )
        for effect in compared.contests
    ]
    numbers = ("games", "decided differently", "better", "worse", "points gained", "score gained")
    click.echo()
    table = Table.of(("contest", *numbers), lines, numbers, ("score gained",))
    click.echo(table.text(columns(), "--json has all."))
    tell(str(compared))


def _change(retry: Retry) -> tuple[float, int]:
    """How much a game changed."""
    return abs(retry.after.score - retry.before.score), abs(retry.after.points - retry.before.points)


def _ended(result: SeatResult) -> str:
    return f"place {result.place}, {counted(result.points, 'point')}{', at fault' if result.fault else ''}"


def _difference(retry: Retry) -> str:
    if retry.decision is None:
        return "none"
    return safe(f"step {retry.decision.step}: {retry.decision.before} → {retry.decision.after}")
