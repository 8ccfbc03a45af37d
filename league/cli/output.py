"""Prints what people read: sentences that fit their terminal, whole lines for files and programs, progress bars."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TYPE_CHECKING

import click

from league.tools.text import columns, folded, safe

if TYPE_CHECKING:
    from league.values.block import Fault


def tell(text: str, *, err: bool = False) -> None:
    """Print a text on standard output, or on standard error."""
    click.echo(folded(text, columns(err=err)), err=err)


def print_json(value: object) -> None:
    """Print a value as JSON, for programs."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2))


@contextmanager
def prints_apart() -> Iterator[None]:
    """Send what trusted bots print to standard error: standard output is for a result that programs read."""
    out = sys.stdout
    out.flush()
    kept = os.dup(1)
    try:
        with suppress(OSError):  # without standard error, prints go where results do
            os.dup2(2, 1)
        with redirect_stdout(sys.stderr):
            yield
    finally:
        out.flush()
        os.dup2(kept, 1)
        os.close(kept)


def tell_tail(fault: Fault, indent: str, *, err: bool = False) -> None:
    """Print which moves were legal, in lines that fit, or the end of a traceback, unchanged."""
    for line in fault.tail.splitlines():
        if fault.kind == "illegal":
            tell(safe(f"{indent}{line}"), err=err)
        else:
            click.echo(safe(f"{indent}{line}"), err=err)
