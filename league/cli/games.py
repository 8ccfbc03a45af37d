"""`league games`: what can be played here."""

from __future__ import annotations

import click


@click.command("games")
def command() -> None:
    """List the games with their players and options."""
    raise NotImplementedError
