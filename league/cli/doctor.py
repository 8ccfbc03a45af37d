"""`league doctor`: what this machine enforces."""

from __future__ import annotations

import textwrap

import click

from league.cli.tell import tell
from league.tools.text import columns

_COLUMNS = 100
"""Of advice, where no terminal says how wide it may be."""


@click.command("doctor")
@click.pass_context
def command(ctx: click.Context) -> None:
    """Try for real what holds bots on this machine, and tell what to do about each gap.

    Exit code 1 if the sandbox cannot be had; other gaps are told, but harm nobody.
    """
    from league.hosts.doctor import SANDBOX, examine

    held = False
    most = min(columns() or _COLUMNS, _COLUMNS)
    for check in examine():
        held |= check.good and check.what.startswith(SANDBOX)
        tell(f"{'ok ' if check.good else 'GAP'}  {check.what}: {check.found}")
        if check.remedy:
            click.echo(textwrap.fill(check.remedy, most, initial_indent="     ", subsequent_indent="     "))
    click.echo("Bots can be confined here." if held else "The sandbox cannot be had here: see the gaps above.")
    if not held:
        ctx.exit(1)
