"""Prints what people read: sentences that fit their terminal, and whole lines for files and other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from league.tools.text import columns, folded, safe

if TYPE_CHECKING:
    from league.values.block import Fault


def tell(text: str, *, err: bool = False) -> None:
    """Print a text on standard output, or on standard error."""
    click.echo(folded(text, columns(err=err)), err=err)


def tell_tail(fault: Fault, indent: str, *, err: bool = False) -> None:
    """Which moves were legal, in lines that fit, or the end of a traceback, which stays as it is."""
    for line in fault.tail.splitlines():
        if fault.kind == "illegal":
            tell(safe(f"{indent}{line}"), err=err)
        else:
            click.echo(safe(f"{indent}{line}"), err=err)
