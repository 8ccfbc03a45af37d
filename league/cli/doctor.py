"""`league doctor`: what this machine enforces."""

from __future__ import annotations

import textwrap

import click

from league.cli.output import tell
from league.tools.text import columns

_COLUMNS = 100
"""The width of advice where there is no terminal."""


@click.command("doctor")
@click.pass_context
def command(ctx: click.Context) -> None:
    """Check by trying how well bots are confined on this machine, and say what to do about each gap.

    The exit code is 1 if there is no sandbox. Other gaps are reported, but do not weaken it.
    """
    from league.hosts.doctor import SANDBOX, examine

    held = False
    most = min(columns() or _COLUMNS, _COLUMNS)
    for check in examine():
        held |= check.good and check.what.startswith(SANDBOX)
        tell(f"{'ok ' if check.good else 'GAP'}  {check.what}: {check.found}")
        if check.remedy:
            click.echo(textwrap.fill(check.remedy, most, initial_indent="     ", subsequent_indent="     "))
    click.echo("Bots can be confined here." if held else "There is no sandbox here: see the gaps above.")
    if not held:
        ctx.exit(1)
