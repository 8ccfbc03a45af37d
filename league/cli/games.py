"""`league games`: what can be played here."""

from __future__ import annotations

from textwrap import wrap

import click
import msgspec

from league import games
from league.games.contract import Game, describe, plain
from league.games.guide import guide, members
from league.tools.text import columns, safe

_WIDTH = 116
"""Of a line, where no terminal is narrower."""


@click.command("games")
@click.argument("name", required=False, metavar="[GAME]")
def command(name: str | None) -> None:
    """List the games with their players and options; with GAME, tell all that its bots should know."""
    most = columns()
    if name is None:
        click.echo("\n\n".join(summary(games.find(known), most) for known in games.names()))
        click.echo("\nleague games GAME tells more of one.")
    else:
        rules = games.find(name)
        click.echo("\n".join([summary(rules, most), "", *map(safe, guide(rules(), most))]))


def summary(rules: type[Game], most: int | None = None) -> str:
    """Name, players and options of a game, each with what it means, may be, and is if left out."""
    counts = rules.player_counts
    players = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    lines = [f"{rules.name}: {rules.title}, {players} players"]
    usual = plain(rules.options_type())
    meanings = dict(members(rules.options_type)) if usual else {}
    for field in msgspec.structs.fields(rules.options_type):
        meaning = " ".join(meanings.get(field.name, "").split())
        choice = f"{describe(field.type)}; {_worded(usual[field.name])} if left out."
        lines += wrap(f"  {field.name}: {choice} {meaning}", min(most or _WIDTH, _WIDTH), subsequent_indent="      ")
    return "\n".join(lines)


def _worded(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(str, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)
