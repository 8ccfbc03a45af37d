"""Prints what people read: sentences that fit their terminal, and whole lines for files and other programs."""

from __future__ import annotations

import click

from league.text import columns, folded


def tell(text: str, *, err: bool = False) -> None:
    """Print a text on standard output, or on standard error."""
    click.echo(folded(text, columns(err=err)), err=err)
