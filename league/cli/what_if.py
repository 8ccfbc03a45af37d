"""`league replay --with`: games of a league again, with another version of a bot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from league.cli.options import query_of
from league.cli.output import print_json, prints_apart, tell
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
    wanted: dict[str, Any] = {"against": query.against, "game": query.game, "ended": query.ended, "fault": query.fault}
    wanted |= {order[0]: games} if order else {}
    with prints_apart(as_json):
        compared = what_if(folder, name, path, address=address, games=games, isolation=isolation, **wanted)
    if as_json:
        print_json(compared._asdict())
    else:
        _tell_changes(compared, safe(name), safe(path), single=address is not None)
    if strange := sum(not retry.reproduced for retry in compared.games):
        count = counted(strange, "game")
        tell(f"league: {count} did not end as counted: a bot is not deterministic. `league verify` finds it.", err=True)


def _tell_changes(compared: WhatIfResult, bot: str, path: str, *, single: bool) -> None:
    from league.analysis.what_if import shown_gain

    retries = sorted(compared.games, key=_change, reverse=True)
    rows = [(one.address, _ended(one.before), _ended(one.after), _difference(one)) for one in retries[:SHOWN]]
    if rows:
        click.echo(Table.of(("game", bot, path, "first different decision"), rows).text(columns()))
    if len(retries) > SHOWN:
        tell(f"… and {counted(len(retries) - SHOWN, 'game')} more: --json has all.")
    if single and (decision := retries[0].decision):
        tell(f"\nBefore that decision, {safe(decision.bot)} sees:")
        for line in decision.position:
            click.echo(f"  {safe(line)}")
    elif not single:
        numbers = ("games", "decided differently", "better", "worse", "points gained", "score gained")
        lines = [
            (
                effect.contest,
                *(f"{count:,}" for count in (effect.games, effect.decided, effect.better, effect.worse)),
                shown_gain(effect.points, 2),
                shown_gain(effect.score, 3),
            )
            for effect in compared.contests
        ]
        if lines:
            table = Table.of(("contest", *numbers), lines, numbers, ("score gained",))
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
